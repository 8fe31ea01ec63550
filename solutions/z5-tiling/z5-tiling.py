# %% [markdown]
# # Z5 · Assignment: a plan for any length / 作业：任意长度的切分方案
#
# **English.** The operator of this assignment is the *squared difference*
# `z = (a − b)²` of two arrays of one length, half or float32. You write it in two parts,
# each with its own check:
#
# 1. `tiling(…)`: plain Python that makes the plan: how many cores, which share for each
#    core, how long a tile.
# 2. the kernel that obeys the plan.
#
# Lesson Z5 did this for relu: one input, half only. Here are two inputs and two element
# types, so the budget of UB and the number of cores come out differently.
#
# **中文。** 本次作业的算子是*平方差* `z = (a − b)²`：两个数组长度相同，元素类型是 half 或 float32。
# 分两部分完成，各有自己的检查单元：
#
# 1. `tiling(…)`：普通的 Python 函数，给出切分方案：用几个核，每个核分到多少，一个 tile 多长；
# 2. 按这个方案工作的核函数。
#
# Z5 课用 relu 做过同样的事：只有一个输入，只有 half。这里有两个输入、两种元素类型，
# 所以 UB 的预算和核数都会不同。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## Part 1: the plan / 第一部分：切分方案
#
# **English.** `tiling(n, cores, ub_nbytes, itemsize)` returns a dict of five whole
# numbers:
#
# | key | meaning |
# |---|---|
# | `blocks` | how many cores work, 1 … `cores` |
# | `head` | so many of them take the long share; they come first |
# | `long` | elements of a long share |
# | `short` | elements of a short share |
# | `tile` | elements of a tile |
#
# The rules:
#
# * Every element belongs to exactly one core. The last share may reach beyond `n`; the
#   kernel cuts it off there.
# * The longest and the shortest share differ by at most 1 KiB.
# * Each core gets at least 512 B: for `n` = 1000 half numbers at most 4 cores work.
# * A tile is a multiple of 32 B. Three tensors with two buffers each fit into
#   `ub_nbytes`.
# * Take the limits from the arguments: hidden cases have other values of `cores` and
#   `ub_nbytes`.
#
# 20 points: it runs. 30 points: all plans are legal. 50 points: the plan is fast in a
# kernel of ours. One core earns 0 of them (HAP 0.50); from HAP 0.80 on you have all.
# Take as many cores as pay off, not as many as there are.
#
# **中文。** `tiling(n, cores, ub_nbytes, itemsize)` 返回一个字典，含五个整数：
#
# | 键 | 含义 |
# |---|---|
# | `blocks` | 用几个核，1 到 `cores` |
# | `head` | 其中有几个核（大核）分到长的一份，它们排在前面 |
# | `long` | 长的一份有多少元素 |
# | `short` | 短的一份有多少元素 |
# | `tile` | 一个 tile 有多少元素 |
#
# 规则：
#
# * 每个元素恰好属于一个核。最后一份可以超出 `n`，核函数会在那里截断。
# * 最长的一份与最短的一份最多相差 1 KiB。
# * 每个核至少分到 512 B：`n` = 1000 个 half 时，最多用 4 个核。
# * tile 是 32 B 的整数倍。三个张量、每个两块缓冲区，总共要放得进 `ub_nbytes`。
# * 上限要取自参数：隐藏用例的 `cores` 和 `ub_nbytes` 会变。
#
# 能运行得 20 分；所有方案都合法得 30 分；用我们的核函数跑这个方案，按速度给 50 分：
# 只用一个核得 0 分（HAP 0.50），HAP 达到 0.80 即为满分。核要用到划算为止，不是越多越好。
# %% nbgrader={"grade": false, "grade_id": "z5-plan-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def tiling(n, cores, ub_nbytes, itemsize):
    line = 512 // itemsize  # elements in 512 B / 512 B 含多少元素
    lines = (n + line - 1) // line
    ### BEGIN SOLUTION
    worth = int((n * itemsize / 900) ** 0.5)
    blocks = max(1, min(cores, lines, worth))
    each, head = divmod(lines, blocks)
    long, short = (each + 1) * line, each * line
    step = 32 // itemsize
    longest = ub_nbytes // (6 * itemsize) // step * step
    half_share = (long // 2 + step - 1) // step * step
    tile = min(longest, half_share)
    ### END SOLUTION
    return {
        "blocks": blocks,
        "head": head,
        "long": long,
        "short": short,
        "tile": tile,
    }
# %% [markdown]
# **English.** This cell is yours: delete the `#` signs (select the lines, Ctrl+/) and
# look at your plans.
#
# **中文。** 这个单元由你自由使用：去掉行首的 `#`（选中各行，按 Ctrl+/），看看你的方案。
# %%
# for n in (1, 31, 1000, 1003, 65536, 1_000_003):
#     print(n, tiling(n, 48, 196608, 2))

# %% [markdown]
# **English.** The check takes the cells that you have run. Stuck? Run `hint("z5-plan")`
# in a cell of your own: three hints, one at a time.
#
# **中文。** 检查时只看已经运行过的单元。卡住了？在自己的单元里运行 `hint("z5-plan")`：
# 共三条提示，一次打开一条。
# %% tags=["seed:B039.1", "seed:B040.1", "seed:B042.1", "seed:B043.1", "seed:B051.2"] nbgrader={"grade": true, "grade_id": "z5-plan-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z5-plan")
# %% [markdown]
# ## Part 2: the kernel that obeys / 第二部分：按方案工作的核函数
#
# **English.** The frame is given. Missing is the work on one tile: copy `a` and `b` in,
# compute, copy `z` out, with the queues of lesson Z4. `count` elements are valid; behind
# them stand undefined bytes. Instructions: `asc.sub(dst, src0, src1, count)`,
# `asc.mul(dst, src0, src1, count)`.
#
# Beside the usual points this part has two limits: no output byte is written twice, and
# 1000 half numbers keep at most 4 cores busy. The second is up to your `tiling`, which
# this part uses. Speed counts as in part 1.
#
# **中文。** 框架已经给出，缺的是处理一个 tile 的部分：搬入 `a` 和 `b`，计算，搬出 `z`，
# 用 Z4 课的队列。有效的只有 `count` 个元素，后面的字节没有定义。
# 指令：`asc.sub(dst, src0, src1, count)`、`asc.mul(dst, src0, src1, count)`。
#
# 除了通常的评分，这一部分还有两条限制：输出的每个字节只写一次；1000 个 half 最多占用 4 个核。
# 后一条取决于你的 `tiling`，这里用的就是它。速度的算法与第一部分相同。
# %% nbgrader={"grade": false, "grade_id": "z5-squared-difference-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.tiling
class Plan:
    n: int
    head: int
    long: int
    short: int
    tile: int


@asc.jit
def difference_tile(a_gm, b_gm, z_gm, a_queue, b_queue, z_queue, offset, count):
    dtype = a_gm.dtype
    row = asc.DataCopyExtParams(1, count * dtype.sizeof(), 0, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    ### BEGIN SOLUTION
    a_ub = a_queue.alloc_tensor(dtype)
    b_ub = b_queue.alloc_tensor(dtype)
    asc.data_copy_pad(a_ub, a_gm[offset:], row, no_pad)
    asc.data_copy_pad(b_ub, b_gm[offset:], row, no_pad)
    a_queue.enque(a_ub)
    b_queue.enque(b_ub)
    left, right = a_queue.deque(dtype), b_queue.deque(dtype)
    z_ub = z_queue.alloc_tensor(dtype)
    asc.sub(z_ub, left, right, count)
    asc.mul(z_ub, z_ub, z_ub, count)
    a_queue.free_tensor(left)
    b_queue.free_tensor(right)
    z_queue.enque(z_ub)
    out = z_queue.deque(dtype)
    asc.data_copy_pad(z_gm[offset:], out, row)
    z_queue.free_tensor(out)
    ### END SOLUTION


@asc.jit
def difference_kernel(
    a: asc.GlobalAddress, b: asc.GlobalAddress, z: asc.GlobalAddress, p: Plan
):
    block = asc.get_block_idx()
    start = block * p.short + min(block, p.head) * (p.long - p.short)
    stop = min(start + (p.long if block < p.head else p.short), p.n)
    a_gm, b_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    a_gm.set_global_buffer(a, p.n)
    b_gm.set_global_buffer(b, p.n)
    z_gm.set_global_buffer(z, p.n)
    pipe = asc.TPipe()
    a_queue = asc.TQue(asc.TPosition.VECIN, 2)
    b_queue = asc.TQue(asc.TPosition.VECIN, 2)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(a_queue, 2, p.tile * a.dtype.sizeof())
    pipe.init_buffer(b_queue, 2, p.tile * a.dtype.sizeof())
    pipe.init_buffer(z_queue, 2, p.tile * a.dtype.sizeof())
    for offset in range(start, stop, p.tile):
        count = min(p.tile, stop - offset)
        difference_tile(a_gm, b_gm, z_gm, a_queue, b_queue, z_queue, offset, count)


def squared_difference(a, b, z):
    plan = tiling(a.size, 48, 196608, a.dtype.itemsize)
    blocks = plan.pop("blocks")
    difference_kernel[blocks](a, b, z, Plan(n=a.size, **plan))
# %% [markdown]
# **English.** Try it here first; `run.balance()` shows what each core does.
#
# **中文。** 先在这里试一试；`run.balance()` 显示每个核干了多少活。
# %%
# a = np.arange(100_003).astype(np.float32) % 7
# b = np.ones_like(a)
# z = np.zeros_like(a)
# squared_difference(a, b, z)
# print("z = (a - b)**2:", np.array_equal(z, (a - b) ** 2))

# %% [markdown]
# **English.** Stuck? Run `hint("z5-squared-difference")` in a cell of your own.
#
# **中文。** 卡住了？在自己的单元里运行 `hint("z5-squared-difference")`。
# %% tags=["seed:B022.3", "seed:B041.1"] nbgrader={"grade": true, "grade_id": "z5-squared-difference-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z5-squared-difference")
