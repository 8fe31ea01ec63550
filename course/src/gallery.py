# ---
# jupyter:
#   npucamp:
#     id: gallery
#     slug: pictures
#     page: true
#     title: {en: Pictures of a kernel, zh: 看懂核函数的图}
# ---
# %% [markdown] lang="en" id="goal"
# # Gallery · Pictures of a kernel
#
# Every picture on this page is drawn from one run of one kernel, the run that you
# start here. Each stands with one sentence on how to read it. Under every picture,
# *The picture in words* opens the same facts as text.
# %% [markdown] lang="zh"
# # 图集 · 看懂核函数的图
#
# 本页的每一张图都来自同一个核函数的一次运行，就是你在这里启动的这一次。每张图配一句话，
# 告诉你怎么看。每张图下面的*图的文字说明*，点开就是同样内容的文字。
# %% [markdown] lang="en" id="kernel"
# ## The kernel
#
# It adds two arrays tile by tile. `depth` is the number of buffers for each tensor;
# `skip` elements at the start are left alone.
# %% [markdown] lang="zh"
# ## 核函数
#
# 它逐个 tile 把两个数组相加。`depth` 是每个张量的缓冲区个数；开头的 `skip` 个元素不动。
# %% id="kernel-code"
import numpy as np

from npusim import asc


@asc.jit
def add_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    share: asc.constexpr,
    tile: asc.constexpr,
    depth: asc.constexpr,
    skip: asc.constexpr,
):
    base = asc.get_block_idx() * share + skip
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x + base, share)
    y_gm.set_global_buffer(y + base, share)
    z_gm.set_global_buffer(z + base, share)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, depth)
    y_queue = asc.TQue(asc.TPosition.VECIN, depth)
    z_queue = asc.TQue(asc.TPosition.VECOUT, depth)
    pipe.init_buffer(x_queue, depth, tile * x.dtype.sizeof())
    pipe.init_buffer(y_queue, depth, tile * x.dtype.sizeof())
    pipe.init_buffer(z_queue, depth, tile * x.dtype.sizeof())
    for i in range(share // tile):
        a = x_queue.alloc_tensor(x.dtype)
        asc.data_copy(a, x_gm[i * tile :], tile)
        x_queue.enque(a)
        b = y_queue.alloc_tensor(x.dtype)
        asc.data_copy(b, y_gm[i * tile :], tile)
        y_queue.enque(b)
        left, right = x_queue.deque(x.dtype), y_queue.deque(x.dtype)
        c = z_queue.alloc_tensor(x.dtype)
        asc.add(c, left, right, tile)
        z_queue.enque(c)
        x_queue.free_tensor(left)
        y_queue.free_tensor(right)
        out = z_queue.deque(x.dtype)
        asc.data_copy(z_gm[i * tile :], out, tile)
        z_queue.free_tensor(out)
# %% id="launch"
def launch(tile=4096, depth=2, blocks=48, dtype="float16", skip=0, size=48 * 32768):
    x = np.ones(size + skip, dtype)
    z, share = np.zeros_like(x), size // blocks
    return add_kernel[blocks](x, x, z, share, tile, depth, skip)


one, two = launch(depth=1), launch(depth=2)
# %% [markdown] lang="en" id="predict"
# **Predict.** How many times as fast is the run with two buffers? Replace `None`.
# %% [markdown] lang="zh"
# **预测。** 用两个缓冲区的那次运行快多少倍？把 `None` 换成你的猜测。
# %% id="predict-cell"
from npucamp import predict

my_guess = None
predict("gallery-depth", my_guess, actual=round(one.time_us / two.time_us, 2))
# %% [markdown] lang="en" id="table"
# ## The table: what bounds it
#
# Read the last line first: it names the bound, its evidence and the next step.
# %% [markdown] lang="zh"
# ## 表格：瓶颈在哪里
#
# 先看最后一行：它说出瓶颈、依据和下一步。
# %% id="table-cell"
two.profile
# %% [markdown] lang="en" id="timeline"
# ## Timeline: who works when
#
# Time runs to the right, each row is a pipe; a bar is an instruction with its source
# line, and the line style of a gap says what the pipe waits for.
# %% [markdown] lang="zh"
# ## 时间线：谁在什么时候工作
#
# 时间向右走，每行是一条流水线；一个色块是一条指令，上面的数字是源代码行号；
# 空隙的线型说明流水线在等什么。
# %% id="timeline-cell"
two.timeline(tile=2)
# %% [markdown] lang="en" id="beside"
# ## Before and after: what a change brought
#
# Both runs share one clock, so the picture that ends earlier is the faster kernel.
# %% [markdown] lang="zh"
# ## 前后对比：改动带来了什么
#
# 两次运行共用一个时间轴，先结束的就是更快的核函数。
# %% id="beside-cell"
one.beside(two)
# %% id="compare-cell"
one.compare(two)
# %% [markdown] lang="en" id="flow"
# ## Data flow: the way of one tile
#
# Follow the arrows from GM through the buffers of UB back to GM; the colour of an arrow
# is that of the pipe that moves the data.
# %% [markdown] lang="zh"
# ## 数据流：一个 tile 走过的路
#
# 顺着箭头，从 GM 经过 UB 的缓冲区再回到 GM；箭头的颜色就是搬运数据的流水线的颜色。
# %% id="flow-cell"
two.dataflow(tile=0)
# %% [markdown] lang="en" id="ub"
# ## UB over time: is the memory used?
#
# A band is a buffer, a coloured stretch is the time in which it holds data; grey is
# memory that is reserved and idle.
# %% [markdown] lang="zh"
# ## UB 随时间的占用：内存用上了吗
#
# 一条横带是一个缓冲区，有颜色的一段表示里面存着数据；灰色表示占了地方却闲着。
# %% id="ub-cell"
two.ub()
# %% [markdown] lang="en" id="roofline"
# ## Roofline: how far it still is
#
# A point is a run; the nearer it lies to the roof above it, the less there is to gain.
# %% [markdown] lang="zh"
# ## 屋顶线：还差多远
#
# 一个点是一次运行；离上方的屋顶越近，能再赢得的就越少。
# %% id="roofline-cell"
launch(tile=512, depth=1).roofline(one, two)
# %% [markdown] lang="en" id="banks"
# ## Bank map: reads that take turns
#
# A number above 0 says how many blocks too many a repeat reads or writes in that bank
# group of UB; each costs a cycle.
# %% [markdown] lang="zh"
# ## bank 图：要排队的读写
#
# 大于 0 的数字表示一个 repeat 在该 UB bank group 中多读或多写了几个块，每个多花一个周期。
# %% id="banks-cell"
two.banks()
# %% [markdown] lang="en" id="balance"
# ## Balance: do all cores work?
#
# A bar is a core; where the bars differ in height, the low ones wait for the high ones.
# %% [markdown] lang="zh"
# ## 负载：每个核都在干活吗
#
# 一根柱子是一个核；柱子高低不齐时，矮的在等高的。
# %% id="balance-cell"
launch(tile=2048, blocks=64, size=64 * 32768).balance()
# %% [markdown] lang="en" id="lines"
# ## Hot lines: where to change the source
#
# The bar beside a line is the time that its instructions keep their pipes busy.
# %% [markdown] lang="zh"
# ## 热点行：该改哪一行
#
# 一行旁边的色条，是这一行的指令让流水线忙碌的时间。
# %% id="lines-cell"
two.hot_lines()
# %% [markdown] lang="en" id="step"
# ## Step by step
#
# Move the slider: each step shows its line, what it reads and writes, and what it
# waited for.
# %% [markdown] lang="zh"
# ## 逐步查看
#
# 拖动滑块：每一步都显示源代码行、读写了什么、等了什么。
# %% id="step-cell"
two.step()
# %% [markdown] lang="en" id="browse"
# ## Trace: every event
#
# Choose a core, a pipe and a stretch of time; the table lists what happened there.
# %% [markdown] lang="zh"
# ## 事件：每一条都能查
#
# 选一个核、一条流水线和一段时间，下面的表列出其中发生的事。
# %% id="browse-cell"
two.browse()
# %% [markdown] lang="en" id="what-if"
# ## What if?
#
# Turn a knob: the kernel runs again with that value, and the bars below keep what you
# have tried. `skip` moves the start of the arrays off a 512 B line.
# %% [markdown] lang="zh"
# ## 如果……会怎样
#
# 转动旋钮：核函数用新值再运行一次，下面的色条记着你试过的设置。`skip` 让数组的起点偏离 512 B 行。
# %% id="what-if-cell"
from npusim.view import what_if

what_if(
    launch,
    tile=[512, 1024, 2048, 4096, 8192],
    depth=[1, 2],
    blocks=[48, 24, 8],
    dtype=["float16", "float32"],
    skip=[0, 16],
)
# %% [markdown] lang="en" id="end"
# You have seen every picture. In a lesson, `run` alone in a cell shows the table and the
# timeline; the others are one call away.
# %% [markdown] lang="zh"
# 所有的图都在这里了。在课程里，单元中只写 `run` 就会显示表格和时间线；其他图只需一次调用。
