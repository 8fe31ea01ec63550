# %% [markdown]
# # Z4 · Assignment: queues / 作业：队列
#
# **English.** Two kernels on float32 arrays of *any* length, on 48 blocks:
#
# 1. `d = |x − y|`: the queues are named, you give them buffers and write the middle
#    part.
# 2. `c = (x − y) / (x + y)`, the *contrast* of two brightnesses: you write the kernel
#    from the queues on, in one piece.
#
# Rules, all checked: no `set_flag`, no `pipe_barrier(PIPE_ALL)`; x and y are read from
# GM once, the result is written once; with 32,768 elements a core or more, at most 30 %
# of the shorter of MTE2 and V may go by while the other rests
# (`not_overlapped_percent`).
#
# Points of each task: 20 if it builds and runs, 40 if the results are right and the rules
# are kept in all cases, 40 for speed (HAP: 0.50 is the time of one block, 1 is the floor,
# from 0.80 on all points).
#
# **中文。** 两个核函数，处理*任意*长度的 float32 数组，用 48 个 block：
#
# 1. `d = |x − y|`：队列已经起好名字，由你给它们分配缓冲区，并写出中间一段。
# 2. `c = (x − y) / (x + y)`，也就是两个亮度的*对比度*：从队列开始，都由你来写，写成一个核函数。
#
# 规则，都会检查：不用 `set_flag`，不用 `pipe_barrier(PIPE_ALL)`；x、y 只从 GM 读一次，结果只写一次；
# 每个核有 32,768 个或更多元素时，MTE2 与 V 中较短的一条干活的时间里，另一条歇着的部分不超过 30%
# （`not_overlapped_percent`）。
#
# 每题评分：能编译、能运行得 20 分；所有用例结果正确且遵守规则得 40 分；速度 40 分
# （HAP：0.50 是一个 block 的用时，1 是下限，达到 0.80 即为满分）。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

BLOCKS = 48
TILE = 4096  # elements, 16 KiB


@asc.jit
def copy_in(queue, source, nbytes):
    tensor = queue.alloc_tensor(asc.float32)
    row = asc.DataCopyExtParams(1, nbytes, 0, 0)
    asc.data_copy_pad(tensor, source, row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    queue.enque(tensor)


@asc.jit
def copy_out(queue, target, nbytes):
    tensor = queue.deque(asc.float32)
    asc.data_copy_pad(target, tensor, asc.DataCopyExtParams(1, nbytes, 0, 0))
    queue.free_tensor(tensor)
# %% [markdown]
# ## 1 · Absolute difference / 差的绝对值
#
# **English.** `copy_in` and `copy_out` above move an exact number of bytes, so a tile may
# be shorter than the others. Two places are marked YOUR CODE HERE.
#
# **中文。** 上面的 `copy_in` 和 `copy_out` 按精确的字节数搬运，所以最后一块可以短一些。
# 有两处标着“在此编写代码”。
# %% nbgrader={"grade": false, "grade_id": "z4-overlap-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.jit
def difference_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, d: asc.GlobalAddress, n: int
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm, d_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    d_gm.set_global_buffer(d, n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    y_queue = asc.TQue(asc.TPosition.VECIN, 1)
    d_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    # 1: the buffers of the three queues / 三个队列的缓冲区
    ### BEGIN SOLUTION
    pipe.init_buffer(x_queue, 2, TILE * 4)
    pipe.init_buffer(y_queue, 2, TILE * 4)
    pipe.init_buffer(d_queue, 2, TILE * 4)
    ### END SOLUTION
    for offset in range(start, stop, TILE):
        count = min(TILE, stop - offset)
        copy_in(x_queue, x_gm[offset:], count * 4)
        copy_in(y_queue, y_gm[offset:], count * 4)
        # 2: compute, and hand the buffers over / 计算，并交接缓冲区
        ### BEGIN SOLUTION
        x_ub, y_ub = x_queue.deque(asc.float32), y_queue.deque(asc.float32)
        d_ub = d_queue.alloc_tensor(asc.float32)
        asc.sub(d_ub, x_ub, y_ub, count)
        asc.abs(d_ub, d_ub, count)
        d_queue.enque(d_ub)
        x_queue.free_tensor(x_ub)
        y_queue.free_tensor(y_ub)
        ### END SOLUTION
        copy_out(d_queue, d_gm[offset:], count * 4)


def absolute_difference(x, y, d):
    difference_kernel[BLOCKS](x, y, d, x.size)
# %% [markdown]
# **English.** Delete the `#` signs to try your kernel (select the lines, Ctrl+/).
#
# **中文。** 去掉行首的 `#`（选中各行，按 Ctrl+/），就可以试运行。
# %%
# x, y = np.arange(200_000, dtype=np.float32), np.ones(200_000, np.float32)
# d = np.zeros_like(x)
# run = difference_kernel[BLOCKS](x, y, d, x.size)
# print("right:", np.array_equal(d, np.abs(x - y)))
# print("not overlapped:", run.counters["not_overlapped_percent"], "%")
# run
# %% [markdown]
# **English.** The check takes the cells that you have run: run your cell again after
# each change. It tries the visible cases; your marks come from these and from hidden
# ones. Stuck? `hint("z4-overlap")` in a cell of your own: three hints, one at a
# time.
#
# **中文。** 检查时只看已经运行过的单元：每次修改后，先重新运行你的单元。
# 这里运行的是公开用例；最终成绩还要看隐藏用例。
# 卡住了？在自己的单元里运行 `hint("z4-overlap")`：共三条提示，一次打开一条。
# %% tags=["seed:B025.1", "seed:B025.3", "seed:B054.2"] nbgrader={"grade": true, "grade_id": "z4-overlap-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("z4-overlap")
# %% [markdown]
# ## 2 · Contrast, fused / 对比度，融合
#
# **English.** One kernel. The sum `x + y` needs a place in UB that is no queue. The
# values of x and y are positive.
#
# **中文。** 只用一个核函数。`x + y` 需要在 UB 里有个地方，但不是队列。x、y 的值都是正数。
# %% nbgrader={"grade": false, "grade_id": "z4-contrast-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.jit
def contrast_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, c: asc.GlobalAddress, n: int
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm, y_gm, c_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    c_gm.set_global_buffer(c, n)
    ### BEGIN SOLUTION
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    y_queue = asc.TQue(asc.TPosition.VECIN, 1)
    c_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(x_queue, 2, TILE * 4)
    pipe.init_buffer(y_queue, 2, TILE * 4)
    pipe.init_buffer(c_queue, 2, TILE * 4)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(scratch, TILE * 4)
    total = scratch.get(asc.float32)
    for offset in range(start, stop, TILE):
        count = min(TILE, stop - offset)
        copy_in(x_queue, x_gm[offset:], count * 4)
        copy_in(y_queue, y_gm[offset:], count * 4)
        x_ub, y_ub = x_queue.deque(asc.float32), y_queue.deque(asc.float32)
        c_ub = c_queue.alloc_tensor(asc.float32)
        asc.sub(c_ub, x_ub, y_ub, count)
        asc.add(total, x_ub, y_ub, count)
        asc.div(c_ub, c_ub, total, count)
        c_queue.enque(c_ub)
        x_queue.free_tensor(x_ub)
        y_queue.free_tensor(y_ub)
        copy_out(c_queue, c_gm[offset:], count * 4)
    ### END SOLUTION


def contrast(x, y, c):
    contrast_kernel[BLOCKS](x, y, c, x.size)
# %%
# x, y = np.full(200_000, 3, np.float32), np.ones(200_000, np.float32)
# c = np.zeros_like(x)
# run = contrast_kernel[BLOCKS](x, y, c, x.size)
# print("right:", np.array_equal(c, (x - y) / (x + y)))
# run
# %% [markdown]
# **English.** Hints: `hint("z4-contrast")`.
#
# **中文。** 提示：`hint("z4-contrast")`。
# %% tags=["seed:B010.3"] nbgrader={"grade": true, "grade_id": "z4-contrast-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("z4-contrast")
