# %% [markdown]
# # D3 · Assignment: collectives / 作业：集合通信
#
# **English.** Two parts, each with its own check:
#
# 1. `all_reduce(comm, x)`: an all-reduce of your own, from `send` and `recv` only.
# 2. `audit(…)`: how long an all-reduce takes, up to which size a limit holds, and how
#    well the network is used; by formula, in plain Python.
#
# **中文。** 分两部分，各有自己的检查单元：
#
# 1. `all_reduce(comm, x)`：只用 `send` 和 `recv`，写自己的 all-reduce；
# 2. `audit(…)`：用普通 Python 按公式算出一次 all-reduce 的用时、在某个时限内最多能做多大的数据、网络用到了多少。
# %%
import numpy as np

from npucamp import check, hint
from npusim import hccl

# %% [markdown]
# ## Part 1: your own all-reduce / 第一部分：自己写 all-reduce
#
# **English.** Each card runs `all_reduce(comm, x)` with its own float32 array `x` of one
# dimension; all have the same length. Return the sum of all arrays, a float32 array of
# the same shape.
#
# * `comm.rank`, `comm.size`, `comm.send(x, target)`, `comm.recv(source)`; nothing else
#   of `comm`. A call begins at once; `await` waits for it. A send is done when the
#   message has arrived. Only float32 arrays travel; empty ones too.
# * Any number of cards and any length: hidden cases have 1 card, 2, 32, lengths that are
#   prime, a single element, fewer elements than cards.
# * A card may use its own array and what it received. Every part of the cards is run
#   again without the others: variables that cards share are found.
#
# The cards hang on one switch with a port of 200 Gb/s each. In the check one element
# stands for 1 MiB. The bound is 2 · (p − 1) ÷ p · n ÷ B: so many bytes must pass each
# port. 20 points: it runs. 30 points: the sums are right. 50 points: speed. The plain
# answer is a ring whose second half sends and receives in turn; it earns nothing (HAP
# 0.50). At 1.1 times the bound you have all (HAP 0.80 and more). 1 tick = 1 ns.
#
# **中文。** 每张卡用自己的一维 float32 数组 `x` 运行 `all_reduce(comm, x)`，各卡长度相同。返回所有数组之和：
# 形状相同的 float32 数组。
#
# * 可用的只有 `comm.rank`、`comm.size`、`comm.send(x, target)`、`comm.recv(source)`。调用立即开始，`await` 等它完成。
#   消息到达之后发送才算完成。只能传 float32 数组，可以是空数组。
# * 卡数和长度任意：隐藏用例里有 1 张卡、2 张、32 张，长度有素数、单个元素、比卡数还少的元素。
# * 一张卡只能使用自己的数组和收到的消息。评测会去掉其他卡，把每一部分卡重跑一遍：卡之间共享变量会被发现。
#
# 所有卡接在一台交换机上，各有一个 200 Gb/s 的网口。检查时一个元素代表 1 MiB。下限是 2 ·（p − 1）÷ p · n ÷ B：
# 每个网口必须通过这么多字节。能运行得 20 分；和正确得 30 分；速度 50 分：参照答案是后一半收发轮流进行的环，得 0 分（HAP 0.50）；
# 用时不超过下限的 1.1 倍即为满分（HAP 不低于 0.80）。1 个时刻 = 1 ns。
# %% nbgrader={"grade": false, "grade_id": "d3-ring-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
async def all_reduce(comm, x):
    p, r = comm.size, comm.rank
    ### BEGIN SOLUTION
    slices = [one.copy() for one in np.array_split(x, p)]
    right, left = (r + 1) % p, (r - 1) % p
    for k in range(p - 1):
        sending = comm.send(slices[(r - k) % p], right)
        slices[(r - k - 1) % p] += await comm.recv(left)
        await sending
    for k in range(p - 1):
        sending = comm.send(slices[(r + 1 - k) % p], right)
        slices[(r - k) % p] = await comm.recv(left)
        await sending
    return np.concatenate(slices)
    ### END SOLUTION
# %% [markdown]
# **English.** Try it here first: delete the `#` signs. `outcome.timeline()` shows what
# each card does.
#
# **中文。** 先在这里试：去掉行首的 `#`。`outcome.timeline()` 显示每张卡做了什么。
# %%
# async def rank(comm):
#     return await all_reduce(comm, np.arange(10, dtype=np.float32) + comm.rank)
#
#
# outcome = hccl.run(rank, ranks=4)
# print(outcome.results, f"{outcome.time_us:.0f} us")
# outcome.timeline()

# %% [markdown]
# **English.** The check takes the cells that you have run. Stuck? Run `hint("d3-ring")`
# in a cell of your own: three hints, one with each call.
#
# **中文。** 检查时只看已经运行过的单元。卡住了？在自己的单元里运行 `hint("d3-ring")`：共三条提示，每运行一次给出一条。
# %% tags=["seed:B028.2", "seed:B029.1", "seed:B065.3", "seed:B066.2"] nbgrader={"grade": true, "grade_id": "d3-ring-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("d3-ring")
# %% [markdown]
# ## Part 2: an audit by formula / 第二部分：用公式审核
#
# **English.** An all-reduce of `nbytes` bytes a card, on `servers` servers with
# `devices` cards each, in three phases:
#
# 1. inside each server a reduce-scatter on the mesh: one step, every pair of cards has
#    its own link, each link carries `nbytes ÷ devices`;
# 2. between the servers a ring all-reduce of the share of each card:
#    2 · (servers − 1) steps, each with `nbytes ÷ devices ÷ servers`;
# 3. inside each server an all-gather on the mesh: one step like the first.
#
# A step costs a latency (`inside_us`, `between_us`) and bytes ÷ rate (`inside_gb_s`,
# `between_gb_s`, 1 GB = 10⁹ B). A phase among one card or one server does not exist.
# Return a dict:
#
# | key | meaning |
# |---|---|
# | `time_us` | the time of the whole in µs |
# | `largest_nbytes` | the most bytes, a whole number, that take at most `limit_us`; 0 if the latencies alone take longer |
# | `port_share` | bytes that one card sends to other servers ÷ (`peak_gb_s` × `time_us`), 0 to 1 |
#
# The check simulates the all-reduce message by message and allows 0.1 %. 20 points: it
# runs. 80 points: the numbers are right.
#
# **中文。** 对每张卡 `nbytes` 字节做 all-reduce，共 `servers` 台服务器，每台 `devices` 张卡，分三个阶段：
#
# 1. 每台服务器内部在 mesh 上做 reduce-scatter：一步，每对卡有自己的链路，每条链路传 `nbytes ÷ devices`；
# 2. 服务器之间，每张卡对自己的那一份做环形 all-reduce：2 ·（servers − 1）步，每步 `nbytes ÷ devices ÷ servers`；
# 3. 每台服务器内部在 mesh 上做 all-gather：和第一阶段一样，一步。
#
# 每一步的用时是延迟（`inside_us`、`between_us`）加上 字节数 ÷ 速率（`inside_gb_s`、`between_gb_s`，1 GB = 10⁹ B）。
# 只有一张卡或一台服务器时，对应的阶段不存在。返回一个字典：
#
# | 键 | 含义 |
# |---|---|
# | `time_us` | 总用时，µs |
# | `largest_nbytes` | 用时不超过 `limit_us` 的最大字节数，整数；单是延迟就超过时为 0 |
# | `port_share` | 一张卡发往其他服务器的字节数 ÷（`peak_gb_s` × `time_us`），0 到 1 |
#
# 检查时逐条消息模拟这次 all-reduce，允许 0.1% 的误差。能运行得 20 分，数值正确得 80 分。
# %% nbgrader={"grade": false, "grade_id": "d3-audit-answer", "locked": false, "schema_version": 3, "solution": true, "task": false}
def audit(
    nbytes,
    limit_us,
    servers,
    devices,
    inside_us,
    inside_gb_s,
    between_us,
    between_gb_s,
    peak_gb_s,
):
    ### BEGIN SOLUTION
    inner = 2 if devices > 1 else 0
    outer = 2 * (servers - 1)
    latency_us = inner * inside_us + outer * between_us
    sent = outer / (servers * devices)
    us_a_byte = inner / devices / (inside_gb_s * 1e3) + sent / (between_gb_s * 1e3)
    time_us = latency_us + nbytes * us_a_byte
    largest = max(0, int((limit_us - latency_us) / us_a_byte))
    port_share = sent * nbytes / (peak_gb_s * 1e3 * time_us)
    ### END SOLUTION
    return {
        "time_us": time_us,
        "largest_nbytes": largest,
        "port_share": port_share,
    }
# %% [markdown]
# **English.** The sentence "32 cards, < 1 ms" is `audit(1 << 20, 1000.0, 4, 8, 10.0,
# 18.3, 60.0, 10.0, 12.5)`: try it. Stuck? `hint("d3-audit")`.
#
# **中文。** “32 卡小于 1 ms”这句话就是 `audit(1 << 20, 1000.0, 4, 8, 10.0, 18.3, 60.0, 10.0, 12.5)`：试一试。
# 卡住了？运行 `hint("d3-audit")`。
# %%
# audit(1 << 20, 1000.0, 4, 8, 10.0, 18.3, 60.0, 10.0, 12.5)

# %% tags=["seed:A020.1", "seed:A021.1", "seed:A025.1", "seed:A026.1", "seed:A027.1", "seed:A033.1", "seed:B029.3"] nbgrader={"grade": true, "grade_id": "d3-audit-check", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false}
check("d3-audit")
