"""One case of a function task or a driven task.

The learner's code runs in the same limited process as host code does, on plain data. A
trusted checker judges the answer of a function; a trusted world answers every `await`
of a driven program and holds time and data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from npugrade.caserun import CaseResult, Submission
from npugrade.cases import CaseData
from npugrade.checkers import CHECKERS
from npugrade.host import HostFailure, HostProcess
from npugrade.outcome import Outcome, Refused
from npugrade.plaindata import decode, encode
from npugrade.worlds import WORLDS, World

NEEDED_MODULES, ARRAY_MODULES = ("base64", "inspect"), ("numpy", "ml_dtypes")
_EXTENSION = Path(__file__).with_name("worker_plain.py")


class PlainError(Exception):
    """The learner's code raised; `message` is what its process said."""

    def __init__(self, message: dict[str, Any]):
        self.message = message
        super().__init__(message.get("type"))


class PlainSubmission(Submission):
    """A submission whose entry takes and returns plain data."""

    mode = ""

    def run(self, data: CaseData) -> CaseResult:
        """Run one case. InfrastructureError only for faults of ours."""
        try:
            outcome = self.outcome(data, self.named(data))
        except PlainError as error:
            return self.host_error(data, error.message)
        except HostFailure as error:
            return self.host_failure(data, error)
        except Refused as error:
            texts, kind = (error.text,), error.kind
            return CaseResult(data, "accuracy", error.code, texts, kind=kind)
        return CaseResult(data, cycles=outcome.cost, floor=outcome.floor, launches=1)

    def named(self, data: CaseData) -> dict[str, Any]:
        """The arguments of a case by name, inputs before attributes."""
        inputs = zip(self.task.entry.inputs, data.inputs, strict=True)
        return {**dict(inputs), **data.attributes}

    def outcome(self, data: CaseData, arguments: dict[str, Any]) -> Outcome:
        """What the answer costs; PlainError, HostFailure or Refused."""
        raise TypeError(f"{type(self).__name__} runs no case")

    def process(self, **more: Any) -> HostProcess:
        """The limited process, ready to be entered."""
        setup = self.surroundings()
        arrays = ARRAY_MODULES if self.task.entry.inputs else ()
        setup["preload"] = [*setup["preload"], *NEEDED_MODULES, *arrays]
        setup |= {"plain": self.mode, "extension": _EXTENSION.read_text("utf-8")}
        budgets = self.task.budgets
        return HostProcess(setup | more, budgets.host_seconds, budgets.requests)


class FunctionSubmission(PlainSubmission):
    """The entry is called once; a checker judges what it returns."""

    mode = "function"

    def outcome(self, data: CaseData, arguments: dict[str, Any]) -> Outcome:
        unseen = self.task.entry.unseen
        values = [encode(v) for name, v in arguments.items() if name not in unseen]
        answer = decode(self._answers.get(repr(values)) or self._return_of(values))
        return CHECKERS[self.task.checker](arguments, answer)

    def _return_of(self, values: list[Any]) -> Any:
        """What the function returns, encoded; the same call is made once."""
        with self.process(arguments=values) as process:
            last = _expected(process.request(), "return")
        self._answers[repr(values)] = last.get("value")
        return last.get("value")

    @cached_property
    def _answers(self) -> dict[str, Any]:
        return {}


class DrivenSubmission(PlainSubmission):
    """The entry is a coroutine function; a world drives as many as it has programs."""

    mode = "driven"

    def outcome(self, data: CaseData, arguments: dict[str, Any]) -> Outcome:
        world = WORLDS[self.task.world](arguments)
        self._live(world)
        outcome = world.outcome()
        for again in world.repeats():
            try:
                self._live(again)
            except PlainError:
                raise again.differs() from None
        return outcome

    def _live(self, world: World) -> None:
        """All programs of a world from start to end, in a process of their own."""
        count = world.programs
        programs = [[encode(v) for v in world.arguments(i)] for i in range(count)]
        with self.process(programs=programs, proxy=world.proxy) as process:
            _expected(process.request(), "ready")
            self._drive(world, process)

    def _drive(self, world: World, process: HostProcess) -> None:
        """Resume those who can go on until all have finished; those of one moment in
        one message, since every message costs two changes of process."""
        running, made = set(range(world.programs)), 0
        for batch in _batches(world, running):
            made += len(batch)
            if made > self.task.budgets.requests:
                raise Refused("driven.requests", limit=self.task.budgets.requests)
            process.reply(
                {"go": [[program, encode(value)] for program, value in batch]}
            )
            answers = _expected(process.request(), "answers").get("answers")
            if not isinstance(answers, list) or len(answers) != len(batch):
                raise HostFailure("host.malformed")
            for (program, _), answer in zip(batch, answers, strict=True):
                if _step(world, program, answer):
                    running.remove(program)
        process.reply({"stop": True})


Going = tuple[int, Any]  # program, what it is told


def _batches(world: World, running: set[int]) -> Iterator[list[Going]]:
    """Who goes on: first all, each once; then whom the world names."""
    yield [(program, None) for program in sorted(running)]
    while running:
        first = world.next()
        if first is None:
            raise Refused("driven.stuck", count=len(running))
        yield [first, *iter(world.also, None)]


def _step(world: World, program: int, answer: Any) -> bool:
    """Hand one program's answer to the world; whether the program has finished."""
    if not isinstance(answer, dict) or answer.get("op") not in _STEPS:
        raise HostFailure("host.malformed")
    return _STEPS[answer["op"]](world, program, answer)


def _awaited(world: World, program: int, message: dict[str, Any]) -> bool:
    arguments = decode({"list": message.get("arguments")})
    world.request(program, str(message.get("name"))[:60], arguments)
    return False


def _finished(world: World, program: int, message: dict[str, Any]) -> bool:
    world.finished(program, decode(message.get("value")))
    return True


_STEPS: dict[str, Callable[[World, int, dict[str, Any]], bool]] = {
    "await": _awaited,
    "finished": _finished,
}


def _expected(message: dict[str, Any], *operations: str) -> dict[str, Any]:
    if message["op"] == "error":
        raise PlainError(message)
    if message["op"] not in operations:
        raise HostFailure("host.malformed")
    return message
