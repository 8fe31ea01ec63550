"""Runs to show, made once: real kernels on the real chain."""

from pathlib import Path

import numpy as np
import pytest

from npusim import asc
from npusim.launch import Kernel

KERNELS = Path(__file__).with_name("shown_kernels.py")


def kernel(name):
    return Kernel.from_text(KERNELS.read_text(), "kernels.py", name, {"asc": asc})


def queue_add(blocks=48, tiles=8, tile=8192, depth=2, **options):
    x = np.ones(blocks * tiles * tile, np.float16)
    arguments = (x, x.copy(), np.zeros_like(x), x.size, tile, depth)
    return kernel("queue_add").launch(*arguments, blocks=blocks, **options)


def in_turns(blocks=48, tiles=4, tile=8192, loads=1):
    x = np.zeros(blocks * tiles * tile, np.float16)
    arguments = (x, x.copy(), tiles, tile, loads)
    return kernel("in_turns").launch(*arguments, blocks=blocks)


def repeated_exp(blocks=48, tile=8192, times=60):
    x = np.zeros(blocks * tile, np.float16)
    return kernel("repeated_exp").launch(x, x.copy(), tile, times, blocks=blocks)


def scalar_add(blocks=4, count=256, uneven=99):
    x = np.ones(blocks * count, np.float32)
    return kernel("scalar_add").launch(x, x.copy(), count, uneven, blocks=blocks)


def flag_exp(blocks=4, tile=1024):
    x = np.zeros(blocks * tile, np.float16)
    return kernel("flag_exp").launch(x, x.copy(), tile, blocks=blocks)


MAKERS = {
    "flag_exp": flag_exp,
    "queue_add": queue_add,
    "in_turns": in_turns,
    "exp": repeated_exp,
    "scalar_add": scalar_add,
}


@pytest.fixture(scope="session")
def launch():
    """`launch(name, **shape)`: a new run of one of the kernels."""
    return lambda name, **shape: MAKERS[name](**shape)


@pytest.fixture(scope="session")
def run(launch):
    """A vector add with two buffers on all cores."""
    return launch("queue_add")
