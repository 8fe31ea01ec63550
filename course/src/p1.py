# ---
# jupyter:
#   npucamp:
#     id: p1
#     slug: profile-first
#     title: {en: "Profile, do not guess", zh: 看数据，不要猜}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A004.1", "seed:B001.1", "seed:B056.1"]
# # P1 · Profile, do not guess
#
# The zero-basis track made kernels right. This track makes them fast. It begins with a
# habit: look at the numbers first, open the source second.
#
# **Goal.** You get five kernels whose source is folded away. From a table alone you say
# what holds each of them up. Then you open them, apply one change to each, and take at
# least a quarter off the cycles of every one. At the end you put two rules of the seed
# articles to the test.
#
# **Time.** About 60 minutes. You need lesson Z4.
#
# **Where it comes from.** An article on CANN calls its section 3.4 "find the bottleneck
# with a profiler, not by guessing". Another one promises this track: operator
# performance, complex scenes, finding faults.
# %% [markdown] lang="zh"
# # P1 · 看数据，不要猜
#
# 零基础系列让核函数跑对，这个系列让它跑快。第一步是一个习惯：先看数字，再看源代码。
#
# **目标。** 给你五个核函数，源代码都折叠着。只凭一张表，说出每一个卡在哪里；再打开源代码，
# 每个只改一处，每个都至少省下四分之一的周期。最后检验两篇文章里的两条经验。
#
# **用时。** 约 60 分钟。需要先学过 Z4 课。
#
# **出处。** 一篇 CANN 文章的 3.4 节标题是“用性能分析工具定位瓶颈而非猜测”。
# 另一篇介绍的“码力全开”系列，内容正是算子性能优化、复杂场景适配和错误排查。
# %% [markdown] lang="en" id="frame" tags=["seed:B078.1", "seed:B079.1"]
# ## The patients
#
# "Do not tune the degree of parallelism or the cache size first; open the profiler
# first", says the article. So we do. The next two cells hold the parts that all five
# kernels use. You know them from Z4: a queue, copy in, copy out.
#
# The five kernels follow in folded cells (in JupyterLab: a row of dots). Run them, but
# leave them folded: you open them later.
# %% [markdown] lang="zh"
# ## 五个病人
#
# 文章说：“不要一上来就调并发数、调缓存大小，而是先开性能分析工具。”我们就照这样做。
# 接下来两个单元是五个核函数共用的部件，Z4 课都见过：队列、搬入、搬出。
#
# 再往后，五个核函数放在折叠着的单元里（JupyterLab 里显示为一排圆点）。只运行，先不要展开，后面再看。
# %% id="parts"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import asc
from npusim.view import what_if

VECIN, VECOUT = asc.TPosition.VECIN, asc.TPosition.VECOUT
F32 = np.float32


@asc.jit
def gm(address, start, count):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address + start, count)
    return tensor


@asc.jit
def queue(pipe, position, num, count):
    made = asc.TQue(position, 1)
    pipe.init_buffer(made, num, count * 4)
    return made
# %% id="parts-copy"
@asc.jit
def fetch(from_queue, source, count):
    tensor = from_queue.alloc_tensor(asc.float32)
    asc.data_copy(tensor, source, count)
    from_queue.enque(tensor)
    return from_queue.deque(asc.float32)


@asc.jit
def store(to_queue, target, tensor, count):
    to_queue.enque(tensor)
    full = to_queue.deque(asc.float32)
    asc.data_copy(target, full, count)
    to_queue.free_tensor(full)
# %% id="kernel-a" tags=["folded"]
@asc.jit
def kernel_a(
    x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
    share: asc.constexpr, tile: asc.constexpr, careful: asc.constexpr,
):
    first = asc.get_block_idx() * share
    x_gm, y_gm, z_gm = gm(x, first, share), gm(y, first, share), gm(z, first, share)
    pipe = asc.TPipe()
    x_q, y_q = queue(pipe, VECIN, 2, tile), queue(pipe, VECIN, 2, tile)
    z_q = queue(pipe, VECOUT, 2, tile)
    for i in range(share // tile):
        place = i * tile
        x_ub, y_ub = fetch(x_q, x_gm[place:], tile), fetch(y_q, y_gm[place:], tile)
        z_ub = z_q.alloc_tensor(asc.float32)
        asc.sub(z_ub, x_ub, y_ub, tile)
        asc.mul(z_ub, z_ub, z_ub, tile)
        asc.exp(z_ub, z_ub, tile)
        asc.div(z_ub, x_ub, z_ub, tile)
        asc.relu(z_ub, z_ub, tile)
        asc.sqrt(z_ub, z_ub, tile)
        x_q.free_tensor(x_ub)
        y_q.free_tensor(y_ub)
        store(z_q, z_gm[place:], z_ub, tile)
        if careful:
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="kernel-b" tags=["folded"]
@asc.jit
def kernel_b(
    x: asc.GlobalAddress, y: asc.GlobalAddress,
    share: asc.constexpr, tile: asc.constexpr, skip: asc.constexpr,
):
    first = asc.get_block_idx() * share + skip
    x_gm, y_gm = gm(x, first, share), gm(y, first, share)
    pipe = asc.TPipe()
    x_q, y_q = queue(pipe, VECIN, 2, tile), queue(pipe, VECOUT, 2, tile)
    for i in range(share // tile):
        x_ub = fetch(x_q, x_gm[i * tile :], tile)
        y_ub = y_q.alloc_tensor(asc.float32)
        asc.leaky_relu(y_ub, x_ub, 0.125, tile)
        x_q.free_tensor(x_ub)
        store(y_q, y_gm[i * tile :], y_ub, tile)
# %% id="kernel-c" tags=["folded"]
@asc.jit
def every_row(x_gm, w_gm, b_gm, y_gm, x_q, w_q, b_q, y_q, rows, cols):
    for row in range(rows):
        w_ub, b_ub = fetch(w_q, w_gm, cols), fetch(b_q, b_gm, cols)
        x_ub = fetch(x_q, x_gm[row * cols :], cols)
        y_ub = y_q.alloc_tensor(asc.float32)
        asc.mul(y_ub, x_ub, w_ub, cols)
        asc.add(y_ub, y_ub, b_ub, cols)
        x_q.free_tensor(x_ub)
        store(y_q, y_gm[row * cols :], y_ub, cols)
        w_q.free_tensor(w_ub)
        b_q.free_tensor(b_ub)
# %% id="kernel-c-frame" tags=["folded"]
def row_kernel(walk, num=2):
    @asc.jit
    def kernel_c(
        x: asc.GlobalAddress, w: asc.GlobalAddress, b: asc.GlobalAddress,
        y: asc.GlobalAddress, rows: asc.constexpr, cols: asc.constexpr,
    ):
        first, size = asc.get_block_idx() * rows * cols, rows * cols
        x_gm, y_gm = gm(x, first, size), gm(y, first, size)
        w_gm, b_gm = gm(w, 0, cols), gm(b, 0, cols)
        pipe = asc.TPipe()
        x_q, y_q = queue(pipe, VECIN, num, cols), queue(pipe, VECOUT, num, cols)
        w_q, b_q = queue(pipe, VECIN, num, cols), queue(pipe, VECIN, num, cols)
        walk(x_gm, w_gm, b_gm, y_gm, x_q, w_q, b_q, y_q, rows, cols)

    return kernel_c
# %% id="kernel-d" tags=["folded"]
@asc.jit
def kernel_d(
    x: asc.GlobalAddress, y: asc.GlobalAddress,
    share: asc.constexpr, tile: asc.constexpr,
):
    first = asc.get_block_idx() * share
    x_gm, y_gm = gm(x, first, share), gm(y, first, share)
    pipe = asc.TPipe()
    x_q, y_q = queue(pipe, VECIN, 2, tile), queue(pipe, VECOUT, 2, tile)
    for i in range(share // tile):
        x_ub = fetch(x_q, x_gm[i * tile :], tile)
        y_ub = y_q.alloc_tensor(asc.float32)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        for j in range(tile):
            value = x_ub.get_value(j)
            y_ub.set_value(j, max(value, 0.125 * value))
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        x_q.free_tensor(x_ub)
        store(y_q, y_gm[i * tile :], y_ub, tile)
# %% id="kernel-e" tags=["folded"]
SERIES = (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720)


@asc.jit
def terms(y, x, power, term, count):
    asc.duplicate(y, 1.0, count)
    asc.duplicate(power, 1.0, count)
    for k in asc.static_range(6):
        asc.mul(power, power, x, count)
        asc.muls(term, power, SERIES[k + 1], count)
        asc.add(y, y, term, count)
# %% id="kernel-e-frame" tags=["folded"]
def polynomial_kernel(evaluate):
    @asc.jit
    def kernel_e(
        x: asc.GlobalAddress, y: asc.GlobalAddress,
        share: asc.constexpr, tile: asc.constexpr,
    ):
        first = asc.get_block_idx() * share
        x_gm, y_gm = gm(x, first, share), gm(y, first, share)
        pipe = asc.TPipe()
        x_q, y_q = queue(pipe, VECIN, 2, tile), queue(pipe, VECOUT, 2, tile)
        room = asc.TBuf(asc.TPosition.VECCALC)
        pipe.init_buffer(room, 2 * tile * 4)
        room_ub = room.get(asc.float32)
        for i in range(share // tile):
            x_ub = fetch(x_q, x_gm[i * tile :], tile)
            y_ub = y_q.alloc_tensor(asc.float32)
            evaluate(y_ub, x_ub, room_ub, room_ub[tile:], tile)
            x_q.free_tensor(x_ub)
            store(y_q, y_gm[i * tile :], y_ub, tile)

    return kernel_e
# %% id="drivers" tags=["folded"]
def run_of(kernel, blocks, inputs, options, expected):
    out = np.zeros(expected.shape, F32)
    run = kernel[blocks](*inputs, out, *options)
    assert np.allclose(out, expected, rtol=1e-4)
    return run


long = np.linspace(-1, 1, 48 * 32768, dtype=F32)
small, middle = long[:6144], long[: 48 * 1024]
grid = long[: 48 * 16 * 2048].reshape(-1, 2048).repeat(2, axis=1)
w, b = np.linspace(0, 2, 4096, dtype=F32), np.linspace(1, 2, 4096, dtype=F32)
leaky = np.maximum(long, long / 8)
slow_leaky = leaky[: 48 * 1024]
ORDERS = {
    "a": (kernel_a, 48, (long, long[::-1].copy()), (32768, 4096, True),
          np.sqrt(np.maximum(long, 0) / np.exp((long - long[::-1]) ** 2))),
    "b": (kernel_b, 48, (small,), (128, 128, 0), leaky[:6144]),
    "c": (row_kernel(every_row), 48, (grid, w, b), (16, 4096), grid * w + b),
    "d": (kernel_d, 48, (middle,), (1024, 512), slow_leaky),
    "e": (polynomial_kernel(terms), 48, (long,), (32768, 4096),
          sum(c * long**k for k, c in enumerate(SERIES)).astype(F32)),
}
# %% [markdown] lang="en" id="table" tags=["seed:B057.1", "seed:B057.2", "seed:A067.1", "seed:A068.1", "seed:A071.1"]
# ## The table
#
# A table of faults in one of the articles has the row "Low Compute Utilization – use
# cann_profiler". Here is what a profiler gives: how long the launch took, how much
# of it passed before a core began, and for how much of a core's time each pipe was busy.
# Nothing here needs the source.
# %% [markdown] lang="zh"
# ## 这张表
#
# 一篇文章的常见问题表里有一行：“Low Compute Utilization：使用 cann_profiler 分析性能瓶颈”。
# 性能分析工具给出的就是下面这些：启动一共多久，核开始干活之前占了多少，
# 各条流水线在核的时间里有多大比例在忙。这些都不需要源代码。
# %% id="table-cell"
five = {name: run_of(*order) for name, order in ORDERS.items()}


def row(run):
    busy = {p.pipe: p.ratio for p in run.profile.pipes}
    launch = run.counters["launch_cycles"] / run.cycles
    three = [busy.get(pipe, 0) for pipe in ("MTE2", "V", "MTE3")]
    return launch, busy.get("S", 0), *three, sum(three)


print("      cycles  launch  |    S  MTE2     V  MTE3 | MTE2+V+MTE3")
for name, run in five.items():
    launch, *shares, together = row(run)
    print(f"{name}: {run.cycles:9,}  {launch:5.0%}  |", end="")
    print(*(f"{share:5.0%}" for share in shares), f"| {together:5.0%}")
# %% [markdown] lang="en" id="reading" tags=["seed:B057.3", "seed:B057.4", "seed:B057.5", "seed:B079.2"]
# ## How to read it
#
# The article looks at one number first, the utilisation of the compute unit: if it is
# high, the computation itself can be improved; if low, moves or scheduling hold it up.
# With a row of five numbers you can say more. Ask from the top, stop at the first yes:
#
# | question | label |
# |---|---|
# | Does the launch take half of the cycles or more? | `"START"` |
# | Is S the busiest, above 60 %? | `"S"` |
# | Is V the busiest, above 60 %? | `"V"` |
# | Is MTE2 (or MTE3) the busiest, above 60 %? | `"MTE2"` (`"MTE3"`) |
# | Is nobody above 60 %? Everybody is idle in turn. | `"SYNC"` |
#
# The last row is what the article calls "idle running": compute unit and bandwidth both
# low, so the trouble lies in waiting. The 60 % is a limit chosen by this simulator.
# %% [markdown] lang="zh"
# ## 怎么读
#
# 文章先看一个指标：计算单元利用率。高，说明计算本身还能优化；不高，多半是搬运或调度在拖后腿。
# 一行有五个数，就能说得更细。从上往下问，第一个“是”就是答案：
#
# | 问题 | 标签 |
# |---|---|
# | 启动占了一半以上的周期吗？ | `"START"` |
# | 最忙的是 S，并且超过 60%？ | `"S"` |
# | 最忙的是 V，并且超过 60%？ | `"V"` |
# | 最忙的是 MTE2（或 MTE3），并且超过 60%？ | `"MTE2"`（`"MTE3"`） |
# | 谁都不到 60%？大家轮流闲着。 | `"SYNC"` |
#
# 最后一行就是文章说的“空转”：计算单元利用率和内存带宽都偏低，问题出在等待上。60% 是本模拟器选定的界线。
# %% [markdown] lang="en" id="turn-label"
# ## Your turn: five labels
#
# Write a label for each kernel. The check counts how many are right.
# %% [markdown] lang="zh"
# ## 轮到你了：五个标签
#
# 给每个核函数写一个标签。检查会数出对了几个。
# %% id="turn-label-cell" tags=["your-turn"]
labels = {"a": None, "b": None, "c": None, "d": None, "e": None}

right = sum(labels[name] == run.bound for name, run in five.items())
if None not in labels.values():
    print(right, "of 5 right")
check("p1-turn-label", right == 5)
# %% id="turn-label-hint"
hint("p1-turn-label")
# %% [markdown] lang="en" id="pictures" tags=["seed:B033.3"]
# ## The same in pictures
#
# `run.roofline()` puts a run below a roof: on the left the roof is the bandwidth of GM,
# on the right the speed of the vector unit. All five lie far on the left. **Every one
# of them has few operations for each byte**, so none *has to be* bound by V. One of
# them is all the same: that is the one whose computation is done clumsily.
#
# Then two timelines, `a` above and `c` below. In `a` the bars of the three pipes stand
# one after the other; in `c` the row of MTE2 has no gap.
# %% [markdown] lang="zh"
# ## 换成图来看
#
# `run.roofline()` 把运行画在屋顶线下面：左边的屋顶是 GM 带宽，右边的屋顶是向量单元的速度。
# 五个点都在左边。**每个字节上的运算都很少**，所以没有哪一个*必须*受 V 限制。
# 偏偏有一个卡在 V 上：它的计算写得笨。
#
# 接着是两条时间线，上面是 `a`，下面是 `c`。`a` 的三条流水线一个接一个地干；`c` 的 MTE2 那一行没有空隙。
# %% id="pictures-roofline"
five["e"].roofline(*(five[name] for name in "abcd"))
# %% id="idle-cell" tags=["seed:B079.2"]
five["a"].beside(five["c"])
# %% id="quiz-longest-cell"
quiz("p1-longest")
# %% [markdown] lang="en" id="start"
# ## Open b: START
#
# The launch takes most of the time, before a core has done anything. Unfold `kernel_b`
# and look at its order: 6,144 numbers on 48 blocks, 128 for each. Every core costs a
# start.
#
# **Predict.** Which of 48, 16, 4, 1 blocks is fastest?
# %% [markdown] lang="zh"
# ## 打开 b：START
#
# 核还没干活，启动就用掉了大部分时间。展开 `kernel_b`，再看它的启动方式：6,144 个数分给 48 个 block，
# 每个 128 个。每多一个核，就多一次启动开销。
#
# **预测。** 48、16、4、1 个 block，哪个最快？
# %% id="start-predict"
starts = {}
for blocks in (48, 16, 4, 1):
    cut = (small.size // blocks, small.size // blocks, 0)
    starts[blocks] = run_of(kernel_b, blocks, (small,), cut, leaky[: small.size])
my_blocks = None
predict("p1-blocks", my_blocks, actual=min(starts, key=lambda n: starts[n].cycles))
# %% id="start-table"
def won(before, after):
    return f"{after.cycles:7,} cycles, {1 - after.cycles / before.cycles:4.0%} less"


for blocks, run in starts.items():
    print(f"{blocks:2} blocks: {won(five['b'], run)}")
# %% [markdown] lang="en" id="scalar"
# ## Open d: S
#
# Unfold `kernel_d`: a loop over elements, as in a program for a CPU. `kernel_b` does
# the same operation with one vector instruction. Run that on the array of `d`.
#
# **Predict.** How many times as fast? (Right within a fifth.)
# %% [markdown] lang="zh"
# ## 打开 d：S
#
# 展开 `kernel_d`：逐个元素的循环，和 CPU 程序一样。`kernel_b` 用一条向量指令做同样的运算。
# 拿它来处理 `d` 的数组。
#
# **预测。** 快几倍？（相差五分之一以内算对。）
# %% id="scalar-predict"
fixed = {"b": starts[4]}
fixed["d"] = run_of(kernel_b, 48, (middle,), (1024, 512, 0), slow_leaky)
times = five["d"].cycles / fixed["d"].cycles
my_times = None
predict("p1-scalar", my_times, actual=round(times, 1), within=0.2 * times)
# %% [markdown] lang="en" id="break"
# ## Break it: "those barriers only cost time"
#
# `kernel_d` has two barriers. The temptation is to strike them out first. Here they
# carry the order between the scalar unit and the copies.
# %% [markdown] lang="zh"
# ## 故意弄坏：“那些 barrier 只会浪费时间”
#
# `kernel_d` 里有两个 barrier，很容易想到先把它们删掉。可是在这里，标量单元和搬运之间的先后全靠它们。
# %% id="break-run"
@asc.jit
def hasty_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, tile: asc.constexpr):
    x_gm, y_gm = gm(x, 0, tile), gm(y, 0, tile)
    pipe = asc.TPipe()
    x_q, y_q = queue(pipe, VECIN, 2, tile), queue(pipe, VECOUT, 2, tile)
    x_ub, y_ub = fetch(x_q, x_gm, tile), y_q.alloc_tensor(asc.float32)
    for j in range(tile):
        value = x_ub.get_value(j)
        y_ub.set_value(j, max(value, 0.125 * value))
    x_q.free_tensor(x_ub)
    store(y_q, y_gm, y_ub, tile)


with expect("ASC-RACE-18"):
    hasty_kernel[1](middle, np.zeros_like(middle), 512)
# %% [markdown] lang="en" id="sync"
# ## Open a: SYNC
#
# Unfold `kernel_a`: two buffers in each queue, and at the end of every tile a barrier
# of all pipes, "to be on the safe side". The queues already carry the order, so this
# barrier adds nothing but waiting. `careful` switches it off.
# %% [markdown] lang="zh"
# ## 打开 a：SYNC
#
# 展开 `kernel_a`：每个队列都有两个缓冲区，可是每个 tile 末尾都放了一个等待所有流水线的 barrier，
# “保险起见”。先后本来就由队列保证，这个 barrier 只会带来等待。`careful` 可以把它关掉。
# %% id="sync-run"
kernel, blocks, inputs, (share, tile, _), right_answer = ORDERS["a"]
fixed["a"] = run_of(kernel, blocks, inputs, (share, tile, False), right_answer)
print("a:", won(five["a"], fixed["a"]))
five["a"].beside(fixed["a"])
# %% [markdown] lang="en" id="moves" tags=["seed:B053.1"]
# ## Open c: MTE2
#
# MTE2 is busy almost all the time, so overlap has nothing left to hide. Is all that it
# moves needed? The counter `reads_per_input_byte` says how often a byte of the inputs
# is read on average; 1 would be enough.
# %% [markdown] lang="zh"
# ## 打开 c：MTE2
#
# MTE2 几乎一直在忙，重叠已经没有可藏的了。可是它搬的都有必要吗？
# 计数器 `reads_per_input_byte` 说输入的每个字节平均读了几次；读一次就够了。
# %% id="moves-count"
print(f"reads of an input byte: {five['c'].counters['reads_per_input_byte']:.2f}")
print(f"read: {five['c'].nbytes_read / 2**20:.1f} MiB, "
      f"inputs: {(grid.nbytes + w.nbytes + b.nbytes) / 2**20:.1f} MiB")
# %% [markdown] lang="en" id="turn-moves"
# ## Your turn: read w and b once
#
# The kernel computes `x · w + b` on rows; `w` and `b` are the same for every row. Move
# lines so that a core reads them once. They are freed once, too. Done when the result
# is right and a quarter of the cycles is gone.
# %% [markdown] lang="zh"
# ## 轮到你了：w 和 b 只读一次
#
# 这个核函数逐行计算 `x · w + b`，每一行用的 `w` 和 `b` 都一样。挪动几行，让一个核只读一次，归还也只归还一次。
# 结果正确，并且省下四分之一的周期，就完成了。
# %% id="turn-moves-cell" tags=["your-turn"]
@asc.jit
def your_rows(x_gm, w_gm, b_gm, y_gm, x_q, w_q, b_q, y_q, rows, cols):
    for row in range(rows):
        w_ub, b_ub = fetch(w_q, w_gm, cols), fetch(b_q, b_gm, cols)
        x_ub = fetch(x_q, x_gm[row * cols :], cols)
        y_ub = y_q.alloc_tensor(asc.float32)
        asc.mul(y_ub, x_ub, w_ub, cols)
        asc.add(y_ub, y_ub, b_ub, cols)
        x_q.free_tensor(x_ub)
        store(y_q, y_gm[row * cols :], y_ub, cols)
        w_q.free_tensor(w_ub)
        b_q.free_tensor(b_ub)
# %% id="turn-moves-run"
fixed["c"] = run_of(row_kernel(your_rows), *ORDERS["c"][1:])
print("c:", won(five["c"], fixed["c"]))
check("p1-turn-moves", fixed["c"].cycles <= 0.75 * five["c"].cycles)
# %% id="turn-moves-hint"
hint("p1-turn-moves")
# %% [markdown] lang="en" id="vector" tags=["seed:B022.1"]
# ## Open e: V
#
# Unfold the two cells of `kernel_e`: a polynomial of degree 6, term by term, with three
# instructions for each term. Horner's form needs two:
# y = c0 + x·(c1 + x·(c2 + …)). The result is the same. "An operator is
# not done when it is implemented, but when it is tuned."
# %% [markdown] lang="zh"
# ## 打开 e：V
#
# 展开 `kernel_e` 的两个单元：一个 6 次多项式，逐项计算，每项三条指令。秦九韶算法（Horner）每项只要两条：
# y = c0 + x·(c1 + x·(c2 + …))，结果一样。文章说：“算子不是‘实现出来’就算完，
# 而是‘调优完’才算完。”
# %% id="vector-run"
@asc.jit
def horner(y, x, power, term, count):
    asc.muls(y, x, SERIES[6], count)
    for k in asc.static_range(5):
        asc.adds(y, y, SERIES[5 - k], count)
        asc.mul(y, y, x, count)
    asc.adds(y, y, SERIES[0], count)


fixed["e"] = run_of(polynomial_kernel(horner), *ORDERS["e"][1:])
for run in (five["e"], fixed["e"]):
    tiles = 48 * 32768 // 4096
    count = run.counters["vector_instructions"] // tiles
    print(count, "instructions a tile,", run.bound)
print("e:", won(five["e"], fixed["e"]))
# %% [markdown] lang="en" id="ledger" tags=["seed:B001.2"]
# ## The ledger
#
# Same chip, same results, one change each. "With the same model on similar hardware the
# efficiency can differ several times", and not because the chip is weak.
# %% [markdown] lang="zh"
# ## 总账
#
# 同一块芯片，同样的结果，每个只改一处。“同样的模型，在同类算力硬件上跑，效率能差出好几倍”，原因不在芯片。
# %% id="ledger-cell"
for name in sorted(five):
    before, after = five[name], fixed[name]
    print(f"{name} {before.bound:5} {before.cycles:7,} → {won(before, after)}, "
          f"then {after.bound}")
# %% [markdown] lang="en" id="order" tags=["seed:B010.3", "seed:B022.2", "seed:B058.1"]
# ## In which order?
#
# Most kernels have several faults at once. The article gives an order: first remove
# needless moves, then fuse, then overlap, and the micro-instructions last. Here is a
# test: y = relu(x·w + b) written badly in all four respects.
#
# * **moves**: `w` and `b` are read for every row;
# * **fusion**: two kernels, the first writes x·w to GM, the second reads it;
# * **overlap**: one buffer in every queue;
# * **instructions**: `add` and `relu`, where one `add_relu` does both.
#
# **Predict.** Start at the wrong end, with instructions and overlap. What part of the
# cycles do the two save together? A number between 0 and 1, right within 0.05.
# %% [markdown] lang="zh"
# ## 按什么顺序？
#
# 多数核函数的毛病不止一个。文章给出一个顺序：先消除不必要的搬移，再融合，然后调整重叠，最后才是微指令。
# 来试一试：y = relu(x·w + b)，四个方面都写得不好。
#
# * **搬移**（moves）：每一行都重读 `w` 和 `b`；
# * **融合**（fusion）：分成两个核函数，第一个把 x·w 写回 GM，第二个再读出来；
# * **重叠**（overlap）：每个队列只有一个缓冲区；
# * **指令**（instructions）：`add` 加 `relu`，其实一条 `add_relu` 就够。
#
# **预测。** 倒过来，先做排在最后的两样：指令和重叠。两样加起来能省多大比例的周期？
# 填 0 到 1 之间的数，相差 0.05 以内算对。
# %% id="order-kernel"
def walk_with(mul, add, again, merged):
    @asc.jit
    def walk(x_gm, w_gm, b_gm, y_gm, x_q, w_q, b_q, y_q, rows, cols):
        w_ub, b_ub = fetch(w_q, w_gm, cols), fetch(b_q, b_gm, cols)
        for row in range(rows):
            x_ub = fetch(x_q, x_gm[row * cols :], cols)
            if again and row:
                w_q.free_tensor(w_ub)
                b_q.free_tensor(b_ub)
                w_ub, b_ub = fetch(w_q, w_gm, cols), fetch(b_q, b_gm, cols)
            y_ub = y_q.alloc_tensor(asc.float32)
            compute(y_ub, x_ub, w_ub, b_ub, mul, add, merged, cols)
            x_q.free_tensor(x_ub)
            store(y_q, y_gm[row * cols :], y_ub, cols)
        w_q.free_tensor(w_ub)
        b_q.free_tensor(b_ub)

    return walk
# %% id="order-compute"
@asc.jit
def compute(y_ub, x_ub, w_ub, b_ub, mul, add, merged, cols):
    left = x_ub
    if mul:
        asc.mul(y_ub, x_ub, w_ub, cols)
        left = y_ub
    if add and merged:
        asc.add_relu(y_ub, left, b_ub, cols)
    elif add:
        asc.add(y_ub, left, b_ub, cols)
        asc.relu(y_ub, y_ub, cols)
# %% id="order-cycles"
def cycles_with(*measures):
    again, num = "moves" not in measures, 1 + ("overlap" in measures)
    parts = [(True, True)] if "fusion" in measures else [(True, False), (False, True)]
    data, cycles = grid, 0
    for mul, add in parts:
        walk = walk_with(mul, add, again, "instructions" in measures)
        out = np.zeros_like(grid)
        cycles += row_kernel(walk, num)[48](data, w, b, out, 16, 4096).cycles
        data = out
    assert np.allclose(data, np.maximum(grid * w + b, 0), rtol=1e-5)
    return cycles
# %% id="order-predict-cell"
worst = cycles_with()
late = 1 - cycles_with("instructions", "overlap") / worst
my_share = None
predict("p1-late", my_share, actual=round(late, 2), within=0.05)
# %% id="order-table" tags=["seed:B058.1", "seed:B058.2"]
ORDER = ("moves", "fusion", "overlap", "instructions")
for order in (ORDER, ORDER[::-1]):
    left = [cycles_with(*order[:number]) for number in range(5)]
    print(f"start        {worst:7,} cycles")
    for measure, before, after in zip(order, left, left[1:]):
        print(f"{measure:13}{after:7,} cycles, won {before - after:6,}")
# %% [markdown] lang="en" id="order-read" tags=["seed:B058.2"]
# Both orders end at the same number. But who stops after two steps has more than half
# of the way behind him with the first order, and little with the second: that is the
# "low gain from details" the article warns of. Here every kernel was bound by moves.
# For `kernel_e` the last measure is the first. **The profile decides, the order is only
# a good default.**
# %% [markdown] lang="zh"
# 两种顺序的终点相同。可是如果做完两步就停下来，按第一种顺序已经省下一多半，按第二种才省了一点点：
# 这就是文章说的“在低收益的细节上浪费大量时间”。不过这里的瓶颈都在搬运。换成 `kernel_e`，排在最后的那一样反而该先做。
# **由数据决定；顺序只是一个不错的默认值。**
# %% [markdown] lang="en" id="align" tags=["seed:B080.1", "seed:B080.2", "seed:B079.3", "seed:B091.1"]
# ## Knobs that do nothing
#
# The article has seen many people tune parameters for a long time, until they found
# that the input was read in scattered, unaligned pieces; as long as that stays, all
# else is in vain. Try it: `piece` is the length of one copy in elements, `skip` moves
# the start off a 512 B line. Find which knob matters first. The quick table of the
# article has the same three suspects for a low utilisation: moves, waiting, alignment.
# %% [markdown] lang="zh"
# ## 调了也没用的旋钮
#
# “很多同学在参数上调了很久，结果发现问题是算子的输入端存在大量零散的地址未对齐访存。地址对齐不改，
# 其他参数再怎么调都白搭。”自己试试：`piece` 是一次搬运的长度（元素个数），`skip` 让起点偏离 512 B 的行。
# 找出哪个旋钮最要紧。文章的速查表对“计算单元利用率低”列的也是这三样：搬运开销、调度等待、地址对齐。
# %% id="align-cell"
def scattered(piece, skip, blocks):
    share, x = 48 * 4096 // blocks, np.zeros(48 * 4096 + 8, F32)
    return kernel_b[blocks](x, np.zeros_like(x), share, piece, skip)
# %% id="align-what-if"
what_if(scattered, piece=[64, 256, 1024, 2048], skip=[8, 0], blocks=[48, 24])
# %% [markdown] lang="en" id="seventy" tags=["seed:A107.1", "seed:A104.1"]
# ## A rule on trial: "below 70 %"
#
# The other article ends with tips for debugging. One of them: look at
# `PipeUtilization.csv`; optimise where the utilisation is below 70 %. The file name is
# real. Read the rule as "the busiest pipe of a kernel": below 70 % there is something
# to win, from 70 % on it is good. We have ten runs to try it on.
#
# **Predict.** How many of the five *slow* kernels does the rule let pass, though a
# quarter of their cycles can be won?
# %% [markdown] lang="zh"
# ## 检验一条经验：“低于 70%”
#
# 另一篇文章末尾有几条调试经验，其中一条：重点关注 `PipeUtilization.csv`，利用率低于 70% 的要优化。
# 文件名是真的。把这条经验读成“最忙的流水线”：低于 70% 还有得赢，到了 70% 就算好。手上有十次运行可以拿来试。
#
# **预测。** 五个*慢*的核函数里，有几个能按这条经验过关，其实还能再省四分之一以上？
# %% id="seventy-predict"
def busiest(run):
    return max(pipe.ratio for pipe in run.profile.pipes)


my_passed = None
predict("p1-seventy", my_passed, actual=sum(busiest(r) >= 0.7 for r in five.values()))
# %% id="seventy-table"
print("   busiest pipe     share of the roofline")
for name in sorted(five):
    for when, run in (("slow ", five[name]), ("fixed", fixed[name])):
        mark = "passes" if busiest(run) >= 0.7 else "      "
        share = run.profile.roofline_share
        print(f"{name} {when} {busiest(run):4.0%} {mark}   {share:4.0%}")
# %% [markdown] lang="en" id="seventy-read" tags=["seed:A017.1", "seed:A073.1", "seed:A073.2"]
# The verdict: a pipe that is busy says nothing about whether its work is *needed*. `c`
# passes with a pipe that reads the same bytes again and again, `d` and `e` with work
# that can be done with fewer instructions. The fixed `b` fails, though its time is
# mostly launch that no pipe can shorten. What the number does tell: **from about 90 %
# on, more overlap brings nothing; look for less work for that pipe.** And the floor
# tells how much is left.
#
# All this is about one of three planes of a running system, the one that computes. The
# LayerNorm of the same article was found in this way to be bound by memory access; the
# three measures that followed are the subject of P4.
# %% [markdown] lang="zh"
# 结论：一条流水线忙，并不说明它干的活*有必要*。`c` 过了关，可它的流水线在反复读同样的字节；
# `d` 和 `e` 也过了关，可它们的活能用更少的指令做完。修好的 `b` 反而不及格，其实它的时间大多是启动，哪条流水线也缩不短。
# 这个数真正能说的是：**到了 90% 左右，再重叠也没有用，要想办法让这条流水线少干活。** 还剩多少余地，要看下限。
#
# 以上只涉及运行系统三个平面里的计算平面。同一篇文章里的 LayerNorm，就是这样分析出瓶颈在内存访问的；
# 随后的三重优化留到 P4 课。
# %% [markdown] lang="en" id="explain"
# ## Say it in your own words
#
# A colleague says: "MTE2 is 96 % busy, so my kernel is as fast as it can be." What do
# you ask, and what do you look at? Two or three sentences in place of `None`.
# %% [markdown] lang="zh"
# ## 用自己的话说一说
#
# 同事说：“MTE2 有 96% 的时间在忙，我的核函数已经不能更快了。”你会问什么，看什么？把 `None` 换成两三句话。
# %% id="explain-cell"
my_answer = None
explain("p1-busy", my_answer)
# %% [markdown] lang="en" id="next" tags=["seed:B098.1"]
# ## What you reached, and what comes next
#
# * Five labels from a table: START, S, V, MTE2, SYNC; the source came second.
# * One change each, and at least a quarter of the cycles gone every time.
# * moves → fusion → overlap → instructions is a good default; the profile decides.
# * A busy pipe is not yet a good kernel: "below 70 %" let slow ones pass.
#
# The article's advice on learning has this order as well: run a model, learn the
# profiler, write a simple operator, and many cards last.
#
# **Next:** the assignment `p1-profile` in the folder `exercises`. Then P2 takes the
# largest of the suspects apart: memory.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 只凭一张表贴出五个标签：START、S、V、MTE2、SYNC；源代码放在后面看。
# * 每个只改一处，每次都省下四分之一以上的周期。
# * 搬移 → 融合 → 重叠 → 指令，是个不错的默认顺序；最终由数据决定。
# * 流水线忙，不等于核函数好：“低于 70%”这条经验放过了慢的核函数。
#
# 文章给出的学习顺序也是这样：先跑通一个模型，把性能分析工具用熟，再写一个简单算子，最后才是多卡。
#
# **下一步：** `exercises` 文件夹里的作业 `p1-profile`。之后 P2 课来拆解嫌疑最大的一个：内存。
# %% id="progress-cell"
progress()
