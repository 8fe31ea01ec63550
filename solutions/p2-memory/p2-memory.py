# %% [markdown]
# # P2 · Assignment: plan memory / 作业：规划内存
#
# **English.** Two sheets of paper, written as functions: the plan of UB, and what an
# unaligned row costs in GM. Both get other numbers than the lesson.
#
# **中文。** 两张纸上的计算，写成函数：UB 的规划，以及没对齐的一行在 GM 里要付多少。
# 给的数都和课上不同。
# %%
from npucamp import check, hint

# %% [markdown]
# ## Part 1: the plan of UB / 第一部分：UB 的规划
#
# **English.** `plan(ub_nbytes, tensors, itemsize)` places two buffers for each of
# `tensors` tensors (1 to 7) and returns `{"tile": …, "starts": […]}`: the elements of a
# buffer, and the first byte of each of the `2 * tensors` buffers. The two buffers of a
# tensor stand next to each other in the list.
#
# * Every start and the length of a buffer are multiples of 32 B; nothing overlaps.
# * The buffers take at least 99 % of `ub_nbytes`.
# * Neighbouring tensors are read together, first buffer with first, second with second:
#   these begin 8 bank groups apart. The group is `start // 32 % 16`.
#
# 20 points: it runs; 80: all plans are good.
#
# **中文。** `plan(ub_nbytes, tensors, itemsize)` 为 `tensors` 个张量（1 到 7 个）各放两块缓冲区，
# 返回 `{"tile": …, "starts": […]}`：一块缓冲区有多少元素，以及 `2 * tensors` 块缓冲区各从第几个字节开始。
# 同一个张量的两块在列表里相邻。
#
# * 每个起点和缓冲区的长度都是 32 B 的倍数；互不重叠。
# * 缓冲区至少占 `ub_nbytes` 的 99%。
# * 相邻的张量会被同时读，第一块配第一块，第二块配第二块：它们的起点相差 8 个 bank group。
#   所在的 bank group 是 `start // 32 % 16`。
#
# 能运行得 20 分，所有规划都合格得 80 分。
# %% nbgrader={"grade": false, "grade_id": "p2-plan-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def plan(ub_nbytes, tensors, itemsize):
    buffers = 2 * tensors
    ### BEGIN SOLUTION
    blocks = ub_nbytes // 32 // buffers
    blocks -= (blocks - 4) % 8
    tile = blocks * 32 // itemsize
    starts = [number * blocks * 32 for number in range(buffers)]
    ### END SOLUTION
    return {"tile": tile, "starts": starts}
# %% [markdown]
# **English.** Hints: `hint("p2-plan")` in a cell of your own, one with each call.
#
# **中文。** 提示：在自己的单元里运行 `hint("p2-plan")`，每运行一次给出一条。
# %% tags=["seed:A077.1", "seed:B052.1", "seed:B053.2", "seed:B054.3", "seed:B055.1"] nbgrader={"grade": true, "grade_id": "p2-plan-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("p2-plan")
# %% [markdown]
# ## Part 2: the audit of "128 B, else 30 %" / 第二部分：检验“128 字节，否则慢 30%”
#
# **English.** GM is moved in lines of 512 B. `moved(start, row_nbytes, pitch_nbytes,
# rows)` returns the bytes of all lines that the rows of a window touch: row i begins at
# byte `start + i * pitch_nbytes`. Each row is counted for itself, even where two share a
# line. Then compare: what does a start at 32, 128, 256, 512 B cost for rows of 1 KiB and
# of 10 KiB? 20 points: it runs; 80: all answers are right.
#
# **中文。** GM 按 512 B 的行来搬。`moved(start, row_nbytes, pitch_nbytes, rows)` 返回窗口各行碰到的
# 所有 512 B 行的总字节数：第 i 行从第 `start + i * pitch_nbytes` 字节开始。每一行单独计算，
# 即使两行共用一条 512 B 的行。然后比较：起点在 32、128、256、512 B 时，1 KiB 的行和 10 KiB 的行各要付多少？
# 能运行得 20 分，全部答对得 80 分。
# %% nbgrader={"grade": false, "grade_id": "p2-lines-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def moved(start, row_nbytes, pitch_nbytes, rows):
    nbytes = 0
    ### BEGIN SOLUTION
    for row in range(rows):
        first = start + row * pitch_nbytes
        last = first + row_nbytes - 1
        nbytes += 512 * (last // 512 - first // 512 + 1)
    ### END SOLUTION
    return nbytes
# %%
# for row_nbytes in (1024, 10240):
#     for start in (32, 128, 256, 512):
#         useful = 16 * row_nbytes
#         share = useful / moved(start, row_nbytes, row_nbytes + 512, 16)
#         print(row_nbytes, start, f"{share:.0%} of the moved bytes are useful")

# %% [markdown]
# **English.** Hints: `hint("p2-lines")`.
#
# **中文。** 提示：`hint("p2-lines")`。
# %% tags=["seed:A103.1", "seed:A105.1", "seed:B051.3", "seed:B054.3"] nbgrader={"grade": true, "grade_id": "p2-lines-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("p2-lines")
