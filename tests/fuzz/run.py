"""`make fuzz`: many fuzzed kernels; stops at the first that breaks the simulator.

python -m tests.fuzz.run [PROGRAMS] [FIRST SEED]
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter

from tests.fuzz.fuzzing import outcome, shares
from tests.fuzz.grammar import Grammar


def main(programs: int = 10_000, first: int = 0) -> int:
    """Exit code: 0 if nothing was found."""
    counts: Counter[str] = Counter()
    for seed in range(first, first + programs):
        try:
            counts[outcome(seed)] += 1
        except Exception:
            print(Grammar(seed).kernel())
            traceback.print_exc()
            print(f"seed {seed}: see the kernel above")
            return 1
        if (seed + 1 - first) % 1000 == 0:
            print(f"{seed + 1 - first:6} {dict(counts)}", flush=True)
    compiled, ended = shares(counts)
    print(f"{programs} programs: {compiled:.0%} compile, {ended:.0%} run to the end")
    return 0 if compiled >= 0.5 and ended >= 0.25 else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
