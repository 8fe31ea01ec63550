# ---
# jupyter:
#   npucamp:
#     id: z2
#     slug: moving-data
#     title: {en: "Moving data: layout, contiguity, alignment", zh: 搬数据：布局、连续、对齐}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1", "seed:B032.1", "seed:B033.1"]
# # Z2 · Moving data: layout, contiguity, alignment
#
# **Goal.** You say where each byte of a matrix lies, copy a row, a column and a window of
# it, and measure what a bad layout, many small copies and a crooked address cost.
#
# **Time.** About 60 minutes. You need lesson Z1.
#
# **Where it comes from.** The practitioner's article asks three questions before a
# kernel is written: What is the layout of the input? Can the work be cut in stages? Is
# each stage limited by arithmetic or by memory? This lesson is about the first. You
# answer all three at its end.
# %% [markdown] lang="zh"
# # Z2 · 搬数据：布局、连续、对齐
#
# **目标。** 说得出矩阵的每个字节在哪里；分别搬一行、一列和一个窗口；
# 测出布局不好、小块太多、地址不齐各要付出多少代价。
#
# **用时。** 约 60 分钟。请先学完 Z1 课。
#
# **出处。** 那篇实战文章说，动手写核函数之前先回答三个问题：输入的数据布局是什么？
# 计算能不能拆成几个阶段？每个阶段受限于计算还是访存？本课专讲第一个问题，最后三个一起回答。
# %% [markdown] lang="en" id="layout" tags=["seed:B034.1", "seed:B034.2"]
# ## A matrix is one line of bytes
#
# Memory has no rows and columns, only addresses. A **layout** says which element lies
# where. Ours has 1,024 × 1,024 half numbers of 2 bytes. numpy stores it **row-major**:
# row 0, then row 1, and so on. The distance from one row to the next is the **pitch**:
# 1,024 × 2 = 2,048 B. `strides` says the distance to the next row and to the next
# column, in bytes.
#
# **Predict.** How many bytes from the start does element [5, 7] lie?
# %% [markdown] lang="zh"
# ## 矩阵就是一长串字节
#
# 内存里没有行和列，只有地址。**布局**规定哪个元素放在哪里。我们的矩阵有 1,024 × 1,024 个 half，每个 2 字节。
# numpy 按**行主序**存放：先第 0 行，再第 1 行，依次往后。相邻两行开头的距离叫**行距**（pitch）：
# 1,024 × 2 = 2,048 B。`strides` 依次给出到下一行、到下一列的距离，以字节计。
#
# **预测。** 元素 [5, 7] 离开头多少字节？
# %% id="predict-address"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import asc, ops

m = np.random.default_rng(2).standard_normal((1024, 1024)).astype(np.float16)
my_guess = None
predict("z2-address", my_guess, actual=5 * m.strides[0] + 7 * m.strides[1])
# %% id="two-layouts"
column_major = np.asfortranarray(m)
for name, a in {"row-major": m, "column-major": column_major}.items():
    print(f"{name:13} strides {a.strides}, [5, 7] at byte {np.dot((5, 7), a.strides)}")
print("same matrix:", np.array_equal(m, column_major))
# %% [markdown] lang="en" id="row" tags=["seed:B044.1", "seed:B045.1", "seed:B046.1", "seed:B049.1", "seed:B050.1"]
# ## Build: copy a row
#
# Steps 3 and 5 of the skeleton, with nothing in between: copy in, copy out. (With two
# inputs step 3 stands there twice.) A row of a row-major matrix is **contiguous**: its
# bytes follow each other, so a single stretch of 2,048 B comes in and goes out.
# %% [markdown] lang="zh"
# ## 动手：搬一行
#
# 只做骨架的第 3 步和第 5 步：搬入、搬出，中间什么也不算。（有两个输入时，第 3 步写两遍。）
# 行主序矩阵的一行是**连续**的，字节一个挨一个，所以搬入、搬出都是一整段 2,048 B。
# %% id="row-kernel"
@asc.jit
def row_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, r: int, n: asc.constexpr):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n * n)
    z_gm.set_global_buffer(z, n)
    ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, n)
    asc.data_copy(ub, x_gm[r * n :], n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, ub, n)


z = np.zeros(1024, np.float16)
row = row_kernel[1](m, z, 5, 1024)
assert np.array_equal(z, m[5])
# %% [markdown] lang="en" id="column"
# ## Build: copy a column
#
# The elements of a column lie 2,048 B apart. One instruction can fetch them all: its
# **descriptor** `asc.DataCopyExtParams(block_count, block_len, src_stride, dst_stride)`
# names a number of **bursts**, the length of each, and the *gap* from the end of one
# burst to the start of the next. In `data_copy_pad` the units are:
#
# | | length | gap in GM | gap in UB |
# |---|---|---|---|
# | `data_copy_pad` | bytes | bytes | blocks of 32 B |
# | `data_copy` with `DataCopyParams` | blocks of 32 B | blocks of 32 B | blocks of 32 B |
#
# So a column is 1,024 bursts of 2 B with gaps of 2,046 B. In UB each burst starts at a
# new block of 32 B.
# %% [markdown] lang="zh"
# ## 动手：搬一列
#
# 一列的元素彼此相隔 2,048 B。一条指令也能全部取来，靠的是**描述符**
# `asc.DataCopyExtParams(block_count, block_len, src_stride, dst_stride)`：
# 有多少段（**burst**）、每段多长、从一段的结尾到下一段的开头*空*多少。`data_copy_pad` 里的单位是：
#
# | | 长度 | GM 里的间隔 | UB 里的间隔 |
# |---|---|---|---|
# | `data_copy_pad` | 字节 | 字节 | 32 B 的块 |
# | `data_copy` 配 `DataCopyParams` | 32 B 的块 | 32 B 的块 | 32 B 的块 |
#
# 所以一列是 1,024 段，每段 2 B，间隔 2,046 B。在 UB 里，每一段都从一个新的 32 B 块开始。
# %% id="column-kernel"
@asc.jit
def column_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, c: int, n: asc.constexpr):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n * n)
    z_gm.set_global_buffer(z, n)
    ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 16 * n)
    bursts = asc.DataCopyExtParams(n, 2, 2 * n - 2, 0)
    asc.data_copy_pad(ub, x_gm[c:], bursts, asc.DataCopyPadExtParams(False, 0, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(z_gm, ub, asc.DataCopyExtParams(n, 2, 0, 0))


column = column_kernel[1](m, z, 5, 1024)
assert np.array_equal(z, m[:, 5])
# %% [markdown] lang="en" id="predict-column" tags=["seed:B034.3"]
# Both kernels move the same 2,048 B in and out.
#
# **Predict.** How many times longer does the copy in (pipe MTE2) take for the column?
# %% [markdown] lang="zh"
# 两个核函数搬入、搬出的都是 2,048 B。
#
# **预测。** 搬入一列（流水线 MTE2）的用时是搬入一行的几倍？
# %% id="predict-column-cell"
def busy(run, pipe="MTE2"):  # cycles of a pipe / 一条流水线的周期数
    return sum(e.end_cycle - e.start_cycle for e in run.events() if e.pipe == pipe)


my_guess = None
predict("z2-column", my_guess, actual=busy(column) / busy(row), within=2)
# %% id="column-table"
for name, r in {"row": row, "column": column}.items():
    print(f"{name:7} {r.nbytes_read:,} B read, MTE2 {busy(r):6.0f} cycles, "
          f"MTE3 {busy(r, 'MTE3'):6.0f} cycles, {r.time_us:.2f} us")
# %% [markdown] lang="en" id="why-column"
# The article says "several-fold", and the launch as a whole agrees; the copy itself is
# worse. The simulator's note on speed says why. GM is read in **lines** of 512 B. A burst of
# 2 B occupies a line as a burst of 512 B does.
# %% [markdown] lang="zh"
# 文章说“差数倍”，看整次启动确实如此；单看搬运，差得更多。模拟器的性能提示说明了原因：
# GM 以 512 B 的**内存行**（line，和矩阵的行是两回事）为单位读取；
# 2 B 的一段和 512 B 的一段一样，都要占一个内存行。
# %% id="column-note"
print(*column.diagnostics, sep="\n")
# %% [markdown] lang="en" id="cache"
# "The cache will fix it", many hope. Let the whole matrix lie in the L2 cache from the
# start.
# %% [markdown] lang="zh"
# 很多人指望“有缓存兜底”。那就让整个矩阵一开始就在 L2 缓存里。
# %% id="cache-cell"
for cache in ("cold", "l2"):
    with asc.settings(cache=cache):
        r, c = row_kernel[1](m, z, 5, 1024), column_kernel[1](m, z, 5, 1024)
    print(f"{cache:5} row {busy(r):5.0f}, column {busy(c):5.0f} cycles of MTE2")
# %% [markdown] lang="en" id="break-view"
# ## Break 1: a transposed view
#
# A column of `m` is a row of `m.T`, and `m.T` costs nothing in numpy. So why not give
# `m.T` to the fast row kernel?
# %% [markdown] lang="zh"
# ## 故意弄坏（一）：转置视图
#
# `m` 的一列就是 `m.T` 的一行，而 `m.T` 在 numpy 里不花时间。那把 `m.T` 交给快的 `row_kernel` 不就行了？
# %% id="break-view-run"
with expect("ASC-ARG-01"):
    row_kernel[1](m.T, z, 5, 1024)
# %% [markdown] lang="en" id="read-view"
# `m.T` moved nothing: it is the same bytes with the strides exchanged. A kernel receives
# bytes, no strides. Whoever wants columns side by side must move them. The hint does so,
# on the host; below, a kernel does it on the chip.
# %% [markdown] lang="zh"
# `m.T` 什么也没搬：字节还是那些字节，只是把两个 stride 对调了。核函数拿到的是字节，没有 stride。
# 想让一列的元素挨在一起，就必须有人去搬。报错里的建议是在主机上搬；后面我们让核函数在芯片上搬。
# %% [markdown] lang="en" id="break-units" tags=["seed:B077.3"]
# ## Break 2: a gap in the wrong unit
#
# A **window** is a part of some rows. We want 16 rows of 32 numbers. The gap is
# 1,024 − 32 = 992 elements. But the descriptor wants bytes. No rule is broken, so no
# message comes: the result is wrong in silence.
#
# The article's order for a wrong result: smallest case, first element that differs, then
# layout, offset and boundary there. `asc.explain_wrong_answer` finds the element.
# %% [markdown] lang="zh"
# ## 故意弄坏（二）：间隔的单位写错
#
# 从若干行里各取一部分，就是一个**窗口**。我们要 16 行，每行 32 个数。间隔是 1,024 − 32 = 992 个元素，
# 可描述符要的是字节。这样写不违反任何规则，所以没有报错：结果悄悄地错了。
#
# 文章给出的排查顺序：先用最小用例，找到第一个不对的元素，再查那里的布局、偏移和边界。
# `asc.explain_wrong_answer` 能找出这个元素。
# %% id="window-kernel"
@asc.jit
def window_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, size: int, rows: asc.constexpr,
    cols: asc.constexpr, gap: asc.constexpr,
):  # fmt: skip
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    z_gm.set_global_buffer(z, rows * cols)
    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, rows * cols)
    bursts = asc.DataCopyExtParams(rows, cols * x.dtype.sizeof(), gap, 0)
    asc.data_copy_pad(ub, x_gm, bursts, asc.DataCopyPadExtParams(False, 0, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, ub, rows * cols)
# %% id="break-units-run"
z = np.zeros((16, 32), np.float16)
wrong = window_kernel[1](m, z, m.size, 16, 32, 1024 - 32)
asc.explain_wrong_answer(wrong, {"z": m[:16, :32]})
# %% [markdown] lang="en" id="turn-window"
# Row 0 is right, row 1 is not: so the start is right and the way from row to row is
# wrong.
#
# **Your turn.** Another matrix: 512 × 768 numbers of float32 (4 B each). Take the window
# of the first 96 rows and 128 columns. Which gap, in bytes?
# %% [markdown] lang="zh"
# 第 0 行对，第 1 行错：说明起点没问题，从一行走到下一行的距离错了。
#
# **轮到你了。** 换一个矩阵：512 × 768 个 float32，每个 4 B。取前 96 行、前 128 列这个窗口。间隔是多少字节？
# %% id="turn-window-cell" tags=["your-turn"]
w = np.random.default_rng(3).standard_normal((512, 768), np.float32)
gap = 0  # change this number / 修改这个数
z = np.zeros((96, 128), np.float32)
window_kernel[1](w, z, w.size, 96, 128, gap)
check("z2-turn-window", z == w[:96, :128])
# %% id="turn-window-hint"
hint("z2-turn-window")
# %% [markdown] lang="en" id="loop"
# ## Measure: a loop or one descriptor
#
# The same window can be fetched row by row, in a loop of plain copies. Now 1,024 rows of
# 32 half numbers: 64 B a row.
#
# **Predict.** What share of the loop's copy time does one descriptor need, 0 to 1?
# %% [markdown] lang="zh"
# ## 测量：循环搬运，还是一个描述符
#
# 同样的窗口也可以一行一行地搬，写成循环。这次取 1,024 行，每行 32 个 half，即 64 B。
#
# **预测。** 用一个描述符，搬入时间是循环的几分之几？写 0 到 1 之间的数。
# %% id="loop-kernel"
@asc.jit
def loop_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, size: int, rows: asc.constexpr,
    cols: asc.constexpr, pitch: asc.constexpr,
):  # fmt: skip
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    z_gm.set_global_buffer(z, rows * cols)
    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, rows * cols)
    for r in range(rows):
        asc.data_copy(ub[r * cols :], x_gm[r * pitch :], cols)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, ub, rows * cols)
# %% id="loop-run"
z = np.zeros((1024, 32), np.float16)
loop = loop_kernel[1](m, z, m.size, 1024, 32, 1024)
assert np.array_equal(z, m[:, :32])
one = window_kernel[1](m, z, m.size, 1024, 32, (1024 - 32) * 2)
assert np.array_equal(z, m[:, :32])
# %% id="predict-loop"
my_guess = None
predict("z2-loop", my_guess, actual=busy(one) / busy(loop), within=0.1)
# %% id="loop-table"
for name, r in {"loop": loop, "one": one}.items():
    copies = sum(e.pipe == "MTE2" for e in r.events())
    print(f"{name:5} {copies:5} copies in, {busy(r):7.0f} cycles, {r.time_us:5.2f} us")
# %% id="loop-picture"
loop.beside(one)
# %% [markdown] lang="en" id="align" tags=["seed:B051.3", "seed:B054.3"]
# ## Alignment, the rule: 32 B in UB
#
# An address is **aligned** to 32 B if it is a multiple of 32. In UB this is a must.
# Break it once: the tensor starts at byte 2.
# %% [markdown] lang="zh"
# ## 对齐，规则：UB 里 32 B
#
# 地址是 32 的倍数，就说它按 32 B **对齐**。在 UB 里必须如此。弄坏一次看看：让张量从第 2 个字节开始。
# %% id="align-kernel"
@asc.jit
def crooked_kernel(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 2, 64)
    asc.data_copy(ub, x_gm, 64)
# %% id="align-run"
with expect("ASC-ALIGN-02"):
    crooked_kernel[1](np.ones(64, np.float16))
# %% [markdown] lang="en" id="lines"
# ## Alignment, the price: 512 B in GM
#
# In GM any address works. The price shows in time. The next kernel reads rows of 512 B
# with gaps of 512 B, on 48 cores. `shift` moves the start of all rows by some bytes.
#
# **Predict.** Which is the smallest shift above 0 that costs nothing?
# %% [markdown] lang="zh"
# ## 对齐，代价：GM 里 512 B
#
# GM 里的地址不齐也能用，代价体现在时间上。下面的核函数用 48 个核读许多行，每行 512 B，间隔 512 B。
# `shift` 让所有行的起点一起挪动若干字节。
#
# **预测。** 大于 0 的挪动里，最小挪多少字节才不会变慢？
# %% id="lines-kernel"
@asc.jit
def rows_kernel(
    x: asc.GlobalAddress, n: int, rows: asc.constexpr, blocks32: asc.constexpr,
    shift: asc.constexpr,
):  # fmt: skip
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + shift // 2, n)
    ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, rows * blocks32 * 16)
    step = rows * 2 * blocks32 * 16
    for start in range(asc.get_block_idx() * step, n, asc.get_block_num() * step):
        params = asc.DataCopyParams(rows, blocks32, blocks32, 0)
        asc.data_copy(ub, x_gm[start:], params)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="lines-run"
n = 48 * 4 * 64 * 1024 // 2
padded = np.ones(n + 1024, np.float16)


def read(shift=0, row_nbytes=512):
    return rows_kernel[48](padded, n, 64, row_nbytes // 32, shift)


times = {s: read(s).time_us for s in (0, 32, 64, 128, 256, 384, 512, 544)}
# %% id="predict-shift"
free = [s for s, t in times.items() if s and t <= 1.01 * times[0]]
my_guess = None
predict("z2-shift", my_guess, actual=free[0])
# %% id="lines-plot"
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(5, 2.2))
axes.bar([str(s) for s in times], list(times.values()))
axes.set(xlabel="shift (B)", ylabel="time (us)");
# %% [markdown] lang="en" id="lines-why"
# A row of 512 B that starts on a line fills one line. Shifted by 32 B it touches two. The
# number 128, often told, has no part in it here. Try other row lengths. What counts is
# how many lines a row touches beyond those that it fills: compare 64 B, 512 B, 1,024 B.
# %% [markdown] lang="zh"
# 512 B 的一行如果从内存行的开头开始，正好占一个内存行；挪 32 B，就跨了两个。
# 常听人说的 128，在这里不起作用。换几种行长试试。关键在于一行除了填满的内存行之外还多碰到几个：
# 比较 64 B、512 B 和 1,024 B。
# %% id="lines-what-if"
from npusim.view import what_if

what_if(read, shift=[0, 32, 128, 256, 512], row_nbytes=[64, 256, 512, 1024])
# %% [markdown] lang="en" id="writes" tags=["seed:B051.5"]
# ## Few large pieces
#
# Step 5 has the same enemy: many small writes. Copy 1.5 MiB in and out on 48 cores, in
# pieces of 128 B up to 32 KiB.
#
# **Predict.** From which size on, in bytes, do you get at least half of the best rate?
# %% [markdown] lang="zh"
# ## 少而大
#
# 第 5 步有同样的敌人：零碎的小块写出。用 48 个核把 1.5 MiB 搬入再搬出，每块从 128 B 到 32 KiB。
#
# **预测。** 每块至少多少字节，才能达到最高速率的一半？
# %% id="writes-kernel"
@asc.jit
def pieces_kernel(
    x: asc.GlobalAddress, z: asc.GlobalAddress, n: int, piece: asc.constexpr
):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, piece)
    for start in range(asc.get_block_idx() * piece, n, asc.get_block_num() * piece):
        asc.data_copy(ub, x_gm[start:], piece)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm[start:], ub, piece)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="writes-run"
p = np.ones(48 * 16384, np.float16)
rates = {}
for nbytes in (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768):
    r = pieces_kernel[48](p, np.zeros_like(p), p.size, nbytes // 2)
    rates[nbytes] = (r.nbytes_read + r.nbytes_written) / (r.time_us * 1e3)
# %% id="predict-piece"
half_rate = max(rates.values()) / 2
my_guess = None
predict("z2-piece", my_guess, actual=min(s for s in rates if rates[s] >= half_rate))
# %% id="writes-plot"
figure, axes = plt.subplots(figsize=(6.5, 2.2))
axes.plot([str(s) for s in rates], list(rates.values()), marker="o")
axes.set(xlabel="piece (B)", ylabel="GB/s");
# %% [markdown] lang="en" id="convert" tags=["seed:B034.4", "seed:A056.1"]
# ## Convert the layout first
#
# A later step wants the columns of `m`, all 1,024 of them, each as a contiguous row.
# Either the kernel fights its way through the columns, or a **layout conversion** comes
# first and everything after it is contiguous.
# %% [markdown] lang="zh"
# ## 先转换布局
#
# 后面的一步要用 `m` 的全部 1,024 列，每一列都要连续。要么在核函数里硬扛，一列一列地取；
# 要么先做一次**布局转换**，之后的访问就都是连续的。
# %% id="convert-kernel"
@asc.jit
def columns_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress, n: asc.constexpr):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n * n)
    z_gm.set_global_buffer(z, n * n)
    ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 16 * n)
    column = asc.DataCopyExtParams(n, 2, 2 * n - 2, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    for c in range(asc.get_block_idx(), n, asc.get_block_num()):
        asc.data_copy_pad(ub, x_gm[c:], column, no_pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy_pad(z_gm[c * n :], ub, asc.DataCopyExtParams(n, 2, 0, 0))
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
# %% id="convert-run"
z = np.zeros_like(m)
fought = columns_kernel[48](m, z, 1024)
assert np.array_equal(z, m.T)
assert np.array_equal(ops.transpose(m), m.T)
for name, r in {"column by column": fought, "ops.transpose": ops.transpose.run}.items():
    print(f"{name:17} {r.time_us:6.2f} us, floor {r.floor_us:.2f} us")
# %% [markdown] lang="en" id="squares"
# How does the library do it? It copies contiguous pieces in, turns them over *in UB*, and
# copies contiguous pieces out. The vector unit turns a square of 16 × 16 half numbers
# with one instruction.
# %% [markdown] lang="zh"
# 库是怎么做到的？把连续的一块块搬进来，*在 UB 里*翻转，再连续地搬出去。
# 向量单元用一条指令就能翻转 16 × 16 个 half 组成的方块。
# %% id="squares-kernel"
@asc.jit
def square_kernel(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm, z_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, 256)
    z_gm.set_global_buffer(z, 256)
    a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 256)
    b = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 512, 256)
    asc.data_copy(a, x_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.transpose(b, a)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, 256)
# %% id="squares-run"
square, turned = m[:16, :16].copy(), np.zeros((16, 16), np.float16)
run = square_kernel[1](square, turned)
print("turned:", np.array_equal(turned, square.T))
run.step()
# %% [markdown] lang="en" id="three" tags=["seed:B006.2", "seed:B033.2", "seed:B033.4"]
# ## The three questions, answered
#
# Back to the questions. For two operators on `m`, count the bytes and the operations:
# where few operations meet many bytes, memory is the limit, and the layout decides.
# %% [markdown] lang="zh"
# ## 回答三个问题
#
# 回到开头的问题。对 `m` 上的两个算子，数一数字节和运算：运算少、字节多，就受限于访存，布局说了算。
# %% id="three-cell"
ops.softmax(m)
for name, r, each, stages in (
    ("transpose", ops.transpose.run, 0, "in, turn, out"),
    ("softmax of rows", ops.softmax.run, 5, "in, max, exp, sum, divide, out"),
):
    moved = r.nbytes_read + r.nbytes_written
    print(f"{name}: {moved / m.size:.0f} B and {each} operations an element; {stages}")
# %% id="quiz-units"
quiz("z2-units")
# %% id="quiz-three"
quiz("z2-three")
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
explain("z2-columns", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * You compute addresses: start + row × pitch + column × size of an element.
# * You describe a window in bursts, each number in its own unit.
# * You measured the price of scattered bytes, of many copies and of a crooked start.
# * You met `ASC-ARG-01` and `ASC-ALIGN-02`, and a mistake that no message catches.
#
# **Next:** the assignment `exercises/z2-moving-data/z2-moving-data.ipynb`: a descriptor on
# paper, then a kernel for any window. After that, Z3: three pipes at the same time.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 会算地址：起点 + 行号 × 行距 + 列号 × 元素大小。
# * 会用描述符表示一个窗口，每个数都有自己的单位。
# * 测出了零散字节、小块太多、起点不齐各要付出多少代价。
# * 认识了 `ASC-ARG-01` 和 `ASC-ALIGN-02`，还有一种没有报错的错误。
#
# **下一步：** 作业 `exercises/z2-moving-data/z2-moving-data.ipynb`：先在纸上算描述符，
# 再写一个能搬任意窗口的核函数。然后是 Z3 课：三条流水线同时工作。
# %% id="progress-cell"
progress()
