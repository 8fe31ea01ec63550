# %% [markdown]
# # K1 · Knowledge check: forty questions / 知识测验：四十题
#
# **English.** Forty questions are drawn for you from 160: five from each of eight topics.
# Write the letters into the dict `answers()` returns. Where several are right, write all
# of them: `"ac"`. A pass is 80 %, that is 32 questions.
#
# Take your time; the notebooks of the course are open beside it. In a class you may send
# it in once the form is right, and the marks come with the instructor's grading. If you
# study alone, the check tells at once which questions are not right.
#
# **中文。** 从 160 题里为你抽出四十题：八个主题，每个五题。把字母填进 `answers()` 返回的字典。
# 多选题要写出全部正确的字母，例如 `"ac"`。答对 80 %（32 题）为通过。
#
# 不限时，可以翻看课程笔记本。在班级里，答案形式正确就可以提交，分数由教师评分后给出；
# 自学时，检查会立刻告诉你哪些题不对。
# %%
from npucamp import check, draw, hint

# %%
draw("k1-knowledge-check")
# %% [markdown]
# ## Your answers / 你的答案
#
# **English.** The number of the question, then its letters. A question that you leave
# empty counts as not right.
#
# **中文。** 冒号前是题号，后面写字母。空着的题按答错计。
# %% nbgrader={"grade": false, "grade_id": "k1-knowledge-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def answers():
    letters = {
        1: "", 2: "", 3: "", 4: "", 5: "", 6: "", 7: "", 8: "",
        9: "", 10: "", 11: "", 12: "", 13: "", 14: "", 15: "", 16: "",
        17: "", 18: "", 19: "", 20: "", 21: "", 22: "", 23: "", 24: "",
        25: "", 26: "", 27: "", 28: "", 29: "", 30: "", 31: "", 32: "",
        33: "", 34: "", 35: "", 36: "", 37: "", 38: "", 39: "", 40: "",
    }
    ### BEGIN SOLUTION
    letters = {
        1: "b", 2: "d", 3: "b", 4: "abc", 5: "a", 6: "a", 7: "b", 8: "a",
        9: "b", 10: "bde", 11: "a", 12: "a", 13: "c", 14: "b", 15: "b", 16: "c",
        17: "d", 18: "b", 19: "c", 20: "a", 21: "d", 22: "d", 23: "b", 24: "c",
        25: "d", 26: "d", 27: "a", 28: "a", 29: "b", 30: "a", 31: "d", 32: "a",
        33: "c", 34: "c", 35: "a", 36: "d", 37: "d", 38: "c", 39: "c", 40: "d",
    }
    ### END SOLUTION
    return letters
# %% [markdown]
# ### Check / 检查
#
# **English.** Run the cell above after each change, then this one.
#
# **中文。** 每次修改后先运行上面的单元，再运行这一个。
# %% tags=["seed:A008.1"] nbgrader={"grade": true, "grade_id": "k1-knowledge-check", "locked": true, "points": 40, "schema_version": 3, "solution": false, "task": false}
check("k1-knowledge")
