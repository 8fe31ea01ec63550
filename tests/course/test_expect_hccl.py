"""A failure on purpose of a cluster: the code is met, the report is shown."""

from __future__ import annotations

import pytest

from npucamp import begin, expect
from npusim import hccl
from npusim.diagnostic import language


async def waits(comm):
    await comm.recv((comm.rank + 1) % comm.size)


@pytest.mark.parametrize(
    ("chosen", "word"), [("en", "Likely cause"), ("zh", "可能的原因")]
)
def test_the_report_of_a_hang_is_shown(capsys, chosen, word):
    begin("start-here", chosen)
    capsys.readouterr()
    with expect("EI0002"):
        hccl.run(waits, 4)
    out = capsys.readouterr().out
    assert out.startswith("EI0002") and word in out
    language.use("en")


def test_another_code_or_none_is_no_pass():
    with pytest.raises(AssertionError, match="EI0005"), expect("EI0005"):
        hccl.run(waits, 4)
    with pytest.raises(AssertionError, match="EI0002"), expect("EI0002"):
        pass


def test_other_errors_pass_through():
    with pytest.raises(KeyError), expect("EI0002"):
        raise KeyError("x")
