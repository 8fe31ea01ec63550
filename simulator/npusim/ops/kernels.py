"""Kernels made of a frame and a chain: `sigmoid_kernel = one_source("sigmoid", chain)`.

All element-wise kernels look alike up to the chain, so one text serves them. Each
kernel gets a name of its own, which profiles and messages show. Scalar attributes of an
operator arrive as run-time numbers `a` and `b`.
"""

from __future__ import annotations

from dataclasses import replace

from npusim import asc
from npusim.launch.kernel import Kernel
from npusim.ops.frames import map_one, map_two, no_setup
from npusim.ops.tiling import Tiles


def named(kernel: Kernel, name: str) -> Kernel:
    """The same kernel under another name."""
    old, new = f"def {kernel.name}(", f"def {name}_kernel("
    text = kernel.source.text.replace(old, new)
    return Kernel(replace(kernel.source, text=text, name=f"{name}_kernel"))


def one_source(name: str, chain: Kernel, setup: Kernel = no_setup) -> Kernel:
    """z = chain(x) with float attributes a, b."""

    @asc.jit
    def one(
        x: asc.GlobalAddress,
        z: asc.GlobalAddress,
        t: Tiles,
        wide: asc.constexpr = False,
        a: float = 0.0,
        b: float = 0.0,
    ):
        map_one(x, z, t, wide, chain, (a, b), setup)

    return named(one, name)


def one_source_whole(name: str, chain: Kernel) -> Kernel:
    """z = chain(x) of integers, with int attributes a, b."""

    @asc.jit
    def one(
        x: asc.GlobalAddress,
        z: asc.GlobalAddress,
        t: Tiles,
        wide: asc.constexpr = False,
        a: int = 0,
        b: int = 0,
    ):
        map_one(x, z, t, wide, chain, (a, b))

    return named(one, name)


def two_sources(name: str, chain: Kernel, setup: Kernel = no_setup) -> Kernel:
    """z = chain(x, y) with float attributes a, b."""

    @asc.jit
    def two(
        x: asc.GlobalAddress,
        y: asc.GlobalAddress,
        z: asc.GlobalAddress,
        t: Tiles,
        wide: asc.constexpr = False,
        a: float = 0.0,
        b: float = 0.0,
    ):
        map_two(x, y, z, t, wide, chain, (a, b), setup)

    return named(two, name)
