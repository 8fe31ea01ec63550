# ---
# jupyter:
#   npucamp:
#     id: z4
#     slug: queues-and-double-buffer
#     title: {en: "TPipe, queues and double buffer", zh: TPipe、队列和双缓冲}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1"]
# # Z4 · TPipe, queues and double buffer
#
# In Z3 you drew every arrow between two pipes by hand. A **queue** draws them for you:
# who hands a buffer over also hands over the order.
#
# **Goal.** You rewrite the kernel of Z3 with queues, make four mistakes that a queue
# can tell you about, measure what the second buffer brings, and find the cases in which
# it brings nothing.
#
# **Time.** About 70 minutes. You need lesson Z3.
#
# **Where it comes from.** The introductory track of the CANN training camp promises
# basic syntax and simple cases. `TPipe` and `TQue` are the syntax in which published
# Ascend C samples are written.
# %% [markdown] lang="zh"
# # Z4 · TPipe、队列和双缓冲
#
# 在 Z3 课里，流水线之间的每一支箭头都由你亲手画。**队列**（queue）会替你画：
# 缓冲区从谁手里交到谁手里，先后也就跟着定了。
#
# **目标。** 用队列重写 Z3 的核函数；犯四种队列能指出来的错误；测一测第二个缓冲区能带来多少；
# 再找出它什么也带不来的情况。
#
# **用时。** 约 70 分钟。需要先学过 Z3 课。
#
# **出处。** CANN 训练营的 0 基础入门系列要讲基础语法和简单案例；公开的 Ascend C 样例用的语法，就是 `TPipe` 和 `TQue`。
# %% [markdown] lang="en" id="arrows"
# ## From four arrows to two queues
#
# A `TQue` owns some buffers of UB and knows who has each of them. `TPipe` lays the
# buffers out in UB. Each buffer goes round: **FREE → ALLOCATED → QUEUED → TAKEN → FREE**.
#
# | call | state after it | who uses the buffer next |
# |---|---|---|
# | `t = q.alloc_tensor(dtype)` | ALLOCATED | the pipe that fills it |
# | `q.enque(t)` | QUEUED | nobody: it is full and waits |
# | `t = q.deque(dtype)` | TAKEN | the pipe that reads it |
# | `q.free_tensor(t)` | FREE | nobody: it may be filled again |
#
# The four arrows of Z3 are inside:
#
# | queue | from `enque` to `deque` | from `free_tensor` to `alloc_tensor` |
# |---|---|---|
# | input, position `VECIN` | MTE2 → V | V → MTE2 |
# | output, position `VECOUT` | V → MTE3 | MTE3 → V |
#
# `pipe.init_buffer(q, num, nbytes)` gives the queue `num` buffers of `nbytes` **bytes**
# each. `asc.TQue(position, depth)` says how many tensors may be QUEUED at once.
# %% [markdown] lang="zh"
# ## 从四支箭头到两个队列
#
# 一个 `TQue` 拥有 UB 里的若干缓冲区，知道每一个在谁手里；`TPipe` 负责在 UB 里给它们安排位置。
# 每个缓冲区都这样循环：**FREE → ALLOCATED → QUEUED → TAKEN → FREE**。
#
# | 调用 | 之后的状态 | 接下来谁用这个缓冲区 |
# |---|---|---|
# | `t = q.alloc_tensor(dtype)` 申请 | ALLOCATED | 往里填数据的流水线 |
# | `q.enque(t)` 入队 | QUEUED | 没有人：填满了，等着 |
# | `t = q.deque(dtype)` 出队 | TAKEN | 读它的流水线 |
# | `q.free_tensor(t)` 归还 | FREE | 没有人：可以再填 |
#
# Z3 的四支箭头都在里面：
#
# | 队列 | 从 `enque` 到 `deque` | 从 `free_tensor` 到 `alloc_tensor` |
# |---|---|---|
# | 输入，位置 `VECIN` | MTE2 → V | V → MTE2 |
# | 输出，位置 `VECOUT` | V → MTE3 | MTE3 → V |
#
# `pipe.init_buffer(q, num, nbytes)` 给队列 `num` 个缓冲区，每个 `nbytes` **字节**。
# `asc.TQue(position, depth)` 里的 `depth` 是最多可以有几个张量同时排队。
# %% id="data"
import numpy as np

from npusim import asc

SHARE, TILE = 65536, 4096  # elements / 元素个数


@asc.jit
def gm(address, share):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address + asc.get_block_idx() * share, share)
    return tensor


def add_one(kernel, *options, blocks=1, share=SHARE):
    x = np.arange(blocks * share, dtype=np.float32)
    y = np.zeros_like(x)
    run = kernel[blocks](x, y, share, *options)
    assert np.array_equal(y, x + 1)
    return run
# %% [markdown] lang="en" id="build"
# ## Build: the kernel of Z3 with queues
#
# 65,536 float32 numbers on one core, plus 1. A tile has 4,096 elements, so 16 KiB, and
# there are 16 tiles. Read the loop as three parts: copy in, compute, copy out. There is
# no flag and no barrier in it.
# %% [markdown] lang="zh"
# ## 动手：用队列改写 Z3 的核函数
#
# 一个核，65,536 个 float32，每个加 1。一个小块 4,096 个元素，即 16 KiB，共 16 块。
# 把循环看成三段：搬入、计算、搬出。里面没有一个标志，也没有一个 barrier。
# %% id="queue-kernel"
@asc.jit
def queue_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr,
    num: asc.constexpr, depth: asc.constexpr,
):
    x_gm, y_gm = gm(x, share), gm(y, share)
    pipe = asc.TPipe()
    in_queue = asc.TQue(asc.TPosition.VECIN, depth)
    out_queue = asc.TQue(asc.TPosition.VECOUT, depth)
    pipe.init_buffer(in_queue, num, TILE * 4)
    pipe.init_buffer(out_queue, num, TILE * 4)
    for i in range(share // TILE):
        x_ub = in_queue.alloc_tensor(asc.float32)
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)
        in_queue.enque(x_ub)
        x_ub = in_queue.deque(asc.float32)
        y_ub = out_queue.alloc_tensor(asc.float32)
        asc.adds(y_ub, x_ub, 1.0, TILE)
        out_queue.enque(y_ub)
        in_queue.free_tensor(x_ub)
        y_ub = out_queue.deque(asc.float32)
        asc.data_copy(y_gm[i * TILE :], y_ub, TILE)
        out_queue.free_tensor(y_ub)
# %% [markdown] lang="en" id="predict-calls"
# **Predict.** How many queue calls (`alloc_tensor`, `enque`, `deque`, `free_tensor`)
# does one block with 16 tiles make?
# %% [markdown] lang="zh"
# **预测。** 1 个 block、16 个小块，一共有多少次队列调用（`alloc_tensor`、`enque`、`deque`、`free_tensor`）？
# %% id="predict-calls-cell"
from npucamp import predict

one = add_one(queue_kernel, 1, 1)
my_calls = None
predict("z4-calls", my_calls, actual=one.counters["queue_calls"])
# %% id="no-flags"
print("set_flag:", one.counters["flags_set"], " barriers:", one.counters["barriers"])
print("cycles:", f"{one.cycles:,}")
# %% [markdown] lang="en" id="step"
# Move the slider through the first tile. The row *queues* shows the state of every
# buffer after each step.
# %% [markdown] lang="zh"
# 拖动滑块，走完第一个小块。“队列”一行列出每一步之后各个缓冲区的状态。
# %% id="step-cell"
one.step()
# %% id="quiz-states-cell"
from npucamp import quiz

quiz("z4-states")
# %% [markdown] lang="en" id="forget-free"
# ## Break 1: "free is optional"
#
# The same kernel with two buffers, but `in_queue.free_tensor` is missing. It runs with
# one tile, and with two.
#
# **Predict.** With how many tiles does it fail first?
# %% [markdown] lang="zh"
# ## 故意弄坏（一）：“归还可写可不写”
#
# 还是这个核函数，两个缓冲区，只是少了 `in_queue.free_tensor`。一块能跑，两块也能跑。
#
# **预测。** 到几块的时候第一次出错？
# %% id="forget-free-kernel"
@asc.jit
def keeping_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    pipe = asc.TPipe()
    in_queue = asc.TQue(asc.TPosition.VECIN, 1)
    out_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(in_queue, 2, TILE * 4)
    pipe.init_buffer(out_queue, 2, TILE * 4)
    for i in range(share // TILE):
        x_ub = in_queue.alloc_tensor(asc.float32)
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)
        in_queue.enque(x_ub)
        x_ub = in_queue.deque(asc.float32)
        y_ub = out_queue.alloc_tensor(asc.float32)
        asc.adds(y_ub, x_ub, 1.0, TILE)
        out_queue.enque(y_ub)
        y_ub = out_queue.deque(asc.float32)
        asc.data_copy(y_gm[i * TILE :], y_ub, TILE)
        out_queue.free_tensor(y_ub)
# %% id="forget-free-predict"
def codes(tiles):
    try:
        run = add_one(keeping_kernel, share=tiles * TILE)
    except asc.KernelError as error:
        return [d.code for d in error.diagnostics if d.severity == "E"]
    return [d.code for d in run.found]


first = next(tiles for tiles in range(1, 9) if "ASC-QUE-22" in codes(tiles))
my_tiles = None
predict("z4-free", my_tiles, actual=first)
# %% id="forget-free-run"
from npucamp import expect

print("2 tiles:", codes(2))
with expect("ASC-QUE-22"):
    add_one(keeping_kernel)
# %% [markdown] lang="en" id="forget-free-read"
# With few tiles there is a warning only (`ASC-QUE-22b`: a buffer was never freed). On a
# device such a kernel passes the small test and hangs on the large input. Read the
# states in the message: both buffers are TAKEN, so nobody can fill one.
#
# ## Break 2: elements for bytes
#
# `init_buffer` counts bytes. 4,096 elements of float32 need 16,384 of them.
# %% [markdown] lang="zh"
# 小块少的时候只有一条警告（`ASC-QUE-22b`：有缓冲区一直没归还）。在真实设备上，这样的核函数小用例能过，
# 大输入就卡死。看报错里的状态：两个缓冲区都已出队（TAKEN），再也没有可以填的了。
#
# ## 故意弄坏（二）：把元素个数当成字节数
#
# `init_buffer` 的长度以字节计。4,096 个 float32 需要 16,384 字节。
# %% id="elements-run"
@asc.jit
def short_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm = gm(x, share)
    pipe = asc.TPipe()
    in_queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(in_queue, 2, TILE)  # elements / 元素个数
    x_ub = in_queue.alloc_tensor(asc.float32)
    asc.data_copy(x_ub, x_gm, TILE)
    in_queue.enque(x_ub)


with expect("ASC-UB-10"):
    add_one(short_kernel)
# %% [markdown] lang="en" id="plan"
# ## Break 3: more than UB holds
#
# UB has 196,608 B (public Ascend C documentation, Atlas A2). All buffers of all queues
# lie in it at once.
#
# **Predict.** `queue_kernel` has two queues, and a tile is 16,384 B. What is the largest
# `num`?
# %% [markdown] lang="zh"
# ## 故意弄坏（三）：UB 放不下
#
# UB 有 196,608 B（见 Atlas A2 的 Ascend C 公开文档）。所有队列的所有缓冲区同时占着它。
#
# **预测。** `queue_kernel` 有两个队列，一个小块 16,384 B。`num` 最大是多少？
# %% id="plan-predict"
my_num = None
predict("z4-plan", my_num, actual=asc.chip("910B1").ub_nbytes // (2 * TILE * 4))
# %% id="plan-run"
print("num 6:", f"{add_one(queue_kernel, 6, 1).cycles:,} cycles")
with expect("ASC-UB-09"):
    add_one(queue_kernel, 7, 1)
# %% [markdown] lang="en" id="measure" tags=["seed:B054.2"]
# ## Measure: the double buffer
#
# The article on CANN defines it: two buffers in turn, one is being read, one is being
# computed on, so that moving and computing overlap. In a queue this is *one number*:
# `num = 2`.
#
# How much overlaps? `not_overlapped_percent` takes whichever of MTE2 and V is busy for
# less time, and says for how many per cent of it the other one rests.
#
# **Predict.** One buffer: 100. Two buffers: how many per cent? (Right within 10.)
# %% [markdown] lang="zh"
# ## 测量：双缓冲
#
# 那篇 CANN 文章这样解释**双缓冲**：准备两个缓冲区轮换使用，一个在读，一个在算，让搬运和计算重叠起来。
# 用队列来写，它只是*一个数*：`num = 2`。
#
# 重叠了多少？计数器 `not_overlapped_percent` 取 MTE2 和 V 中忙碌时间较短的一条，
# 算出它干活的时候，另一条有百分之几的时间在歇着。
#
# **预测。** 一个缓冲区：100。两个缓冲区：百分之几？（相差 10 以内算对。）
# %% id="measure-predict"
runs = {num: add_one(queue_kernel, num, 1) for num in (1, 2, 3, 4)}
apart = {num: run.counters["not_overlapped_percent"] for num, run in runs.items()}
my_percent = None
predict("z4-overlap", my_percent, actual=apart[2], within=10)
# %% id="measure-table" tags=["seed:B025.1"]
for num, run in runs.items():
    print(f"num {num}: {run.cycles:6,} cycles, {one.cycles / run.cycles:4.2f} x, "
          f"not overlapped {apart[num]:3.0f}%")
# %% id="measure-beside" tags=["seed:B025.3"]
runs[1].beside(runs[2])
# %% [markdown] lang="en" id="measure-read" tags=["seed:B025.1", "seed:B025.3"]
# "Asynchronous is the key concept", says the article: moving and computing overlap as on
# an assembly line. In the lower picture MTE2 is already fetching the next tile while V
# computes this one and MTE3 delivers the last. A third buffer helps further: MTE2 may run
# two tiles ahead. A fourth brings nothing.
#
# ## Depth is not the number of buffers
#
# In samples you see `TQue(position, 2)` beside `init_buffer(queue, 2, …)`.
#
# **Predict.** Two buffers each; how many times as long does depth 1 take as depth 2?
# %% [markdown] lang="zh"
# 文章说“异步是这里面的关键概念”：搬运和计算像工厂流水线一样重叠起来。
# 看下面那张图：V 在算这一块的时候，MTE2 已经在取下一块，MTE3 正在送走上一块。
# 第三个缓冲区还能再快一些：MTE2 可以领先两块。第四个就没有用了。
#
# ## 深度不等于缓冲区个数
#
# 样例里常见 `TQue(position, 2)` 和 `init_buffer(queue, 2, …)` 写在一起。
#
# **预测。** 缓冲区都是两个，深度 1 用的时间是深度 2 的几倍？
# %% id="depth-predict"
deep = add_one(queue_kernel, 2, 2)
my_ratio = None
predict("z4-depth", my_ratio, actual=runs[2].cycles / deep.cycles)
# %% [markdown] lang="en" id="depth-read"
# The same, to the cycle. The loop enqueues one tensor and takes it out again before it
# enqueues the next, so never more than one is QUEUED. What runs ahead is MTE2, and for
# that it needs *buffers*. Depth matters to a kernel that enqueues several tiles before
# it takes one:
# %% [markdown] lang="zh"
# 一个周期都不差。循环里入队一个张量，马上又出队，然后才入队下一个，所以排队的从来不超过一个。
# 领先的是 MTE2，它需要的是*缓冲区*。先连续入队好几块、再出队的核函数，才会用到深度：
# %% id="depth-run"
@asc.jit
def eager_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm = gm(x, share)
    pipe = asc.TPipe()
    in_queue = asc.TQue(asc.TPosition.VECIN, 1)  # depth / 深度
    pipe.init_buffer(in_queue, 2, TILE * 4)
    for i in range(2):
        x_ub = in_queue.alloc_tensor(asc.float32)
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)
        in_queue.enque(x_ub)


with expect("ASC-QUE-22"):
    add_one(eager_kernel)
# %% [markdown] lang="en" id="parts"
# ## When two buffers cannot help
#
# From here on, two helpers hold the copy in and the copy out, as the functions `CopyIn`
# and `CopyOut` do in published samples. The kernel between them repeats its vector
# instruction `work` times.
# %% [markdown] lang="zh"
# ## 双缓冲帮不上忙的时候
#
# 从这里起，搬入和搬出各写成一个辅助函数，就像公开样例里的 `CopyIn` 和 `CopyOut`。
# 中间的核函数把向量指令重复 `work` 次。
# %% id="parts-helpers"
@asc.jit
def copy_in(queue, source):
    tensor = queue.alloc_tensor(asc.float32)
    asc.data_copy(tensor, source, TILE)
    queue.enque(tensor)


@asc.jit
def copy_out(queue, target):
    tensor = queue.deque(asc.float32)
    asc.data_copy(target, tensor, TILE)
    queue.free_tensor(tensor)
# %% id="work-kernel"
@asc.jit
def work_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr,
    num: asc.constexpr, work: asc.constexpr,
):
    x_gm, y_gm = gm(x, share), gm(y, share)
    pipe = asc.TPipe()
    in_queue = asc.TQue(asc.TPosition.VECIN, 1)
    out_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(in_queue, num, TILE * 4)
    pipe.init_buffer(out_queue, num, TILE * 4)
    for i in range(share // TILE):
        copy_in(in_queue, x_gm[i * TILE :])
        x_ub = in_queue.deque(asc.float32)
        y_ub = out_queue.alloc_tensor(asc.float32)
        asc.adds(y_ub, x_ub, 1.0, TILE)
        for _ in asc.static_range(work - 1):
            asc.adds(y_ub, y_ub, 0.0, TILE)
        out_queue.enque(y_ub)
        in_queue.free_tensor(x_ub)
        copy_out(out_queue, y_gm[i * TILE :])
# %% [markdown] lang="en" id="limit-predict"
# **Predict.** With `work = 16` and one buffer, V is busy for the share of the time that
# the next cell prints. All of that work must be done, whatever overlaps it. How many
# times as fast can more buffers make this kernel *at most*?
# %% [markdown] lang="zh"
# **预测。** `work = 16`、一个缓冲区时，V 忙碌的时间占多少，下一个单元会打印出来。
# 不管怎么重叠，这些活总要干完。再加缓冲区，这个核函数*最多*能快几倍？
# %% id="limit-predict-cell"
heavy = {num: add_one(work_kernel, num, 16) for num in (1, 2, 4)}
share_v = heavy[1].pipe_cycles["V"] / heavy[1].core_cycles[0]
print(f"V busy with one buffer: {share_v:.0%}")
my_limit = None
predict("z4-limit", my_limit, actual=1 / share_v, within=0.05)
# %% id="limit-table"
def busy(run, pipe):
    return run.pipe_cycles[pipe] / max(run.core_cycles)


for num, run in heavy.items():
    print(f"work 16, num {num}: {heavy[1].cycles / run.cycles:4.2f} x, "
          f"V busy {busy(run, 'V'):.0%}")
short = {num: add_one(work_kernel, num, 1, share=TILE) for num in (1, 2)}
print(f"one tile:        {short[1].cycles / short[2].cycles:4.2f} x")
wide = {num: add_one(work_kernel, num, 1, blocks=48) for num in (1, 2, 3)}
for num, run in wide.items():
    print(f"48 cores, num {num}: {wide[1].cycles / run.cycles:4.2f} x, "
          f"{run.floor_us / run.time_us:.0%} of the fastest possible")
# %% [markdown] lang="en" id="limit-read"
# Three cases, three limits:
#
# * `work = 16`: V is nearly always busy. The time cannot fall below V's own work.
# * One tile: there is no second tile to fetch meanwhile.
# * 48 cores: the way to GM is shared, and its bytes per second are the limit. The same
#   buffer brings less than on one core.
#
# "Two buffers halve the time" is true only where two pipes have equal work and nothing
# else is in the way.
# %% [markdown] lang="zh"
# 三种情况，三种极限：
#
# * `work = 16`：V 几乎一直在忙，总时间不可能比 V 自己的活更短。
# * 只有一块：没有第二块可以趁机搬。
# * 48 个核：通往 GM 的路是共用的，它每秒能送多少字节就是极限。同样的缓冲区，好处比一个核时小。
#
# “双缓冲能快一倍”，只有在两条流水线的活一样多、又没有别的瓶颈时才成立。
# %% id="quiz-limit-cell"
quiz("z4-limit")
# %% [markdown] lang="en" id="audit" tags=["seed:A107.1"]
# ## Audit: "PipeUtilization below 70 %"
#
# A training-camp article advises: watch PipeUtilization; below 70 % means that the
# pipeline is not efficient enough. `PipeUtilization` is a real table, written by the
# tool msprof. The 70 % is a rule of thumb. Below 70 % of *which* pipe?
#
# **Predict.** On 48 cores a third buffer brought no more than the second. How many of the
# three pipes V, MTE2 and MTE3 reach 70 % there, with two buffers?
# %% [markdown] lang="zh"
# ## 核实：“PipeUtilization 低于 70%”
#
# 一篇训练营文章建议重点关注 PipeUtilization，“低于70%表示流水线效率不足”。
# `PipeUtilization` 确实是性能分析工具 msprof 的一张表；70% 则只是经验值。可是，*哪条*流水线低于 70%？
#
# **预测。** 在 48 个核上，第三个缓冲区并没有比第二个带来更多。那么用两个缓冲区时，V、MTE2、MTE3 三条里有几条达到 70%？
# %% id="audit-predict"
PIPES = ("V", "MTE2", "MTE3")
my_pipes = None
predict("z4-pipes", my_pipes, actual=sum(busy(wide[2], p) >= 0.7 for p in PIPES))
# %% id="audit-table"
shown = {"1 core, num 1": runs[1], "1 core, num 2": runs[2], "work 16, num 2": heavy[2],
         "48 cores, num 2": wide[2]}
for name, run in shown.items():
    cells = "  ".join(f"{p} {busy(run, p):4.0%}" for p in PIPES)
    print(f"{name:16} {cells}   busiest {max(busy(run, p) for p in PIPES):.0%}")
# %% [markdown] lang="en" id="audit-read"
# Taken for each pipe, the rule would blame V of a kernel that only copies. Taken for the
# **busiest** pipe it is useful: near 100 % the kernel is at the limit of that pipe, and
# only less work for it helps; far below, the pipes wait for each other, and buffers
# help. A high number alone is no praise: in the first row MTE2 is busy too, and yet the
# second buffer made the kernel much faster. A copy that waits for GM counts as busy.
# %% [markdown] lang="zh"
# 如果对每条流水线都这样要求，一个只管搬运的核函数，V 永远不合格。看**最忙**的那一条才有用：
# 接近 100%，说明已经到了它的极限，只有减少它的活才能更快；离 100% 很远，说明流水线在互相等，
# 加缓冲区会有帮助。但高利用率本身并不等于快：第一行里 MTE2 也很忙，加一个缓冲区却还能快很多，因为等 GM 的时间也算作忙碌。
# %% [markdown] lang="en" id="fuse" tags=["seed:B010.3"]
# ## Fewer moves: fuse
#
# The best move is the one that does not take place. The article gives three ways to
# speed: save moves, run in parallel, knead several operators into one (**fusion**).
#
# Take `z = x·y + (x − y)²`. With library operators it is four kernels, each of which
# reads its inputs from GM and writes its result to GM: `sub`, `square`, `mul`, `add`.
#
# **Predict.** How many times as many bytes do the four move as one kernel that reads x
# and y once and writes z once? (All launches begin with a cold L2; a warm one would be
# kinder to the four.)
# %% [markdown] lang="zh"
# ## 少搬几次：融合
#
# 最好的搬运，是根本不用搬。文章讲了提高性能的三条路：把能省的搬运省掉、把能并行的计算并行起来、
# 把能融合的算子揉成一个，也就是**融合**。
#
# 以 `z = x·y + (x − y)²` 为例。用库里的算子要四个核函数：`sub`、`square`、`mul`、`add`，
# 每个都从 GM 读输入，再把结果写回 GM。
#
# **预测。** 如果写成一个核函数，x、y 各读一次，z 写一次，那么四个核函数搬运的字节数是它的几倍？
# （每次启动时 L2 都是冷的；如果 L2 是热的，四个核函数不会这么吃亏。）
# %% id="fuse-predict"
from npusim import ops

a = np.linspace(-4, 4, 48 * SHARE, dtype=np.float32)
b = a[::-1].copy()
squared = ops.square(ops.sub(a, b))
result = ops.add(ops.mul(a, b), squared)
four = [op.run for op in (ops.sub, ops.square, ops.mul, ops.add)]
nbytes = sum(run.nbytes_read + run.nbytes_written for run in four)
my_bytes = None
predict("z4-bytes", my_bytes, actual=nbytes / (3 * a.nbytes), within=0.1)
# %% [markdown] lang="en" id="fuse-turn"
# Inside one kernel the intermediate `(x − y)²` needs a place in UB, but no queue: it
# never leaves V. For that there is `TBuf`: `pipe.init_buffer(buf, nbytes)` and
# `t = buf.get(asc.float32)`.
#
# **Your turn.** The kernel computes `x·y` so far. Add three vector lines, so that it
# computes `x·y + (x − y)²`. Instructions: `asc.sub`, `asc.mul`, `asc.add`, each with
# `(dst, src0, src1, count)`; `dst` may be one of the sources.
# %% [markdown] lang="zh"
# 在一个核函数里，中间结果 `(x − y)²` 要在 UB 里占个地方，但不需要队列：它始终在 V 手里。
# 这时用 `TBuf`：`pipe.init_buffer(buf, nbytes)`，再用 `t = buf.get(asc.float32)` 取出张量。
#
# **轮到你了。** 下面的核函数目前只算 `x·y`。加三行向量指令，让它算出 `x·y + (x − y)²`。
# 可用的指令：`asc.sub`、`asc.mul`、`asc.add`，参数都是 `(dst, src0, src1, count)`；
# `dst` 可以就是其中一个源。
# %% id="turn-fuse" tags=["your-turn"]
@asc.jit
def fused_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm, y_gm, z_gm = gm(x, SHARE), gm(y, SHARE), gm(z, SHARE)
    pipe, scratch = asc.TPipe(), asc.TBuf(asc.TPosition.VECCALC)
    x_queue = asc.TQue(asc.TPosition.VECIN, 1)
    y_queue = asc.TQue(asc.TPosition.VECIN, 1)
    z_queue = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(x_queue, 2, TILE * 4)
    pipe.init_buffer(y_queue, 2, TILE * 4)
    pipe.init_buffer(z_queue, 2, TILE * 4)
    pipe.init_buffer(scratch, TILE * 4)
    t = scratch.get(asc.float32)
    for i in range(SHARE // TILE):
        copy_in(x_queue, x_gm[i * TILE :])
        copy_in(y_queue, y_gm[i * TILE :])
        x_ub, y_ub = x_queue.deque(asc.float32), y_queue.deque(asc.float32)
        z_ub = z_queue.alloc_tensor(asc.float32)
        asc.mul(z_ub, x_ub, y_ub, TILE)
        # your three lines / 在这里补三行
        z_queue.enque(z_ub)
        x_queue.free_tensor(x_ub)
        y_queue.free_tensor(y_ub)
        copy_out(z_queue, z_gm[i * TILE :])
# %% id="turn-fuse-run"
from npucamp import check

z = np.zeros_like(a)
fused = fused_kernel[48](a, b, z)
check("z4-turn-fuse", np.allclose(z, a * b + (a - b) ** 2, rtol=1e-5, atol=1e-5))
# %% id="hint-fuse"
from npucamp import hint

hint("z4-turn-fuse")
# %% id="fuse-table"
time_us = sum(run.time_us for run in four)
moved = (fused.nbytes_read + fused.nbytes_written) / 1e6
print(f"four kernels: {nbytes / 1e6:6.1f} MB {time_us:6.2f} us")
print(f"one kernel:   {moved:6.1f} MB {fused.time_us:6.2f} us, "
      f"{time_us / fused.time_us:.1f} x")
# %% [markdown] lang="en" id="ladder" tags=["seed:B022.3"]
# ## Four tools, one after another
#
# The article names four tools of tuning: **vectorise** (one instruction for many data),
# **split** (data over many units), **pipeline** (copy in, compute and copy out overlap),
# **asynchronous moves** (moving and computing at the same time). You have all four. The
# next cells put them on one after another and print the time for 1,000 elements.
# %% [markdown] lang="zh"
# ## 四件工具，逐一用上
#
# 文章列出了四种调优手段：**向量化**（一条指令处理更多数据）、**切分**（数据分给多个单元）、
# **流水**（搬入、计算、搬出重叠）、**异步搬移**（搬运和计算同时进行）。这四种你都会了。
# 下面逐一用上，看看每 1,000 个元素要多少时间。
# %% id="ladder-kernels"
@asc.jit
def scalar_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, share)
    asc.data_copy(t, gm(x, share), share)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for i in range(share):
        t.set_value(i, t.get_value(i) + 1.0)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gm(y, share), t, share)


@asc.jit
def vector_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, TILE)
    for i in range(share // TILE):
        asc.data_copy(t, gm(x, share)[i * TILE :], TILE)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(t, t, 1.0, TILE)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(gm(y, share)[i * TILE :], t, TILE)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="ladder-table"
steps = {
    "scalar, 1 core": (add_one(scalar_kernel, share=TILE), TILE),
    "+ vectorise": (add_one(vector_kernel), SHARE),
    "+ asynchronous": (runs[1], SHARE),
    "+ pipeline, num 2": (runs[2], SHARE),
    "+ split, 48 cores": (wide[2], 48 * SHARE),
}
for name, (run, n) in steps.items():
    print(f"{name:18} {run.time_us * 1e6 / n:9,.1f} ns for 1,000 elements")
# %% [markdown] lang="en" id="what-if"
# ## What if?
#
# Find a setting in which `num = 2` brings the most, and one in which it brings nothing.
# Each time, look first at the busiest pipe with one buffer.
# %% [markdown] lang="zh"
# ## 如果……会怎样
#
# 找一组设置，让 `num = 2` 的好处最大；再找一组，让它毫无用处。每次都先看一个缓冲区时最忙的是哪条流水线。
# %% id="what-if-cell"
from npusim.view import what_if


def tried(num, work, blocks, tiles):
    return add_one(work_kernel, num, work, blocks=blocks, share=tiles * TILE)


what_if(tried, num=[1, 2, 3], work=[1, 4, 8, 16], blocks=[1, 8, 48], tiles=[8, 2, 1])
# %% [markdown] lang="en" id="explain"
# ## Explain
#
# In two or three sentences of your own: what does the second buffer make possible, and
# what decides whether it brings anything? Answer in the field, or in quotes in place of `None`.
# %% [markdown] lang="zh"
# ## 解释
#
# 用自己的话写两三句：第二个缓冲区让什么成为可能？它有没有用，由什么决定？
# 写在输入框里，或者把 `None` 换成引号里的回答。
# %% id="explain-cell"
from npucamp import explain

my_answer = None
explain("z4-why", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * Queues hand over buffers, and with them the order: alloc, enque, deque, free.
# * You know the messages `ASC-QUE-22`, `ASC-UB-09` and `ASC-UB-10`.
# * You measured what a double buffer brings, and three cases in which it brings little
#   or nothing. You look at the busiest pipe first.
# * One fused kernel moved fewer bytes than four, and was faster for it.
#
# **Next:** the assignment `z4-queues` in the folder `exercises`: a kernel of your own
# whose copies and computing overlap. Then lesson Z5: lengths that divide by nothing.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 队列交接缓冲区，先后也随之交接：申请、入队、出队、归还。
# * 认识了报错 `ASC-QUE-22`、`ASC-UB-09` 和 `ASC-UB-10`。
# * 测出了双缓冲能带来多少，也见到了三种它帮助很小或毫无帮助的情况。先看最忙的流水线。
# * 一个融合的核函数比四个搬的字节少，所以更快。
#
# **下一步：** `exercises` 文件夹里的作业 `z4-queues`：自己写一个搬运和计算重叠的核函数。
# 然后是 Z5 课：除不尽的长度怎么办。
# %% id="progress"
from npucamp import progress

progress()
