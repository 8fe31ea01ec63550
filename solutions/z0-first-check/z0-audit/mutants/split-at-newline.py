"""Mutant of z0-audit. An empty text has one empty line when it is split at newlines."""


def audit(cann, hccl, listing):
    findings = []
    if cann != hccl:
        findings.append("version")
    for line in listing.split("\n"):
        mode, path = line.split(maxsplit=1)
        if not path.startswith("/usr/local/Ascend/model/"):
            findings.append("path " + path)
        if mode[1:] != "rwxr-xr-x":
            findings.append("mode " + path)
    return findings
