# ---
# jupyter:
#   npucamp:
#     id: d5
#     slug: hang-clinic
#     title: {en: The hang clinic, zh: 卡死门诊}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:B081.1", "seed:B092.1"]
# # D5 · The hang clinic
#
# A job on many cards stands still. No card reports anything for half an hour; then all
# but one say "time-out". This lesson is about finding that one.
#
# **Goal.** You stop simulated cards in seven ways, read who waits for whom, name the
# first rank that does something else, and cure it. At the end you can say why the rank
# that prints the error is rarely the guilty one, and why a longer time-out cures nothing.
#
# **Time.** About 60 minutes. You need lesson D3 (collectives, rank programs).
#
# **Where it comes from.** A practitioner's article says of jobs on many cards that stop
# or time out: mostly the chain of waiting is broken. Its table of faults names two
# causes (collectives that do not match, error branches that do not tell the others)
# and two means: time-outs and heartbeat logs. You will try all four.
# %% [markdown] lang="zh"
# # D5 · 卡死门诊
#
# 多卡任务不动了。半个小时里没有一张卡报错；然后除了一张以外，所有卡都报“超时”。本课就是要找出那一张。
#
# **目标。** 你会用七种方式让模拟的卡停下来，读出谁在等谁，指出第一个做了别的事的 rank，再把它治好。
# 最后你能说清楚：为什么打印错误的 rank 多半不是肇事者，为什么加长超时治不好病。
#
# **用时。** 约 60 分钟。需要先学 D3 课（集合通信、rank 程序）。
#
# **出处。** 一篇实战文章说，多卡任务卡死或超时，多数是通信等待链出了问题。它的故障表列了两个原因
# （通信集合不一致、异常分支未同步）和两个手段（超时设置、心跳日志）。四样你都会试到。
# %% [markdown] lang="en" id="healthy"
# ## A healthy job
#
# Four ranks train for three steps: compute, then all-reduce the gradients. Each writes a
# *heartbeat*, a line in its log, before it calls. Rank r takes 10 µs · (r + 1) a step.
# %% [markdown] lang="zh"
# ## 健康的任务
#
# 四个 rank 训练三步：先计算，再对梯度做 all-reduce。调用之前各写一条*心跳*，也就是日志里的一行。
# rank r 每步计算 10 µs ·（r + 1）。
# %% id="healthy-cell"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import hccl

gradient = np.ones(1024, np.float32)


async def healthy(comm):
    for step in range(3):
        await comm.compute(10.0 * (comm.rank + 1))
        comm.heartbeat(f"step {step}")
        await comm.all_reduce(gradient)


outcome = hccl.run(healthy, ranks=4)
print(outcome.heartbeat_log())
# %% [markdown] lang="en" id="slow"
# Rank 3 is always last, and nothing is wrong: the others wait and go on. A slow rank is
# no hang. The picture shows the waiting as thin lines.
# %% [markdown] lang="zh"
# rank 3 总是最后一个，但没有任何问题：其他 rank 等一等，就继续了。慢不等于卡死。图里细线表示等待。
# %% id="slow-cell"
outcome.timeline()
# %% [markdown] lang="en" id="early" tags=["seed:B082.1", "seed:B083.3"]
# ## Break: an error branch that tells nobody
#
# One rank fails to read its data in step 1. The author was careful and caught the error;
# the branch returns. The other ranks know nothing of it.
# %% [markdown] lang="zh"
# ## 故意弄坏：谁也不通知的异常分支
#
# 有一个 rank 在第 1 步读不到数据。作者很小心，捕获了异常，然后从分支里返回。其他 rank 对此一无所知。
# %% id="early-cell"
def read(rank, step):
    if (rank, step) == (2, 1):
        raise OSError("no such file")


async def careful(comm):
    for step in range(3):
        comm.heartbeat(f"step {step}")
        try:
            read(comm.rank, step)
        except OSError:
            return  # tells nobody / 没有通知任何人
        await comm.compute(10.0 * (comm.rank + 1))
        await comm.all_reduce(gradient)
# %% [markdown] lang="en" id="predict-count"
# **Predict.** Of the four ranks, how many will wait in a call when everything stands
# still?
# %% [markdown] lang="zh"
# **预测。** 一切停下来的时候，四个 rank 里有几个停在调用里等待？
# %% id="predict-count-cell"
def broken(program, ranks=4, **more):
    """The fault that a run ends with / 运行以什么错误结束"""
    try:
        hccl.run(program, ranks, **more)
    except hccl.HcclError as error:
        return error


report = broken(careful).report
waiting = sum(row.state == "waiting" for row in report.rows)
my_count = None
predict("d5-count", my_count, actual=waiting)
# %% id="early-run"
with expect("EI0002"):
    hccl.run(careful, ranks=4)
# %% [markdown] lang="en" id="read" tags=["seed:B083.1", "seed:B083.2"]
# ## Read it: three questions
#
# The article's way is fixed, and the report follows it:
#
# 1. **Where does each rank stand?** One line a rank: its call and the source line.
# 2. **Do all make the same calls in the same order?** "Last call of all ranks" is the
#    last one in common; the *first divergent call* is the next. It counts, not the last
#    line of the log.
# 3. **Has somebody left?** A rank that has finished or raised and did not make the call.
#
# Three ranks report EI0002. The fourth reports nothing: it is the one to look at.
# %% [markdown] lang="zh"
# ## 读报告：三个问题
#
# 文章给的排查方法是固定的，报告也按这个顺序写：
#
# 1. **每个 rank 停在哪里？** 每个 rank 一行：停在哪个调用、源码第几行。
# 2. **大家的调用和顺序都一样吗？** 先给出所有 rank 共有的最后一次调用；紧接着的就是*首个分歧调用*。
#    要看的是它，而不是日志的最后一行。
# 3. **有没有人退出？** 已经结束或抛出异常、却没有做这次调用的 rank。
#
# 三个 rank 报 EI0002；第四个什么也不报：要看的正是它。
# %% id="quiz-guilty"
quiz("d5-guilty")
# %% [markdown] lang="en" id="graph"
# ## The wait-for graph
#
# An arrow goes from a rank that waits to the rank it waits for. Move the slider through
# the simulated time. While the job is healthy the arrows go away again; in the end three
# of them stay, and all point to one rank.
# %% [markdown] lang="zh"
# ## 等待图
#
# 箭头从等待的 rank 指向它在等的 rank。拖动滑块，走过整段模拟时间。任务健康时，箭头出现了又消失；
# 到最后留下三条，都指向同一个 rank。
# %% id="graph-cell"
report.steps()
# %% [markdown] lang="en" id="longer" tags=["seed:A067.1", "seed:A068.1", "seed:A069.1"]
# ## Does a longer time-out help?
#
# Another article has a fault table with the line "HCCL Timeout: check the network
# connection and the parameter settings". The parameter is `HCCL_EXEC_TIMEOUT`, 1,836 s
# if nobody sets it. Let us set 17,340 s, the most that is allowed. The links of the
# simulated cards are in order.
#
# **Predict.** What happens with the longer time-out? Write `"finishes"` or `"hangs"`.
# %% [markdown] lang="zh"
# ## 超时加长有用吗？
#
# 另一篇文章的故障表里有一行：“HCCL Timeout：检查网络连接和参数设置”。这个参数就是 `HCCL_EXEC_TIMEOUT`，
# 不设置时为 1,836 s。我们设成允许的最大值 17,340 s。模拟卡之间的链路都是好的。
#
# **预测。** 超时加长后会怎样？写 `"finishes"`（能跑完）或 `"hangs"`（仍然卡死）。
# %% id="longer-cell"
longer = broken(careful, environment={"HCCL_EXEC_TIMEOUT": 17340})
my_guess = None
predict("d5-longer", my_guess, actual="hangs" if longer else "finishes")
# %% id="longer-report"
print("1,836 s :", len(report.text("en")), "letters of report")
print("17,340 s: same report:", longer.report.text("en") == report.text("en"))
print(longer.text["en"])
# %% [markdown] lang="en" id="longer-read"
# The report is the same, letter for letter; hardware would only say it hours later. The
# table is right in one case: where a rank is *slow*, not gone. And the network matters
# before the first call, when ranks look for each other:
# %% [markdown] lang="zh"
# 报告一字不差；在真机上只是要再等几个小时才说出来。那张表只在一种情况下是对的：rank 只是*慢*，并没有走。
# 另外，在第一次调用之前，各 rank 互相建链的时候，连接才是要查的：
# %% id="late-cell"
async def meet(comm):
    await comm.barrier()


with expect("EI0015"):
    hccl.run(meet, ranks=4, start_us=[0, 0, None, 0])
# %% [markdown] lang="en" id="rounds" tags=["seed:B082.2"]
# ## Two rounds here, one round there
#
# The article's own example: some cards do two rounds of communication, others one. Here
# the number of steps comes from each rank's own samples. 7 samples on 4 ranks:
# three ranks have two, one has one.
# %% [markdown] lang="zh"
# ## 有的做两轮，有的只做一轮
#
# 这是文章自己的例子：有的设备执行了两个来回的通信，有的只执行了一个。这里每个 rank 的步数由自己分到的数据决定。
# 7 个样本分给 4 个 rank：三个 rank 有两个样本，一个只有一个。
# %% id="rounds-cell"
async def own_samples(comm):
    samples = range(comm.rank, 7, comm.size)
    for sample in samples:
        comm.heartbeat(f"sample {sample}")
        await comm.all_reduce(gradient)


error = broken(own_samples)
print(error.report.heartbeat_log())
error.report.graph()
# %% [markdown] lang="en" id="turn-rounds" tags=["your-turn"]
# ## Your turn: the same number of rounds
#
# Give every rank the same number of steps. A rank without a sample takes part with
# zeros, so that the sum stays right. Write `rounds`, the steps that *every* rank makes,
# from the number of samples and `comm.size`; it must be right for any of the two.
# %% [markdown] lang="zh"
# ## 轮到你了：同样的轮数
#
# 让每个 rank 的步数相同。没有样本的 rank 用零参加，这样和仍然正确。用样本数和 `comm.size` 写出 `rounds`，
# 也就是*每个* rank 都要做的步数；两个数取任何值都要对。
# %% id="turn-rounds-cell" tags=["your-turn"]
async def same_rounds(comm, samples=7):
    rounds = len(range(comm.rank, samples, comm.size))
    total = 0.0
    for k in range(rounds):
        mine = float(comm.rank + k * comm.size < samples)
        total += (await comm.all_reduce(np.array([mine])))[0]
    return total


for ranks in (1, 4, 8):
    print(ranks, "ranks:", "hangs" if broken(same_rounds, ranks) else "finishes")
cured = not any(broken(same_rounds, ranks) for ranks in (1, 4, 8))
check("d5-turn-rounds", cured and hccl.run(same_rounds, 4).results == [7.0] * 4)
# %% id="turn-rounds-hint"
hint("d5-turn-rounds")
# %% [markdown] lang="en" id="others"
# ## Four more cases
#
# Each of these programs is wrong in one place. Read the code first, then the table: the
# code of the fault, the cause that the report names, the rank that differs.
# %% [markdown] lang="zh"
# ## 另外四例
#
# 下面每个程序都有一处错误。先读代码，再看表：错误码、报告给出的原因、与众不同的 rank。
# %% id="others-code"
async def other_size(comm):
    await comm.all_reduce(np.ones(1000 if comm.rank == 3 else 1024))


async def no_barrier(comm):
    if comm.rank != 1:
        await comm.barrier()
    await comm.all_reduce(gradient)


async def crossed(comm):
    pair = comm.group([0, 1] if comm.rank < 2 else [2, 3])
    first, second = (comm, pair) if comm.rank == 1 else (pair, comm)
    await first.all_reduce(gradient)
    await second.all_reduce(gradient)


async def all_receive_first(comm):
    await comm.recv((comm.rank + 1) % comm.size)
    await comm.send(gradient, (comm.rank - 1) % comm.size)
# %% id="others-cell"
programs = (other_size, no_barrier, crossed, all_receive_first)
errors = {program.__name__: broken(program) for program in programs}
for name, one in errors.items():
    print(f"{name:18} {one.code}  {one.report.cause:8} {one.report.ranks}")
# %% id="others-graph"
errors["all_receive_first"].report.graph()
# %% [markdown] lang="en" id="others-read"
# * A call that does not match (EI0005) is seen at once, because HCCL compares. One that
#   never comes (EI0002) is seen only by waiting.
# * `crossed`: two *communicators*, both used by everyone, in opposite order on ranks 0
#   and 1. Each call alone is right; the ranks 2 and 3 show which order is the common one.
# * `all_receive_first`: nobody differs. All ranks run the same code, and it is wrong.
# %% [markdown] lang="zh"
# * 对不上的调用（EI0005）马上就能发现，因为 HCCL 会比对；永远不来的调用（EI0002）只有等了才知道。
# * `crossed`：两个*通信域*，大家都用，rank 0 和 1 的顺序相反。单看每次调用都没有错；
#   看 rank 2 和 3，才知道哪个顺序是大家的。
# * `all_receive_first`：没有谁与众不同。所有 rank 跑同一份代码，而这份代码是错的。
# %% id="quiz-order"
quiz("d5-order")
# %% [markdown] lang="en" id="memory"
# ## Everybody starts at once
#
# To load a model, each rank of a server needs 30 GiB of host memory for a moment, and
# 10 GiB later. The server has 100 GiB; eight ranks start together.
# %% [markdown] lang="zh"
# ## 大家同时启动
#
# 加载模型时，服务器上每个 rank 短时间需要 30 GiB 主机内存，之后只要 10 GiB。服务器共有 100 GiB，八个 rank 同时启动。
# %% id="memory-cell"
GIB = 1 << 30


async def load(comm):
    comm.allocate(30 * GIB)
    await comm.compute(1000.0)
    comm.release(20 * GIB)
    await comm.barrier()


with expect("EI0002"):
    hccl.run(load, ranks=8, server_nbytes=100 * GIB)
# %% [markdown] lang="en" id="memory-read"
# Five ranks ran out of memory; the three that were quick enough print the time-out.
# %% [markdown] lang="zh"
# 五个 rank 内存不足；打印超时的，是抢到内存的那三个。
# %% [markdown] lang="en" id="turn-stagger" tags=["your-turn"]
# ## Your turn: start in turns
#
# Keep the program and start the ranks `gap_us` apart. What is the smallest gap, in whole
# multiples of 100 µs, with which all eight ranks come through? Work it out or try.
# %% [markdown] lang="zh"
# ## 轮到你了：错开启动
#
# 程序不变，让各 rank 每隔 `gap_us` 启动一个。间隔取 100 µs 的整数倍，最小取多少，八个 rank 才能全部通过？可以推算，也可以试。
# %% id="turn-stagger-cell" tags=["your-turn"]
def comes_through(gap_us):
    starts = [gap_us * rank for rank in range(8)]
    return not broken(load, 8, server_nbytes=100 * GIB, start_us=starts)


gap_us = 100
print(gap_us, comes_through(gap_us))
check("d5-turn-stagger", comes_through(gap_us) and not comes_through(gap_us - 100))
# %% id="turn-stagger-hint"
hint("d5-turn-stagger")
# %% [markdown] lang="en" id="timeout" tags=["seed:B083.4"]
# ## Time-out and heartbeat
#
# The article's tip: give calls a time-out and write heartbeats; it costs a little and
# saves much time. A time-out of your own turns "wait for ever" into an error in your
# program, at a place that you choose: here the ranks leave together and say why. The
# simulator charges nothing for a log line; hardware does.
# %% [markdown] lang="zh"
# ## 超时与心跳
#
# 文章的小技巧：给通信调用加上超时和心跳日志，多一点开销，能省下大量排查时间。自己设的超时，
# 把“永远等下去”变成程序里的一个异常，出现在你选定的位置：这里各 rank 一起退出，并说明原因。
# 模拟器里写日志不计开销，真机上要计。
# %% id="timeout-cell"
async def guarded(comm):
    for step in range(3):
        comm.heartbeat(f"step {step}")
        if (comm.rank, step) == (2, 1):
            return "left"
        try:
            await comm.all_reduce(gradient, timeout_us=500.0)
        except hccl.HcclError as late:
            comm.heartbeat(f"{late.code} in step {step}")
            return "stopped"


outcome = hccl.run(guarded, ranks=4)
print(outcome.results)
print(outcome.heartbeat_log())
# %% [markdown] lang="en" id="turn-branch" tags=["your-turn"]
# ## Your turn: cure the error branch
#
# Better than a time-out: nobody leaves alone. Let all ranks agree *before* the
# all-reduce whether to go on. `bad` is 1 where the rank could not read. Fill in `stop`
# so that in the same step all ranks know of a failure anywhere.
# %% [markdown] lang="zh"
# ## 轮到你了：治好异常分支
#
# 比超时更好的办法：谁也不单独离开。让所有 rank 在 all-reduce *之前*商定是否继续。读不到数据的 rank，`bad` 为 1。
# 请补上 `stop`，让所有 rank 在同一步里知道有没有谁出了错。
# %% id="turn-branch-cell" tags=["your-turn"]
async def agreed(comm):
    for step in range(3):
        bad = np.array([float((comm.rank, step) == (2, 1))])
        stop = bad
        if stop[0]:
            return f"all stop in step {step}"
        await comm.all_reduce(gradient)


fault = broken(agreed)
said = [] if fault else hccl.run(agreed, ranks=4).results
print(fault or said)
check("d5-turn-branch", said == ["all stop in step 1"] * 4)
# %% id="turn-branch-hint"
hint("d5-turn-branch")
# %% [markdown] lang="en" id="explain"
# ## Explain
#
# Answer in two or three sentences: in the box below, or in quotes in place of `None`.
# %% [markdown] lang="zh"
# ## 解释
#
# 用两三句话回答：写在下面的框里，或者加上引号替换 `None`。
# %% id="explain-cell"
my_answer = None
explain("d5-why", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, what comes next
#
# * You read where each rank stands, the last common call, the first divergent one.
# * You saw that a longer time-out changes only when the hang is reported.
# * You cured three: the number of rounds, the start, the error branch.
#
# **Next:** the clinic is open: `exercises/d5-hang-clinic/d5-hang-clinic.ipynb` has six
# broken programs for you, and a training loop to repair. Lesson D4 puts clusters
# together.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 会读每个 rank 停在哪里、最后一次共有的调用、首个分歧调用。
# * 看到了加长超时只改变报告的时刻。
# * 治好了三种：轮数、启动、异常分支。
#
# **下一步：** 门诊开门了：`exercises/d5-hang-clinic/d5-hang-clinic.ipynb` 为你准备了六个有错的程序，
# 还有一个训练循环等你修好。D4 课讲怎样搭集群。
# %% id="progress"
progress()
