"""`python -m npusim.fidelity.micro [--chip NAME] [NAME …]`: print the tables.

Without a name all experiments are run (about a minute). Ends with 2 and a message for
a name or a chip that does not exist.
"""

from __future__ import annotations

import argparse
import sys

from npusim.chip import chip_names
from npusim.fidelity.micro import run
from npusim.fidelity.micro.measuring import CHIP
from npusim.fidelity.micro.table import UnknownExperiment


def main() -> int:
    """0, or 2 for a name that no experiment has."""
    parser = argparse.ArgumentParser(prog="python -m npusim.fidelity.micro")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--chip", default=CHIP, choices=chip_names())
    options = parser.parse_args()
    try:
        for name in options.names or [""]:
            print(run(name, options.chip), end="\n\n")
    except UnknownExperiment as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
