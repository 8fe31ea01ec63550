"""Is a list of findings about a server complete and true?

A server is plain text: the versions of CANN and HCCL, and a listing whose lines are
`-rwxr-xr-x /usr/local/Ascend/model/net.om`. The rules are those of a public camp's
notes: equal versions, files below MODEL_FOLDER, permission 755. Findings: "version",
"path <path>", "mode <path>". Left out: owners, links, and whether a file is a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from npugrade.outcome import Outcome, Refused

MODEL_FOLDER, PERMISSION = "/usr/local/Ascend/model/", "rwxr-xr-x"
_SHOWN = 80


def server_audit(arguments: Mapping[str, Any], answer: Any) -> Outcome:
    """Refused unless `answer` is the list of all findings, in any order."""
    if not isinstance(answer, list) or any(type(item) is not str for item in answer):
        raise Refused("audit.form")
    due = list(findings(arguments["cann"], arguments["hccl"], arguments["listing"]))
    for finding in due:
        if finding not in answer:
            raise Refused("audit.missing", finding=finding)
    for finding in answer:
        if finding not in due:
            raise Refused("audit.extra", finding=finding[:_SHOWN])
    if len(answer) != len(due):
        raise Refused("audit.twice", count=len(answer), due=len(due))
    return Outcome(1, 1)


def findings(cann: str, hccl: str, listing: str) -> Iterator[str]:
    """All findings, in the order of the listing."""
    if cann != hccl:
        yield "version"
    for line in listing.splitlines():
        mode, path = line.split(maxsplit=1)
        if not path.startswith(MODEL_FOLDER):
            yield f"path {path}"
        if mode[1:] != PERMISSION:
            yield f"mode {path}"
