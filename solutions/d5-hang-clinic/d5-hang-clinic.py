# %% [markdown]
# # D5 · The hang clinic: six programs / 卡死门诊：六个程序
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
