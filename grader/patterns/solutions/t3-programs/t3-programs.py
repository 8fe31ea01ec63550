# %% [markdown]
# # Broadcast a token / 广播令牌
#
# **English.** Rank 0 holds a token. Write the program of a rank: at the end each rank returns the token. `await world.send(rank, token)` and `await world.receive()` are all it can do.
#
# **中文。** rank 0 持有令牌。写出每个 rank 的程序：结束时每个 rank 都返回令牌。只能使用 `await world.send(rank, token)` 和 `await world.receive()`。
# %%
from npucamp import check, hint

# %% nbgrader={"grade": false, "grade_id": "t3-broadcast-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
### BEGIN SOLUTION
async def broadcast(world, rank, ranks, token):
    step = 1
    while step < ranks:
        if rank < step:
            if rank + step < ranks:
                await world.send(rank + step, token)
        elif rank < 2 * step:
            token = await world.receive()
        step = 2 * step
    return token


### END SOLUTION
# %% [markdown]
# ## Check / 检查
#
# **English.** Run the cell with your answer first. Stuck? `hint("t3-broadcast")`.
#
# **中文。** 请先运行写答案的单元。卡住了？运行 `hint("t3-broadcast")`。
# %% nbgrader={"grade": true, "grade_id": "t3-broadcast-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("t3-broadcast")
