# %% [markdown]
# # Z7 · Assignment: reductions / 作业：归约
#
# **English.** Two kernels over the rows of a matrix.
#
# 1. `log_sum_exp(x, y)`: $y_r = \ln \sum_c e^{x_{rc}}$. Language models use it as loss.
#    x is half or float32 with up to 1,024 columns; its numbers reach ±88 in float32 and
#    ±65,504 in half. Full marks need the fastest mix of reductions.
# 2. `variance(x, y)`: the mean squared distance of a row's numbers from their mean. x is
#    float32; the numbers may lie around 3,000.
#
# **中文。** 两个按行处理矩阵的核函数。
#
# 1. `log_sum_exp(x, y)`：$y_r = \ln \sum_c e^{x_{rc}}$，大语言模型用它计算损失。
#    x 是 half 或 float32，最多 1,024 列；float32 的数可达 ±88，half 的可达 ±65,504。
#    要得满分，须用最快的归约组合。
# 2. `variance(x, y)`：每一行的方差，即各数与均值之差的平方的平均值。x 是 float32，数值可能在 3,000 附近。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## 1 · The logarithm of a sum of exponentials / 指数和的对数
#
# **English.** As in softmax, take the largest number of the row off first:
# $\ln \sum_c e^{x_c} = m + \ln \sum_c e^{x_c - m}$. The frame is given: a tile of up to 8
# rows comes in by a queue and is turned to float32 in `w`, row r from `r * t.pitch` on; the
# next tile is on its way meanwhile. Only the first `t.cols` numbers of a row count, what
# follows is filler. Write
#
# 1. `largest_of_rows`: the largest number of each row into `stat[0]`, `stat[1]`, …
#    `part` is work area, 128 numbers for each row.
# 2. `sum_of_rows`: the same for the sum.
# 3. in the kernel: `total[r]` = the result of row r. `top` and `total` have room for 8
#    numbers. Before `top.get_value(r)` the scalar unit waits for the vector unit:
#    `asc.set_flag(asc.HardEvent.V_S, 0)`, then `asc.wait_flag(asc.HardEvent.V_S, 0)`.
#
# Level by level is faster than row by row. For an exact count of columns use
# `asc.set_mask_count()` (lesson Z7, *Break: the filler of a row*).
#
# Points: 20 if it builds, 30 if all results are right, 50 for speed (HAP 0.80 or more).
#
# **中文。** 和 softmax 一样，先减去这一行的最大值：
# $\ln \sum_c e^{x_c} = m + \ln \sum_c e^{x_c - m}$。框架已经给出：每次由队列搬入一个小块，最多 8 行，
# 转换成 float32 放进 `w`，第 r 行从 `r * t.pitch` 开始；同时下一个小块已经在路上。
# 每行只有前 `t.cols` 个数算数，后面是填充。请编写：
#
# 1. `largest_of_rows`：把每行的最大值写到 `stat[0]`、`stat[1]`……`part` 是工作区，每行 128 个数。
# 2. `sum_of_rows`：同样，换成求和。
# 3. 核函数里：`total[r]` = 第 r 行的结果。`top` 和 `total` 各能放 8 个数。在 `top.get_value(r)` 之前，
#    标量单元要等向量单元：先 `asc.set_flag(asc.HardEvent.V_S, 0)`，再 `asc.wait_flag(asc.HardEvent.V_S, 0)`。
#
# 一层一层地归约比一行一行地快。要按准确的列数归约，用 `asc.set_mask_count()`（见 Z7 课“一行末尾的填充”一节）。
#
# 评分：能编译运行得 20 分，结果全部正确得 30 分，速度 50 分（HAP 达到 0.80 即满分）。
# %%
@asc.tiling
class Rows:
    rows: int  # of the matrix / 矩阵的行数
    cols: int
    share: int  # rows of a block / 每个 block 的行数
    pitch: int  # elements of a row in UB / 一行在 UB 中占的元素个数


@asc.jit
def load(queue, x_gm, first, rows, t):
    a = queue.alloc_tensor(x_gm.dtype)
    form = asc.DataCopyExtParams(rows, t.cols * x_gm.dtype.sizeof(), 0, 0)
    pad = asc.DataCopyPadExtParams(True, 0, t.pitch - t.cols, 0)
    asc.data_copy_pad(a, x_gm[first * t.cols :], form, pad)
    queue.enque(a)


@asc.jit
def as_float32(w, a, count):
    if a.dtype == asc.float32:
        asc.adds(w, a, 0.0, count)
    else:
        asc.cast(w, a, asc.RoundMode.CAST_NONE, count)


@asc.jit
def store(queue, y_gm, first, w, rows):
    c = queue.alloc_tensor(y_gm.dtype)
    if y_gm.dtype == asc.float32:
        asc.adds(c, w, 0.0, rows)
    else:
        asc.cast(c, w, asc.RoundMode.CAST_RINT, rows)
    queue.enque(c)
    c = queue.deque(y_gm.dtype)
    form = asc.DataCopyExtParams(1, rows * y_gm.dtype.sizeof(), 0, 0)
    asc.data_copy_pad(y_gm[first:], c, form)
    queue.free_tensor(c)
# %% nbgrader={"grade": false, "grade_id": "z7-logsumexp-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.jit
def largest_of_rows(stat, x, part, rows, cols, pitch):
    blocks = (cols + 7) // 8  # of a row / 一行的数据块数
    # 1: stat[r] = the largest of row r / 第 r 行的最大值
    ### BEGIN SOLUTION
    asc.set_mask_count()
    for r in range(rows):
        asc.block_reduce_max(part[r * 128 :], x[r * pitch :], 1, cols, 1, 1, 8)
    for r in range(rows):
        asc.block_reduce_max(part[r * 128 :], part[r * 128 :], 1, blocks, 1, 1, 8)
    asc.set_mask_norm()
    left, only = (blocks + 7) // 8, asc.ReduceOrder.ORDER_ONLY_VALUE
    asc.whole_reduce_max(stat, part, left, rows, 1, 1, 16, only)
    asc.reset_mask()
    ### END SOLUTION


@asc.jit
def sum_of_rows(stat, x, part, rows, cols, pitch):
    blocks = (cols + 7) // 8
    # 2: stat[r] = the sum of row r / 第 r 行的和
    ### BEGIN SOLUTION
    asc.set_mask_count()
    for r in range(rows):
        asc.block_reduce_sum(part[r * 128 :], x[r * pitch :], 1, cols, 1, 1, 8)
    for r in range(rows):
        asc.block_reduce_sum(part[r * 128 :], part[r * 128 :], 1, blocks, 1, 1, 8)
    asc.set_mask_norm()
    asc.whole_reduce_sum(stat, part, (blocks + 7) // 8, rows, 1, 1, 16)
    asc.reset_mask()
    ### END SOLUTION


@asc.jit
def log_sum_exp_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, t: Rows):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, t.rows * t.cols)
    y_gm.set_global_buffer(y, t.rows)
    pipe = asc.TPipe()
    arrive, leave = asc.TQue(asc.TPosition.VECIN, 2), asc.TQue(asc.TPosition.VECOUT, 2)
    room = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, 8 * t.pitch * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, 32)
    pipe.init_buffer(room, (8 * t.pitch + 8 * 128 + 16) * 4)
    w = room.get(asc.float32)
    part = w[8 * t.pitch :]
    top, total = part[1024:], part[1032:]
    first = asc.get_block_idx() * t.share
    last = min(first + t.share, t.rows)
    load(arrive, x_gm, first, min(8, last - first), t)
    for i in range(first, last, 8):
        rows, after = min(8, last - i), i + 8
        if after < last:
            load(arrive, x_gm, after, min(8, last - after), t)
        a = arrive.deque(x.dtype)
        as_float32(w, a, rows * t.pitch)
        arrive.free_tensor(a)
        # 3: total[r] = ln of the sum of the exponentials of row r / 第 r 行指数和的对数
        ### BEGIN SOLUTION
        largest_of_rows(top, w, part, rows, t.cols, t.pitch)
        asc.set_flag(asc.HardEvent.V_S, 0)
        asc.wait_flag(asc.HardEvent.V_S, 0)
        for r in range(rows):
            asc.adds(w[r * t.pitch :], w[r * t.pitch :], -top.get_value(r), t.cols)
        asc.exp(w, w, rows * t.pitch)
        sum_of_rows(total, w, part, rows, t.cols, t.pitch)
        asc.ln(total, total, rows)
        asc.add(total, total, top, rows)
        ### END SOLUTION
        store(leave, y_gm, i, total, rows)


def log_sum_exp(x, y):
    rows, cols = x.shape
    share = -(-rows // 48)
    per_block = 32 // x.dtype.itemsize
    pitch = -(-cols // per_block) * per_block
    t = Rows(rows, cols, share, pitch)
    log_sum_exp_kernel[-(-rows // share)](x, y, t)
# %% [markdown]
# **English.** A cell for your own trials: delete the `#` signs and run it.
#
# **中文。** 这个单元供你试验：去掉行首的 `#` 再运行。
# %%
# x = np.random.default_rng(0).uniform(-8, 8, (480, 1000)).astype(np.float32)
# y = np.zeros(480, np.float32)
# log_sum_exp(x, y)
# print("largest error:", np.abs(y - np.log(np.exp(x.astype(float)).sum(axis=1))).max())
# %% [markdown]
# **English.** Run your cell, then this check. Stuck? `hint("z7-logsumexp")`, three steps.
#
# **中文。** 先运行你的单元，再运行检查。卡住了？`hint("z7-logsumexp")`，共三步提示。
# %% nbgrader={"grade": true, "grade_id": "z7-logsumexp-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z7-logsumexp")
# %% [markdown]
# ## 2 · A variance that keeps its digits / 不丢有效数字的方差
#
# **English.** One row at a time lies in `row`, `cols` numbers. Write its variance to
# `out[0]`: the mean of (x − mean)². `work` has room for a row, `tmp` is the work area of
# `reduce_sum`, `stat` has room for 8 numbers. Lesson Z7 showed why the sum of squares
# minus the square of the mean is of no use.
#
# Points: 20 if it builds, 80 if all results are right. Speed does not count. Stuck?
# `hint("z7-variance")`, three steps.
#
# **中文。** 每次有一行放在 `row` 里，共 `cols` 个数。请把它的方差，即 (x − 均值)² 的平均值，写到 `out[0]`。
# `work` 能放一行，`tmp` 是 `reduce_sum` 的工作区，`stat` 能放 8 个数。
# Z7 课已经说明，为什么“平方的均值减去均值的平方”行不通。
#
# 评分：能编译运行得 20 分，结果全部正确得 80 分，不计速度。卡住了？运行 `hint("z7-variance")`，共三步。
# %% nbgrader={"grade": false, "grade_id": "z7-variance-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.jit
def variance_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, rows: int, cols: asc.constexpr
):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, rows * cols)
    y_gm.set_global_buffer(y, rows)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 4096)
    work = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 16384, 4096)
    tmp = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 32768, 64)
    stat = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 33024, 8)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 33056, 8)
    form = asc.DataCopyExtParams(1, cols * 4, 0, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    for i in range(asc.get_block_idx(), rows, asc.get_block_num()):
        asc.data_copy_pad(row, x_gm[i * cols :], form, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        # out[0] = the variance of the row / 这一行的方差
        ### BEGIN SOLUTION
        asc.reduce_sum(stat, row, tmp, cols)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        mean = stat.get_value(0) / cols
        asc.adds(work, row, -mean, cols)
        asc.mul(work, work, work, cols)
        asc.reduce_sum(out, work, tmp, cols)
        asc.muls(out, out, 1.0 / cols, 1)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(y_gm[i:], out, asc.DataCopyExtParams(1, 4, 0, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def variance(x, y):
    rows, cols = x.shape
    variance_kernel[min(rows, 48)](x, y, rows, cols)
# %% tags=["seed:A086.1", "seed:A087.1", "seed:A088.1", "seed:A089.1", "seed:A090.1", "seed:A091.1"] nbgrader={"grade": true, "grade_id": "z7-variance-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("z7-variance")
