# %% [markdown]
# # D5 · The hang clinic / 卡死门诊
#
# ## 1 · Six programs / 六个程序
#
# **English.** Six broken rank programs are drawn for you from 26. None of them finishes.
# For each, choose what stops it and at which rank it begins; one letter each.
#
# Read first, then run: copy a program into a cell of your own. The report names the last
# common call, the ranks that differ and a likely cause. Where it says "a call is missing
# or two are swapped", only the code decides. In a class the marks come with the
# instructor's grading; if you study alone, the check tells at once what is not right.
#
# **中文。** 从 26 个有错的 rank 程序里为你抽出六个，没有一个能跑完。每个程序选出它为什么停住、从哪个 rank 开始，各写一个字母。
#
# 先读，再运行：把程序复制到自己的单元里。报告会给出最后一次共有调用、与多数不同的 rank 和可能的原因。
# 报告说“少了一次调用，或两次调用顺序颠倒”时，只有代码能定。在班级里，分数由教师评分后给出；自学时，检查会立刻告诉你哪些不对。
# %%
import numpy as np

from npucamp import check, draw, hint
from npusim import hccl

# %%
draw("d5-hang-clinic")
# %% [markdown]
# **English.** A place to run one: put the program here, delete the `#` signs.
#
# **中文。** 在这里运行：把程序贴进来，去掉行首的 `#`。
# %%
# try:
#     hccl.run(rank_program, ranks=4)
# except hccl.HcclError as error:
#     print(error)
#     display(error.report.graph())
# %% [markdown]
# ## Your answers / 你的答案
#
# **English.** The number of the program, then the letter. A program that you leave empty
# counts as not right.
#
# **中文。** 冒号前是程序的编号，后面写字母。空着的按答错计。
# %% nbgrader={"grade": false, "grade_id": "d5-causes-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def answers():
    letters = {1: "", 2: "", 3: "", 4: "", 5: "", 6: ""}
    ### BEGIN SOLUTION
    letters = {1: "a", 2: "d", 3: "d", 4: "e", 5: "b", 6: "c"}
    ### END SOLUTION
    return letters
# %% [markdown]
# ### Check / 检查
#
# **English.** Run the cell above after each change, then this one. Stuck? Run
# `hint("d5-causes")` in a cell of your own.
#
# **中文。** 每次修改后先运行上面的单元，再运行这一个。卡住了？在自己的单元里运行 `hint("d5-causes")`。
# %% tags=["seed:B081.1", "seed:B082.1", "seed:B082.2", "seed:B083.1", "seed:B083.2", "seed:B083.3"] nbgrader={"grade": true, "grade_id": "d5-causes-check", "locked": true, "points": 12, "schema_version": 3, "solution": false, "task": false}
check("d5-causes")
# %% [markdown]
# ## 2 · Repair the training loop / 修好训练循环
#
# **English.** Every rank runs `train`. It has its own `samples` (a float32 array, not as
# long on every rank, empty on some) and may fail to read in step `fails_at` (-1: never).
# The rules of the job:
#
# * Step k sums sample k of all ranks that have one. Training goes on while *any* rank has
#   a sample.
# * It ends before the first step in which a rank fails; that step counts for nobody.
# * Every rank returns `np.array([total, steps])`: the sum of all samples used, and the
#   number of steps. All return the same.
#
# The program below hangs as soon as ranks differ. Repair it: five lines are enough. The
# only call is `await comm.all_reduce(array, op)` with a float32 array; `op` is `"sum"`
# (if left out), `"max"` or `"min"`.
#
# **中文。** 每个 rank 都运行 `train`。它有自己的 `samples`（float32 数组，各 rank 长度不同，有的为空），
# 在第 `fails_at` 步可能读取失败（-1 表示不会失败）。规则：
#
# * 第 k 步把所有还有样本的 rank 的第 k 个样本加起来。只要*任何*一个 rank 还有样本，训练就继续。
# * 有 rank 读取失败的那一步之前，训练结束；那一步谁都不算。
# * 每个 rank 都返回 `np.array([total, steps])`：用过的全部样本之和，以及步数。所有 rank 的结果相同。
#
# 下面的程序，只要各 rank 情况不同就会卡死。请修好它，五行就够。能用的调用只有
# `await comm.all_reduce(array, op)`，参数是 float32 数组；`op` 取 `"sum"`（可省略）、`"max"` 或 `"min"`。
# %% nbgrader={"grade": false, "grade_id": "d5-repair-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
async def train(comm, samples, fails_at):
    total, steps = 0.0, 0
    for steps, sample in enumerate(samples):
        if steps == fails_at:
            break
        s = await comm.all_reduce(np.array([sample], np.float32))
        total += s[0]
    return np.array([total, steps + 1])


### BEGIN SOLUTION
async def train(comm, samples, fails_at):
    total, steps = 0.0, 0
    while True:
        has = steps < len(samples)
        bad = steps == fails_at
        sample = samples[steps] if has and not bad else 0.0
        s = await comm.all_reduce(np.array([sample, has, bad], np.float32))
        if s[2] > 0 or s[1] == 0:
            return np.array([total, steps])
        total += s[0]
        steps += 1
### END SOLUTION
# %% [markdown]
# ### Check / 检查
#
# **English.** 20 points for an answer that runs, 80 for right results with any number of
# ranks. Stuck? `hint("d5-repair")` in a cell of your own.
#
# **中文。** 能运行得 20 分，任意多个 rank 下结果都正确得 80 分。卡住了？在自己的单元里运行 `hint("d5-repair")`。
# %% tags=["seed:B083.3", "seed:B092.1"] nbgrader={"grade": true, "grade_id": "d5-repair-check", "locked": true, "points": 8, "schema_version": 3, "solution": false, "task": false}
check("d5-repair")
