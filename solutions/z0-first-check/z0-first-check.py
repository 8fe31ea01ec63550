# %% [markdown]
# # Z0 · Assignment: first check / 作业：第一次检查
#
# **English.** Two small tasks: one line of a kernel, which you know from the lesson, and
# a function that checks a server. In both, 20 points are for an answer that runs, 80 for
# right results. There are no points for speed here.
#
# **中文。** 两道小题：核函数里的一行（课上见过），以及一个检查服务器的函数。
# 两题都是：能运行得 20 分，结果正确得 80 分。这里还不计速度分。
# %%
from npucamp import check, hint
from npusim import asc

# %% [markdown]
# ## 1 · Excess / 超出量
#
# **English.** `z = max(x − y, 0)` for half arrays of any length. One line is missing in
# the cell below, marked YOUR CODE HERE. The instruction is
# `asc.sub_relu(dst, src0, src1, count)`; `asc.sub` and then `asc.relu(dst, src, count)`
# will do as well.
#
# **中文。** 对任意长度的 half 数组计算 `z = max(x − y, 0)`。下面的单元缺一行，标着“在此编写代码”。
# 指令是 `asc.sub_relu(dst, src0, src1, count)`；先 `asc.sub`，再 `asc.relu(dst, src, count)` 也可以。
# %% nbgrader={"grade": false, "grade_id": "z0-excess-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
@asc.jit
def excess_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    tile: asc.constexpr,
):
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2 * tile, tile)
    z_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4 * tile, tile)
    for start in range(asc.get_block_idx() * tile, n, asc.get_block_num() * tile):
        count = min(tile, n - start)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[start:], row, no_pad)
        asc.data_copy_pad(y_ub, y_gm[start:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        ### BEGIN SOLUTION
        asc.sub_relu(z_ub, x_ub, y_ub, count)
        ### END SOLUTION
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[start:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def excess(x, y, z):
    excess_kernel[24](x, y, z, x.size, 8192)
# %% [markdown]
# ### Check / 检查
#
# **English.** Run the cell above after each change, then this one. It tries visible
# cases; your marks come from these and from hidden ones. Stuck? Run `hint("z0-excess")`
# in a cell of your own: three hints, one at a time.
#
# **中文。** 每次修改后先运行上面的单元，再运行这一个。这里是公开用例，成绩还要看隐藏用例。
# 卡住了？在自己的单元里运行 `hint("z0-excess")`：共三条提示，一次打开一条。
# %% tags=["seed:B004.4"] nbgrader={"grade": true, "grade_id": "z0-excess-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("z0-excess")
# %% [markdown]
# ## 2 · Check a server / 检查服务器
#
# **English.** Write `audit(cann, hccl, listing)`. The first two are versions, as texts.
# `listing` is a text with a line for each file or folder: its permission, a space, its
# path. A path may contain spaces.
#
# ```text
# -rwxr-xr-x /usr/local/Ascend/model/bert.om
# -rw-r--r-- /usr/local/Ascend/model/llm.om
# ```
#
# The first letter is `-` for a file and `d` for a folder; the other nine are the
# permission, here 755 and 644. Return a list of findings, in any order, empty if all is
# well:
#
# * `"version"` if the two versions are not equal;
# * `"path …"` with the path, if it does not lie below `/usr/local/Ascend/model/`;
# * `"mode …"` with the path, if the permission is not exactly 755.
#
# Nothing on a disk is read: all is in the arguments.
#
# **中文。** 写函数 `audit(cann, hccl, listing)`。前两个参数是版本号，都是文本。
# `listing` 也是文本，每个文件或文件夹占一行：权限、一个空格、路径。路径里可能有空格，例子见上。
#
# 第一个字母 `-` 表示文件，`d` 表示文件夹；后九个字母才是权限，上面两行分别是 755 和 644。
# 返回一个列表，列出发现的问题，顺序不限；没有问题就返回空列表：
#
# * 两个版本不相等：`"version"`；
# * 路径不在 `/usr/local/Ascend/model/` 下：`"path …"`，后面写路径；
# * 权限不是 755：`"mode …"`，后面写路径。
#
# 不读任何硬盘，所有信息都在参数里。
# %% nbgrader={"grade": false, "grade_id": "z0-audit-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def audit(cann, hccl, listing):
    findings = []
    ### BEGIN SOLUTION
    if cann != hccl:
        findings.append("version")
    for line in listing.splitlines():
        mode, path = line.split(maxsplit=1)
        if not path.startswith("/usr/local/Ascend/model/"):
            findings.append("path " + path)
        if mode[1:] != "rwxr-xr-x":
            findings.append("mode " + path)
    ### END SOLUTION
    return findings
# %% [markdown]
# ### Try it, then check / 先试，再检查
#
# **English.** Delete the `#` signs and compare with what you expect. Stuck?
# `hint("z0-audit")`.
#
# **中文。** 去掉行首的 `#`，和你预期的结果比一比。卡住了？运行 `hint("z0-audit")`。
# %%
# listing = """-rwxr-xr-x /usr/local/Ascend/model/bert.om
# -rw-r--r-- /usr/local/Ascend/model/llm.om"""
# audit("8.0.0", "8.0.RC3", listing)
# %% tags=["seed:A062.1", "seed:A063.1", "seed:A064.1", "seed:A065.1", "seed:A066.1"] nbgrader={"grade": true, "grade_id": "z0-audit-check", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false}
check("z0-audit")
