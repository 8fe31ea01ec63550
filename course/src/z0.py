# ---
# jupyter:
#   npucamp:
#     id: z0
#     slug: why-cann
#     title: {en: "What CANN is for, and your first green check", zh: CANN 是干什么的，以及第一次通过检查}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A001.1", "seed:A003.1", "seed:B002.1", "seed:B002.2", "seed:B002.3"]
# # Z0 · What CANN is for, and your first green check
#
# **Goal.** You run a small model on a simulated **NPU** (a chip for the arithmetic of
# neural networks), read where its time goes, repair one line of an operator until its
# check is green, and can say which layer of software does what.
#
# **Time.** About 50 minutes; the first green check comes within five. You need Python
# and a little numpy, and no NPU. Run each cell with Shift+Enter, from top to bottom.
#
# **Where it comes from.** A training camp calls writing operators the core skill for
# fast models. A practitioner's article asks of its readers only that they have written
# a model or called a framework. This lesson asks for no more.
# %% [markdown] lang="zh"
# # Z0 · CANN 是干什么的，以及第一次通过检查
#
# **目标。** 在模拟的 **NPU**（专做神经网络运算的芯片）上跑一个小模型，看懂时间花在哪里；
# 改好一个算子里的一行，让检查变绿；最后能说清楚每一层软件各管什么。
#
# **用时。** 约 50 分钟，五分钟之内就能看到第一次通过。会 Python、略懂 numpy 即可，不需要真实的 NPU。
# 请从上到下逐个运行单元（Shift+Enter）。
#
# **出处。** 一个训练营的课程介绍把算子开发称为提升模型性能的核心技能；
# 一篇实战文章则说，只要写过模型、调过框架的接口，就能跟上。本课的要求也只有这么多。
# %% [markdown] lang="en" id="model" tags=["seed:B098.1"]
# ## Run a model first
#
# The article advises: first run a whole model, learn to read its profile, then write an
# operator. So we do.
#
# An **operator** is one step of a model, such as `gelu`. It takes arrays, called
# **tensors**, and returns arrays. Our model is a chain of three, the end of a
# classifier: normalise each row, bend the values, turn each row into probabilities.
#
# `STEPS` is the place for a real model: put the operators of yours here. Later lessons
# add matrix products.
# %% [markdown] lang="zh"
# ## 先跑通一个模型
#
# 那篇文章建议：先跑通一个完整的模型，学会看性能数据，再动手写算子。我们就照这个顺序来。
#
# **算子**是模型里的一步，例如 `gelu`。它的输入和输出都是数组，也叫**张量**。
# 我们的模型由三个算子串成，相当于分类器的末尾：先归一化每一行，再做非线性变换，最后把每一行变成概率。
#
# `STEPS` 就是换上真实模型的地方：把你自己的算子写进去即可。矩阵乘法在后面的课程里。
# %% id="model-steps"
import numpy as np

from npusim import asc, ops

gamma, beta = np.ones(768, np.float32), np.zeros(768, np.float32)
STEPS = {  # your own model goes here / 换成你自己的模型
    "layernorm": lambda x: ops.layernorm(x, gamma, beta),
    "gelu": ops.gelu,
    "softmax": ops.softmax,
}
x = np.random.default_rng(0).standard_normal((512, 768), np.float32)
runs = {}
for name, step in STEPS.items():
    x = step(x)
    runs[name] = getattr(ops, name).run
print("rows that sum to 1:", np.isclose(x.sum(axis=1), 1).sum(), "of", len(x))
# %% [markdown] lang="en" id="predict-slowest"
# **Predict.** Which of the three takes longest? Replace `None` by its name, in quotes,
# and run the cell.
# %% [markdown] lang="zh"
# **预测。** 三个算子里哪个最慢？把 `None` 换成它的名字（带引号），再运行。
# %% id="predict-slowest-cell"
from npucamp import check, expect, explain, hint, predict, progress, quiz

my_guess = None
predict("z0-slowest", my_guess, actual=max(runs, key=lambda n: runs[n].time_us))
# %% [markdown] lang="en" id="profile"
# The **profile** says how long each operator took and how many bytes it moved. The
# **floor** is the least time that these bytes and operations need on this chip, whatever
# the software. `bound by` names what cost most: V is the unit that computes, SYNC is
# waiting for one another.
#
# All three move about the same bytes. Their times differ all the same, and each is above
# its floor.
# %% [markdown] lang="zh"
# **性能数据**（profile）记着每个算子用了多久、搬了多少字节。
# **下限**（floor）是这些字节和运算在这块芯片上最少要花的时间，软件写得再好也越不过去。
# `bound by` 后面是最耗时的东西：V 是负责运算的单元，SYNC 是互相等待。
#
# 三个算子搬的字节数差不多，用时却不一样，而且都比各自的下限慢。
# %% id="profile-cell"
for name, run in runs.items():
    moved = (run.nbytes_read + run.nbytes_written) / 1e6
    print(f"{name:10} {run.time_us:5.2f} us, floor {run.floor_us:.2f} us, "
          f"{moved:.2f} MB, bound by {run.bound}")
# %% [markdown] lang="en" id="kernel"
# ## One operator from inside
#
# The program that carries out an operator on the chip is a **kernel**. Here is one for
# `z = x + y`. You need not understand each line yet; lesson Z1 builds it up. Find the
# one line that adds: `asc.add(dst, src0, src1, count)`.
# %% [markdown] lang="zh"
# ## 打开一个算子看看
#
# 在芯片上执行算子的程序叫**核函数**（kernel）。下面是计算 `z = x + y` 的核函数。
# 现在不必每行都懂，Z1 课会一步步写出来。先找到做加法的那一行：`asc.add(dst, src0, src1, count)`。
# %% id="vadd"
@asc.jit
def vadd_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
                n: int, tile: asc.constexpr):  # fmt: skip
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2 * tile, tile)
    z_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4 * tile, tile)
    for start in range(asc.get_block_idx() * tile, n, asc.get_block_num() * tile):
        count = min(tile, n - start)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[start:], row, no_pad)
        asc.data_copy_pad(y_ub, y_gm[start:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(z_ub, x_ub, y_ub, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[start:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="vadd-run"
a = np.arange(16384).astype(np.float16) % 100
b = np.full_like(a, 40)
z = np.zeros_like(a)
run = vadd_kernel[8](a, b, z, a.size, 2048)
print("z = a + b:", np.array_equal(z, a + b), f"  {run.time_us:.2f} us")
# %% [markdown] lang="en" id="turn-excess"
# ## Your first check: fail, then pass
#
# **Your turn.** We want the *excess*: by how much `x` lies above `y`, and 0 where it
# does not: `z = max(x − y, 0)`. One vector instruction does both steps:
# `asc.sub_relu(dst, src0, src1, count)`.
#
# 1. Run the next two cells as they are. The check fails: look at what it says.
# 2. Change the marked line, run both cells again. The check is green.
# %% [markdown] lang="zh"
# ## 第一次检查：先失败，再通过
#
# **轮到你了。** 我们要算*超出量*：`x` 比 `y` 高出多少，没有超出就是 0，即 `z = max(x − y, 0)`。
# 有一条向量指令能一次做完：`asc.sub_relu(dst, src0, src1, count)`。
#
# 1. 先原样运行下面两个单元。检查不会通过，看看它怎么说。
# 2. 改掉标出的那一行，再把两个单元运行一遍。检查变绿。
# %% id="turn-excess-cell" tags=["your-turn"]
@asc.jit
def excess_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress,
                  n: int, tile: asc.constexpr):  # fmt: skip
    x_gm, y_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    z_gm.set_global_buffer(z, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2 * tile, tile)
    z_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4 * tile, tile)
    for start in range(asc.get_block_idx() * tile, n, asc.get_block_num() * tile):
        count = min(tile, n - start)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[start:], row, no_pad)
        asc.data_copy_pad(y_ub, y_gm[start:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.add(z_ub, x_ub, y_ub, count)  # change this line / 修改这一行
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[start:], z_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


excess_kernel[8](a, b, z, a.size, 2048)
print("excess:", np.array_equal(z, np.maximum(a - b, 0)))
# %% id="first-check"
def excess(x, y, z):
    excess_kernel[24](x, y, z, x.size, 8192)


check("z0-excess")
# %% id="first-hint"
hint("z0-turn-excess")
# %% [markdown] lang="en" id="languages" tags=["seed:B004.4", "seed:B005.1", "seed:B006.1"]
# ## Two languages
#
# You wrote one line of a program for two machines. The **host** is the computer that
# runs Python and numpy: it prepares arrays and starts kernels. The NPU is the
# **accelerator** beside it, which does the arithmetic. Two kinds of machine at one task:
# this is *heterogeneous computing*.
#
# They speak two languages. The host says an operator and its tensors: `z = a + b`. The
# NPU knows instructions and addresses only.
#
# **Predict.** How many instructions of the NPU did `vadd` need to copy and add 16,384
# numbers?
# %% [markdown] lang="zh"
# ## 两种语言
#
# 你刚才写的那一行，属于一个在两台机器上运行的程序。**主机**（host）是运行 Python 和 numpy 的计算机，
# 负责准备数组、启动核函数；NPU 是它旁边的**加速器**，负责运算。
# 两种机器合做一件事，这就是*异构计算*。
#
# 两边说的话不一样。主机说的是算子和张量：`z = a + b`；NPU 只认指令和地址。
#
# **预测。** 搬运并相加 16,384 个数，`vadd` 用了多少条 NPU 指令？
# %% id="predict-instructions"
work = [event for event in run.events() if event.pipe != "S"]
my_guess = None
predict("z0-instructions", my_guess, actual=len(work))
# %% [markdown] lang="en" id="step"
# One operator is not one instruction. Go through the first of the 8 parts step by step.
# Each step names an instruction, its unit (**pipe**), what it reads and writes, and when
# it ran, in **cycles** (ticks of the chip's clock). A `pipe_barrier` is a step as well: it
# only waits, and the count above leaves it out.
# %% [markdown] lang="zh"
# 一个算子不等于一条指令。下面逐步查看 8 份工作中的第一份：每一步都写着指令名、
# 执行它的单元（**流水线**，pipe）、读写了什么，以及在第几个**周期**（时钟走一格）运行。
# `pipe_barrier` 也占一步：它只是等待，上面数指令时没有算它。
# %% id="step-cell"
run.step()
# %% [markdown] lang="en" id="break"
# ## Break it: one instruction for all?
#
# Why not copy all 65,536 numbers at once and add them with a single instruction? Try
# it: one part, and a tile (the piece that is worked on at a time) as long as the arrays.
# %% [markdown] lang="zh"
# ## 故意弄坏：一条指令全做完？
#
# 为什么不把 65,536 个数一次搬进来，用一条指令加完？试试看：只分一份，
# tile（一次处理的小块）和整个数组一样长。
# %% id="break-cell"
longer = np.ones(65536, np.float16)
with expect("ASC-UB-09"):
    vadd_kernel[1](longer, longer, np.zeros_like(longer), 65536, 65536)
# %% [markdown] lang="en" id="read-message"
# Read the message in this order: the **code**, the **line** with `^` under it, then the
# numbers. Each core computes in its own small memory, **UB** (Unified Buffer). Two
# tensors of 65,536 × 2 B already fill more than the 196,608 B it has. So somebody must
# cut the tensors into tiles, give them addresses and share them out. In numpy you never
# see this somebody.
# %% [markdown] lang="zh"
# 读报错的顺序：先看**编号**，再看下面标着 `^` 的那一**行**，最后看数字。
# 每个核都在自己的小内存 **UB**（统一缓冲区）里计算，它只有 196,608 B；
# 两个 65,536 × 2 B 的张量就已经放不下了。所以总得有人把张量切成 tile、安排地址、分给各个核。
# 用 numpy 的时候，你看不到这个人。
# %% [markdown] lang="en" id="fast" tags=["seed:B001.1", "seed:B001.2", "seed:B003.1", "seed:B004.1", "seed:B004.2", "seed:B004.3"]
# ## From "it runs" to "it runs fast"
#
# A common scene: the model is right, training went well, and on the new device it is
# painfully slow. Many say: the hardware is weak. The article says that efficiency often
# differs several-fold on the same kind of hardware, because of the software between.
#
# Audit it. One chip, one operator, 1,048,576 numbers; only two settings of the software
# change: how many parts work at a time, and how long a tile is.
#
# **Predict.** How many times slower is the careless setting than the good one?
# %% [markdown] lang="zh"
# ## 从“能跑”到“跑得快”
#
# 一个常见的场景：模型是对的，训练也顺利，换到新设备上却慢得让人难受。很多人的第一反应是：硬件太差。
# 那篇文章说，在同类硬件上，效率也常常差好几倍，差在中间那层软件。
#
# 我们来核实一下。同一块芯片、同一个算子、1,048,576 个数，只改软件的两个设置：
# 同时有几份在干活，以及一个 tile 有多长。
#
# **预测。** 随手写的设置比好的设置慢多少倍？
# %% id="fast-runs"
p = np.ones(2**20, np.float16)


def launch(parts=8, tile=2048):
    return vadd_kernel[parts](p, p, np.zeros_like(p), p.size, tile)


careless, usual, good = launch(1, 2048), launch(8, 2048), launch(48, 8192)
# %% id="predict-ratio"
my_guess = None
ratio = careless.time_us / good.time_us
predict("z0-ratio", my_guess, actual=round(ratio), within=10)
# %% id="fast-table"
for name, r in {"careless": careless, "usual": usual, "good": good}.items():
    slower = r.time_us / good.floor_us
    print(f"{name:9} {r.time_us:7.2f} us   {slower:5.1f} x the floor")
# %% [markdown] lang="en" id="floor"
# The chip was the same in all rows, and so was its floor. "Several-fold" is true, and it
# can be far more. Turn the two knobs yourself: which of them matters more?
# %% [markdown] lang="zh"
# 表里每一行用的都是同一块芯片，下限也一样。“差好几倍”是真的，而且可能远不止几倍。
# 自己转一转这两个旋钮：哪一个影响更大？
# %% id="what-if"
from npusim.view import what_if

what_if(launch, parts=[1, 8, 24, 48], tile=[512, 2048, 8192, 16384])
# %% [markdown] lang="en" id="goals" tags=["seed:B010.1"]
# ## Two goals, in this order
#
# However the work is cut, the result must not change: **correctness** is the lower
# limit, **performance** the aim. Compare the results of the settings bit by bit.
# %% [markdown] lang="zh"
# ## 两个目标，有先有后
#
# 不管怎么切，结果都不能变：**正确性**是底线，**性能**是目标。逐位比较各个设置的结果。
# %% id="goals-cell"
data = np.random.default_rng(1).standard_normal((2, 2**16)).astype(np.float16)
results = []
for parts, tile in ((1, 2048), (8, 2048), (48, 8192)):
    z = np.zeros_like(data[0])
    r = vadd_kernel[parts](data[0].copy(), data[1].copy(), z, z.size, tile)
    results.append(z.tobytes())
    same = z.tobytes() == results[0]
    print(f"{parts:2} parts: {r.time_us:6.2f} us, same bits: {same}")
# %% [markdown] lang="en" id="dense" tags=["seed:B006.2"]
# ## Why an accelerator fits
#
# The article names three properties of such work. Count them on `vadd`:
#
# * **regular**: the same few instructions again and again, hardly a decision;
# * **structured**: each part does the same as its neighbour;
# * **hungry for memory**: many bytes for each operation.
# %% [markdown] lang="zh"
# ## 为什么适合用加速器
#
# 文章列出了这类计算的三个特点。就拿 `vadd` 数一数：
#
# * **规整**：翻来覆去就那么几条指令，几乎没有分支；
# * **结构化**：每一份做的事都和旁边那份一样；
# * **访存密集**：每做一次运算，要搬很多字节。
# %% id="dense-cell"
from collections import Counter

print(Counter(event.name for event in work))
print("per part:", set(Counter(event.block for event in work).values()), "instructions")
nbytes = run.nbytes_read + run.nbytes_written
print(f"{nbytes / a.size:.0f} bytes moved for each addition")
# %% [markdown] lang="en" id="fuse" tags=["seed:B006.3"]
# ## A good translator does not translate word by word
#
# `max(x − y, 0)` is two operators in a framework: subtract, then relu. Word by word they
# are two kernels, and the difference travels to memory and back. Your `excess` kernel
# does both while the numbers are in UB: this is **fusion**. Layout (Z2), overlap (Z3,
# Z4) and reuse of memory are the other threads of this course.
# %% [markdown] lang="zh"
# ## 好的翻译不逐字翻译
#
# `max(x − y, 0)` 在框架里是两个算子：先减，再 relu。逐字翻译就是两个核函数，
# 差值要写回内存，再读出来。你的 `excess` 核函数趁数还在 UB 里就把两步做完，这叫**融合**。
# 数据布局（Z2）、流水重叠（Z3、Z4）和内存复用，是贯穿本课程的另外几条线。
# %% id="fuse-cell"
q = np.ones_like(p)
ops.relu(ops.sub(p, q))
fused = excess_kernel[48](p, q, np.zeros_like(p), p.size, 8192)
ways = {"two operators": [ops.sub.run, ops.relu.run], "fused": [fused]}
for name, used in ways.items():
    moved = sum(r.nbytes_read + r.nbytes_written for r in used) / 1e6
    print(f"{name:14} {sum(r.time_us for r in used):5.2f} us  {moved:5.2f} MB")
# %% [markdown] lang="en" id="kitchen" tags=["seed:B007.1", "seed:B007.2"]
# ## A kitchen
#
# The article's picture: the framework gives you a recipe, CANN runs the kitchen, the
# chip is the stove. The recipe says "tomatoes with eggs", in our case `z = a + b`. What
# to cut first, how hot the pan must be, which burner is for what: it says nothing of
# that.
# %% [markdown] lang="zh"
# ## 厨房的比方
#
# 文章里打了个比方：框架给你一张菜谱，CANN 是后厨的调度，芯片是灶台。菜谱上只写“番茄炒蛋”，
# 在我们这里就是 `z = a + b`。先切番茄还是先打蛋、锅要多热、哪个灶眼做什么，菜谱上一个字也没有。
# %% id="quiz-kitchen"
quiz("z0-kitchen")
# %% [markdown] lang="en" id="layers" tags=["seed:B001.3", "seed:B008.1", "seed:B009.1", "seed:B009.2"]
# ## Where CANN stands
#
# **CANN** is Huawei's software between the framework and the chip. Above it: the training
# framework or the inference engine. Below it: the driver and the chip. CANN has layers
# of its own: a graph optimiser, a library of operators, the runtime, and, beside them,
# communication between devices.
#
# **Your turn.** Bring the list into the order in which a call passes through, from the
# top to the bottom. The cell counts how many stand in their place.
# %% [markdown] lang="zh"
# ## CANN 在哪一层
#
# **CANN** 是华为的软件层，夹在框架和芯片之间。上面是训练框架（framework）或推理引擎，
# 下面是驱动（driver）和芯片（chip）。CANN 内部也分层：图优化器（graph optimiser）、
# 算子库（operator library）、运行时（runtime）；多设备之间的通信模块在它们旁边。
#
# **轮到你了。** 按一次调用从上到下经过的顺序，把列表排好。单元会数出有几个排对了位置。
# %% id="turn-order" tags=["your-turn"]
from hashlib import sha256

my_order = ["chip", "operator library", "your Python code", "driver",
            "graph optimiser", "runtime", "framework"]  # fmt: skip
KEY = "3a fe e6 97 2e 4b a4".split()
marks = [sha256(f"{i} {s}".encode()).hexdigest()[:2] for i, s in enumerate(my_order)]
print("in place:", sum(m == k for m, k in zip(marks, KEY)), "of", len(KEY))
check("z0-turn-order", marks == KEY)
# %% id="order-hint"
hint("z0-turn-order")
# %% [markdown] lang="en" id="line" tags=["seed:B015.1", "seed:B016.1", "seed:B016.2", "seed:B016.3", "seed:B096.1", "seed:B097.1"]
# ## One line through all modules
#
# The number of modules frightens many. One line leads through them: the graph comes in,
# it is optimised, operators are chosen, tasks are sent, many devices work together. You
# have met three of the five; the next cell shows the choice and the sending. The
# library has several kernels for one operator and picks one by shape.
# %% [markdown] lang="zh"
# ## 一条主线串起所有模块
#
# 模块多得吓人，其实一条主线就能串起来：图的输入、图的优化、算子的选择、任务的下发、多卡的协同。
# 其中三步你已经见过了；下面的单元看“选择”和“下发”。同一个算子，库里有好几个核函数，按形状挑一个。
# %% id="line-cell"
print("1 graph in    :", " -> ".join(STEPS))
print("2 optimised   : sub -> relu becomes excess_kernel")
small, wide = np.ones((4, 64), np.float32), np.ones((512, 768), np.float32)
for left, right in ((small, small), (wide, wide), (wide, wide[:1])):
    ops.add(left, right)
    r = ops.add.run
    print(f"3 chosen      : add {left.shape} {right.shape} -> {r.kernel}")
    print(f"4 sent        : to {r.blocks} of 48 cores")
print("5 many devices: track D")
# %% id="quiz-line"
quiz("z0-line")
# %% [markdown] lang="en" id="deploy" tags=["seed:A034.1", "seed:A035.1", "seed:A062.1", "seed:A063.1", "seed:A064.1", "seed:A065.1", "seed:A066.1"]
# ## Before a model is deployed: version, path, permission
#
# The stack works only if its layers fit together. The camp's notes have a short list:
#
# * the version of CANN and that of HCCL (its communication library) must be the **same**;
# * model files lie under the **path** `/usr/local/Ascend/model/`;
# * their **permission** is 755, so that everyone can execute them.
#
# Their servers ran openEuler 24.03 LTS on ARM. You run this:
# %% [markdown] lang="zh"
# ## 部署之前：版本、路径、权限
#
# 各层软件要配得上，整个栈才能工作。训练营的资料里有一张很短的清单：
#
# * CANN 的版本和 HCCL（它的通信库）的**版本**必须一致；
# * 模型文件放在**路径** `/usr/local/Ascend/model/` 下；
# * 文件**权限**设为 755，保证大家都能执行。
#
# 资料里的服务器装的是 ARM 架构的 openEuler 24.03 LTS。你这台机器是：
# %% id="doctor-cell"
import platform

print("Python", platform.python_version(), "on", platform.system(), platform.machine())
print("numpy", np.__version__)
# %% [markdown] lang="en" id="mode"
# A permission has one digit each for the owner, the group and everyone else. A digit is
# the sum of 4 (read), 2 (write) and 1 (execute).
# %% [markdown] lang="zh"
# 权限有三位数字，依次管文件的主人、同组的人和其他人。每一位是 4（读）、2（写）、1（执行）之和。
# %% id="mode-cell"
for mode in (0o755, 0o644, 0o777):
    digits = [mode >> shift & 7 for shift in (6, 3, 0)]
    words = "".join("rwx"[i] if d & 4 >> i else "-" for d in digits for i in range(3))
    print(f"{mode:o} = {words}")
# %% [markdown] lang="en" id="predict-findings"
# Here is a server as plain data. Nothing on your disk is touched.
#
# **Predict.** How many things are wrong with it?
# %% [markdown] lang="zh"
# 下面用普通的数据描述一台服务器，不会碰你的硬盘。
#
# **预测。** 它有几处不合规范？
# %% id="server"
server = {"CANN": "8.0.0", "HCCL": "8.0.RC3"}
files = {
    "/usr/local/Ascend/model/bert.om": 0o755,
    "/usr/local/Ascend/model/llm.om": 0o644,
    "/usr/local/Ascend/model_old/llm.om": 0o755,
}
wrong = [server["CANN"] != server["HCCL"]]
wrong += [not path.startswith("/usr/local/Ascend/model/") for path in files]
wrong += [mode != 0o755 for mode in files.values()]
# %% id="predict-findings-cell"
my_guess = None
predict("z0-findings", my_guess, actual=sum(wrong))
# %% id="quiz-mode"
quiz("z0-mode")
# %% [markdown] lang="en" id="map" tags=["seed:A001.2", "seed:A002.1", "seed:A009.1", "seed:A009.2", "seed:A109.1", "seed:A110.1"]
# ## Choose your track
#
# The camp of 2025 had four courses and a certificate. This course follows them:
#
# | camp | track here | for whom |
# |---|---|---|
# | from zero | **Z** Z0–Z7 | you are new to kernels |
# | full power | **P** performance and hard cases | you write kernels and want them fast |
# | developers' cases | **C** cases, **D** many devices | you have a model to bring to a chip |
# | talks with companies | **E** a case discussion | you decide about projects |
# | certificate, tasks | **K** mock examination, **G** a project of your own | you want proof |
#
# Tracks that your folder `course` does not hold yet are planned. The camp's prizes and
# its registration (www.hiascend.com/developer/activities/cann20252) belong to 2025; we
# claim nothing about them.
#
# New or experienced? Three questions choose your place: with **0 or 1** right go on with
# Z1; with **2** read Z1 quickly and start at Z3; with **3** start at P1.
# %% [markdown] lang="zh"
# ## 选一条路线
#
# 2025 年的那个训练营有四类专题课程和一个认证。本课程与它对应：
#
# | 训练营 | 本课程的路线 | 适合谁 |
# |---|---|---|
# | 0基础入门系列 | **Z** Z0–Z7 | 没写过核函数 |
# | 码力全开特辑 | **P** 性能与难题 | 会写核函数，想让它更快 |
# | 开发者案例 | **C** 案例，**D** 多设备 | 有模型要搬到芯片上 |
# | 企业对话 | **E** 案例讨论 | 要为项目做决定 |
# | 认证、社区任务 | **K** 模拟考试，**G** 自己的项目 | 想证明自己 |
#
# `course` 文件夹里还没有的路线，表示仍在计划中。训练营的奖品和报名
# （www.hiascend.com/developer/activities/cann20252）都是 2025 年的事，本课程不作任何承诺。
#
# 新手还是老手？三个问题定起点：答对 **0 或 1** 题，接着学 Z1；答对 **2** 题，快速读一遍 Z1，从 Z3 开始；
# **3** 题全对，从 P1 开始。
# %% id="quiz-place-wait"
quiz("z0-place-wait")
# %% id="quiz-place-align"
quiz("z0-place-align")
# %% id="quiz-place-bound"
quiz("z0-place-bound")
# %% [markdown] lang="en" id="explain"
# ## Explain
#
# Answer in one or two sentences: in the field, or in quotes in place of `None`.
# %% [markdown] lang="zh"
# ## 解释
#
# 用一两句话回答：写在下面的框里，或者加上引号替换 `None`。
# %% id="explain-cell"
my_answer = None
explain("z0-slow", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * You ran a model and read its profile: time, bytes and floor of each operator.
# * You saw a check fail, and made it pass.
# * You met a message by name, `ASC-UB-09`, and know why somebody must cut and place.
# * You know the layers between `z = x + y` and the chip, and their two goals.
#
# **Next:** the assignment `exercises/z0-first-check/z0-first-check.ipynb` takes your
# `excess` and a checklist for a server. Then lesson Z1: you write the kernel yourself.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 跑了一个模型，看懂了它的性能数据：每个算子的用时、字节数和下限。
# * 看到一次检查失败，又让它通过。
# * 认识了一个报错 `ASC-UB-09`，也明白了为什么总得有人来切分、安排地址。
# * 知道了从 `z = x + y` 到芯片之间有哪几层，它们的两个目标是什么。
#
# **下一步：** 作业 `exercises/z0-first-check/z0-first-check.ipynb`，交上你的 `excess`，
# 再写一份服务器检查清单。然后是 Z1 课：自己动手写核函数。
# %% id="progress-cell"
progress()
