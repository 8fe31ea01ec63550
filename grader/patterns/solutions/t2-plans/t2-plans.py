# %% [markdown]
# # Tile a vector / 向量切分
#
# **English.** Return `{"blocks": …, "tile": …}` for n elements of half: how many cores work, and how many elements a tile has. Two tiles must fit into UB.
#
# **中文。** 为 n 个 half 元素返回 `{"blocks": …, "tile": …}`：用几个核，每个 tile 有多少元素。UB 要能放下两个 tile。
# %%
from npucamp import check, hint

# %% nbgrader={"grade": false, "grade_id": "t2-tiling-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
def tiling(n, cores, ub_nbytes):
    longest = ub_nbytes // 4 // 16 * 16
    tile = max(16, min(longest, -(-n // cores // 16) * 16))
    return {"blocks": min(cores, -(-n // tile)), "tile": tile}


### END SOLUTION
# %% [markdown]
# ## Check / 检查
#
# **English.** Run the cell with your answer first. Stuck? `hint("t2-tiling")`.
#
# **中文。** 请先运行写答案的单元。卡住了？运行 `hint("t2-tiling")`。
# %% nbgrader={"grade": true, "grade_id": "t2-tiling-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("t2-tiling")
