# %% [markdown]
# # Z1 · Assignment: vector add / 作业：向量加法
#
# **English.** Write `z = x + y` for two arrays of the same length. The arrays may have
# *any* length and hold half or float32 numbers. The five steps are those of lesson Z1;
# this time there are two inputs.
#
# Two lines and one number are missing in the cell below:
#
# 1. copy `y` in (step 3),
# 2. add the two tiles (step 4): `asc.add(dst, src0, src1, count)`,
# 3. the number of blocks: how many of the 48 cores shall work?
#
# **中文。** 给两个长度相同的数组计算 `z = x + y`。数组长度*任意*，元素类型是 half 或 float32。
# 五个步骤和 Z1 课相同，只是这次有两个输入。
#
# 下面的单元里缺两行代码和一个数：
#
# 1. 把 `y` 搬进来（第 3 步）；
# 2. 把两个小块相加（第 4 步）：`asc.add(dst, src0, src1, count)`；
# 3. block 的个数：48 个核里让几个来干活？
# %%
import numpy as np

from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## Your kernel / 你的核函数
#
# **English.** Points: 20 if it builds and runs, 30 if the results are right in all
# cases, 50 for speed. The speed of one core earns 0 of the 50; a quarter of that
# distance to the floor earns all.
#
# **中文。** 评分：能编译、能运行得 20 分；所有用例结果正确得 30 分；速度 50 分。
# 只用一个核的速度得 0 分；与下限的差距缩小到四分之一，得满分。
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
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)  # 3: copy x in
        ### BEGIN SOLUTION
        asc.data_copy_pad(y_ub, y_gm[offset:], row, no_pad)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        ### BEGIN SOLUTION
        asc.add(z_ub, x_ub, y_ub, count)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[offset:], z_ub, row)  # 5: copy z out
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def add(x, y, z):
    add_kernel[BLOCKS](x, y, z, x.size, x.dtype.itemsize, x.dtype, 8192)
# %% [markdown]
# ## Try it / 先试一试
#
# **English.** This cell is yours: run your kernel, look at its picture, change numbers.
#
# **中文。** 这个单元归你：运行核函数，看看它的图，改改数字。
# %%
# add(asc.device.tensor(np.ones(1003, np.float16)), ...)
# %% [markdown]
# ## Check / 检查
#
# **English.** The check runs the visible cases. Your marks come from these and from
# hidden ones: other lengths, other values. Stuck? `hint("z1-add")` gives the first of
# three hints.
#
# **中文。** 检查单元运行公开用例。最终成绩还要看隐藏用例：别的长度，别的数值。
# 卡住了？`hint("z1-add")` 会给出三级提示中的第一级。
# %% nbgrader={"grade": true, "grade_id": "z1-add-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("z1-add")
