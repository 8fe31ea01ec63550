# %% [markdown]
# # P1 · Assignment: profile first / 作业：先看数据
#
# **English.** Two parts. In the first you write down what you did in the lesson with your
# eyes: a function that reads a profile and names what holds the run up. The kernels
# behind the profiles have no names and no source; every learner gets others. In the
# second part you get a slow kernel, read its profile, and rescue it.
#
# **中文。** 共两部分。第一部分把课上用眼睛做的事写成程序：一个读性能数据、说出瓶颈的函数。
# 数据背后的核函数没有名字，也没有源代码，每个人拿到的都不一样。第二部分给你一个慢的核函数：
# 先看它的数据，再把它救快。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## Part 1: diagnose / 第一部分：诊断
#
# **English.** `diagnose(cycles, launch, s, v, mte2, mte3)` gets whole numbers: the
# cycles of a launch, those of them that pass before the core begins, and the busy cycles
# of four pipes of the core. It returns `[label, least]`.
#
# | first yes | label |
# |---|---|
# | the launch takes half of all cycles or more | `"START"` |
# | the busiest pipe is busy for 60 % or more of the core's time, which is `cycles - launch` | `"S"`, `"V"`, `"MTE2"`, `"MTE3"` |
# | else | `"SYNC"` |
#
# `least` is how many cycles the launch takes if all pipes overlap perfectly: the launch,
# then the busiest pipe; never more than `cycles`. 20 points: it runs; 80: all answers
# are right.
#
# **中文。** `diagnose(cycles, launch, s, v, mte2, mte3)` 的参数都是整数：一次启动的周期数，
# 其中核开始之前的周期数，以及核上四条流水线的忙碌周期数。返回 `[label, least]`。
#
# | 第一个“是” | 标签 |
# |---|---|
# | 启动占全部周期的一半或更多 | `"START"` |
# | 最忙的流水线占核的时间（即 `cycles - launch`）的 60% 或更多 | `"S"`、`"V"`、`"MTE2"`、`"MTE3"` |
# | 其他 | `"SYNC"` |
#
# `least` 是所有流水线完全重叠时这次启动的周期数：先是启动，然后是最忙的那条流水线；不会超过 `cycles`。
# 能运行得 20 分，全部答对得 80 分。
# %% nbgrader={"grade": false, "grade_id": "p1-diagnose-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def diagnose(cycles, launch, s, v, mte2, mte3):
    busy = {"S": s, "V": v, "MTE2": mte2, "MTE3": mte3}
    label, least = "SYNC", cycles
    ### BEGIN SOLUTION
    busiest = max(busy, key=busy.get)
    least = min(cycles, launch + busy[busiest])
    if 2 * launch >= cycles:
        label = "START"
    elif 5 * busy[busiest] >= 3 * (cycles - launch):
        label = busiest
    ### END SOLUTION
    return [label, least]
# %% [markdown]
# **English.** Hints: `hint("p1-diagnose")` in a cell of your own, one with each call.
#
# **中文。** 提示：在自己的单元里运行 `hint("p1-diagnose")`，每运行一次给出一条。
# %% tags=["seed:B057.2", "seed:B057.3", "seed:B057.4", "seed:B057.5", "seed:B079.2", "seed:A107.1"] nbgrader={"grade": true, "grade_id": "p1-diagnose-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("p1-diagnose")
# %% [markdown]
# ## Part 2: rescue / 第二部分：救快它
#
# **English.** `y = (x − m) · s` for each row of `x`: `m` and `s` have one number for each
# column. Rows and columns are arbitrary, columns at most 4,096, float32. The kernel below
# is right and slow. Run the cells, read the profile, apply moves → overlap in the order
# that the numbers ask for.
#
# **中文。** 对 `x` 的每一行计算 `y = (x − m) · s`：`m` 和 `s` 每列一个数。行数、列数任意，
# 列数最多 4,096，类型 float32。下面的核函数结果正确，但是慢。先运行，看性能数据，再按数据要求的次序来改：搬移、重叠。
# %%
MOST = 4096  # columns of a row at most / 一行最多多少列


@asc.jit
def take(queue, source, count):
    tensor = queue.alloc_tensor(asc.float32)
    row = asc.DataCopyExtParams(1, count * 4, 0, 0)
    asc.data_copy_pad(tensor, source, row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    queue.enque(tensor)
    return queue.deque(asc.float32)


@asc.jit
def give(queue, target, tensor, count):
    queue.enque(tensor)
    full = queue.deque(asc.float32)
    asc.data_copy_pad(target, full, asc.DataCopyExtParams(1, count * 4, 0, 0))
    queue.free_tensor(full)


@asc.jit
def view(address, start, count):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address + start, count)
    return tensor
# %%
@asc.jit
def slow_piece(x_gm, m_gm, s_gm, y_gm, queues, place, start, count):
    x_q, m_q, s_q, y_q = queues
    m_ub, s_ub = take(m_q, m_gm[start:], count), take(s_q, s_gm[start:], count)
    x_ub, y_ub = take(x_q, x_gm[place:], count), y_q.alloc_tensor(asc.float32)
    asc.sub(y_ub, x_ub, m_ub, count)
    asc.mul(y_ub, y_ub, s_ub, count)
    m_q.free_tensor(m_ub)
    s_q.free_tensor(s_ub)
    x_q.free_tensor(x_ub)
    give(y_q, y_gm[place:], y_ub, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def slow_kernel(
    x: asc.GlobalAddress, m: asc.GlobalAddress, s: asc.GlobalAddress,
    y: asc.GlobalAddress, rows: int, cols: int,
):
    share = (rows + asc.get_block_num() - 1) // asc.get_block_num()
    first = asc.get_block_idx() * share
    x_gm, y_gm = view(x, 0, rows * cols), view(y, 0, rows * cols)
    m_gm, s_gm = view(m, 0, cols), view(s, 0, cols)
    pipe = asc.TPipe()
    x_q, y_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECOUT, 1)
    m_q, s_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(x_q, 1, 512 * 4)
    pipe.init_buffer(m_q, 1, 512 * 4)
    pipe.init_buffer(s_q, 1, 512 * 4)
    pipe.init_buffer(y_q, 1, 512 * 4)
    for i in range(first, min(first + share, rows)):
        for start in range(0, cols, 512):
            count = min(512, cols - start)
            queues = (x_q, m_q, s_q, y_q)
            slow_piece(x_gm, m_gm, s_gm, y_gm, queues, i * cols + start, start, count)
# %%
# x = np.linspace(-1, 1, 768 * 4096, dtype=np.float32).reshape(768, 4096)
# m, s, y = x.mean(0), np.ones(4096, np.float32), np.zeros_like(x)
# slow_kernel[48](x, m, s, y, *x.shape)

# %% [markdown]
# **English.** Now yours. 20 points: it runs; 30: all results are right; 50: speed. The
# slow kernel earns none of the 50 (HAP 0.50), from HAP 0.80 on you have all. The helpers `take`, `give` and `view` are yours to use.
#
# **中文。** 现在写你的。能运行得 20 分，结果全对得 30 分，速度 50 分：慢的那个在速度上得 0 分（HAP 0.50），
# HAP 达到 0.80 即为满分。可以使用辅助函数 `take`、`give` 和 `view`。
# %% nbgrader={"grade": false, "grade_id": "p1-rescue-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.jit
def standardise_kernel(
    x: asc.GlobalAddress, m: asc.GlobalAddress, s: asc.GlobalAddress,
    y: asc.GlobalAddress, rows: int, cols: int,
):
    x_gm, y_gm = view(x, 0, rows * cols), view(y, 0, rows * cols)
    m_gm, s_gm = view(m, 0, cols), view(s, 0, cols)
    pipe = asc.TPipe()
    ### BEGIN SOLUTION
    each, more = rows // asc.get_block_num(), rows % asc.get_block_num()
    block = asc.get_block_idx()
    first = block * each + min(block, more)
    last = first + each + (1 if block < more else 0)
    x_q, y_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECOUT, 1)
    m_q, s_q = asc.TQue(asc.TPosition.VECIN, 1), asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(x_q, 2, MOST * 4)
    pipe.init_buffer(y_q, 2, MOST * 4)
    pipe.init_buffer(m_q, 1, MOST * 4)
    pipe.init_buffer(s_q, 1, MOST * 4)
    m_ub, s_ub = take(m_q, m_gm, cols), take(s_q, s_gm, cols)
    for i in range(first, last):
        x_ub = take(x_q, x_gm[i * cols :], cols)
        y_ub = y_q.alloc_tensor(asc.float32)
        asc.sub(y_ub, x_ub, m_ub, cols)
        x_q.free_tensor(x_ub)
        asc.mul(y_ub, y_ub, s_ub, cols)
        give(y_q, y_gm[i * cols :], y_ub, cols)
    m_q.free_tensor(m_ub)
    s_q.free_tensor(s_ub)
    ### END SOLUTION


def standardise(x, m, s, y):
    rows, cols = x.shape
    standardise_kernel[min(48, rows)](x, m, s, y, rows, cols)
# %%
# run = standardise_kernel[48](x, m, s, y, *x.shape)
# print("right:", np.allclose(y, (x - m) * s))
# run

# %% [markdown]
# **English.** Hints: `hint("p1-rescue")`.
#
# **中文。** 提示：`hint("p1-rescue")`。
# %% tags=["seed:B010.3", "seed:B022.1", "seed:B053.1", "seed:B058.1"] nbgrader={"grade": true, "grade_id": "p1-rescue-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("p1-rescue")
