"""A stream in brief ends at the same tick as the stream itself, whatever it holds."""

from hypothesis import given
from hypothesis import strategies as st
from timing_streams import StreamBuilder, execution

from npusim.timing import contention, time_execution
from npusim.timing.brief import brief
from npusim.timing.lower import (
    BARRIER,
    NONE,
    POSTED,
    RUN,
    SCALAR,
    SET,
    WAIT_PIPE,
    WAIT_SCALAR,
    WORK,
)
from npusim.timing.pipes import Duration, run_pipes

PIPES = st.integers(1, 3)
TICKS = st.integers(0, 900)
DURATION = st.builds(Duration, TICKS, st.integers(0, 90), TICKS)


@st.composite
def programs(draw):
    """Operations of one core, durations of its works, and which of them are fixed."""
    durations = draw(st.lists(DURATION, min_size=1, max_size=5))
    is_fixed = [draw(st.booleans()) for _ in durations]
    works = st.integers(0, len(durations) - 1)
    ops, sets = [], 0
    for _ in range(draw(st.integers(0, 40))):
        kind = draw(
            st.sampled_from([WORK] * 5 + [SCALAR, SCALAR, SET, BARRIER, POSTED])
        )
        ticks, pipe = draw(TICKS), draw(st.integers(-1 if kind == BARRIER else 0, 3))
        pipe = draw(PIPES) if kind == WORK else pipe
        b = draw(works) if kind == WORK else draw(TICKS) if kind == POSTED else 0
        ops.append((kind, ticks, pipe, b, NONE))
        if kind == SET:
            ops += draw(waits(sets))
            sets += 1
    return ops, durations, is_fixed


@st.composite
def waits(draw, index):
    kind = draw(st.sampled_from([WAIT_PIPE, WAIT_SCALAR]))
    pipe = draw(PIPES) if kind == WAIT_PIPE else 0
    return [(kind, draw(TICKS), pipe, index, NONE)] if draw(st.booleans()) else []


@given(programs())
def test_the_end_is_the_same_to_the_tick(program):
    ops, durations, is_fixed = program
    fixed = [d if keep else None for d, keep in zip(durations, is_fixed, strict=True)]
    short = brief(ops, fixed)
    whole = run_pipes(ops, durations)
    assert run_pipes(short.ops, durations + short.bounds).end == whole.end
    works = [op for op in ops if op[0] == WORK]
    assert sum(op[0] in (WORK, RUN) for op in short.ops) <= len(works)


def test_works_between_two_waits_become_one_operation():
    ops = [(WORK, 3, 1, 0, NONE), (SCALAR, 5, 0, 0, NONE)] * 20
    short = brief(ops, [Duration(100, 2, 64)])
    assert [op[0] for op in short.ops] == [RUN, SCALAR]
    again = brief([*ops, (SET, 1, 1, 0, NONE)] * 9, [Duration(100, 2, 64)])
    assert len(again.bounds) == 1  # loops repeat their stretches


def test_the_solver_times_single_steps_once(monkeypatch):
    timed = []
    run = contention.pipe_run
    monkeypatch.setattr(
        contention, "pipe_run", lambda ops, d: timed.append(len(ops)) or run(ops, d)
    )
    build = StreamBuilder()
    for _ in range(50):
        build.vector("adds", 0, [8192], 64 * 256)
    (one,) = time_execution(execution(build.stream())).classes
    assert timed == [2, 50] and len(one.end_ticks) == 50
