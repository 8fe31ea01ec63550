# %% [markdown]
# # Z2 · Assignment: moving data / 作业：搬数据
#
# **English.** First a descriptor on paper, then a kernel that copies any window of a
# matrix with as few copies as possible.
#
# **中文。** 先在纸上算出描述符，再写一个核函数，用尽量少的搬运指令搬出矩阵的任意窗口。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## 1 · The descriptor / 描述符
#
# **English.** A matrix has `pitch` elements of `itemsize` bytes in a row. A window of it
# has `rows` rows of `cols` elements. Write `descriptor(rows, cols, itemsize, pitch)`; it
# returns a dict of whole numbers:
#
# * `block_count`, `block_len`, `src_stride`, `dst_stride`: the fields of
#   `DataCopyExtParams` that fetch the window from GM with `data_copy_pad`, rows packed
#   one behind the other in UB (each starts at a new block of 32 B);
# * `ub_nbytes`: the bytes of UB that the window takes, its last block counted whole.
#
# 20 points for an answer that runs, 80 for right numbers.
#
# **中文。** 矩阵每行 `pitch` 个元素，每个 `itemsize` 字节；窗口有 `rows` 行，每行 `cols` 个元素。
# 写函数 `descriptor(rows, cols, itemsize, pitch)`，返回一个字典，值都是整数：
#
# * `block_count`、`block_len`、`src_stride`、`dst_stride`：用 `data_copy_pad`
#   把窗口从 GM 搬入时，`DataCopyExtParams` 的四个数；各行在 UB 里一行接一行放（每行从新的 32 B 块开始）；
# * `ub_nbytes`：窗口在 UB 里占多少字节，最后一块按整块算。
#
# 能运行得 20 分，数字正确得 80 分。
# %% nbgrader={"grade": false, "grade_id": "z2-descriptor-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def descriptor(rows, cols, itemsize, pitch):
    answer = {}
    ### BEGIN SOLUTION
    burst = cols * itemsize
    answer["block_count"] = rows
    answer["block_len"] = burst
    answer["src_stride"] = (pitch - cols) * itemsize
    answer["dst_stride"] = 0
    answer["ub_nbytes"] = rows * (-(-burst // 32) * 32)
    ### END SOLUTION
    return answer
# %% [markdown]
# ### Check / 检查
#
# **English.** Run the cell above after each change, then this one. Stuck?
# `hint("z2-descriptor")` in a cell of your own.
#
# **中文。** 每次修改后先运行上面的单元，再运行这一个。卡住了？在自己的单元里运行 `hint("z2-descriptor")`。
# %% tags=["seed:B033.1", "seed:B034.1", "seed:B034.2", "seed:B051.3", "seed:B077.3"] nbgrader={"grade": true, "grade_id": "z2-descriptor-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
check("z2-descriptor")
# %% [markdown]
# ## 2 · The kernel / 核函数
#
# **English.** Copy the window that begins at row `top`, column `left` of the matrix `x`
# into `z`, which has `rows` × `cols` elements. Any place, any size, half or float32. A
# row of the window always fits into UB.
#
# Missing in the cell below: the number of cores, how many rows go into one copy, and the
# two copies. One descriptor has at most 4,095 bursts. The kernel divides the rows among
# the blocks for you.
#
# Points: 20 if it runs, 30 for right results, 50 for speed. All cores together may use
# at most `rows // 4` copies (96 are always allowed), so a loop over single rows does not
# pass. Speed counts once all results are right: HAP is 0.50 at the time of one core with
# copies as large as UB allows, and all points come from 0.80 on, a quarter of its
# distance to the floor.
#
# **中文。** 矩阵 `x` 里有一个窗口，从第 `top` 行、第 `left` 列开始；把它搬到 `z`，`z` 有 `rows` × `cols` 个元素。
# 位置任意，大小任意，half 或 float32。窗口的一行总能放进 UB。
#
# 下面的单元里缺：用几个核、一次搬几行，以及两条搬运。一个描述符最多 4,095 段。各 block 分到哪些行，已经写好了。
#
# 评分：能运行 20 分，结果正确 30 分，速度 50 分。所有核的搬运指令加起来最多 `rows // 4` 条
# （不足 96 条时按 96 条算），所以一行一行地循环通不过。结果全部正确后才计速度分：
# 以“一个核、每次尽量多搬”的用时为起点（HAP 0.50），与下限的差距缩小到起点的四分之一，
# HAP 就达到 0.80，得满分。
# %% nbgrader={"grade": false, "grade_id": "z2-window-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
UB_NBYTES = 160 * 1024  # of the 192 KiB / UB 共 192 KiB，用其中的这么多
# BLOCKS = the number of cores / 核的个数
### BEGIN SOLUTION
BLOCKS = 32
### END SOLUTION


@asc.jit
def window_kernel(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    top: int,
    left: int,
    rows: int,
    cols: int,
    height: int,
    pitch: int,
    chunk: int,
):
    itemsize = x.dtype.sizeof()
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, height * pitch)
    z_gm.set_global_buffer(z, rows * cols)
    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, UB_NBYTES // itemsize)
    share = (rows + asc.get_block_num() - 1) // asc.get_block_num()
    first = asc.get_block_idx() * share
    last = min(first + share, rows)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    for r in range(first, last, chunk):
        count = min(chunk, last - r)
        # fetch `count` rows from row r of the window on / 从窗口的第 r 行起搬入 count 行
        ### BEGIN SOLUTION
        burst, gap = cols * itemsize, (pitch - cols) * itemsize
        fetch = asc.DataCopyExtParams(count, burst, gap, 0)
        asc.data_copy_pad(ub, x_gm[(top + r) * pitch + left :], fetch, no_pad)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        # store them in z / 写到 z
        ### BEGIN SOLUTION
        store = asc.DataCopyExtParams(count, burst, 0, 0)
        asc.data_copy_pad(z_gm[r * cols :], ub, store)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def window(x, z, top, left, rows, cols):
    height, pitch = x.shape
    # chunk = how many rows go into one copy / 一次搬几行
    ### BEGIN SOLUTION
    row_nbytes = -(-cols * x.dtype.itemsize // 32) * 32
    chunk = min(4095, UB_NBYTES // row_nbytes)
    ### END SOLUTION
    window_kernel[BLOCKS](x, z, top, left, rows, cols, height, pitch, chunk)
# %% [markdown]
# ### Try it / 先试一试
#
# **English.** This cell is yours. When the gaps are filled, delete the `#` signs.
#
# **中文。** 这个单元由你自由使用。补全之后，去掉行首的 `#`。
# %%
# x = np.arange(100 * 80).astype(np.float32).reshape(100, 80)
# z = np.zeros((50, 33), np.float32)
# window(x, z, 2, 7, 50, 33)
# print("window:", np.array_equal(z, x[2:52, 7:40]))
# %% [markdown]
# ### Check / 检查
#
# **English.** Your marks come from the visible cases and from hidden ones: other places,
# other sizes, one row, one column. Stuck? `hint("z2-window")`.
#
# **中文。** 成绩由公开用例和隐藏用例决定：别的位置，别的大小，只有一行，只有一列。卡住了？运行 `hint("z2-window")`。
# %% tags=["seed:B034.3", "seed:B051.5"] nbgrader={"grade": true, "grade_id": "z2-window-check", "locked": true, "points": 6, "schema_version": 3, "solution": false, "task": false}
check("z2-window")
