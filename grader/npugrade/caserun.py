"""One case of one submission: call the host function, then judge what it left.

The result says at which stage it failed, with a message for the learner and, for
hidden cases, only the kind of fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from npugrade.cases import CaseData
from npugrade.constraints import first_broken
from npugrade.device import Device
from npugrade.extract import Extraction
from npugrade.feedback import ShownRun
from npugrade.golden import GOLDEN, in_double
from npugrade.host import HostFailure, HostProcess, limits
from npugrade.host_worker import LaunchRecord
from npugrade.kernels import Kernels
from npugrade.messages import LANGUAGES, Text, join, plain, same, say
from npugrade.taskmodel import Task
from npugrade.tolerance import Finding, compare
from npusim.chip import load_chip
from npusim.diagnostic import Diagnostic, KernelError
from npusim.diagnostic.catalogue import CATALOGUE
from npusim.lang.names import EXPORTS
from npusim.lang.types import DTYPES

BUDGET_CODES = ("ASC-RUN-04",)
SHOWN_DIAGNOSTICS = 4
_STAGES = (("ASC-JIT", "compile"), ("ASC-ARG", "call"))  # before anything runs
_NO_RESULT = ("NoneType", LaunchRecord.__name__)  # what a host function may return
_STOPPING_KEYS = ("host.deadline", "host.memory", "judge.memory")
_SAFE_KEYS = (*_STOPPING_KEYS, "host.no-launch", "guard.input")


@dataclass(frozen=True)
class CaseResult:
    """How one case ended. `stage`: "" (all right), load, compile, call, run, guard or
    accuracy. `code`: a diagnostic's code or a message key. `kind`: what may be said of
    a hidden case. `cycles`: or another cost that a checker found, with its `floor`.
    `faults`: what each message is about, where that is less than its
    text. `stops`: further cases would only take as long again."""

    data: CaseData
    stage: str = ""
    code: str = ""
    messages: tuple[Text, ...] = ()
    faults: tuple[str, ...] = ()
    kind: Text = field(default_factory=lambda: same(""))
    cycles: int = 0
    floor: int | None = None
    launches: int = 0
    stops: bool = False

    @property
    def passed(self) -> bool:
        return not self.stage

    @property
    def by_fault(self) -> dict[str, Text]:
        """The messages by what they are about: equal in cases with the same fault."""
        faults = self.faults or tuple(text["en"] for text in self.messages)
        return dict(zip(faults, self.messages, strict=True))


class Submission:
    """What a submission is to the judge: units for the host process, kernel texts."""

    def __init__(self, task: Task, extraction: Extraction):
        self.task, self.extraction = task, extraction
        self.kernels = Kernels(extraction)
        self.shown = ShownRun()

    def run(self, data: CaseData) -> CaseResult:
        """Run one case. InfrastructureError only for faults of ours."""
        device = Device(self.task, data, self.kernels)
        try:
            last = self._call(device)
            failure = self._after(device, last)
        except HostFailure as error:
            failure = self.host_failure(data, error)
        except KernelError as error:
            failure = _kernel_failure(data, error)
            self.shown.offer(data, error.run, failed=True)
        except MemoryError:
            nbytes = limits()["judge"]["memory_nbytes"]
            failure = _failure(data, "run", "judge.memory", nbytes=nbytes)
        launches = len(device.runs)
        if device.runs:
            self.shown.offer(data, device.runs[-1], failed=failure is not None)
        if failure is not None:
            return replace(failure, launches=launches)
        return CaseResult(data, cycles=device.cycles, launches=launches)

    def _call(self, device: Device) -> dict[str, Any]:
        """Serve the host process until it returns; its last message."""
        answers = {"empty": device.empty, "launch": device.launch}
        with HostProcess(
            self._setup(device), self.task.budgets.host_seconds
        ) as process:
            while True:
                request = process.request()
                answer = answers.get(request["op"])
                if answer is None:
                    return request
                process.reply(answer(request))

    def _setup(self, device: Device) -> dict[str, Any]:
        attributes = list(device.data.attributes.values())
        handles = {"tensors": device.handles(), "attributes": attributes}
        return self.surroundings() | handles

    def surroundings(self) -> dict[str, Any]:
        """What the host process needs to make the submission's definitions."""
        return {
            "units": [(u.label, u.line, u.text) for u in self.extraction.units],
            "free_names": self.kernels.free_names(),
            "exports": sorted(EXPORTS),
            "dtypes": [(n, d.numpy.name, d.itemsize) for n, d in DTYPES.items()],
            "preload": [m for m in self.extraction.imported_modules() if m != "npusim"],
            "chips": [_chip_facts(self.task.launch.chip)],
            "entry": self.task.entry.host,
        }

    def _after(self, device: Device, last: dict[str, Any]) -> CaseResult | None:
        """What is wrong after the host function ended, or None."""
        data, entry = device.data, self.task.entry
        if last["op"] == "error":
            return self.host_error(data, last)
        if not device.runs:
            place = self._place(entry.host)
            return _failure(
                data, "call", "host.no-launch", entry=entry.host, place=place
            )
        if last.get("type") not in _NO_RESULT:
            outputs, kind = ", ".join(entry.outputs), str(last.get("type"))[:60]
            return _failure(
                data,
                "call",
                "host.returned",
                entry=entry.host,
                outputs=outputs,
                type=kind,
            )
        return _guards(device) or _constraints(device) or _accuracy(device)

    def _place(self, name: str) -> Text:
        """Cell and line of the definition of `name` that was used."""
        unit = next(u for u in reversed(self.extraction.units) if name in u.binds)
        return say("host.place", label=unit.label, line=unit.line_of(name))

    def host_error(self, data: CaseData, last: Mapping[str, Any]) -> CaseResult:
        stage = "load" if last.get("stage") == "load" else "call"
        if last.get("type") == "MemoryError":
            nbytes = limits()["host"]["memory_nbytes"]
            return _failure(data, stage, "host.memory", nbytes=nbytes)
        kind = str(last.get("type"))[:60]
        return _failure(
            data,
            stage,
            f"host.error.{stage}",
            entry=self.task.entry.host,
            type=kind,
            message=str(last.get("message"))[:300],
            where=self._where(last.get("frames")),
        )

    def _where(self, frames: Any) -> Text:
        """The submission's own innermost frame, found in its text."""
        known = dict(zip(self.extraction.origins, self._lines(), strict=True))
        for label, line in reversed(_places(frames)):
            if (label, line) in known:
                text = known[label, line].strip()
                return say("host.where", label=label, line=line, text=text)
        return same("")

    def _lines(self) -> list[str]:
        return [line for u in self.extraction.units for line in u.text.split("\n")]

    def host_failure(self, data: CaseData, error: HostFailure) -> CaseResult:
        facts = {"entry": self.task.entry.host, **error.facts}
        return _failure(data, "call", error.key, **facts)


def _places(frames: Any) -> list[tuple[str, int]]:
    """(label, line) of the frames that have the right form; they may be forged."""
    rows = frames if isinstance(frames, list) else []
    return [
        (row[0], row[1])
        for row in rows
        if isinstance(row, list) and [type(part) for part in row[:2]] == [str, int]
    ]


def _chip_facts(name: str) -> dict[str, Any]:
    """What host code may read of the chip, as `asc.chip(name)` gives it."""
    chip = load_chip(name)
    return {
        "name": name,
        "vector_cores": chip.vector_cores,
        "cube_cores": chip.cube_cores,
        "clock_ghz": chip.clock_ghz,
        "ub_nbytes": chip.ub_nbytes,
        "l2_nbytes": chip.l2_nbytes,
    }


# ------------------------------------------------------------------------- verdicts
def _failure(
    data: CaseData, stage: str, key: str, kind: Text | None = None, **facts: Any
) -> CaseResult:
    """A failed case with the message `key`.

    Unless given, its kind is the message where no part of it comes from the learner's
    process (which knows the hidden shapes), else what kind of step failed.
    """
    text = say(key, **facts)
    safe = text if key in _SAFE_KEYS else say(f"kind.{stage}")
    stops = key in _STOPPING_KEYS
    return CaseResult(data, stage, key, (text,), kind=kind or safe, stops=stops)


def _kernel_failure(data: CaseData, error: KernelError) -> CaseResult:
    errors = [d for d in error.diagnostics if d.severity == "E"] or error.diagnostics
    codes = [d.code for d in errors]
    stage = next((s for start, s in _STAGES if codes[0].startswith(start)), "run")
    distinct = {_fault(d): d for d in reversed(errors)}  # the first of each
    shown = tuple(reversed(distinct))[:SHOWN_DIAGNOSTICS]
    messages = tuple(_rendered(distinct[fault]) for fault in shown)
    kind = join([_title(d) for d in errors[:1]])
    stops = any(code in BUDGET_CODES for code in codes)
    return CaseResult(data, stage, codes[0], messages, shown, kind, stops=stops)


def _fault(diagnostic: Diagnostic) -> str:
    """Code and places: the same in every case, where bytes and cores are not."""
    places = (w for w in (diagnostic.where, *diagnostic.related) if w is not None)
    return " ".join([diagnostic.code, *(f"{w.label}:{w.line}" for w in places)])


def _rendered(diagnostic: Diagnostic) -> Text:
    return {language: plain(diagnostic.render(language)) for language in LANGUAGES}


def _title(diagnostic: Diagnostic) -> Text:
    """Code and title: what may be said of a hidden case."""
    entry = CATALOGUE.get(diagnostic.code)
    if entry is None:
        return same(diagnostic.code)
    return {
        language: f"{diagnostic.code} {_plain(entry.title[language])}"
        for language in LANGUAGES
    }


def _plain(title: str) -> str:
    return "" if "{" in title else title


def _guards(device: Device) -> CaseResult | None:
    data = device.data
    changed, unwritten = device.changed_input(), device.unwritten()
    if changed:
        return _failure(data, "guard", "guard.input", name=changed)
    if unwritten:
        name, count = unwritten
        kind = say("guard.unwritten.kind")
        return _failure(data, "guard", "guard.unwritten", kind, name=name, count=count)
    nbytes, allowed = device.scalar_nbytes()
    if nbytes > allowed:
        kind = say("guard.scalar.kind")
        facts = {"nbytes": nbytes, "allowed": allowed}
        return _failure(data, "guard", "guard.scalar", kind, **facts)
    return None


def _constraints(device: Device) -> CaseResult | None:
    data = device.data
    broken = first_broken(device.task, data, device.runs)
    if broken is None:
        return None
    return CaseResult(data, "guard", broken.code, (broken.text,), kind=broken.kind)


def _accuracy(device: Device) -> CaseResult | None:
    task, data = device.task, device.data
    function = GOLDEN[task.golden]
    with np.errstate(all="ignore"):
        golden = function(*map(in_double, data.inputs), **data.attributes)
        reference = function(*data.inputs, **data.attributes)
    outputs = zip(task.entry.outputs, device.outputs, golden, reference, strict=True)
    for name, tensor, true, same_precision in outputs:
        rule = task.tolerance_of(name)
        found = compare(rule, tensor.dtype.name, tensor.numpy(), true, same_precision)
        if found is not None:
            return _inaccurate(data, name, found, np.shape(tensor.numpy()))
    return None


def _inaccurate(
    data: CaseData, name: str, found: Finding, shape: tuple[int, ...]
) -> CaseResult:
    region = say(f"accuracy.{found.region}")
    text = say(
        "accuracy.region",
        output=name,
        index=", ".join(map(str, np.unravel_index(found.index, shape or (1,)))),
        got=found.got,
        expected=found.expected,
        region=region,
    )
    code = f"accuracy.{found.region}"
    return CaseResult(data, "accuracy", code, (text,), kind=region)
