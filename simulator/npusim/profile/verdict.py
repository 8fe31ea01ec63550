"""The verdict line: what bounds a run, the evidence in numbers, the next step.

The rules are tried from the top; the first that holds speaks. Their order is that of
promise: where the launch takes the time nothing else counts, then nothing helps a
kernel at its floor but fewer bytes, then balance, scalar loops, unused cores, overlap,
and last the work of a single pipe. Thresholds are in `verdict.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from npusim.profile.amounts import count_text, figures, nbytes_text, share_text
from npusim.profile.words import WORDS

if TYPE_CHECKING:
    from npusim.profile.counters import PipeCounter, Profile

_LIMITS = {
    name: row["value"]
    for name, row in tomllib.loads(
        files("npusim.profile").joinpath("verdict.toml").read_text(encoding="utf-8")
    ).items()
}


def _near_floor(profile: Profile) -> bool:
    """No bytes to save by moving better; a compute-bound floor has its own rules."""
    moving = profile.bound not in ("V", "M")
    return moving and profile.roofline_share >= _LIMITS["floor_share"]


def _small_copies(profile: Profile) -> bool:
    counter = profile.pipe(profile.bound)
    return _moves(profile) and counter.copy_nbytes < _LIMITS["copy_nbytes"]


def _moves(profile: Profile) -> bool:
    return profile.bound in ("MTE2", "MTE3")


def _few_cores(profile: Profile) -> bool:
    return profile.cores_used <= _LIMITS["cores_share"] * profile.cores_available


def _together(profile: Profile) -> float:
    """Busy shares of the pipes that could overlap, added up."""
    return sum(profile.pipe(name).ratio for name in ("V", "MTE2", "MTE3"))


def _taking_turns(profile: Profile) -> bool:
    """The busiest pipe idles, though another works while it does."""
    bound = profile.pipe(profile.bound)
    idle = 0 < bound.ratio < _LIMITS["overlap_share"]
    return idle and bound.ratio < _together(profile) < _LIMITS["turns_share"]


def _scalar_loop(profile: Profile) -> bool:
    """Half of what S issues reads or writes memory itself."""
    issued = profile.pipe("S").instructions
    return profile.bound == "S" and 2 * profile.scalar_accesses > issued


def _bound_is(name: str) -> Callable[[Profile], bool]:
    return lambda profile: profile.bound == name


RULES: tuple[tuple[str, Callable[[Profile], bool]], ...] = (
    ("STOPPED", lambda profile: profile.stopped),
    ("START", _bound_is("START")),
    ("FLOOR", _near_floor),
    ("IMBALANCE", _bound_is("IMBALANCE")),
    ("S", _scalar_loop),
    ("CORES", _few_cores),
    ("ISSUE", _bound_is("S")),
    ("SYNC", _bound_is("SYNC")),
    ("OVERLAP", _taking_turns),
    ("SMALL", _small_copies),
    ("MOVE", _moves),
    ("V", _bound_is("V")),
    ("OTHER", lambda profile: True),
)


def verdict_key(profile: Profile) -> str:
    """Which rule speaks for `profile`."""
    return next(key for key, holds in RULES if holds(profile))


def verdict(profile: Profile, language: str = "en") -> str:
    """One sentence: the bound, its evidence, the most promising next step."""
    return WORDS(f"verdict_{verdict_key(profile)}", language, **_facts(profile))


def _facts(profile: Profile) -> dict[str, Any]:
    bound = profile.pipe(profile.bound)
    top = max(profile.pipes, key=lambda p: p.cycles, default=bound)
    outside_us = (profile.cycles - profile.core_cycles_slowest) / _cycles_per_us(
        profile
    )
    return {
        "pipe": profile.bound,
        "share": share_text(profile.roofline_share),
        "moved": nbytes_text(profile.nbytes),
        "rate": f"{figures(profile.bandwidth_gb_s)} GB/s",
        "time_us": figures(profile.time_us),
        "launch_us": figures(outside_us),
        "slowest": count_text(profile.core_cycles_slowest),
        "mean": count_text(profile.core_cycles_mean),
        "cores": profile.cores_used,
        "available": profile.cores_available,
        "scalar_count": count_text(profile.scalar_accesses),
        "wanted": nbytes_text(_LIMITS["copy_nbytes"]),
        **_pipe_facts(profile, bound, top),
    }


def _pipe_facts(
    profile: Profile, bound: PipeCounter, top: PipeCounter
) -> dict[str, Any]:
    return {
        "ratio": share_text(bound.ratio),
        "copy": nbytes_text(bound.copy_nbytes),
        "pipe_moved": nbytes_text(bound.nbytes),
        "together": share_text(_together(profile)),
        "top_pipe": top.pipe,
        "top_ratio": share_text(top.ratio),
        "issue_count": count_text(sum(p.instructions for p in profile.pipes)),
        "vector_count": count_text(profile.pipe("V").instructions),
    }


def _cycles_per_us(profile: Profile) -> float:
    return profile.clock_ghz * 1e3
