# %% [markdown]
# # Z6 · Assignment: two shrinks / 作业：两个收缩函数
#
# **English.** Two activation functions of neural networks that move numbers towards
# zero. Each has its own answer cell and its own check:
#
# 1. *tanh shrink*, y = x − tanh(x): accuracy, with half outside.
# 2. *hard shrink*, y = x where |x| > λ, else 0: a choice for each element.
#
# Lengths are any, as in Z5: the frame of the kernels (shares, tiles, queues) is given.
# You write what happens to one tile in UB, and choose the length of a tile.
#
# **中文。** 神经网络里的两个激活函数，都把数往零的方向收。每个都有自己的答题单元和检查单元：
#
# 1. *tanh shrink*，y = x − tanh(x)：要求精度，外面是 half；
# 2. *hard shrink*，|x| > λ 时 y = x，否则为 0：逐个元素做选择。
#
# 长度任意，和 Z5 课一样：核函数的框架（份额、tile、队列）已经给出。
# 你要写的是 UB 里一个 tile 怎么算，并选定 tile 的长度。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## Part 1: tanh shrink / 第一部分：tanh shrink
#
# **English.** tanh(x) = 1 − 2 / (e²ˣ + 1), so y = (x − 1) + 2 / (e²ˣ + 1).
#
# * `x_ub` and `y_ub` are half, `u`, `v` and `w` are float32, each with room for `TILE`
#   elements. Only `count` elements are valid. The first cast is given.
# * The tolerance is that of the lesson: MERE below 2⁻¹⁰, MARE below 2⁻⁷. For small x the
#   two parts nearly cancel. Hidden cases hold ±Inf, NaN and ±65,504 too.
# * At most 11 vector instructions for 1,024 elements: no loops over elements.
# * `TILE`: elements of a tile, a multiple of 32. The buffers take 20 B for each element.
#
# 20 points: it runs. 30 points: all results are right. 50 points: speed, from the time
# of a plain kernel on 48 cores (HAP 0.50) to HAP 0.80.
#
# **中文。** tanh(x) = 1 − 2 / (e²ˣ + 1)，所以 y = (x − 1) + 2 / (e²ˣ + 1)。
#
# * `x_ub` 和 `y_ub` 是 half，`u`、`v`、`w` 是 float32，每个都放得下 `TILE` 个元素。
#   有效的只有 `count` 个。第一条 cast 已经给出。
# * 误差要求和课上一样：MERE 小于 2⁻¹⁰，MARE 小于 2⁻⁷。x 很小时，两部分几乎抵消。
#   隐藏用例里还有 ±Inf、NaN 和 ±65,504。
# * 每 1,024 个元素最多 11 条向量指令：不要逐个元素循环。
# * `TILE`：一个 tile 的元素数，取 32 的倍数。各缓冲区加起来，每个元素占 20 B。
#
# 能运行得 20 分；结果全部正确得 30 分；速度 50 分：以一个简单的 48 核核函数的用时为起点
# （HAP 0.50），达到 HAP 0.80 为满分。
# %% nbgrader={"grade": false, "grade_id": "z6-tanh-shrink-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
# TILE = elements of a tile / 一个 tile 的元素数
### BEGIN SOLUTION
TILE = 8192
### END SOLUTION


@asc.jit
def tanh_shrink_tile(y_ub, x_ub, u, v, w, count):
    asc.cast(u, x_ub, asc.RoundMode.CAST_NONE, count)  # half to float32
    ### BEGIN SOLUTION
    asc.duplicate(w, 2.0, count)
    asc.muls(v, u, 2.0, count)
    asc.adds(u, u, -1.0, count)
    asc.exp(v, v, count)
    asc.adds(v, v, 1.0, count)
    asc.div(v, w, v, count)
    asc.add(u, u, v, count)
    asc.cast(y_ub, u, asc.RoundMode.CAST_RINT, count)
    ### END SOLUTION


@asc.jit
def tanh_shrink_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    lines = (n + 255) // 256  # of 512 B / 512 B 为一行
    block, blocks = asc.get_block_idx(), asc.get_block_num()
    start = (block * lines // blocks) * 256
    stop = min(((block + 1) * lines // blocks) * 256, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 2)
    y_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, TILE * 2)
    pipe.init_buffer(y_queue, 2, TILE * 2)
    pipe.init_buffer(work, 3 * TILE * 4)
    u = work.get(asc.float32)
    v, w = u[TILE:], u[2 * TILE :]
    for offset in range(start, stop, TILE):
        count = min(TILE, stop - offset)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        x_ub = x_queue.alloc_tensor(asc.half)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        x_queue.enque(x_ub)
        ready, y_ub = x_queue.deque(asc.half), y_queue.alloc_tensor(asc.half)
        tanh_shrink_tile(y_ub, ready, u, v, w, count)
        x_queue.free_tensor(ready)
        y_queue.enque(y_ub)
        done = y_queue.deque(asc.half)
        asc.data_copy_pad(y_gm[offset:], done, row)
        y_queue.free_tensor(done)


def tanh_shrink(x, y):
    blocks = max(1, min(48, int((x.size / 400) ** 0.5)))
    tanh_shrink_kernel[blocks](x, y, x.size)
# %% [markdown]
# **English.** Try it here first: delete the `#` signs (select the lines, Ctrl+/).
#
# **中文。** 先在这里试一试：去掉行首的 `#`（选中各行，按 Ctrl+/）。
# %%
# x = np.linspace(-12, 12, 10_000).astype(np.float16)
# y = np.zeros_like(x)
# tanh_shrink(x, y)
# true = x.astype(np.float64) - np.tanh(x.astype(np.float64))
# print("largest difference:", np.abs(y - true).max())

# %% [markdown]
# **English.** Run the cell with your answer before the check. Stuck? Run
# `hint("z6-tanh-shrink")` in a cell of your own.
#
# **中文。** 检查之前先运行答题单元。卡住了？在自己的单元里运行 `hint("z6-tanh-shrink")`。
# %% tags=["seed:B047.1", "seed:B048.1", "seed:B051.4", "seed:B077.4"] nbgrader={"grade": true, "grade_id": "z6-tanh-shrink-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z6-tanh-shrink")
# %% [markdown]
# ## Part 2: hard shrink / 第二部分：hard shrink
#
# **English.** y = 0 where |x| ≤ λ, else x, bit for bit. NaN is not ≤ λ, so NaN stays
# NaN. λ ("lam" in the code) is an argument; x is half.
#
# * `x_ub` and `y_ub` are half; `a` and `zeros` are half scratch tensors of `WIDTH`
#   elements; `bits` has one bit for each element.
# * The comparison works in whole repeats of 256 B, but only `count` elements of `x_ub`
#   are valid, and what lies behind them must not be read. `a` is filled with 0 before
#   the loop, `zeros` too.
# * Think before you choose the mode (`asc.CMPMODE.LT LE GT GE EQ NE`): what does a
#   comparison with NaN give?
# * At most 6 vector instructions for 1,024 elements.
# * `WIDTH`: elements of a tile, a multiple of 128. The buffers take 12 B and 1 bit for
#   each element.
#
# **中文。** |x| ≤ λ 时 y = 0，否则 y = x，逐位相同。NaN 不满足 ≤ λ，所以 NaN 仍是 NaN。
# λ（代码里叫 lam）是参数；x 是 half。
#
# * `x_ub` 和 `y_ub` 是 half；`a` 和 `zeros` 是 half 的临时张量，各 `WIDTH` 个元素；
#   `bits` 每个元素占一位。
# * 比较按 256 B 的整次重复进行，而 `x_ub` 里有效的只有 `count` 个元素，后面的不能读。
#   `a` 和 `zeros` 在循环之前都已填成 0。
# * 选比较模式（`asc.CMPMODE.LT LE GT GE EQ NE`）之前想一想：和 NaN 比较，结果是什么？
# * 每 1,024 个元素最多 6 条向量指令。
# * `WIDTH`：一个 tile 的元素数，取 128 的倍数。各缓冲区加起来，每个元素占 12 B 加 1 位。
# %% nbgrader={"grade": false, "grade_id": "z6-hard-shrink-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
# WIDTH = elements of a tile / 一个 tile 的元素数
### BEGIN SOLUTION
WIDTH = 8192
### END SOLUTION


@asc.jit
def hard_shrink_tile(y_ub, x_ub, a, zeros, bits, lam, count):
    whole = (count + 127) // 128 * 128  # elements in whole repeats / 凑成整次重复
    ### BEGIN SOLUTION
    asc.abs(a, x_ub, count)
    asc.compare_scalar(bits, a, lam, asc.CMPMODE.LE, whole)
    mode = asc.SELMODE.VSEL_TENSOR_TENSOR_MODE
    asc.select(y_ub, bits, zeros, x_ub, mode, count)
    ### END SOLUTION


@asc.jit
def hard_shrink_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, lam: float
):
    lines = (n + 255) // 256
    block, blocks = asc.get_block_idx(), asc.get_block_num()
    start = (block * lines // blocks) * 256
    stop = min(((block + 1) * lines // blocks) * 256, n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 2)
    y_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    work, bit_buffer = asc.TBuf(asc.TPosition.VECCALC), asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(x_queue, 2, WIDTH * 2)
    pipe.init_buffer(y_queue, 2, WIDTH * 2)
    pipe.init_buffer(work, 2 * WIDTH * 2)
    pipe.init_buffer(bit_buffer, WIDTH // 8)
    a, bits = work.get(asc.half), bit_buffer.get(asc.uint8)
    zeros = a[WIDTH:]
    asc.duplicate(a, 0.0, 2 * WIDTH)  # a and zeros / a 和 zeros
    for offset in range(start, stop, WIDTH):
        count = min(WIDTH, stop - offset)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        x_ub = x_queue.alloc_tensor(asc.half)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        x_queue.enque(x_ub)
        ready, y_ub = x_queue.deque(asc.half), y_queue.alloc_tensor(asc.half)
        hard_shrink_tile(y_ub, ready, a, zeros, bits, lam, count)
        x_queue.free_tensor(ready)
        y_queue.enque(y_ub)
        done = y_queue.deque(asc.half)
        asc.data_copy_pad(y_gm[offset:], done, row)
        y_queue.free_tensor(done)


def hard_shrink(x, y, lam):
    blocks = max(1, min(48, int((x.size / 700) ** 0.5)))
    hard_shrink_kernel[blocks](x, y, x.size, lam)
# %% [markdown]
# **English.** Try it here first.
#
# **中文。** 先在这里试一试。
# %%
# x = np.linspace(-2, 2, 1003).astype(np.float16)
# y = np.zeros_like(x)
# hard_shrink(x, y, 0.5)
# print("right:", np.array_equal(y, np.where(np.abs(x) <= 0.5, 0, x)))

# %% [markdown]
# **English.** Stuck? Run `hint("z6-hard-shrink")` in a cell of your own.
#
# **中文。** 卡住了？在自己的单元里运行 `hint("z6-hard-shrink")`。
# %% nbgrader={"grade": true, "grade_id": "z6-hard-shrink-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z6-hard-shrink")
