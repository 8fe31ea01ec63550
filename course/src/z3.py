# ---
# jupyter:
#   npucamp:
#     id: z3
#     slug: pipes-and-flags
#     title: {en: Three pipes and their flags, zh: 三条流水线和它们的标志}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1"]
# # Z3 · Three pipes and their flags
#
# A core has several pipes. Each works on its own, at the same time as the others. So
# order between them must be *asked for*.
#
# **Goal.** You order three pipes by hand with flags, see five orders go wrong, and find
# out which arrows between pipes cost time and which save time.
#
# **Time.** About 60 minutes. You need lesson Z1.
#
# **Where it comes from.** The introductory track of the 2025 CANN training camp promises
# to teach beginners the flow and the basic syntax of an operator. Order between pipes is
# the part of that syntax which this lesson takes.
# %% [markdown] lang="zh"
# # Z3 · 三条流水线和它们的标志
#
# 一个核里有好几条流水线，各干各的，同时进行。所以谁先谁后，必须由你*写出来*。
#
# **目标。** 亲手用标志给三条流水线排好先后；看五种顺序怎么出错；
# 弄清楚哪些“先后”要花时间，哪些“先后”能省时间。
#
# **用时。** 约 60 分钟。需要先学过 Z1 课。
#
# **出处。** 2025 年 CANN 训练营的 0 基础入门系列，要教新手算子的开发流程和基础语法。
# 本课讲其中的一部分：流水线之间的同步。
# %% [markdown] lang="en" id="start"
# ## The kernel of Z1, one tile after another
#
# One core adds 1 to 65,536 numbers of type float32 (4 B each). A tile has 8,192
# elements, so 32 KiB, and there are 8 tiles. A small helper keeps the kernels of this
# lesson short: `gm` names a block's own stretch of GM. A helper is a `@asc.jit`
# function that a kernel calls.
# %% [markdown] lang="zh"
# ## Z1 的核函数，一块接一块地算
#
# 用一个核给 65,536 个 float32（每个 4 B）加 1。一个小块（tile）有 8,192 个元素，即 32 KiB，共 8 块。
# 为了让本课的核函数短一些，先写一个辅助函数 `gm`：给本 block 在 GM 里的那一段起个名字。
# 辅助函数也用 `@asc.jit` 标记，由核函数调用。
# %% id="data"
import numpy as np

from npusim import asc

SHARE, TILE = 65536, 8192  # elements / 元素个数
x = np.arange(SHARE, dtype=np.float32)
expected = x + 1
print("tiles:", SHARE // TILE, " bytes of a tile:", TILE * 4)


@asc.jit
def gm(address, share):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address + asc.get_block_idx() * share, share)
    return tensor

# %% [markdown] lang="en" id="serial"
# In Z1, `pipe_barrier(PIPE_ALL)` stood after each step: wait until *every* pipe has done
# what came before.
# %% [markdown] lang="zh"
# 在 Z1 课里，每一步后面都有 `pipe_barrier(PIPE_ALL)`：等*所有*流水线把前面的事做完。
# %% id="serial-kernel"
@asc.jit
def serial_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    for i in range(share // TILE):
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)  # MTE2
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(y_ub, x_ub, 1.0, TILE)  # V
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(y_gm[i * TILE :], y_ub, TILE)  # MTE3
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% [markdown] lang="en" id="predict-idle" tags=["seed:B025.2"]
# **Predict.** Three pipes take part: MTE2 copies in, V computes, MTE3 copies out. At a
# moment chosen at random, how many of the three are at work, on average? A number
# between 0 and 3. Replace `None` and run the cell.
#
# The article on CANN that Z1 began with says: where nothing is asynchronous, an operator
# waits for the copy in, then for the computing, then for the copy out, and the hardware
# spends most of its time waiting. Here you check it.
# %% [markdown] lang="zh"
# **预测。** 参与的流水线有三条：MTE2 搬入，V 计算，MTE3 搬出。随便挑一个时刻，平均有几条在干活？
# 写一个 0 到 3 之间的数，换掉 `None`，再运行。
#
# Z1 课引用的那篇 CANN 文章说：如果不做异步，一次算子执行要等搬完、算完、再写回，
# 硬件大部分时间处于等待状态。这里就来核实这句话。
# %% id="predict-idle-cell"
from npucamp import predict


def at_work(run):
    busy = sum(run.pipe_cycles[pipe] for pipe in ("MTE2", "V", "MTE3"))
    return busy / run.core_cycles[0]  # pipes / 条


y = np.zeros_like(x)
serial = serial_kernel[1](x, y, SHARE)
my_pipes = None
predict("z3-at-work", my_pipes, actual=at_work(serial), within=0.2)
# %% id="serial-run" tags=["seed:B025.2"]
print("right:", np.array_equal(y, expected))
print(f"pipes at work: {at_work(serial):.2f} of 3")
print(f"waiting: {1 - at_work(serial) / 3:.0%} of the time of three pipes")
serial.timeline()
# %% [markdown] lang="en" id="serial-read"
# The picture shows stairs: MTE2, V, MTE3, and again. When one pipe works, the other two
# rest. The sentence of the article holds for this kernel.
#
# There is a fourth row, **S**, the scalar unit. It reads your program line by line and
# **issues** each instruction to its pipe: it puts it into that pipe's queue of work and
# goes on to the next line. The pipe executes it when its turn comes. So the order of the
# lines is the order of *issue*. It is not the order of *execution*.
# %% [markdown] lang="zh"
# 图像一级级台阶：MTE2、V、MTE3，再从头来。一条在干活，另外两条就歇着。
# 对这个核函数来说，文章里的那句话成立。
#
# 图里还有第四行 **S**，也就是标量单元。它逐行读你的程序，把每条指令**下发**（issue）给对应的流水线：
# 放进那条流水线的任务队列，然后马上读下一行。轮到了，流水线才执行。
# 所以，代码行的先后只是*下发*的先后，并不是*执行*的先后。
# %% [markdown] lang="en" id="naked"
# ## Break 1: take all barriers away
#
# `trial` launches a kernel in the mode `lenient`: the simulator does what hardware would
# do, does not stop at a race, and lists the faults it found.
# %% [markdown] lang="zh"
# ## 故意弄坏（一）：去掉所有 barrier
#
# `trial` 用 `lenient` 模式启动核函数：模拟器照硬件的样子执行，遇到竞争也不停下，最后列出发现的错误。
# %% id="naked-run"
@asc.jit
def naked_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    for i in range(share // TILE):
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)
        asc.adds(y_ub, x_ub, 1.0, TILE)
        asc.data_copy(y_gm[i * TILE :], y_ub, TILE)


def trial(kernel, share=SHARE):
    y = np.zeros(share, np.float32)
    run = kernel.launch(x, y, share, blocks=1, mode="lenient")
    right = np.array_equal(y, expected[:share])
    faults = sorted({d.code for d in run.found if d.severity == "E"})
    print(f"right: {right}  faults: {faults}  cycles: {run.cycles:,}")
    return run


naked = trial(naked_kernel)
naked.timeline(tile=0)
# %% [markdown] lang="en" id="naked-read"
# Fast, and wrong. All three pipes start within a few cycles of each other: V adds 1 to
# bytes that have not arrived, MTE3 copies out a result that does not exist yet. Each
# pipe did its own work in the order of the program. Nobody told them about each other.
#
# Three codes, three kinds of **hazard** (an order that is not guaranteed):
#
# | code | hazard | between |
# |---|---|---|
# | `ASC-RACE-15` | RAW, read after write | the copy in and the reader of its bytes |
# | `ASC-RACE-16` | RAW, read after write | the result and the copy out |
# | `ASC-RACE-17` | WAR, write after read | the last use of a buffer and its next filling |
# %% [markdown] lang="zh"
# 快是快了，结果却不对。三条流水线几乎同时开工：V 给还没搬到的字节加 1，MTE3 搬出还没算好的结果。
# 每条流水线都按程序的顺序做了自己的事，只是谁也没有等谁。
#
# 三个编号，对应三种**冒险**（hazard，即先后没有保证）：
#
# | 编号 | 冒险 | 发生在谁和谁之间 |
# |---|---|---|
# | `ASC-RACE-15` | RAW，写后读 | 搬入，和读这些字节的指令 |
# | `ASC-RACE-16` | RAW，写后读 | 计算结果，和搬出 |
# | `ASC-RACE-17` | WAR，读后写 | 缓冲区的最后一次使用，和下一次填入 |
# %% [markdown] lang="en" id="flags"
# ## Build: a flag is one arrow between two pipes
#
# A **flag** makes one pipe wait for one other pipe, and leaves all others alone:
#
# * `asc.set_flag(asc.HardEvent.MTE2_V, 0)`: when MTE2 has done all that was issued to it
#   before this line, the flag goes up.
# * `asc.wait_flag(asc.HardEvent.MTE2_V, 0)`: V does not begin what comes after this line
#   until the flag is up; then the flag goes down again.
#
# The name of the **event** is the arrow: `MTE2_V` is *from MTE2 to V*. The number is the
# **event id**. Each pair of pipes has eight, 0 to 7; TPipe, which comes in Z4, keeps 6
# and 7 for itself (public Ascend C documentation, `SetFlag`/`WaitFlag`).
#
# A flag must be *set once and waited for once*, in that order.
#
# **Your turn.** One tile, and the arrow MTE2 → V stands already. Add the arrow that is
# missing, then run the cell: `right: True  faults: []` means that it worked.
# %% [markdown] lang="zh"
# ## 动手：一个标志就是两条流水线之间的一支箭头
#
# **标志**（flag）让一条流水线等另一条，别的流水线不受影响：
#
# * `asc.set_flag(asc.HardEvent.MTE2_V, 0)`：**置位**。MTE2 把这一行之前下发给它的事全部做完，标志才置上。
# * `asc.wait_flag(asc.HardEvent.MTE2_V, 0)`：**等待**。标志没有置上，V 就不开始这一行之后的事；
#   等到以后，标志随即清除。
#
# **事件**的名字就是箭头：`MTE2_V` 表示*从 MTE2 到 V*。后面的数字是**事件编号**。
# 每一对流水线有 8 个编号，0 到 7；其中 6 和 7 留给 Z4 课的 TPipe
# （见 Ascend C 公开文档的 `SetFlag`/`WaitFlag`）。
#
# 一个标志，必须*置位一次、等待一次*，而且先置位、后等待。
#
# **轮到你了。** 下面只有一个小块，箭头 MTE2 → V 已经画好。补上缺的那一支，再运行：
# 看到 `right: True  faults: []` 就成功了。
# %% id="turn-arrow" tags=["your-turn"]
from npucamp import check


@asc.jit
def one_tile_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    asc.data_copy(x_ub, x_gm, TILE)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(y_ub, x_ub, 1.0, TILE)
    # your two lines / 在这里补两行
    asc.data_copy(y_gm, y_ub, TILE)


one_tile = trial(one_tile_kernel, TILE)
print(*one_tile.found[:1])  # the first message / 第一条消息
check("z3-turn-arrow", not one_tile.found)
# %% id="hint-arrow"
from npucamp import hint

hint("z3-turn-arrow")
# %% [markdown] lang="en" id="step"
# ## Look: one instruction at a time
#
# Move the slider and watch three things: **S** issues a line in a few cycles; the row
# *waited* says what a pipe waited for; the row *flags* shows which flags are up.
# %% [markdown] lang="zh"
# ## 看：一次一条指令
#
# 拖动滑块，注意三点：**S** 下发一行只要几个周期；“等待”一行说明流水线在等什么；
# “标志”一行列出此刻置上的标志。
# %% id="step-cell"
one_tile.step()
# %% [markdown] lang="en" id="quiz-issue"
# **Question.** When does S come to the line after a `wait_flag`?
# %% [markdown] lang="zh"
# **小测。** S 什么时候走到 `wait_flag` 的下一行？
# %% id="quiz-issue-cell"
from npucamp import quiz

quiz("z3-issue")
# %% [markdown] lang="en" id="loop"
# ## Break 2: the second tile
#
# Now the loop, with *one* buffer: `adds` may write where it reads, so the tile is
# computed in place. Both arrows of the last cell are there. Is anything missing?
# %% [markdown] lang="zh"
# ## 故意弄坏（二）：第二个小块
#
# 现在加上循环，只用*一个*缓冲区：`adds` 可以把结果写回它读的地方，于是就地计算。
# 上一个单元的两支箭头都在。还缺什么吗？
# %% id="loop-tiles"
@asc.jit
def early_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    for i in range(share // TILE):
        asc.data_copy(tile_ub, x_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(tile_ub, tile_ub, 1.0, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(y_gm[i * TILE :], tile_ub, TILE)


for tiles in (1, 2):
    trial(early_kernel, tiles * TILE)
# %% [markdown] lang="en" id="predict-edge"
# One tile is right, two are not. **Predict** the arrow that is missing, as the name of
# an event, for example `"MTE2_V"`. Ask yourself: tile 1 is copied into the buffer; who
# may still be using what tile 0 left there?
# %% [markdown] lang="zh"
# 一块没问题，两块就错了。**预测**缺的是哪支箭头，写成事件的名字，例如 `"MTE2_V"`。
# 想一想：第 1 块要搬进缓冲区的时候，谁可能还在用第 0 块留在那里的数据？
# %% id="predict-edge-cell"
my_edge = None
predict("z3-edge", my_edge, actual="MTE3_MTE2")
# %% id="loop-run"
from npucamp import expect

with expect("ASC-RACE-17"):
    early_kernel[1](x, y, SHARE)
# %% [markdown] lang="en" id="loop-read"
# WAR, write after read: MTE2 writes tile 1 into the buffer while MTE3 may still read
# tile 0 from it. MTE2 *overtakes* MTE3. The message names the arrow: from MTE3 back to
# MTE2.
#
# ## Break 3: a wait that nobody answers
#
# So each round begins with a wait for that flag, and ends with setting it. Does that do?
# %% [markdown] lang="zh"
# WAR，读后写：MTE3 也许还在读第 0 块，MTE2 已经把第 1 块写了进来——MTE2 *抢先*了。
# 报错里写着缺的箭头：从 MTE3 回到 MTE2。
#
# ## 故意弄坏（三）：没有人回应的等待
#
# 那么，每一轮开头先等这个标志，结尾再置位。这样就行了吗？
# %% id="dead-run"
@asc.jit
def dead_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    for i in range(share // TILE):
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, 0)
        asc.data_copy(tile_ub, x_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(tile_ub, tile_ub, 1.0, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(y_gm[i * TILE :], tile_ub, TILE)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, 0)


with expect("ASC-FLAG-19"):
    dead_kernel[1](x, y, SHARE)
# %% [markdown] lang="en" id="prime"
# A **deadlock**: before tile 0 nobody has set the flag, so MTE2 would wait for ever. The
# message names the set: it exists, but it comes after the first wait. The buffer is free
# at the start, and somebody has to say so. Two lines outside the loop:
#
# * *before* the loop, `set_flag`: the buffer is free from the beginning;
# * *after* the loop, `wait_flag`: the last round set the flag once more, and every set
#   needs its wait. Without it the simulator says `ASC-FLAG-19c`, as the flag would stay
#   up for the next kernel on this core.
#
# **Your turn.** Write the arrow MTE3 → MTE2 into the loop, with its two lines outside.
# Four lines in all.
# %% [markdown] lang="zh"
# 这就是**死锁**：第 0 块之前没有人置过位，MTE2 会永远等下去。
# 报错里指出了那次置位：写是写了，却排在第一次等待之后。开始时缓冲区明明是空的，
# 但要有人说一声。循环外面要加两行：
#
# * 循环*之前*写 `set_flag`：缓冲区一开始就可以用；
# * 循环*之后*写 `wait_flag`：最后一轮又置了一次位，而每次置位都要有一次等待。
#   不写的话，模拟器会报 `ASC-FLAG-19c`，因为这个标志会一直保持置位，影响这个核上的下一个核函数。
#
# **轮到你了。** 把箭头 MTE3 → MTE2 写进循环，再加上循环外的两行，一共四行。
# %% id="turn-loop" tags=["your-turn"]
@asc.jit
def loop_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    # 1: the buffer is free / 缓冲区可用
    for i in range(share // TILE):
        # 2: wait until it is free / 等它可用
        asc.data_copy(tile_ub, x_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(tile_ub, tile_ub, 1.0, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(y_gm[i * TILE :], tile_ub, TILE)
        # 3: it is free again / 又可用了
    # 4: the last set needs its wait / 最后一次置位也要等


loop = trial(loop_kernel)
print("PIPE_ALL barriers:", loop.counters["barriers"], "(goal 0)", *loop.found[:1])
check("z3-turn-loop", not loop.found and not loop.counters["barriers"])
# %% id="hint-loop"
hint("z3-turn-loop")
# %% [markdown] lang="en" id="ring"
# ## Measure: which arrows cost, which bring
#
# Now one kernel for several numbers of buffers. Tile `i` uses buffer `i % buffers`, and
# the event id is the number of the buffer. With `buffers = 1` it is the kernel of your
# turn. `asc.static_range` is a loop that is written out at compile time.
# %% [markdown] lang="zh"
# ## 测量：哪些箭头费时间，哪些箭头省时间
#
# 下面是一个缓冲区个数可变的核函数：第 `i` 块用第 `i % buffers` 个缓冲区，事件编号就是缓冲区的编号。
# `buffers = 1` 时，它就是你刚才修好的那个。`asc.static_range` 是编译时就展开的循环。
# %% id="ring-kernel"
@asc.jit
def ring_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr,
    buffers: asc.constexpr, barrier: asc.constexpr,
):
    x_gm, y_gm = gm(x, share), gm(y, share)
    for k in asc.static_range(buffers):
        asc.set_flag(asc.HardEvent.MTE3_MTE2, k)
    for i in range(share // TILE):
        k = i % buffers
        tile_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, k * TILE * 4, TILE)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, k)
        asc.data_copy(tile_ub, x_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, k)
        asc.wait_flag(asc.HardEvent.MTE2_V, k)
        asc.adds(tile_ub, tile_ub, 1.0, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, k)
        asc.wait_flag(asc.HardEvent.V_MTE3, k)
        asc.data_copy(y_gm[i * TILE :], tile_ub, TILE)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, k)
        if barrier:
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for k in asc.static_range(buffers):
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, k)
# %% [markdown] lang="en" id="predict-flags"
# **Predict.** How many times is `set_flag` called with one buffer, one block and 8 tiles?
# Count the lines of your turn.
# %% [markdown] lang="zh"
# **预测。** 1 个缓冲区、1 个 block、8 个小块，一共调用多少次 `set_flag`？数一数刚才补的那几行。
# %% id="predict-flags-cell"
def ring(buffers, barrier=False, blocks=1):
    source = np.arange(blocks * SHARE, dtype=np.float32)
    result = np.zeros_like(source)
    run = ring_kernel[blocks](source, result, SHARE, buffers, barrier)
    assert np.array_equal(result, source + 1)
    return run


runs = {buffers: ring(buffers) for buffers in (1, 2, 3)}
my_flags = None
predict("z3-flags", my_flags, actual=runs[1].counters["flags_set"])
# %% [markdown] lang="en" id="predict-gain"
# **Predict.** How many times as fast as the kernel with `PIPE_ALL` is the kernel with
# flags and *one* buffer?
# %% [markdown] lang="zh"
# **预测。** 用标志、只有*一个*缓冲区的核函数，速度是用 `PIPE_ALL` 的几倍？
# %% id="predict-gain-cell"
my_gain = None
predict("z3-gain", my_gain, actual=serial.cycles / runs[1].cycles, within=0.05)
# %% id="table"
print("            cycles  faster  pipes at work")
rows = {"PIPE_ALL": serial, **{f"{n} buffer(s)": run for n, run in runs.items()}}
for name, run in rows.items():
    faster = serial.cycles / run.cycles
    print(f"{name:11} {run.cycles:6,}  {faster:4.2f} x  {at_work(run):.2f}")
# %% [markdown] lang="en" id="table-read"
# Flags alone brought next to nothing. With one buffer the three arrows form a circle:
# MTE2 → V → MTE3 → MTE2. In a circle only one pipe works at a time, whoever draws it.
#
# The second buffer is what opens the circle: MTE2 fills one while V and MTE3 empty the
# other. Flags bring no speed. They *permit* speed, as they stop only those who must
# wait. The two pictures share one clock.
# %% [markdown] lang="zh"
# 光用标志，几乎没有变快。只有一个缓冲区时，三支箭头连成一个圈：MTE2 → V → MTE3 → MTE2。
# 在一个圈里，不管箭头由谁来画，同一时刻都只有一条流水线在干活。
#
# 打开这个圈的是第二个缓冲区：MTE2 填这一个，V 和 MTE3 腾空另一个。
# 标志本身不会变快，它只是*允许*变快：只让该等的人等。下面两张图用的是同一个时间轴。
# %% id="beside"
runs[1].beside(runs[2])
# %% [markdown] lang="en" id="seed-barrier" tags=["seed:A092.1", "seed:A093.1", "seed:A094.1"]
# ## Audit: a barrier at the end of the loop
#
# A training-camp article prints a loop over tiles for this family of chips. Its last
# comment promises that computing and prefetching run in parallel. The next
# line is `pipe.barrier();`, and then the brace `}` closes the loop. So the barrier is
# executed once a tile. (`asc` and Ascend C know no `pipe.barrier`; the barrier that
# stops the pipes is `pipe_barrier(PIPE_ALL)`.)
#
# **Predict.** Two buffers, and such a barrier as the last line of the loop. How many
# cycles, compared with two buffers and no barrier? 1.0 is the same time.
# %% [markdown] lang="zh"
# ## 核实：循环末尾的一个 barrier
#
# 一篇训练营文章给出了这类芯片上按小块循环的代码。最后一条注释写着“流水线执行：计算与预取并行”，
# 紧接着的一行却是 `pipe.barrier();`，然后右花括号 `}` 结束循环。也就是说，每个小块都要执行一次 barrier。
# （`asc` 和 Ascend C 里都没有 `pipe.barrier`；能让各条流水线停下的是 `pipe_barrier(PIPE_ALL)`。）
#
# **预测。** 两个缓冲区，循环的最后一行加上这样一个 barrier。周期数是不加 barrier 时的几倍？1.0 表示一样。
# %% id="seed-barrier-cell"
barred = ring(2, barrier=True)
my_ratio = None
predict("z3-barrier", my_ratio, actual=barred.cycles / runs[2].cycles, within=0.1)
# %% id="seed-barrier-run"
print(f"two buffers, barrier: {barred.cycles:,} cycles; PIPE_ALL: {serial.cycles:,}")
print(f"pipes at work: {at_work(barred):.2f}")
print(*[d for d in barred.diagnostics if d.code == "ASC-BAR-20"])
# %% [markdown] lang="en" id="seed-barrier-read"
# The barrier costs all that the second buffer brought: the next copy in is issued only
# when every pipe is empty. A comment does not make a pipe run in parallel. Where a
# barrier stands decides.
#
# ## Break 4: the barrier of one pipe
#
# `pipe_barrier(PIPE_V)` is cheaper than `PIPE_ALL`. Does it make V wait for the copy?
# %% [markdown] lang="zh"
# 第二个缓冲区带来的好处，被这个 barrier 全部收走了：要等所有流水线都空了，下一次搬入才会下发。
# 注释写了“并行”并不等于就会并行，关键要看 barrier 放在哪里。
#
# ## 故意弄坏（四）：单条流水线的 barrier
#
# `pipe_barrier(PIPE_V)` 比 `PIPE_ALL` 便宜。它能让 V 等搬入完成吗？
# %% id="wrong-barrier"
@asc.jit
def wrong_barrier_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr
):
    x_gm, y_gm = gm(x, share), gm(y, share)
    x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    asc.data_copy(x_ub, x_gm, TILE)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.adds(y_ub, x_ub, 1.0, TILE)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(y_gm, y_ub, TILE)


run = trial(wrong_barrier_kernel, TILE)
print(*[d for d in run.found if d.code == "ASC-BAR-20"])
# %% [markdown] lang="en" id="luck"
# ## Break 5: right by luck
#
# "It passed, so it is ordered." Two buffers of different use, and three arrows: V → MTE2
# says that `x_ub` may be filled again. Nothing says that `y_ub` may be written again.
# Three launches in lenient mode: one core; 48 cores; 48 cores when L2 is full of other
# people's data that must be written back first (`cache="dirty"`), as in a running
# network.
#
# **Predict.** How many of the three launches give a right result?
# %% [markdown] lang="zh"
# ## 故意弄坏（五）：碰巧对了
#
# “跑过了，说明顺序没问题。”真是这样吗？下面有两个用途不同的缓冲区、三支箭头：
# V → MTE2 表示 `x_ub` 可以再次填入；却没有谁说 `y_ub` 可以再次写入。
# 用 lenient 模式启动三次：1 个核；48 个核；还是 48 个核，但 L2 里装满了别人的数据，
# 要先写回才能用（`cache="dirty"`），真实网络运行时就是这样。
#
# **预测。** 三次里有几次结果正确？
# %% id="luck-kernel"
@asc.jit
def lucky_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    x_gm, y_gm = gm(x, share), gm(y, share)
    x_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    y_ub = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, TILE * 4, TILE)
    asc.set_flag(asc.HardEvent.V_MTE2, 0)
    for i in range(share // TILE):
        asc.wait_flag(asc.HardEvent.V_MTE2, 0)
        asc.data_copy(x_ub, x_gm[i * TILE :], TILE)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.adds(y_ub, x_ub, 1.0, TILE)
        asc.set_flag(asc.HardEvent.V_MTE2, 0)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(y_gm[i * TILE :], y_ub, TILE)
    asc.wait_flag(asc.HardEvent.V_MTE2, 0)
# %% id="luck-run"
def lucky(blocks, cache):
    source = np.arange(blocks * 2 * TILE, dtype=np.float32)
    result = np.zeros_like(source)
    options = {"blocks": blocks, "cache": cache, "mode": "lenient"}
    run = lucky_kernel.launch(source, result, 2 * TILE, **options)
    return np.array_equal(result, source + 1), {d.code for d in run.found}


settings = [(1, "cold"), (48, "cold"), (48, "dirty")]
outcomes = [lucky(*setting) for setting in settings]
my_count = None
predict("z3-luck", my_count, actual=sum(right for right, _ in outcomes))
# %% id="luck-table"
for (blocks, cache), (right, found) in zip(settings, outcomes, strict=True):
    print(f"blocks {blocks:2}, cache {cache:5}: right {right!s:5} {sorted(found)}")
# %% [markdown] lang="en" id="luck-read"
# The result is right as long as the copy in happens to take longer than the copy out.
# When writing is slow, the luck is over. The simulator does not compare times: it asks
# whether an order is *guaranteed*, and says `ASC-RACE-17` all three times. "Passed in a
# test, wrong in the network" is how this fault is usually met.
#
# **Question.** Which arrow does the lucky kernel need?
# %% [markdown] lang="zh"
# 只要搬入碰巧比搬出慢，结果就是对的；一旦写出变慢，运气就用完了。
# 模拟器不比较快慢，只问先后有没有*保证*，所以三次都报 `ASC-RACE-17`。
# “单测通过，进了网络就错”，往往就是这种错误。
#
# **小测。** 这个碰巧正确的核函数，还缺哪支箭头？
# %% id="quiz-arrow-cell"
quiz("z3-arrow")
# %% [markdown] lang="en" id="what-if"
# ## What if?
#
# Turn the knobs: number of buffers, number of blocks, barrier. Find the number of
# buffers beyond which nothing gets faster, for 1 block and for 48. The cell below the
# knobs tells why 48 blocks need fewer: their copies share the way to GM, each takes
# longer, and two buffers keep MTE2 busy nearly all the time. A pipe that never rests
# cannot be helped by a buffer.
# %% [markdown] lang="zh"
# ## 如果……会怎样
#
# 转动旋钮：缓冲区个数、block 个数、有没有 barrier。对 1 个 block 和 48 个 block，
# 分别找出再加缓冲区也不会更快的那个个数。旋钮下面的单元说明了为什么 48 个 block 需要的反而少：
# 它们共用通往 GM 的路，每次搬入都更慢，两个缓冲区就足以让 MTE2 几乎一直在忙。
# 一条从不休息的流水线，再加缓冲区也帮不上忙。
# %% id="what-if-cell"
from npusim.view import what_if

what_if(ring, buffers=[1, 2, 3, 4], blocks=[1, 8, 48], barrier=[False, True])
# %% id="busy"
for blocks in (1, 48):
    for buffers in (1, 2, 3, 4):
        run = ring(buffers, blocks=blocks)
        share = run.pipe_cycles["MTE2"] / run.core_cycles[0]
        print(f"blocks {blocks:2}, buffers {buffers}: {run.cycles:6,} cycles, "
              f"MTE2 busy {share:.0%}")
# %% [markdown] lang="en" id="quiz-fewest"
# ## The fewest flags
#
# An arrow is needless if a path of other arrows already leads from its tail to its head.
# In the in-place loop: MTE2 → V → MTE3 → MTE2 (next tile). Would a fourth arrow, V →
# MTE2, add an order?
# %% [markdown] lang="zh"
# ## 最少的标志
#
# 如果从一支箭头的尾到它的头，已经有别的箭头连成的路，这支箭头就是多余的。
# 就地计算的循环里有：MTE2 → V → MTE3 → MTE2（下一块）。再加一支 V → MTE2，会多出什么保证吗？
# %% id="quiz-fewest-cell"
quiz("z3-fewest")
# %% [markdown] lang="en" id="explain"
# ## Explain
#
# In two or three sentences of your own: why did three flags with one buffer bring no
# speed, and why did the second buffer? Answer in the field, or in quotes in place of `None`.
# %% [markdown] lang="zh"
# ## 解释
#
# 用自己的话写两三句：为什么三个标志加一个缓冲区没有变快，而加上第二个缓冲区就快了？
# 写在输入框里，或者把 `None` 换成引号里的回答。
# %% id="explain-cell"
from npucamp import explain

my_answer = None
explain("z3-why", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * The order of lines is the order of issue. Order between pipes is asked for, arrow by
#   arrow, and every set has one wait.
# * You know four messages: `ASC-RACE-15`, `-16`, `-17` and `ASC-FLAG-19`.
# * You measured that the second buffer brings the speed, and that one barrier in the
#   loop takes it back.
#
# **Next:** the assignment `z3-flags` in the folder `exercises`: four broken kernels to
# mend with the fewest flags. Then lesson Z4: queues draw these arrows for you.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 代码行的先后是下发的先后；流水线之间的先后要一支箭头一支箭头地写出来，每次置位配一次等待。
# * 认识了四个报错：`ASC-RACE-15`、`-16`、`-17` 和 `ASC-FLAG-19`。
# * 测量证明：变快靠的是第二个缓冲区，而循环里的一个 barrier 就能把它收回去。
#
# **下一步：** `exercises` 文件夹里的作业 `z3-flags`：四个有错的核函数，用最少的标志修好。
# 然后是 Z4 课：队列会替你画这些箭头。
# %% id="progress"
from npucamp import progress

progress()
