"""The compact table of a run, as text and as HTML; numbers come from the Profile.

Colours follow the notebook's theme (`currentColor`), except the bars of the pipes.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from npusim.profile.amounts import count_text, figures, nbytes_text, share_text
from npusim.profile.verdict import verdict
from npusim.profile.words import WORDS

if TYPE_CHECKING:
    from npusim.profile.counters import PipeCounter, Profile

PIPE_COLOURS = {
    "S": "#7f7f7f",
    "V": "#d55e00",
    "M": "#a6761d",
    "MTE1": "#b8589a",
    "MTE2": "#0072b2",
    "MTE3": "#009068",
    "FIX": "#7b61c9",
}
_ROWS = ("time", "roofline", "bandwidth", "bound", "cores")


def title(profile: Profile, language: str) -> str:
    """Kernel, blocks and chip."""
    return WORDS(
        "title", language,
        kernel=profile.kernel, blocks=profile.blocks, chip=profile.chip,
    )  # fmt: skip


def state(profile: Profile, language: str) -> str:
    """The state of the machine that the launch was given."""
    settings = {"cache": profile.cache, "code": profile.code, "mode": profile.mode}
    words = {name: _setting(name, value, language) for name, value in settings.items()}
    return WORDS("state", language, **words)


def _setting(name: str, value: str, language: str) -> str:
    """A setting's value, with its meaning where the language has another word."""
    key = f"{name}_{value}"
    return WORDS(key, language) if key in WORDS else value


# ---------------------------------------------------------------- one value a row
def _time(profile: Profile, language: str) -> str:
    return WORDS(
        "time_value", language,
        time_us=figures(profile.time_us), cycles=count_text(profile.cycles),
    )  # fmt: skip


def _roofline(profile: Profile, language: str) -> str:
    return WORDS(
        "roofline_value", language,
        share=share_text(profile.roofline_share), floor_us=figures(profile.floor_us),
    )  # fmt: skip


def _bandwidth(profile: Profile, language: str) -> str:
    return WORDS(
        "bandwidth_value", language,
        rate=f"{figures(profile.bandwidth_gb_s)} GB/s",
        read=nbytes_text(profile.nbytes_read),
        written=nbytes_text(profile.nbytes_written),
    )  # fmt: skip


def bound_text(bound: str, language: str) -> str:
    """What bounds a run, with the name's meaning; a name unknown here stands alone."""
    key = f"bound_{bound}"
    return WORDS(key, language) if key in WORDS else bound


def _bound(profile: Profile, language: str) -> str:
    return bound_text(profile.bound, language)


def _cores(profile: Profile, language: str) -> str:
    return WORDS(
        "cores_value", language, used=profile.cores_used,
        available=profile.cores_available,
        cycles=count_text(profile.core_cycles_mean),
        slowest=count_text(profile.core_cycles_slowest),
    )  # fmt: skip


_VALUES: dict[str, Callable[[Profile, str], str]] = {
    "time": _time,
    "roofline": _roofline,
    "bandwidth": _bandwidth,
    "bound": _bound,
    "cores": _cores,
}


def rows(profile: Profile, language: str) -> list[tuple[str, str]]:
    """`(name, value)` of every row, in the reader's language."""
    return [(WORDS(key, language), _VALUES[key](profile, language)) for key in _ROWS]


def notes(profile: Profile, language: str) -> list[str]:
    """Lines below the table: the verdict, then warnings and a stop where there are."""
    lines = [verdict(profile, language)]
    if profile.warnings:
        lines.append(WORDS("warnings", language, count=profile.warnings))
    if profile.stopped:
        lines.append(WORDS("stopped", language))
    return lines


# ------------------------------------------------------------------------- two forms
def profile_text(profile: Profile, language: str) -> str:
    """Title, one line a row, one line for the pipes, notes."""
    pipes = "  ".join(f"{p.pipe} {share_text(p.ratio)}" for p in profile.pipes)
    body = [*rows(profile, language), (WORDS("pipe_busy", language), pipes or "–")]
    head = WORDS(
        "header", language,
        title=title(profile, language), state=state(profile, language),
    )  # fmt: skip
    lines = [f"  {WORDS('line', language, name=n, value=v)}" for n, v in body]
    return "\n".join([head, *lines, *(f"  {n}" for n in notes(profile, language))])


def profile_html(profile: Profile, language: str) -> str:
    """One table: values on the left, the pipes' bars on the right; notes below."""
    body = rows(profile, language)
    bars = _bars(profile, language)
    first, *others = [f"{_head(name)}{_cell(value)}" for name, value in body]
    table = "".join(
        f"<tr style='background:none'>{row}</tr>"
        for row in (first + _bars_cell(bars, len(body)), *others)
    )
    caption = (
        f"<caption style='text-align:left;padding:0 0 4px;color:inherit'>"
        f"<b>{escape(title(profile, language))}</b> "
        f"<span style='opacity:.75'>{escape(state(profile, language))}</span></caption>"
    )
    text = "".join(
        f"<div style='margin:4px 0'>{escape(line)}</div>"
        for line in notes(profile, language)
    )
    return (
        f"<div class='npusim-profile' lang='{language}'>"
        f"<table style='border-collapse:collapse;margin:0'>{caption}{table}</table>"
        f"{text}</div>"
    )


def _head(name: str) -> str:
    style = "text-align:left;font-weight:normal;opacity:.75;padding:1px 12px 1px 0"
    return f"<th scope='row' style='{style}'>{escape(name)}</th>"


def _cell(value: str) -> str:
    return f"<td style='text-align:left;padding:1px 24px 1px 0'>{escape(value)}</td>"


def _bars_cell(bars: str, rowspan: int) -> str:
    style = "vertical-align:top;text-align:left;padding:1px 0"
    return f"<td rowspan='{rowspan}' style='{style}'>{bars}</td>"


def _bars(profile: Profile, language: str) -> str:
    name = escape(WORDS("pipe_busy", language))
    lines = "".join(_bar(counter) for counter in profile.pipes)
    return f"<div style='opacity:.75'>{name}</div>{lines or '–'}"


def _bar(counter: PipeCounter) -> str:
    width = min(100.0, 100.0 * counter.ratio)
    colour = PIPE_COLOURS[counter.pipe]
    return (
        "<div style='display:flex;align-items:center;gap:6px;line-height:1.35'>"
        f"<span style='width:3.2em'>{counter.pipe}</span>"
        "<span style='width:120px;height:9px;background:rgba(128,128,128,.25)'>"
        f"<span style='display:block;height:9px;width:{width:.1f}%;"
        f"background:{colour}'></span></span>"
        f"<span>{share_text(counter.ratio)}</span></div>"
    )
