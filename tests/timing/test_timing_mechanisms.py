"""Each mechanism shows in a small kernel, and is gone when its switch is off."""

from __future__ import annotations

import mechanism_kernels as kernels
import numpy as np
import pytest

from npusim.chip import load_chip, mechanisms

CHIP = load_chip("910B1")
SMALL = np.zeros(8, np.float32)
MIB = 1 << 20


def copied(blocks=1, share=8192, tile=4096, skip=0, bypass=0, **options):
    x = np.zeros(blocks * share + 512, np.float16)
    return kernels.copies.launch(
        x, np.zeros_like(x), share, tile, skip, bypass, blocks=blocks, **options
    )


def again(**options):
    """The second of two launches that read the same array, with `keep`."""
    x = np.zeros(48 * 8192, np.float16)
    z = np.zeros_like(x)
    for _ in range(2):
        run = kernels.copies.launch(
            x, z, 8192, 4096, 0, 0, blocks=48, cache="keep", **options
        )
    return run


def together(own):
    x = np.zeros(4096 * 16, np.float16)
    return lambda **options: kernels.one_address.launch(
        x, 16, 4096, own, blocks=48, **options
    )


def vectors(count=4096, gap=16384):
    return lambda **o: kernels.vectors.launch(SMALL, count, gap, blocks=1, **o)


# name -> a launch in which the mechanism costs cycles
SHOWN = {
    "vector_startup": vectors(),
    "vector_dependency": vectors(count=64),
    "masked_rows": vectors(count=1000),
    "bank_conflicts": vectors(),
    "copy_latency": copied,
    "latency_under_load": lambda **o: copied(blocks=48, share=65536, **o),
    "bandwidth_sharing": lambda **o: copied(blocks=48, share=65536, **o),
    "small_copies": lambda **o: copied(share=2048, tile=32, **o),
    "burst_overhead": lambda **o: kernels.bursts.launch(
        np.zeros(65536, np.float16), 1024, blocks=1, **o
    ),
    "line_alignment": lambda **o: copied(blocks=48, tile=1024, skip=16, **o),
    "same_address": together(own=0),
    "scalar_cost": lambda **o: kernels.scalars.launch(SMALL, 100, blocks=1, **o),
    "queue_cost": lambda **o: kernels.queues.launch(SMALL, 100, blocks=1, **o),
    "tpipe_setup": lambda **o: kernels.queues.launch(SMALL, 1, blocks=1, **o),
    "instruction_cache": lambda **o: kernels.long_code.launch(
        SMALL, 4, 600, blocks=1, **o
    ),
    "core_synchronisation": lambda **o: kernels.meeting.launch(SMALL, blocks=8, **o),
    "launch_head": lambda **o: copied(blocks=48, **o),
    "code_state": lambda **o: copied(blocks=48, code="cold", **o),
    "waves": lambda **o: copied(blocks=96, share=32768, **o),
}
# mechanisms that save cycles: a launch in which it helps
HELPS = {
    "l2_residency": again,
    "l2_write_absorption": lambda **o: copied(blocks=48, share=65536, **o),
    "l2_bypass": lambda **o: copied(
        blocks=48, share=1 << 20, tile=16384, bypass=1, **o
    ),
}


def test_every_mechanism_is_shown():
    assert SHOWN.keys() | HELPS.keys() == mechanisms().keys()


@pytest.mark.parametrize("name", SHOWN)
def test_a_mechanism_costs_cycles(name):
    on, off = SHOWN[name](chip=CHIP), SHOWN[name](chip=CHIP.without(name))
    assert on.cycles > off.cycles


@pytest.mark.parametrize("name", HELPS)
def test_a_mechanism_saves_cycles(name):
    on, off = HELPS[name](chip=CHIP), HELPS[name](chip=CHIP.without(name))
    assert on.cycles < off.cycles


def test_bits_do_not_depend_on_mechanisms():
    x = np.arange(48 * 8192 + 512, dtype=np.float16)
    z = [np.zeros_like(x) for _ in "ab"]
    for chip, out in zip((CHIP, CHIP.without(*mechanisms())), z, strict=True):
        kernels.copies.launch(x, out, 8192, 4096, 0, 0, blocks=48, chip=chip)
    assert z[0].tobytes() == z[1].tobytes()


def test_an_unknown_mechanism_is_refused():
    with pytest.raises(ValueError, match="'banks'; known: vector_startup"):
        CHIP.without("banks")


# ----------------------------------------------------------------------- what they say
def test_staggered_reads_are_faster_than_the_same_order():
    """Copy sample of the Ascend C samples: 539 us against 329 us, order only."""
    same, staggered = together(0)(), together(1)()
    assert same.cycles > staggered.cycles
    off = CHIP.without("same_address")
    flat = [together(own)(chip=off).core_cycles for own in (0, 1)]
    assert max(flat[0]) == pytest.approx(max(flat[1]), rel=0.02)


def test_code_that_fits_the_cache_is_free():
    short = [kernels.long_code.launch(SMALL, 8, n, blocks=1).cycles for n in (50, 100)]
    off = CHIP.without("instruction_cache")
    same = [
        kernels.long_code.launch(SMALL, 8, n, blocks=1, chip=off).cycles
        for n in (50, 100)
    ]
    assert short == same


def test_what_a_launch_leaves_in_l2_is_remembered_over_others():
    """x, then another array, then x again: it still lies in L2."""
    x, y, z = (np.zeros(48 * 8192, np.float16) for _ in range(3))

    def go(source, cache):
        return kernels.copies.launch(
            source, z, 8192, 4096, 0, 0, blocks=48, cache=cache
        )

    cold = go(x, "cold")
    go(y, "keep")
    kept = go(x, "keep")
    assert kept.timing.l2.read_hit == x.nbytes and cold.timing.l2.read_hit == 0
    assert kept.cycles < cold.cycles
    go(y, "cold")  # fills L2 with foreign lines first
    assert go(x, "keep").timing.l2.read_hit == 0


def test_a_tensor_that_bypassed_l2_is_not_kept():
    x, z = (np.zeros(48 * 8192, np.float16) for _ in range(2))
    arguments = (x, z, 8192, 4096, 0)
    for bypass, hit in ((1, 0), (0, x.nbytes)):
        kernels.copies.launch(*arguments, bypass, blocks=48)
        run = kernels.copies.launch(*arguments, 0, blocks=48, cache="keep")
        assert run.timing.l2.read_hit == hit


def test_l2_counts_every_byte():
    run = copied(blocks=48, share=65536)
    l2 = run.timing.l2
    assert l2.read_hit + l2.read_miss == run.nbytes_read
    assert l2.write_hit + l2.write_miss == run.nbytes_written
