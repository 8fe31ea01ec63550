"""`python -m npusim.fidelity [--check] [--docs FOLDER] [GROUP …]`: write the report.

Without arguments it predicts all rows and writes `docs/fidelity.md` and the figures of
`docs/fidelity`. `--check` writes nothing and ends with 1 where the page would differ.
With names of groups it prints their sections.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from npusim.fidelity.figure import figures
from npusim.fidelity.page import page, section_text
from npusim.fidelity.report import predict_all, verdicts
from npusim.fidelity.rows import groups


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m npusim.fidelity")
    parser.add_argument("groups", nargs="*", metavar="GROUP")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    options = parser.parse_args()
    unknown = set(options.groups) - set(groups())
    if unknown:
        parser.error(f"no group {sorted(unknown)[0]!r}; known: {', '.join(groups())}")
    return options


def files(docs: Path) -> dict[Path, str]:
    """The text of every file of the report."""
    sections = predict_all(say=lambda words: print(words, flush=True))
    for asked, found, met in verdicts(sections):
        print(f"{'met ' if met else 'MISS'} {asked}: {found}")
    texts = {docs / "fidelity.md": page(sections)}
    pictures = figures(sections)
    texts.update({docs / "fidelity" / name: text for name, text in pictures.items()})
    return texts


def differing(texts: dict[Path, str]) -> list[Path]:
    """The files that are not as they would be written."""
    return [
        path
        for path, text in texts.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]


def main() -> int:
    """0, or 1 where `--check` finds a difference."""
    options = _arguments()
    if options.groups:
        print("\n".join(map(section_text, predict_all(options.groups))))
        return 0
    texts = files(options.docs)
    if options.check:
        found = differing(texts)
        print("\n".join(f"differs: {path}" for path in found) or "as committed")
        return 1 if found else 0
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
