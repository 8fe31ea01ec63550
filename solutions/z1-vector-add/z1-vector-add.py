# %% [markdown]
# # Z1 · Assignment: vector add / 作业：向量加法
#
# **English.** Write `z = x + y` for two arrays of the same length. The arrays may have
# *any* length and hold half or float32 numbers. The five steps are those of lesson Z1;
# this time there are two inputs.
#
# Three things are missing in the cell with your kernel, each marked YOUR CODE HERE:
#
# 1. `BLOCKS = …`, the number of blocks: how many of the 48 cores shall work?
# 2. the line that copies `y` in (step 3),
# 3. the line that adds the two tiles (step 4): `asc.add(dst, src0, src1, count)`.
#
# **中文。** 给两个长度相同的数组计算 `z = x + y`。数组长度*任意*，元素类型是 half 或 float32。
# 五个步骤和 Z1 课相同，只是这次有两个输入。
#
# 写核函数的单元里缺三处，都标着“在此编写代码”：
#
# 1. `BLOCKS = …`，block 的个数：48 个核里让几个来干活？
# 2. 把 `y` 搬进来的一行（第 3 步）；
# 3. 把两个小块相加的一行（第 4 步）：`asc.add(dst, src0, src1, count)`。
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## Your kernel / 你的核函数
#
# **English.** Points: 20 if it builds and runs, 30 if the results are right in all
# cases, 50 for speed. Speed counts once every result is right. Take the time of one core
# and its distance to the floor (the least time that the bytes need): a kernel as slow as
# one core earns 0 of the 50; one that shrinks the distance to a quarter or less earns
# all.
# The check prints this as HAP: 0.50 is the time of one core, 1 is the floor, and from
# 0.80 on you have all points.
#
# **中文。** 评分：能编译、能运行得 20 分；所有用例结果正确得 30 分；速度 50 分。
# 结果全部正确后才计速度分。以单核的用时为起点，看它与下限（这些字节最少要花的时间）的差距：
# 和单核一样慢得 0 分；把差距缩小到四分之一以内得满分。
# 检查结果里用 HAP 表示：0.50 是单核的用时，1 是下限，达到 0.80 即为满分。
# %% nbgrader={"grade": false, "grade_id": "z1-add-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
# 1: BLOCKS = the number of blocks / block 的个数
### BEGIN SOLUTION
BLOCKS = 24
### END SOLUTION


@asc.jit
def add_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    itemsize: asc.constexpr,
    dtype: asc.constexpr,
    tile: asc.constexpr,
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(dtype, asc.TPosition.VECIN, tile * itemsize, tile)
    z_ub = asc.LocalTensor(dtype, asc.TPosition.VECOUT, 2 * tile * itemsize, tile)
    for offset in range(start, stop, tile):
        count = min(tile, stop - offset)
        row = asc.DataCopyExtParams(1, count * itemsize, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)  # 3: copy x in / 搬入 x
        # 3: copy y in / 搬入 y
        ### BEGIN SOLUTION
        asc.data_copy_pad(y_ub, y_gm[offset:], row, no_pad)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        # 4: add the tiles / 两块相加
        ### BEGIN SOLUTION
        asc.add(z_ub, x_ub, y_ub, count)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[offset:], z_ub, row)  # 5: copy z out / 搬出 z
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def add(x, y, z):
    add_kernel[BLOCKS](x, y, z, x.size, x.dtype.itemsize, x.dtype, 8192)
# %% [markdown]
# ## Try it / 先试一试
#
# **English.** This cell is yours. When the three gaps are filled, delete the `#` signs
# (select the lines, Ctrl+/), run it, look at the picture, change numbers.
#
# **中文。** 这个单元由你自由使用。补全三处之后，去掉行首的 `#`（选中各行，按 Ctrl+/），
# 运行它，看看图，改改数字。
# %%
# x = np.ones(16384, np.float16)
# z = np.zeros_like(x)
# run = add_kernel[BLOCKS](x, x, z, x.size, 2, asc.half, 8192)
# print("z = x + x:", np.array_equal(z, x + x))
# run
# %% [markdown]
# ## Check / 检查
#
# **English.** The check takes the cells that you have run, so run the cell with your
# kernel after each change. It tries the visible cases. Your marks come from these and
# from hidden ones: other lengths, other values. Stuck? Run `hint("z1-add")` in a cell of
# your own: three hints, one at a time.
#
# **中文。** 检查时只看已经运行过的单元，所以每次修改后要先运行写核函数的单元。
# 这里运行的是公开用例。最终成绩还要看隐藏用例：别的长度，别的数值。
# 卡住了？在自己的单元里运行 `hint("z1-add")`：共三条提示，一次打开一条。
# %% tags=["seed:B030.1", "seed:B031.2", "seed:B035.1", "seed:B036.1", "seed:B037.1", "seed:B038.1", "seed:B039.1", "seed:B040.1", "seed:B041.1", "seed:B042.1", "seed:B043.1", "seed:B044.1", "seed:B045.1", "seed:B046.1", "seed:B047.1", "seed:B048.1", "seed:B049.1", "seed:B050.1", "seed:B051.1"] nbgrader={"grade": true, "grade_id": "z1-add-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z1-add")
