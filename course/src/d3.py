# ---
# jupyter:
#   npucamp:
#     id: d3
#     slug: collectives
#     title: {en: Collective communication, zh: 集合通信}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:B027.1", "seed:B028.1", "seed:B028.2"]
# # D3 · Collective communication
#
# One card is soon too small or too slow. With several cards there is a new cost: they
# must exchange gradients and intermediate results. A *collective* is such an exchange
# in which every card takes part.
#
# **Goal.** You write programs for 4 to 64 simulated cards that move real numbers. You
# predict how long they take with two numbers for each link, measure it, and audit three
# sentences from articles: "all-reduce on 32 cards: < 1 ms", "> 85 % of the network",
# "by hand ≥ 30 % slower". You deadlock eight cards on purpose.
#
# **Time.** About 70 minutes. You need Python's `async def` and `await` as words only:
# they are explained here. Of the lessons before, Z5 is enough.
#
# **Where it comes from.** A practitioner's article calls the communication stack the
# lifeline of many-card jobs. Another one gives the numbers that you will audit.
# %% [markdown] lang="zh"
# # D3 · 集合通信
#
# 单卡很快就装不下或者太慢。用多张卡，就多了一项开销：卡之间要同步梯度、交换中间结果。
# 所有卡都参加的这种交换，叫*集合通信*。
#
# **目标。** 你会为 4 到 64 张模拟的卡编写程序，真的搬数据；用每条链路的两个数预测耗时，再测出来；
# 并审核文章里的三句话：“32 卡 AllReduce 小于 1 ms”、“网络带宽利用率超过 85%”、“手工实现慢 30% 以上”。
# 中途会故意让八张卡死锁一次。
#
# **用时。** 约 70 分钟。Python 的 `async def` 和 `await` 只需要认得，本课会解释。前面的课学到 Z5 就够。
#
# **出处。** 一篇实战文章把通信栈称为多设备场景的生命线；要审核的数字出自另一篇文章。
# %% [markdown] lang="en" id="what" tags=["seed:A016.1", "seed:A018.1", "seed:A019.1", "seed:B009.2", "seed:B016.3"]
# ## What HCCL is
#
# HCCL is the communication library of CANN. In a cluster it is the *data plane*: it
# moves tensors between cards; who runs what is decided elsewhere. In the chain from
# graph to chip it is the last layer: the coordination of many cards.
#
# Here `npusim.hccl` stands in for it: its calls have HCCL's names, its data are numpy
# arrays, its clock is simulated. Constants come from public documents; what nobody has
# published is marked in the page `links.md` of the documentation.
# %% [markdown] lang="zh"
# ## HCCL 是什么
#
# HCCL 是 CANN 的集合通信库。在集群里它属于*数据平面*：在卡之间搬张量；谁运行什么，由别处决定。
# 从图到芯片的这条链上，它是最后一环：多卡协同。
#
# 这里用 `npusim.hccl` 代替它：调用的名字与 HCCL 相同，数据是 numpy 数组，时钟是模拟的。
# 常数取自公开资料；没有人公布过的数，在文档的 `links.md` 里标明。
# %% [markdown] lang="en" id="links" tags=["seed:A020.1", "seed:A021.1", "seed:A033.1", "seed:B029.2", "seed:B029.3"]
# ## Two numbers for each link
#
# Cards of one server are joined by HCCS, a link of its own for each pair. Servers are
# joined by RoCEv2 (RDMA over Ethernet), one port for each card. A message of n bytes
# takes
#
# time = α + n ÷ B
#
# α is the **latency** in µs, B the **rate** in GB/s (1 GB = 10⁹ B, so 1 GB/s is
# 1,000 B/µs). The cell shows both for the servers of this lesson, and for the network
# of 100 Gb/s = 12.5 GB/s that the article names.
# %% [markdown] lang="zh"
# ## 每条链路两个数
#
# 同一台服务器里的卡走 HCCS，每一对卡有自己的链路；服务器之间走 RoCEv2（以太网上的 RDMA），每张卡一个网口。
# n 字节的一条消息用时
#
# 时间 = α + n ÷ B
#
# α 是**延迟**，单位 µs；B 是**速率**，单位 GB/s（1 GB = 10⁹ B，所以 1 GB/s 就是 1,000 B/µs）。
# 下面打印本课所用服务器的这两个数，以及文章里说的 100 Gb/s（12.5 GB/s）网络。
# %% id="links-cell"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import hccl

a2 = hccl.load_topology("a2", 32)  # 4 servers x 8 cards / 4 台，每台 8 卡
slow = hccl.load_topology("a2-100g", 32)  # the same, 100 Gb/s / 换成 100 Gb/s
for name, link in (("HCCS", a2.inside), ("RoCE 200", a2.between),
                   ("RoCE 100", slow.between)):
    print(f"{name:8}: latency {link.latency_us:4.0f} us, collectives "
          f"{link.collective_gb_s:5.1f} GB/s, peak {link.peak_gb_s:5.1f} GB/s")
# %% [markdown] lang="en" id="predict-message"
# **Predict.** 1,000,000 B go from one card to another of the same server. How many µs?
# %% [markdown] lang="zh"
# **预测。** 1,000,000 B 从一张卡发到同一台服务器的另一张卡，要多少 µs？
# %% id="predict-message-cell"
async def one_message(comm):
    if comm.rank == 0:
        await comm.send(np.zeros(1_000_000, np.int8), 1)
    else:
        await comm.recv(0)


my_time = None
predict("d3-message", my_time, lambda: hccl.run(one_message, 2).time_us, within=1.0)
# %% [markdown] lang="en" id="program" tags=["seed:A024.1"]
# ## A program for every card
#
# `one_message` above is a *rank program*. Each card runs it with its own `comm`:
# `comm.rank` is the card's number, `comm.size` how many there are. A call starts at
# once; `await` waits for its result. `hccl.run(program, ranks)` runs them all.
#
# The article announces an example of the functions and leaves it out. Here is one:
# every card gives a gradient, every card gets the sum.
# %% [markdown] lang="zh"
# ## 每张卡各跑一份的程序
#
# 上面的 `one_message` 就是一个 *rank 程序*。每张卡拿着自己的 `comm` 运行它：`comm.rank` 是卡的编号，
# `comm.size` 是总卡数。调用立即开始，`await` 等它的结果。`hccl.run(程序, 卡数)` 让它们一起跑。
#
# 文章写了“通信函数示例”这个标题，却没有给出示例。这里补一个：每张卡交出一份梯度，每张卡得到总和。
# %% id="program-cell"
async def step(comm):
    gradient = np.full(4, comm.rank, np.float32)
    return await comm.all_reduce(gradient)


outcome = hccl.run(step, ranks=8)
print("rank 5 gets", outcome.results[5], f"after {outcome.time_us:.1f} us")
# %% [markdown] lang="en" id="six" tags=["seed:A023.1", "seed:B029.1"]
# ## Six patterns on four cards
#
# Before each call, card r holds the four numbers 10r, 10r+1, 10r+2, 10r+3 (for
# all-gather only 10r). Read what every card holds after it.
# %% [markdown] lang="zh"
# ## 四张卡上的六种模式
#
# 每次调用之前，第 r 张卡持有四个数 10r、10r+1、10r+2、10r+3（all-gather 只有 10r）。看看调用之后各卡手里是什么。
# %% id="six-cell"
async def six(comm):
    x = np.arange(4) + 10 * comm.rank
    return {
        "broadcast (from 0)": await comm.broadcast(x),
        "reduce (to 0)": await comm.reduce(x),
        "all-gather": await comm.all_gather(x[:1]),
        "reduce-scatter": await comm.reduce_scatter(x),
        "all-reduce": await comm.all_reduce(x),
        "all-to-all": await comm.all_to_all(x),
    }


after = hccl.run(six, 4).results
for name in after[0]:
    held = (str([] if one[name] is None else one[name].tolist()) for one in after)
    print(f"{name:19}", "  ".join(f"{text:16}" for text in held))
# %% id="quiz-which"
quiz("d3-which")
# %% [markdown] lang="en" id="hand" tags=["seed:B064.1", "seed:B065.1", "seed:B065.2"]
# ## By hand: gather to card 0
#
# Gradients are summed with a reduction. Who does not know the collectives writes this:
# everybody sends to card 0, card 0 adds and sends the sum back. The article calls it the
# easiest mistake. Here it is, for 4 MiB.
# %% [markdown] lang="zh"
# ## 手工通信：都发给 0 号卡
#
# 梯度同步用的是归约。不了解集合通信的人会这样写：大家都发给 0 号卡，0 号卡加完再发回来。
# 文章说这是最容易犯的错。下面就写一遍，数据 4 MiB。
# %% id="hand-cell"
async def by_hand(comm):
    x = np.ones(1 << 20, np.float32)  # 4 MiB
    if comm.rank:
        await comm.send(x, 0)
        return await comm.recv(0)
    for other in range(1, comm.size):
        x = x + await comm.recv(other)
    for other in range(1, comm.size):
        await comm.send(x, other)
    return x


hand = hccl.run(by_hand, 8)
print(f"{hand.time_us:.0f} us;", hand.results[7][:3])
hand.timeline()
# %% [markdown] lang="en" id="hand-read" tags=["seed:B065.3"]
# Blue is sending, green receiving, the pale end of a message is its latency, the thin
# line is waiting. Row 0 is busy all the time and the others wait for it: **card 0 is the
# bottleneck.** 2 · (p − 1) messages of the whole buffer go through it one by one, so the
# time grows with the number of cards.
# %% [markdown] lang="zh"
# 蓝色是发送，绿色是接收，消息浅色的尾部是延迟，细线是等待。第 0 行一直在忙，其他卡都在等它：**0 号卡成了瓶颈。**
# 整份数据的 2 ·（p − 1）条消息一条接一条经过它，所以卡越多，时间越长。
# %% [markdown] lang="en" id="ring"
# ## The ring: everybody sends all the time
#
# Cut the buffer into p slices and put the cards on a ring. In each step every card sends
# one slice to its right neighbour. Nobody is in the middle.
#
# * **Reduce-scatter**, p − 1 steps: a slice goes once around and collects all summands.
# * **All-gather**, p − 1 steps: the finished slices go around once more.
#
# The cell prints the plan of the first half for four cards: who sends which slice.
# %% [markdown] lang="zh"
# ## 环：大家一直在发
#
# 把数据切成 p 片，把卡排成一个环。每一步，每张卡向右边的邻居发一片。没有谁居中。
#
# * **reduce-scatter**，p − 1 步：一片绕环一圈，沿途收齐所有加数。
# * **all-gather**，p − 1 步：算好的各片再绕一圈。
#
# 下面打印四张卡前一半的计划：谁发哪一片。
# %% id="ring-cell"
from npusim.hccl.algorithms import schedule

for number, messages in enumerate(schedule("ring", "reduce_scatter", 4).steps):
    sends = (f"{m.source}→{m.target} slice {m.slices[0]}" for m in messages)
    print(f"step {number}:", "   ".join(sends))
# %% [markdown] lang="en" id="ring-data"
# The same with data: card r begins with the four slices r+1, 10(r+1), 100(r+1),
# 1000(r+1). A number whose digits have grown to the sum 10 of 1+2+3+4 is finished.
# %% [markdown] lang="zh"
# 换成数据再看：第 r 张卡开始时的四片是 r+1、10(r+1)、100(r+1)、1000(r+1)。
# 前面的数字长到 1+2+3+4 的和 10，这一片就算好了。
# %% id="ring-data-cell"
held = [[(r + 1) * 10**s for s in range(4)] for r in range(4)]
for number, messages in enumerate(schedule("ring", "reduce_scatter", 4).steps):
    moving = [(m.target, m.slices[0], held[m.source][m.slices[0]]) for m in messages]
    for target, piece, value in moving:
        held[target][piece] += value
    print(f"after step {number}:", *held)
# %% [markdown] lang="en" id="turn-ring"
# ## Your turn: the second half
#
# `gather_on_a_ring` is an all-gather: card r begins with `mine`, slice r. In step k it
# sends slice `(r - k) % p`, which it has. Which slice comes in? Change the line with
# `arriving`, so that every card holds all slices in order at the end. Now it does not.
# %% [markdown] lang="zh"
# ## 轮到你了：后一半
#
# `gather_on_a_ring` 是 all-gather：第 r 张卡开始时有第 r 片 `mine`。第 k 步它发出已有的第 `(r - k) % p` 片。
# 那么收到的是第几片？修改 `arriving` 那一行，使每张卡最后按顺序持有全部各片。现在还不对。
# %% id="turn-ring-cell" tags=["your-turn"]
async def gather_on_a_ring(comm, mine):
    p, r = comm.size, comm.rank
    slices = [0 * mine for _ in range(p)]
    slices[r] = mine
    for k in range(p - 1):
        sent = comm.send(slices[(r - k) % p], (r + 1) % p)
        arriving = (r - k) % p  # change this line / 修改这一行
        slices[arriving] = await comm.recv((r - 1) % p)
        await sent
    return np.concatenate(slices)


async def joined(comm):
    return await gather_on_a_ring(comm, np.arange(2) + 10 * comm.rank)


found = hccl.run(joined, 5).results
print(*found, sep="\n")
wanted = [x + 10 * r for r in range(5) for x in (0, 1)]
check("d3-turn-ring", all(one.tolist() == wanted for one in found))
# %% id="turn-ring-hint"
hint("d3-turn-ring")
# %% [markdown] lang="en" id="break"
# ## Break: send first, then receive
#
# The loop above starts `send`, then waits for `recv`, then for the send. It looks
# simpler to wait for the send at once. But a send is done when the message has arrived,
# and the neighbour receives only after its own send.
# %% [markdown] lang="zh"
# ## 故意弄坏：先发完，再收
#
# 上面的循环先启动 `send`，再等 `recv`，最后等发送完成。看起来不如立刻等发送完成来得简单。
# 可是消息到达之后发送才算完成，而邻居要先完成自己的发送，才会去接收。
# %% id="break-cell"
async def send_first(comm):
    await comm.send(np.ones(4), (comm.rank + 1) % comm.size)
    return await comm.recv((comm.rank - 1) % comm.size)


with expect("EI0002"):
    hccl.run(send_first, 8)
# %% [markdown] lang="en" id="break-read"
# The simulator sees at once that nobody can go on, and names the ring of waiting cards.
# On hardware the same program stands still until `HCCL_EXEC_TIMEOUT`. Lesson D5 is about
# such programs.
# %% [markdown] lang="zh"
# 模拟器立刻看出谁也走不下去，并指出互相等待的环。在真机上，同样的程序会一直停着，直到 `HCCL_EXEC_TIMEOUT`。
# D5 课专门讲这类程序。
# %% [markdown] lang="en" id="law"
# ## Predict with α and B
#
# An all-reduce on a ring has 2 · (p − 1) steps, each with n ÷ p bytes:
#
# time = 2 · (p − 1) · (α + n ÷ p ÷ B)
#
# **Predict.** 8 cards of one server, n = 4 MiB = 4,194,304 B. How many µs? Then the cell
# measures the same plan, message by message.
# %% [markdown] lang="zh"
# ## 用 α 和 B 预测
#
# 环上的 all-reduce 有 2 ·（p − 1）步，每步 n ÷ p 字节：
#
# 时间 = 2 ·（p − 1）·（α + n ÷ p ÷ B）
#
# **预测。** 一台服务器的 8 张卡，n = 4 MiB = 4,194,304 B，要多少 µs？然后单元会逐条消息地测量同一个计划。
# %% id="law-cell"
from npusim.hccl.measure import measure, replay_schedule

MIB, server = 1 << 20, hccl.load_topology("a2", 8)
plan = schedule("ring", "all_reduce", 8)
ring_us, _ = replay_schedule(plan, "all_reduce", server, 4 * MIB)
my_ring = None
predict("d3-ring", my_ring, actual=ring_us, within=5.0)
# %% [markdown] lang="en" id="map" tags=["seed:B066.2"]
# ## Where the bytes go
#
# HCCL does not take the ring inside an A2 server: each pair of cards has its own link,
# so one step can reach everybody (*mesh*). Over several servers it works in levels:
# reduce-scatter inside, all-reduce between servers, all-gather inside. Move the slider:
# each position is a span of time; the thicker a line, the longer it is busy in it.
# %% [markdown] lang="zh"
# ## 字节走哪条路
#
# 在 A2 服务器内部，HCCL 不用环：每对卡都有自己的链路，一步就能到达所有伙伴（*mesh*）。跨服务器时分层进行：
# 机内 reduce-scatter，机间 all-reduce，机内 all-gather。拖动滑块：每个位置是一段时间，线的粗细是占用时间的比例。
# %% id="map-cell"
async def large(comm):
    await comm.all_reduce(np.ones(MIB, np.float32))


on_16 = hccl.run(large, 16)
print(on_16.choices[0], f"{on_16.time_us:.0f} us")
on_16.links(windows=6)
# %% id="quiz-levels"
quiz("d3-levels")
# %% [markdown] lang="en" id="compare" tags=["seed:B066.1"]
# ## Four ways, 2 to 64 cards
#
# `star` is the program by hand (card 0 serves one after the other), `tree` halves the
# number of senders each step, `hccl` is what the library chooses. Times in µs for 1 MiB.
#
# **Predict.** How many times as long does `star` take on 64 cards as on 8?
# %% [markdown] lang="zh"
# ## 四种做法，2 到 64 张卡
#
# `star` 是手工程序（0 号卡逐个服务），`tree` 每一步让发送者减半，`hccl` 是库的选择。数据 1 MiB，时间单位 µs。
#
# **预测。** `star` 在 64 张卡上的用时是 8 张卡的多少倍？
# %% id="compare-cell"
from npusim.hccl.algorithms import ring, star, tree


def four_ways(p, nbytes):
    cards = hccl.load_topology("a2", p)
    plans = {"star": star.all_reduce(p, serial=True), "ring": ring.all_reduce(p),
             "tree": tree.all_reduce(p)}
    times = {name: replay_schedule(plan, "all_reduce", cards, nbytes)[0]
             for name, plan in plans.items()}
    return times | {"hccl": measure("all_reduce", nbytes, cards).time_us}


table = {p: four_ways(p, MIB) for p in (2, 4, 8, 16, 32, 64)}
my_growth = None
predict("d3-growth", my_growth, table[64]["star"] / table[8]["star"], within=3.0)
# %% id="compare-table"
for p, times in table.items():
    print(f"{p:2} cards", *(f"{name} {us:8.1f}" for name, us in times.items()))
# %% [markdown] lang="en" id="compare-read"
# Two things happen. Inside a server (2 to 8 cards) `hccl` becomes *faster* with more
# cards: there are more links. From 16 cards on each step between servers costs 60 µs of
# latency, and the ring with its 2 · (p − 1) steps pays most of them.
# %% [markdown] lang="zh"
# 这里有两件事。在服务器内部（2 到 8 张卡），卡越多 `hccl` 反而*越快*：链路更多。从 16 张卡起，机间每一步都要付
# 60 µs 的延迟，环有 2 ·（p − 1）步，付得最多。
# %% [markdown] lang="en" id="audit-hand" tags=["seed:B066.3"]
# ## Audit 1: "by hand ≥ 30 % slower"
#
# The article measured on 8 cards that the hand-written version is more than 30 % slower
# than the collective, and says that the gap grows with more cards. It names neither the
# size nor how the time was taken. The cell looks for the smallest size at which 30 %
# holds: first for the communication alone, then if every call also costs the host some
# time h, on both sides alike. Card 0's links may work in parallel, which favours the
# hand-written version.
# %% [markdown] lang="zh"
# ## 审核一：“手工实现慢 30% 以上”
#
# 文章在 8 张卡上测得，手工实现比集合通信慢 30% 以上，还说卡越多差距越大；但没有说数据多大，也没有说时间怎么测。
# 下面找 30% 成立的最小数据量：先只算通信，再假设每次调用主机端另花时间 h，两边一样。
# 这里允许 0 号卡的各条链路并行，这对手工实现有利。
# %% id="audit-hand-cell"
SIZES = [1 << k for k in range(10, 28)]  # 1 KiB .. 128 MiB


def smallest(p, host_us, factor=1.3):
    cards, plan = hccl.load_topology("a2", p), star.all_reduce(p)
    for n in SIZES:
        hand_us, _ = replay_schedule(plan, "all_reduce", cards, n)
        good_us = measure("all_reduce", n, cards).time_us
        if hand_us + host_us >= factor * (good_us + host_us):
            return f"{n // 1024:,} KiB"
    return "-"


for p in (2, 4, 8, 16, 32, 64):
    print(f"{p:2} cards:", *(f"h = {h} us: from {smallest(p, h):10}"
                             for h in (0, 100, 1000)))
# %% [markdown] lang="en" id="audit-hand-read"
# **Verdict.** Within one server the direction is right, and for the communication alone
# 30 % is modest. If the host costs 1 ms a call, small messages hide the difference. Over
# several servers a small message may even be faster by hand, if card 0 serves everybody
# at once: two steps of latency instead of four. The sentence needs a size, a topology
# and the place of the stop watch.
# %% [markdown] lang="zh"
# **结论。** 在一台服务器之内方向是对的；只看通信，30% 说少了。如果主机端每次调用要 1 ms，小消息就看不出差别。
# 跨服务器时，如果 0 号卡能同时服务所有卡，小消息手工做甚至更快：只付两次延迟，而不是四次。
# 这句话缺三样东西：数据量、拓扑，以及秒表按在哪里。
# %% [markdown] lang="en" id="audit-ms" tags=["seed:A025.1", "seed:A026.1"]
# ## Audit 2: "32 cards, all-reduce < 1 ms"
#
# No size again. So we ask the other way round: up to which size does it hold? Latencies
# between servers are not published: one column takes the 60 µs of HCCL's open selector,
# the other an optimistic 8 µs.
#
# **Predict.** Up to how many MB (10⁶ B) does 1 ms hold on the 100 Gb/s network with
# 60 µs a step?
# %% [markdown] lang="zh"
# ## 审核二：“32 卡 AllReduce 小于 1 ms”
#
# 又没有说数据量。那就反过来问：数据多大以内它成立？机间延迟没有公开数据：一列用 HCCL 开源选择器里的 60 µs，
# 另一列乐观地取 8 µs。
#
# **预测。** 在 100 Gb/s 网络、每步 60 µs 时，1 ms 之内最多能做多少 MB（10⁶ B）？
# %% id="audit-ms-cell"
from npusim.hccl.claims import largest_nbytes, network_use, with_latencies

limit_mb = largest_nbytes(1000.0, "all_reduce", slow) / 1e6
my_limit = None
predict("d3-limit", my_limit, actual=limit_mb, within=6.0)
# %% id="audit-ms-table"
for name, cards in (("200 Gb/s", a2), ("100 Gb/s", slow)):
    for alpha_us in (60.0, 8.0):
        cluster = with_latencies(cards, cards.inside.latency_us, alpha_us)
        most = largest_nbytes(1000.0, "all_reduce", cluster)
        print(f"{name}, {alpha_us:2.0f} us a step: < 1 ms up to {most / 1e6:5.1f} MB")
flat_us, _ = replay_schedule(ring.all_reduce(32), "all_reduce", slow, 1024)
print(f"one ring over 32 cards, 1 KiB: {flat_us:.0f} us")
# %% [markdown] lang="en" id="audit-ms-read"
# **Verdict.** True for small and middle-sized messages with the two-level algorithm;
# never for one flat ring with 60 µs a step, not even for 1 KiB; false for a gradient of
# a large model. Latency does depend on the size.
# %% [markdown] lang="zh"
# **结论。** 用两级算法、中小消息时成立；每步 60 µs 的单级环，连 1 KiB 都做不到；大模型的梯度则不成立。
# 所谓“延迟”是随数据量变的。
# %% [markdown] lang="en" id="audit-use" tags=["seed:A027.1"]
# ## Audit 3: "> 85 % of 100 Gb/s"
#
# Which use? The cell compares three: `copy`, a bare RDMA copy, as measured in public;
# `busy`, the part of an all-reduce in which the port of a card is held; `carried`, its
# bytes by peak rate and time.
# %% [markdown] lang="zh"
# ## 审核三：“100 Gb/s 带宽利用率大于 85%”
#
# 哪一种利用率？下面比较三种：`copy` 是单纯的 RDMA 拷贝（有公开实测）；`busy` 是一次 all-reduce 中网口被占用的时间比例；
# `carried` 是实际字节数 ÷（峰值速率 × 时间）。
# %% id="audit-use-cell"
for n in (64 * 1024, MIB, 16 * MIB, 256 * MIB, 1024 * MIB):
    use = network_use("all_reduce", n, slow)
    print(f"{n // 1024:9,} KiB: copy {use.copy:4.0%}, busy {use.busy:4.0%}, "
          f"carried {use.carried:4.0%}")
# %% [markdown] lang="en" id="audit-use-read"
# **Verdict.** A long copy reaches it. An all-reduce of 32 cards does not at any size
# here: the port waits for latency and for the levels inside the servers. 85 % at *any*
# size is a misconception: a 64 KiB message hardly uses the network.
# %% [markdown] lang="zh"
# **结论。** 长时间的拷贝能达到；32 卡的 all-reduce 在任何大小都达不到：网口要等延迟，还要等机内两级。
# “任何大小都 85%”是误解：64 KiB 的消息几乎没用到网络。
# %% [markdown] lang="en" id="selector" tags=["seed:A022.1"]
# ## Who chooses, and how far it scales
#
# HCCL picks the algorithm by size and number of servers; `HCCL_ALGO` overrides it
# between servers. The same call works from one card to ten thousand; for so many the
# time comes from formulas instead of single messages.
# %% [markdown] lang="zh"
# ## 谁来选算法，规模能到多大
#
# HCCL 按数据量和服务器数选算法；`HCCL_ALGO` 可以指定机间的算法。
# 同一个调用从一张卡到一万张卡都能用；卡这么多时，时间由公式给出，不再逐条消息模拟。
# %% id="selector-cell"
forced = hccl.Environment.read({"HCCL_ALGO": "level0:NA;level1:ring"})
for n in (1024, MIB, 64 * MIB):
    free, by_ring = (measure("all_reduce", n, a2, env) for env in (None, forced))
    print(f"{n // 1024:6,} KiB: {free.choice!s:15} {free.time_us:7.1f} us;  "
          f"{by_ring.choice} {by_ring.time_us:7.1f} us")
# %% id="scale-cell"
for p in (8, 64, 1000, 10_000):
    cards = hccl.load_topology("a2", p)
    one = measure("all_reduce", MIB, cards, closed=True)
    print(f"{p:6,} cards, 1 MiB: {one.time_us:6.1f} us ({one.choice})")
# %% [markdown] lang="en" id="tool"
# ## Reading hccl_test
#
# The tool's table: `data_size` is the bytes of one card, `alg_bandwidth` is data_size by
# time. It cannot be compared with a link: in an all-reduce each byte moves
# 2 · (p − 1) ÷ p times. That factor makes the *bus bandwidth*, busbw, which can.
# %% [markdown] lang="zh"
# ## 读懂 hccl_test
#
# 工具的表里，`data_size` 是一张卡的字节数，`alg_bandwidth` 是 data_size ÷ 时间。它不能直接和链路速率比：
# all-reduce 中每个字节要走 2 ·（p − 1）÷ p 遍。乘上这个系数就是*总线带宽* busbw，才可以比。
# %% id="tool-cell"
from npusim.hccl.hccl_test import hccl_test

print(hccl_test("all_reduce", ranks=8, begin="64K", end="64M", factor=8))
# %% [markdown] lang="en" id="turn-bus"
# ## Your turn: busbw, and GiB
#
# Two functions. `bus_gb_s` gives the bus bandwidth of an all-reduce from the tool's
# alg_bandwidth. `as_gib` turns GB/s (10⁹ B) into GiB/s (2³⁰ B): older tools print these
# under the name GB/s, which is 7 % off. Now both give their argument back.
# %% [markdown] lang="zh"
# ## 轮到你了：busbw 与 GiB
#
# 两个函数。`bus_gb_s` 由工具的 alg_bandwidth 算出 all-reduce 的总线带宽；`as_gib` 把 GB/s（10⁹ B）换成
# GiB/s（2³⁰ B）：旧版工具打印的是后者，却写成 GB/s，相差 7%。现在两个函数都原样返回参数。
# %% id="turn-bus-cell" tags=["your-turn"]
def bus_gb_s(alg_gb_s, p):
    return alg_gb_s  # change / 修改


def as_gib(gb_s):
    return gb_s  # change / 修改


one = measure("all_reduce", 64 * MIB, server)
print(f"alg {one.alg_gb_s:.1f} GB/s, bus {bus_gb_s(one.alg_gb_s, 8):.1f} GB/s = "
      f"{as_gib(bus_gb_s(one.alg_gb_s, 8)):.1f} GiB/s")
right = abs(bus_gb_s(one.alg_gb_s, 8) - one.bus_gb_s) < 1e-6
check("d3-turn-bus", right and abs(as_gib(2.0**30 / 1e9) - 1.0) < 1e-9)
# %% id="turn-bus-hint"
hint("d3-turn-bus")
# %% [markdown] lang="en" id="overlap" tags=["seed:A055.1"]
# ## Hide it behind computing
#
# The cheapest communication is the one that nobody waits for. A call starts at once: so
# start it, compute, and wait at the end. The violet strip is computing.
# %% [markdown] lang="zh"
# ## 藏到计算后面
#
# 最便宜的通信，是没有人等的通信。调用立即开始：所以先启动，再计算，最后才等。中间的紫色条是计算。
# %% id="overlap-cell"
async def at_once(comm):
    handle = comm.all_reduce(np.ones(MIB, np.float32))
    await comm.compute(100.0)  # us
    await handle


async def in_turn(comm):
    await comm.all_reduce(np.ones(MIB, np.float32))
    await comm.compute(100.0)


print(f"in turn {hccl.run(in_turn, 8).time_us:.1f} us, "
      f"at once {hccl.run(at_once, 8).time_us:.1f} us")
# %% id="overlap-view"
hccl.run(at_once, 8).timeline()
# %% [markdown] lang="en" id="explain"
# ## In your own words
#
# A colleague says: "Our cluster does all-reduce in under 1 ms." What must you ask before
# you can believe or doubt it, and why? Two or three sentences in place of `None`.
# %% [markdown] lang="zh"
# ## 用自己的话说一说
#
# 同事说：“我们的集群 AllReduce 不到 1 ms。”在相信或怀疑之前，你要问什么，为什么？把 `None` 换成两三句话。
# %% id="explain-cell"
my_answer = None
explain("d3-audit", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * Time = steps · α + bytes over the busiest link ÷ B: you predicted a ring with it.
# * Card 0 in the middle costs 2 · (p − 1) whole buffers; rings, meshes and levels do not.
# * Three sentences became statements with size, topology and stop watch.
#
# **Next:** the assignment `d3-collectives` in the folder `exercises`: your own
# all-reduce for up to 32 cards, and an audit by formula. After it lesson D5, the clinic
# for programs that hang.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 时间 = 步数 · α + 最忙链路上的字节数 ÷ B：你用它预测了环。
# * 让 0 号卡居中，要过 2 ·（p − 1）份整数据；环、mesh 和分层都不用。
# * 三句话都补上了数据量、拓扑和计时方式。
#
# **下一步：** `exercises` 文件夹里的作业 `d3-collectives`：写自己的 all-reduce，最多 32 张卡；再用公式做一次审核。
# 之后的 D5 课是卡死程序的门诊。
# %% id="progress-cell"
progress()
