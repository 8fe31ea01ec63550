"""Arguments, options, device memory: what a launch accepts, refuses and gives back."""

import numpy as np
import pytest

from npusim import asc
from npusim.lang import KernelSource
from npusim.launch import Kernel
from tests.launch import kernels


def refusal(call) -> str:
    with pytest.raises(asc.KernelError) as caught:
        call()
    error = caught.value
    for language in ("en", "zh"):
        assert "?" not in error.diagnostics[-1].render(language)
    return error.diagnostics[-1].code


X, Y, Z = (np.ones(2048, np.float16) for _ in range(3))
ADD = kernels.flag_add


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (
            "ASC-ARG-01",
            lambda: ADD[1](np.ones(4096, np.float16)[::2], Y, Z, 2048, 1024),
        ),
        ("ASC-ARG-02", lambda: ADD[1](np.ones(2048), Y, Z, 2048, 1024)),
        ("ASC-ARG-02", lambda: ADD[1](np.array([None] * 9), Y, Z, 2048, 1024)),
        ("ASC-ARG-02", lambda: asc.device.empty(4, "float64")),
        ("ASC-ARG-03", lambda: ADD[1](X, Y, Z, 2048)),
        ("ASC-ARG-03b", lambda: ADD[1](X, Y, Z, 2048, 1024, extra=1)),
        ("ASC-ARG-03c", lambda: ADD[1](X, Y, Z, 2048, 1024, 5)),
        ("ASC-ARG-03c", lambda: ADD[1](X, Y, Z, 2048, 1024, x=X)),
        ("ASC-ARG-04", lambda: ADD[1](X, Y, Z, 2048.5, 1024)),
        ("ASC-ARG-04", lambda: ADD[1](X, Y, Z, True, 1024)),
        ("ASC-ARG-04", lambda: ADD[1](X, Y, Z, 1 << 63, 1024)),
        ("ASC-ARG-04", lambda: ADD[1]([1, 2], Y, Z, 2048, 1024)),
        ("ASC-ARG-05", lambda: ADD[0](X, Y, Z, 2048, 1024)),
        ("ASC-ARG-05", lambda: ADD[2.0](X, Y, Z, 2048, 1024)),
        ("ASC-ARG-05", lambda: ADD(X, Y, Z, 2048, 1024)),
        ("ASC-ARG-06", lambda: ADD.launch(X, Y, Z, 2048, 1024, blocks=1, cache="hot")),
        ("ASC-ARG-06", lambda: ADD.launch(X, Y, Z, 2048, 1024, blocks=1, budget=0)),
        ("ASC-ARG-07", lambda: ADD.launch(X, Y, Z, 2048, 1024, blocks=1, chip="910X")),
        ("ASC-ARG-08", lambda: asc.device.empty((-1, 2), asc.half)),
    ],
)
def test_refusals(code, call):
    assert refusal(call) == code


def test_numpy_scalars_are_numbers():
    kernels.flag_add[1](X, Y, Z, np.int32(2048), np.int64(1024))


def test_failed_launch_changes_no_array():
    z = np.zeros(2048, np.float16)
    with pytest.raises(asc.KernelError) as caught:
        kernels.flag_add[2](X, Y, z, 2048, 1024)  # block 1 starts beyond the end
    assert caught.value.diagnostics[-1].code == "ASC-GM-05"
    assert caught.value.run.cycles > 0
    assert not z.any()


def test_same_array_twice_is_one_buffer():
    x = np.arange(2048).astype(np.float16)
    kernels.queue_add[1](x, x, x, 2048, 1024)
    assert np.array_equal(x, np.arange(2048).astype(np.float16) * 2)


def test_equal_views_are_one_buffer_and_partial_overlap_is_refused():
    x = np.arange(2048).astype(np.float16)
    kernels.queue_add[1](x[:], x[:], x[:], 2048, 1024)
    assert np.array_equal(x, np.arange(2048).astype(np.float16) * 2)
    base = np.ones(4096, np.float16)
    parts = (base[:2048], base[2048:], base[1024:3072])
    assert refusal(lambda: ADD[1](*parts, 2048, 1024)) == "ASC-ARG-11"
    kernels.flag_add[1](base[:2048], base[1024:3072], Z, 2048, 1024)  # only read


def test_device_tensors_keep_their_contents():
    x, y = asc.device.tensor(X), asc.device.tensor(Y)
    z = asc.device.empty(2048, asc.half)
    kernels.flag_add[1](x, y, z, 2048, 1024)
    kernels.flag_add[1](z, y, z, 2048, 1024)
    assert np.array_equal(z.numpy(), np.full(2048, 3, np.float16))
    assert z.itemsize == z.dtype.sizeof()
    assert (z.shape, z.dtype, z.size, z.nbytes, z.ndim) == (
        (2048,),
        asc.half,
        2048,
        4096,
        1,
    )


def test_partly_written_output():
    z = asc.device.empty(2048, asc.half)
    assert refusal(lambda: kernels.flag_add[1](X, Y, z, 1024, 1024)) == "ASC-TILE-26"
    run = kernels.flag_add[1](X, Y, np.zeros(2048, np.float16), 1024, 1024)
    assert [(d.code, d.severity) for d in run.diagnostics] == [("ASC-TILE-26", "W")]


def test_reading_poison_is_reported():
    x, z = (asc.device.empty(2048, asc.half) for _ in range(2))
    assert refusal(lambda: kernels.flag_add[1](x, Y, z, 2048, 1024)) == "ASC-INIT-11b"


def test_cache_states_order_the_time():
    arrays = [np.ones(1 << 20, np.float16) for _ in range(3)]

    def cycles(cache):
        return kernels.queue_add.launch(
            *arrays, 1 << 17, 8192, blocks=8, cache=cache
        ).cycles

    assert cycles("l2") < cycles("cold") <= cycles("dirty")
    assert cycles("keep") == cycles("l2")


def test_keep_forgets_other_arrays():
    def fresh():
        return [np.ones(1 << 18, np.float16) for _ in range(3)]

    def cycles(arrays, cache):
        launch = kernels.queue_add.launch
        return launch(*arrays, 1 << 15, 8192, blocks=8, cache=cache).cycles

    a, b = fresh(), fresh()
    cold = cycles(a, "cold")
    assert cycles(b, "keep") == cold
    assert cycles([x[:] for x in b], "keep") < cold  # the same memory


def test_code_state_and_settings():
    with asc.settings(code="cold"):
        cold = kernels.flag_add[8](X, Y, Z, 256, 256)
    warm = kernels.flag_add[8](X, Y, Z, 256, 256)
    assert (cold.code, warm.code) == ("cold", "warm")
    assert cold.cycles > warm.cycles


def test_compile_only_gives_a_program():
    program = kernels.flag_add.launch(
        X, Y, Z, 2048, 1024, blocks=1, mode="compile_only"
    )
    assert program.name == "flag_add" and program.code


def test_kernel_from_text_is_the_same_kernel():
    source = kernels.flag_add.source
    kernel = Kernel.from_text(source.text, "Cell [2]", "flag_add", {"asc": asc})
    z = np.zeros(2048, np.float16)
    run = kernel[1](X, Y, z, 2048, 1024)
    assert run.cycles == kernels.flag_add[1](X, Y, Z, 2048, 1024).cycles
    assert np.array_equal(z, X + Y)


SCALE = 2


def test_captured_constants_are_read_at_launch():
    global SCALE

    @asc.jit
    def scale(x: asc.GlobalAddress, y: asc.GlobalAddress):
        x_gm = asc.GlobalTensor()
        y_gm = asc.GlobalTensor()
        x_gm.set_global_buffer(x, 16)
        y_gm.set_global_buffer(y, 16)
        for i in range(16):
            y_gm.set_value(i, x_gm.get_value(i) * SCALE)

    x, y = np.arange(16, dtype=np.int32), np.zeros(16, np.int32)
    for SCALE in (2, 5):
        scale[1](x, y)
        assert np.array_equal(y, x * SCALE)


STORE = """
@asc.jit
def kernel(y: asc.GlobalAddress):
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 8)
    outer(y_gm)
"""
OUTER = "@asc.jit\ndef outer(y_gm):\n    inner(y_gm)\n"
INNER = "@asc.jit\ndef inner(y_gm):\n    y_gm.set_value(0, {value})\n"


def kernel_around(cells: dict[str, object]) -> Kernel:
    """`kernel` and `outer`, each of which reads its free names from `cells`."""
    for text, name in ((STORE, "kernel"), (OUTER, "outer")):
        source = KernelSource(text, f"cell of {name}", 1, name, cells.__getitem__)
        cells[name] = Kernel(source)
    return cells["kernel"]


def test_a_helper_defined_again_is_compiled_again():
    cells = {"asc": asc}
    kernel, y = kernel_around(cells), np.zeros(8, np.int32)
    for number in range(40):  # soon a new object lies where an old one did
        text = INNER.format(value=number)
        cells["inner"] = Kernel.from_text(text, "Cell [3]", "inner", {"asc": asc})
        kernel[1](y)
        assert y[0] == number


def test_constants_of_helpers_are_read_at_launch():
    text = INNER.format(value="VALUE")
    surroundings = {"asc": asc}
    source = KernelSource(text, "Cell [3]", 1, "inner", surroundings.__getitem__)
    cells = {"asc": asc, "inner": Kernel(source)}
    kernel, y = kernel_around(cells), np.zeros(8, np.int32)
    for value in (3, 7, np.int32(11), np.int32(13)):
        surroundings["VALUE"] = value
        kernel[1](y)
        assert y[0] == value


def test_the_facade_lists_its_languages():
    assert {"language", "add", "jit"} <= set(asc.__all__)
    assert dir(asc) == sorted(asc.__all__)
    with pytest.raises(ValueError, match="'fr' is not one of en, zh, both"):
        asc.language("fr")
    assert asc.language() == "en"


def test_language_setting_changes_the_words():
    try:
        asc.language("zh")
        with pytest.raises(asc.KernelError) as caught:
            kernels.flag_add[0](X, Y, Z, 2048, 1024)
        assert "取值必须是" in str(caught.value)
    finally:
        asc.language("en")


@asc.jit
def uneven(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    if asc.get_block_idx() % 3 == 1:
        y_gm.set_value(n, x_gm.get_value(0))
    y_gm.set_value(asc.get_block_idx(), x_gm.get_value(asc.get_block_idx()))


def test_run_of_a_failed_launch_has_all_blocks_and_views():
    x, y = np.ones(64, np.float16), np.zeros(64, np.float16)
    with pytest.raises(asc.KernelError) as caught:
        uneven[60](x, y, 64)
    run = caught.value.run
    assert {e.block for e in run.events()} <= set(range(60))
    assert "uneven" in run._repr_html_()
    assert run.timeline().svg()


@asc.jit
def stepping(y: asc.GlobalAddress, step: int):
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 4)
    for i in range(0, 4, step * 2):
        y_gm.set_value(i, 1)


@asc.jit
def stepping_by_argument(y: asc.GlobalAddress, step: int):
    for _ in range(0, 4, step):
        pass


def test_a_run_time_step_of_zero_is_named():
    with pytest.raises(asc.KernelError) as caught:
        stepping[1](np.zeros(4, np.int32), 0)
    found = caught.value.diagnostics[-1]
    assert found.code == "ASC-RUN-05"
    assert "step of this range is 0" in found.render("en")
    assert "步长为 0" in found.render("zh")
    with pytest.raises(asc.KernelError) as caught:
        stepping_by_argument[1](np.zeros(4, np.int32), 0)
    found = caught.value.diagnostics[-1]
    assert (found.code, found.facts["name"]) == ("ASC-TILING-28", "step")
