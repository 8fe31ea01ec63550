# ---
# jupyter:
#   npucamp:
#     id: z1
#     slug: first-kernel
#     title: {en: First kernel in five steps, zh: 五步写出第一个核函数}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1", "seed:B030.1", "seed:B035.1", "seed:B036.1"]
# # Z1 · First kernel in five steps
#
# An **NPU** (neural processing unit) is a chip that does the arithmetic of neural
# networks. A **kernel** is a program that runs on it.
#
# **Goal.** You write a kernel that adds 1 to every number of an array, run it on
# 1, 8 and 48 cores, break it twice on purpose, and say where its time goes.
#
# **Time.** About 60 minutes. You need Python and a little numpy. You need no NPU: a
# simulator computes the results and the time. Run the cells from top to bottom with
# Shift+Enter.
#
# **Where it comes from.** A practitioner's article on CANN (Huawei's software for its
# NPUs) says that every kernel has the same skeleton, however complex its logic. It has
# five steps: split the work, find my share, copy in, compute, copy out. You build them
# in this order.
# %% [markdown] lang="zh"
# # Z1 · 五步写出第一个核函数
#
# **NPU**（神经网络处理器）是专门做神经网络运算的芯片。在它上面运行的程序叫**核函数**（kernel）。
#
# **目标。** 写一个核函数，给数组的每个数加 1；分别用 1、8、48 个核运行；故意弄坏它两次；
# 最后说清楚它的时间花在哪里。
#
# **用时。** 约 60 分钟。会 Python、略懂 numpy 即可，不需要真实的 NPU：结果和时间都由模拟器算出。
# 请从上到下逐个运行单元（Shift+Enter）。
#
# **出处。** 一篇讲 CANN（华为 NPU 的软件栈）的实战文章指出：逻辑再复杂，核函数的骨架都差不多。
# 骨架分五步：切分任务、找到自己的那一份、搬入、计算、搬出。本课就按这个顺序来写。
# %% [markdown] lang="en" id="machine" tags=["seed:B004.4"]
# ## The machine in four numbers
#
# numpy sees *an array*. The chip sees *instructions and addresses*. Four numbers decide
# how a kernel looks. The next cell reads them from the description of our chip: how
# many **vector cores** compute side by side, their clock in GHz, how many KiB of memory
# each core has for itself, how many MiB of L2 cache all cores share.
# %% [markdown] lang="zh"
# ## 用四个数认识这台机器
#
# numpy 眼里是*数组*，芯片眼里是*指令和地址*。四个数决定了核函数的写法。
# 下面的单元从本课程的芯片描述文件里读出它们：有多少个**向量核**同时计算，时钟频率是多少 GHz，
# 每个核自己的内存有多少 KiB，所有核共用的 L2 缓存有多少 MiB。
# %% id="machine-numbers"
import numpy as np

from npusim import asc

chip = asc.chip("910B1")
print("vector_cores:", chip.vector_cores)
print("clock:", chip.clock_ghz, "GHz")
print("UB:", chip.ub_nbytes // 1024, "KiB")
print("L2:", chip.l2_nbytes // 2**20, "MiB")
# %% [markdown] lang="en" id="memories"
# * **GM** (global memory) holds the arrays. All cores see it. It is far away: a copy
#   takes hundreds of *cycles*, the ticks of the clock.
# * **UB** (Unified Buffer) is a core's own small memory. The vector unit, which does the
#   arithmetic, works in UB only.
#
# So data must travel: GM → UB → vector unit → UB → GM. A kernel is the program of this
# journey. Many copies of it, called **blocks**, run at the same time, one on each core.
# They differ in one thing: their block index, counted from 0.
# %% [markdown] lang="zh"
# * **GM**（全局内存）存放数组，所有核都能访问，但离得远：搬一次要几百个*周期*（时钟走一格为一个周期）。
# * **UB**（统一缓冲区）是每个核自己的小内存。负责运算的向量单元只能在 UB 里计算。
#
# 所以数据要走一趟：GM → UB → 向量单元 → UB → GM。核函数就是这趟旅程的程序。
# 同一个核函数会同时启动许多份，每一份叫一个 **block**，由一个核运行。
# 各个 block 只有一点不同：编号，从 0 开始。
# %% [markdown] lang="en" id="steps12" tags=["seed:B038.1", "seed:B039.1", "seed:B040.1", "seed:B041.1", "seed:B042.1", "seed:B043.1"]
# ## Build, steps 1 and 2: split the work, find my share
#
# We take 16,384 numbers of type half (2 bytes each) and 8 blocks. Each block gets
# 16,384 ÷ 8 = 2,048 numbers. Every block runs the same code, asks for its index, and
# computes where its share starts.
# %% [markdown] lang="zh"
# ## 动手，第 1、2 步：切分任务，找到自己的那一份
#
# 取 16,384 个 half 类型的数（每个 2 字节），用 8 个 block。每个 block 分到
# 16,384 ÷ 8 = 2,048 个数。所有 block 运行同一段代码：先问自己的编号，再算出自己那一份从哪里开始。
# %% id="data"
x = np.arange(16384).astype(np.float16) % 100
expected = x + np.float16(1)
x[:5], expected[:5]
# %% [markdown] lang="en" id="predict-start"
# **Predict.** At which element does block 3 start? Replace `None` and run the cell.
# %% [markdown] lang="zh"
# **预测。** 3 号 block 从第几个元素开始？把 `None` 换成你的答案，再运行。
# %% id="predict-start-cell"
from npucamp import predict

my_guess = None
predict("z1-start", my_guess, actual=3 * (16384 // 8))
# %% [markdown] lang="en" id="steps345" tags=["seed:B037.1", "seed:B044.1", "seed:B045.1", "seed:B046.1", "seed:B047.1", "seed:B048.1", "seed:B049.1", "seed:B050.1"]
# ## Build, steps 3 to 5: copy in, compute, copy out
#
# The words of the next cell:
#
# * `@asc.jit` marks a kernel. Python does not run it; the simulator translates it.
# * `asc.GlobalAddress` is the place in GM where an array begins; `x + start` lies
#   `start` elements further on. `asc.constexpr` is a number that is fixed at the launch.
# * `asc.GlobalTensor()` with `set_global_buffer(address, size)` names a piece of GM.
# * `asc.LocalTensor(dtype, position, address, size)` names a piece of UB: the address is
#   in bytes, the size in elements. VECIN is input of the vector unit, VECOUT its output.
# * `asc.data_copy(dst, src, count)` moves `count` elements.
#   `asc.adds(dst, src, scalar, count)` adds a number to each of them.
#
# A core is made of units, the **pipes**, that work *in parallel*: MTE2 copies in, V
# computes, MTE3 copies out; S reads the program and hands out the work.
# `asc.pipe_barrier(asc.PipeID.PIPE_ALL)` says: wait until all pipes have done what came
# before. Lesson Z3 shows finer tools.
# %% [markdown] lang="zh"
# ## 动手，第 3 到 5 步：搬入、计算、搬出
#
# 先认识下一个单元里的词：
#
# * `@asc.jit` 标记一个核函数：它不由 Python 执行，而由模拟器翻译后执行。
# * `asc.GlobalAddress` 是数组在 GM 里的起始位置，`x + start` 就是往后 `start` 个元素的位置。
#   `asc.constexpr` 是启动时就已确定的数。
# * `asc.GlobalTensor()` 加上 `set_global_buffer(address, size)`，给 GM 的一段空间起个名字。
# * `asc.LocalTensor(dtype, position, address, size)` 给 UB 的一段空间起个名字：
#   地址以字节计，大小以元素计。VECIN 是向量单元的输入，VECOUT 是它的输出。
# * `asc.data_copy(dst, src, count)` 搬运 `count` 个元素；
#   `asc.adds(dst, src, scalar, count)` 给每个元素加一个数。
#
# 一个核里有几条**流水线**（pipe），它们*并行*工作：MTE2 搬入，V 计算，MTE3 搬出；S 读程序、派活。
# `asc.pipe_barrier(asc.PipeID.PIPE_ALL)` 的意思是：等所有流水线把前面的事都做完。
# 更精细的办法在 Z3 课。
# %% id="first-kernel"
@asc.jit
def add_one_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    start = asc.get_block_idx() * share  # 2: my share / 我的那一份
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    y_gm.set_global_buffer(y + start, share)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, share)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, share * 2, share)

    asc.data_copy(x_ub, x_gm, share)  # 3: copy in / 搬入
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(y_ub, x_ub, 1.0, share)  # 4: compute / 计算
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, y_ub, share)  # 5: copy out / 搬出
# %% [markdown] lang="en" id="launch"
# Step 1 happens at the *launch*, the call that starts the kernel: `kernel[8](…)` starts
# 8 blocks.
# %% [markdown] lang="zh"
# 第 1 步发生在启动的时候：`kernel[8](…)` 启动 8 个 block。
# %% id="launch-cell"
y = np.zeros_like(x)
run = add_one_kernel[8](x, y, 2048)
assert np.array_equal(y, expected)
run
# %% [markdown] lang="en" id="read-picture"
# **Read the table and the picture.** The table says how long the launch took and how
# long each pipe was busy. The line below it says what cost most: here the start of the
# cores, because 2,048 numbers are little work for a core. The *floor* comes at the end
# of the lesson. In the picture, time runs to the right; each row is one pipe of one
# core. You see the three steps one after another: MTE2, V, MTE3.
# %% [markdown] lang="zh"
# **读表和图。** 表里写着这次启动用了多久、每条流水线忙了多久。
# 表下面的一句话说明时间主要花在哪里：这里是启动各个核，因为 2,048 个数对一个核来说太少了。
# *下限*留到本课最后再讲。图中时间向右走，每一行是某个核的一条流水线。三步依次出现：MTE2、V、MTE3。
# %% [markdown] lang="en" id="step"
# **Look: one instruction at a time.** Move the slider through block 0. Each step names
# the line, its pipe, the bytes it reads and writes, and the cycles it takes.
# %% [markdown] lang="zh"
# **看：一次一条指令。** 拖动滑块，走完 0 号 block。每一步都写着：哪一行代码、哪条流水线、
# 读写了哪些字节、用了多少周期。
# %% id="step-cell"
run.step()
# %% [markdown] lang="en" id="half"
# ## Whose job is the whole array?
#
# The share stays 2,048, but we start only 4 blocks.
#
# **Predict.** How many of the 16,384 results are right?
# %% [markdown] lang="zh"
# ## 整个数组归谁管？
#
# 每份仍是 2,048 个数，但只启动 4 个 block。
#
# **预测。** 16,384 个结果里有多少个是对的？
# %% id="half-cell"
y = np.zeros_like(x)
half_run = add_one_kernel[4](x, y, 2048)
my_right = None
predict("z1-half", my_right, actual=int((y == expected).sum()))
# %% id="half-table"
for index in range(8):
    part = slice(index * 2048, (index + 1) * 2048)
    print(f"share {index}: right {np.array_equal(y[part], expected[part])}")
print(*half_run.diagnostics, sep="\n")
# %% [markdown] lang="en" id="half-read"
# Nobody sees to the whole array: a block does its own share and knows nothing of the
# others. The shares of blocks 4 to 7, which were never started, keep what was there
# before. The simulator warns, because a numpy array may be filled in parts on purpose.
# %% [markdown] lang="zh"
# 没有谁管整个数组：一个 block 只做自己那一份，不知道别人的存在。
# 4 到 7 号 block 没有启动，它们的那几份就还是原来的内容。
# 这里模拟器只是警告，因为 numpy 数组也可能本来就打算分几次写完。
# %% id="quiz-sees-cell"
from npucamp import quiz

quiz("z1-sees")
# %% [markdown] lang="en" id="break-race" tags=["seed:B051.1"]
# ## Break 1: forget to wait
#
# What if the vector unit does not wait for the copy? The kernel below lacks the first
# barrier. V then reads bytes that MTE2 may still be writing: a **race**. On a real chip
# the result would be right on some days and wrong on others. The simulator finds the
# race each time and names both lines.
# %% [markdown] lang="zh"
# ## 故意弄坏（一）：忘了等待
#
# 如果向量单元不等搬运完成，会怎样？下面的核函数少了第一个 barrier。
# V 读的字节，MTE2 可能还没写完：这就是**竞争**（race）。
# 在真实芯片上，结果时对时错；模拟器每次都能发现这个竞争，并指出是哪两行。
# %% id="break-race-kernel"
@asc.jit
def hasty_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    start = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    y_gm.set_global_buffer(y + start, share)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, share)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, share * 2, share)

    asc.data_copy(x_ub, x_gm, share)
    asc.adds(y_ub, x_ub, 1.0, share)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, y_ub, share)
# %% id="break-race-run"
from npucamp import expect

with expect("ASC-RACE-15"):
    hasty_kernel[8](x, y, 2048)
# %% [markdown] lang="en" id="read-message"
# Read the message in this order: the **code** (`ASC-RACE-15` always means the same
# mistake), the **line** marked with `^`, the **other line**, then the **hint**. *RAW*
# means read after write: V reads what MTE2 writes. `MTE2_V` is the wait that is missing,
# from MTE2 to V. The hint begins with the barrier from above; the faster tools that it
# names belong to later lessons.
# %% [markdown] lang="zh"
# 按这个顺序读报错：先看**编号**（`ASC-RACE-15` 永远指同一种错误），再看带 `^` 标记的那**一行**，
# 然后看**另一行**，最后看**建议**。*RAW* 是“写后读”：V 读的正是 MTE2 写的。
# `MTE2_V` 是缺少的那次等待：从 MTE2 到 V。建议先给出前面用过的 barrier；它提到的更快的工具，后面的课程会讲。
# %% [markdown] lang="en" id="break-tail"
# ## Break 2: a length that does not fit
#
# 1,003 numbers on 1 block: 1,003 × 2 = 2,006 bytes. `data_copy` moves bytes in units of
# 32 only, and 2,006 is not a multiple of 32.
# %% [markdown] lang="zh"
# ## 故意弄坏（二）：长度对不齐
#
# 1 个 block 处理 1,003 个数：1,003 × 2 = 2,006 字节。`data_copy` 以 32 字节为单位搬运，
# 而 2,006 不是 32 的倍数。
# %% id="break-tail-run"
with expect("ASC-MTE-01"):
    add_one_kernel[1](x[:1003].copy(), y[:1003].copy(), 1003)
# %% [markdown] lang="en" id="any-length"
# ## Any length, any number of blocks
#
# Two changes make the kernel general:
#
# * `asc.data_copy_pad` moves an exact number of **bytes**:
#   `asc.DataCopyExtParams(1, nbytes, 0, 0)` is one row of `nbytes` bytes, without gaps;
#   `asc.DataCopyPadExtParams(False, 0, 0, 0)` says: fill up nothing behind it.
# * Each block walks through its share in **tiles** that fit into UB; the last tile may
#   be shorter.
#
# `asc.get_block_num()` is the number of blocks. `share` is rounded up, so the last
# blocks may get less, or nothing.
# %% [markdown] lang="zh"
# ## 任意长度、任意核数
#
# 两处改动让核函数通用：
#
# * `asc.data_copy_pad` 按精确的**字节**数搬运：
#   `asc.DataCopyExtParams(1, nbytes, 0, 0)` 表示一行、`nbytes` 字节、没有间隔；
#   `asc.DataCopyPadExtParams(False, 0, 0, 0)` 表示后面不填充。
# * 每个 block 把自己的那一份切成 UB 放得下的**小块（tile）**，一块一块处理；最后一块可以短一些。
#
# `asc.get_block_num()` 是 block 的个数。`share` 向上取整，所以排在后面的 block 可能分得少，甚至分不到。
# %% id="any-kernel"
@asc.jit
def add_one_any_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, tile: asc.constexpr
):
    share = (n + asc.get_block_num() - 1) // asc.get_block_num()
    start = asc.get_block_idx() * share
    stop = min(start + share, n)
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, tile)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, tile * 2, tile)
    for offset in range(start, stop, tile):
        count = min(tile, stop - offset)
        row = asc.DataCopyExtParams(1, count * 2, 0, 0)
        no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
        asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.adds(y_ub, x_ub, 1.0, count)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(y_gm[offset:], y_ub, row)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="any-run"
for n in (1, 31, 1003, 16384):
    part, result = x[:n].copy(), np.zeros(n, np.float16)
    add_one_any_kernel[8](part, result, n, 4096)
    assert np.array_equal(result, part + np.float16(1))
    print(f"n = {n:5}: ok")
# %% [markdown] lang="en" id="your-turn"
# **Your turn.** Change the kernel so that it computes `y = 3 · x` instead. The
# instruction is `asc.muls(dst, src, scalar, count)`. Change one line in the cell
# below and run it: `y = 3x: True` means that it worked.
# %% [markdown] lang="zh"
# **轮到你了。** 把核函数改成计算 `y = 3 · x`。要用的指令是
# `asc.muls(dst, src, scalar, count)`。只改下面单元里的一行，再运行：看到 `y = 3x: True` 就成功了。
# %% id="turn-triple" tags=["your-turn"]
from npucamp import check


@asc.jit
def triple_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, share: asc.constexpr):
    start = asc.get_block_idx() * share
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + start, share)
    y_gm.set_global_buffer(y + start, share)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, share)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, share * 2, share)
    asc.data_copy(x_ub, x_gm, share)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(y_ub, x_ub, 1.0, share)  # change this line / 修改这一行
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, y_ub, share)


tripled = np.zeros_like(x)
triple_kernel[8](x, tripled, 2048)
print("y = 3x:", np.array_equal(tripled, x * np.float16(3)))
check("z1-turn-triple", tripled == x * np.float16(3))
# %% id="hint-triple"
from npucamp import hint

hint("z1-turn-triple")
# %% [markdown] lang="en" id="measure"
# ## Measure: 1, 8 and 48 blocks
#
# Now 1,048,576 numbers: 2 MiB in, 2 MiB out.
#
# **Predict.** How many times faster are 8 blocks than 1 block? Run the next cell, which
# measures, then replace `None` in the cell after it.
# %% [markdown] lang="zh"
# ## 测量：1、8、48 个 block
#
# 这次用 1,048,576 个数：读入 2 MiB，写出 2 MiB。
#
# **预测。** 8 个 block 的速度是 1 个的几倍？先运行下一个单元（测量），再把它后面单元里的 `None` 换成你的答案。
# %% id="measure-runs"
big = np.ones(2**20, np.float16)
out = np.zeros_like(big)
runs = {b: add_one_any_kernel[b](big, out, big.size, 8192) for b in (1, 8, 48)}
# %% id="predict-speedup"
my_speedup = None
predict("z1-speedup", my_speedup, actual=runs[1].cycles / runs[8].cycles, within=1.0)
# %% id="measure-table"
for blocks, r in runs.items():
    speedup = runs[1].cycles / r.cycles
    print(f"{blocks:3} blocks {r.time_us:8.2f} us  {speedup:5.1f} x")
# %% [markdown] lang="en" id="more"
# ## Is more always faster?
#
# **Predict.** With how many blocks is 16,384 numbers fastest: 1, 4, 8, 24, 48 or 96?
# A block is not a core: 96 blocks on 48 cores run in two **waves**, one after the other.
# %% [markdown] lang="zh"
# ## 越多越快吗？
#
# **预测。** 16,384 个数用几个 block 最快：1、4、8、24、48 还是 96？
# block 不等于核：96 个 block 在 48 个核上要分两**批**（wave）运行，一批完了再来一批。
# %% id="more-cell"
def cycles(n, blocks):
    values, result = np.ones(n, np.float16), np.zeros(n, np.float16)
    return add_one_any_kernel[blocks](values, result, n, 8192).cycles


CHOICES = (1, 4, 8, 24, 48, 96)
by_blocks = {blocks: cycles(16384, blocks) for blocks in CHOICES}
my_best = None
predict("z1-best", my_best, actual=min(by_blocks, key=by_blocks.get))
# %% id="more-table"
print(" " * 9, *(f"{blocks:7}" for blocks in CHOICES), " blocks")
for n in (1003, 16384, 2**20):
    print(f"{n:9,}", *(f"{cycles(n, blocks):7,}" for blocks in CHOICES), " cycles")
# %% id="quiz-more-cell"
quiz("z1-more")
# %% [markdown] lang="en" id="explain"
# ## Explain: where is the rest?
#
# 48 blocks are not 48 times faster. Two reasons, both in the numbers of the next cell:
#
# * **Starting costs time** (`start`). A launch has a fixed part, and a part for every
#   core.
# * **The way to GM is shared** (`work`). 48 cores share one memory, so each copy takes
#   longer than it would take a core alone.
#
# The *floor* is the least time that these bytes need on this chip, however clever the
# kernel; the row *roofline* of the table is the floor over the time. Lessons on speed are
# about coming close to it.
# %% [markdown] lang="zh"
# ## 解释：剩下的时间去哪儿了？
#
# 48 个 block 并没有快 48 倍。原因有两个，数字都在下一个单元里：
#
# * **启动要花时间**（`start`）。每次启动有一个固定开销，每个核再加一份。
# * **通往 GM 的路是共用的**（`work`）。48 个核共用同一块内存的带宽，每次搬运都比一个核单独搬要慢。
#
# *下限*（`floor`）是这些字节在这块芯片上最少要花的时间，核函数写得再巧也越不过去。
# 前面表里的“屋顶线”一行，就是下限除以用时。讲性能的课程，目标就是让它接近 100%。
# %% id="explain-numbers"
for blocks, r in runs.items():
    work_us = max(r.core_cycles) / (chip.clock_ghz * 1e3)
    start_us = r.time_us - work_us
    rate = (r.nbytes_read + r.nbytes_written) / (r.time_us * 1e3)
    print(f"{blocks:3} blocks: start {start_us:5.2f} us, work {work_us:7.2f} us, "
          f"{rate:6.1f} GB/s; floor {r.floor_us:5.2f} us")
# %% [markdown] lang="en" id="idle"
# There is a third way to lose time. Look at the picture: while MTE2 copies in, V and
# MTE3 stand idle, because the barrier stops them all. Copying in the next tile while
# this one is computed is the subject of lesson Z3.
# %% [markdown] lang="zh"
# 时间还有第三个去处。看图：MTE2 搬入的时候，V 和 MTE3 都闲着，因为 barrier 让大家都停下来等。
# 一边计算这一块、一边搬入下一块，是 Z3 课的内容。
# %% id="explain-picture"
runs[8].timeline()
# %% [markdown] lang="en" id="explain-question"
# **Explain.** In one or two sentences of your own: where does the rest of the time go?
# Write in the field, or in quotes in place of `None`.
# %% [markdown] lang="zh"
# **解释。** 用自己的话写一两句：其余的时间去哪儿了？写在下面的框里，或者加上引号替换 `None`。
# %% id="explain-cell"
from npucamp import explain

my_answer = None
explain("z1-speed", my_answer)
# %% [markdown] lang="en" id="next" tags=["seed:B031.1", "seed:B031.2", "seed:B013.3"]
# ## What you reached, and what comes next
#
# * You wrote the five steps: split, my share, copy in, compute, copy out.
# * You met two messages by name: `ASC-RACE-15` and `ASC-MTE-01`.
# * You measured the speed-up and know why it is not the number of cores.
#
# Libraries bring the usual operations. You write a kernel when the one you need is
# missing.
#
# **Next:** the assignment `z1-vector-add` in the folder `exercises`: two inputs,
# any length, and marks for speed. Open `exercises/z1-vector-add/z1-vector-add.ipynb`.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 写出了五步骨架：切分、找到自己的那一份、搬入、计算、搬出。
# * 认识了两个报错：`ASC-RACE-15` 和 `ASC-MTE-01`。
# * 测出了加速比，也知道它为什么不等于核数。
#
# 常用的算子，库里都有；你要的算子库里没有时，才需要自己写核函数。
#
# **下一步：** `exercises` 文件夹里的作业 `z1-vector-add`：两个输入、任意长度，速度也计分。
# 请打开 `exercises/z1-vector-add/z1-vector-add.ipynb`。
# %% id="progress"
from npucamp import progress

progress()
