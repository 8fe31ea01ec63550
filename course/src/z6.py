# ---
# jupyter:
#   npucamp:
#     id: z6
#     slug: vector-unit
#     title: {en: "The vector unit: mask, repeat, stride, cast, select", zh: 向量单元：掩码、重复、步长、类型转换与选择}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1"]
# # Z6 · The vector unit: mask, repeat, stride, cast, select
#
# So far one line, `asc.adds(dst, src, 1.0, count)`, did all the computing. This lesson
# opens that line: what the vector unit does in it, what it costs, which elements it
# touches, and how far its numbers can be trusted.
#
# **Goal.** You write sinh, sigmoid and leaky relu from simple instructions, say
# beforehand how many instructions and cycles they take, and choose the form that is
# accurate enough. You exceed a repeat counter, a mask and a number range on purpose.
#
# **Time.** About 75 minutes. You need lesson Z5.
#
# **Where it comes from.** A practitioner's article on CANN names vectorisation first
# among the means of tuning: let one instruction handle more data. The public write-ups
# of the certificate's programming task all report the same trap. You will step into it
# here, where it costs nothing.
# %% [markdown] lang="zh"
# # Z6 · 向量单元：掩码、重复、步长、类型转换与选择
#
# 到现在为止，计算都由一行完成：`asc.adds(dst, src, 1.0, count)`。本课打开这一行：
# 向量单元在里面做了什么，花多少时间，碰到哪些元素，算出来的数能信到什么程度。
#
# **目标。** 用简单的指令写出 sinh、sigmoid 和 leaky relu；动手之前先说出要多少条指令、多少周期；
# 并选出精度够用的写法。过程中你会故意超出重复次数、掩码和数值范围。
#
# **用时。** 约 75 分钟。需要先学 Z5 课。
#
# **出处。** 一篇讲 CANN 的实战文章，把向量化列为调优手段的第一个：让一条指令处理更多数据。
# 公开的认证编程题经验帖都提到同一个坑。你会在这里先踩一次：练习时踩坑不要紧。
# %% id="imports"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import asc
# %% [markdown] lang="en" id="helpers"
# ## Two helpers
#
# This lesson looks at one core and its vector unit only. Two helper functions take care
# of the rest: `copy_in` fills a tensor of UB from GM, `copy_out` writes one back. The
# barriers in them are plain and slow; Z3 and Z4 showed better ways.
# %% [markdown] lang="zh"
# ## 两个辅助函数
#
# 本课只看一个核和它的向量单元，其余的事交给两个辅助函数：`copy_in` 从 GM 填满 UB 里的一个张量，
# `copy_out` 把它写回去。里面用的 barrier 简单但慢，更好的办法见 Z3、Z4 课。
# %% id="helpers-cell"
@asc.jit
def copy_in(ub, address, n):
    gm = asc.GlobalTensor()
    gm.set_global_buffer(address, n)
    row = asc.DataCopyExtParams(1, n * ub.dtype.sizeof(), 0, 0)
    asc.data_copy_pad(ub, gm, row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def copy_out(address, ub, n):
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    gm = asc.GlobalTensor()
    gm.set_global_buffer(address, n)
    asc.data_copy_pad(gm, ub, asc.DataCopyExtParams(1, n * ub.dtype.sizeof(), 0, 0))
# %% [markdown] lang="en" id="repeat" tags=["seed:B022.3", "seed:B047.1", "seed:B048.1"]
# ## One instruction, many elements
#
# The vector unit works in **repeats**. One repeat takes 256 B from UB, 8 data blocks of
# 32 B: that is 64 elements of float32 or 128 of half. One instruction does many repeats.
#
# **Predict.** `asc.exp(dst, src, 4096)` on float32: how many repeats?
# %% [markdown] lang="zh"
# ## 一条指令，许多元素
#
# 向量单元以**重复**（repeat，也叫迭代）为单位工作。一次重复从 UB 取 256 B，即 8 个 32 B 的数据块：
# 64 个 float32 元素，或 128 个 half 元素。一条指令可以做很多次重复。
#
# **预测。** 对 float32 做 `asc.exp(dst, src, 4096)`，要重复多少次？
# %% id="predict-repeats"
my_repeats = None
predict("z6-repeats", my_repeats, actual=4096 * 4 // 256)
# %% id="exp-kernel"
@asc.jit
def exp_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    t = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, n)
    copy_in(t, x, n)
    asc.exp(t, t, n)
    copy_out(y, t, n)


def on_v(run):  # what the vector unit did: (name, cycles) / 向量单元做了什么
    return [(e.name, e.end_cycle - e.start_cycle) for e in run.events() if e.pipe == "V"]


for n in (64, 640, 4096, 16384):
    ones = np.ones(n, np.float32)
    ((name, cycles),) = on_v(exp_kernel[1](ones, np.zeros_like(ones), n))
    repeats = n * 4 // 256
    print(f"n = {n:5}: {name}, {repeats:3} repeats, {cycles:5} cycles, "
          f"{100 * 2 * repeats / cycles:3.0f} % of them in repeats")
# %% [markdown] lang="en" id="cost" tags=["seed:B051.4"]
# Two numbers explain the column of cycles: a start-up for each instruction, and a cost
# for each repeat. `help` tells both. Ten times the data costs less than twice the time
# as long as the start-up dominates: the unit is kept busy by *long* instructions.
# %% [markdown] lang="zh"
# 两个数就能解释周期那一列：每条指令有一次启动开销，每次重复再加一份。用 `help` 可以查到这两个数。
# 启动开销占大头的时候，数据多 10 倍，时间还不到 2 倍：要让向量单元满负荷，指令就要*长*。
# %% id="help-cell"
help(asc.exp)
# %% [markdown] lang="en" id="predict-cycles"
# **Predict.** How many cycles do 100 repeats of `exp` on float32 take?
# %% [markdown] lang="zh"
# **预测。** float32 的 `exp` 重复 100 次，要多少周期？
# %% id="predict-cycles-cell"
def cycles_of_exp(repeats):
    ones = np.ones(repeats * 64, np.float32)
    return on_v(exp_kernel[1](ones, np.zeros_like(ones), ones.size))[0][1]


my_cycles = None
predict("z6-cycles", my_cycles, actual=lambda: cycles_of_exp(100), within=1)
# %% [markdown] lang="en" id="scalar"
# ## "For 256 elements a loop will do"
#
# `get_value` and `set_value` read and write single elements, on the scalar pipe S.
#
# **Predict.** The loop below adds 1 to 256 numbers. How many times as long as
# `asc.adds` does it take, between the copies?
# %% [markdown] lang="zh"
# ## “才 256 个元素，循环就行了”
#
# `get_value` 和 `set_value` 一次读写一个元素，走的是标量流水线 S。
#
# **预测。** 下面的循环给 256 个数各加 1。不算搬运，它用的时间是 `asc.adds` 的多少倍？
# %% id="scalar-cell"
@asc.jit
def add_one_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, loop: asc.constexpr):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    copy_in(t, x, 256)
    if loop:
        for i in range(256):
            t.set_value(i, t.get_value(i) + 1.0)
    else:
        asc.adds(t, t, 1.0, 256)
    copy_out(y, t, 256)


def between_copies(run):
    return sum(e.end_cycle - e.start_cycle for e in run.events()
               if e.name in ("get_value", "set_value", "adds"))


ones, out = np.ones(256, np.float32), np.zeros(256, np.float32)
loop, vector = (between_copies(add_one_kernel[1](ones, out, k)) for k in (True, False))
my_factor = None
predict("z6-scalar", my_factor, actual=loop / vector, within=20)
# %% id="scalar-table"
print(f"scalar loop: {loop:7.1f} cycles for 512 accesses")
print(f"vector adds: {vector:7.1f} cycles for {256 * 4 // 256} repeats")
# %% [markdown] lang="en" id="mask"
# ## The mask: which elements of a repeat
#
# Every instruction has two forms. The **count form** `exp(dst, src, count)` takes any
# number of elements. The **mask form** says in detail what happens:
# `exp(dst, src, mask, repeat_times, params)` does `repeat_times` repeats and in each of
# them only the first `mask` elements. The others stay as they were.
#
# **Predict.** float32, mask 32, 64 repeats. How many elements are computed?
# %% [markdown] lang="zh"
# ## 掩码：一次重复里的哪些元素
#
# 每条指令都有两种形式。**count 形式** `exp(dst, src, count)`：任意个元素。
# **掩码形式**把细节都写出来：`exp(dst, src, mask, repeat_times, params)` 做 `repeat_times` 次重复，
# 每次只算前 `mask` 个元素，其余的保持原样。
#
# **预测。** float32，掩码 32，重复 64 次，一共算了多少个元素？
# %% id="mask-cell"
@asc.jit
def mask_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    n: asc.constexpr,
    mask: asc.constexpr,
    repeats: asc.constexpr,
):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, n)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, n * 4, n)
    copy_in(a, x, n)
    asc.duplicate(b, -1.0, n)  # -1: not computed / 没算到
    asc.exp(b, a, mask, repeats, asc.UnaryRepeatParams(1, 1, 8, 8))
    copy_out(y, b, n)


zeros = np.zeros(300 * 64, np.float32)
y = np.zeros_like(zeros)
run = mask_kernel[1](zeros[:4096], y[:4096], 4096, 32, 64)
my_count = None
predict("z6-mask", my_count, actual=int((y[:4096] == 1).sum()))
# %% id="mask-look"
print("elements 28 to 35:", y[28:36])  # exp(0) = 1
# %% [markdown] lang="en" id="break-repeat"
# ## Break 1: 300 repeats
#
# 300 × 64 elements fit into UB well. The field for the number of repeats in the
# instruction has 8 bits.
# %% [markdown] lang="zh"
# ## 故意弄坏（一）：重复 300 次
#
# 300 × 64 个元素，UB 放得下。可是指令里存重复次数的字段只有 8 位。
# %% id="break-repeat-run"
with expect("ASC-REP-29"):
    mask_kernel[1](zeros, y, zeros.size, 64, 300)
# %% [markdown] lang="en" id="wide-mask"
# And a mask of 128 on float32? A repeat holds only 64 of them. This is a warning, not an
# error: the run goes on with 64, and the message stands below its table.
# %% [markdown] lang="zh"
# 那么 float32 的掩码写 128 呢？一次重复只放得下 64 个。这只是警告，不是错误：按 64 继续运行，
# 消息显示在表格下面。
# %% id="wide-mask-cell"
mask_kernel[1](zeros[:4096], y[:4096], 4096, 128, 64)
# %% [markdown] lang="en" id="mask-state"
# ## "The mask resets itself"
#
# The mask is a *state* of the unit. `set_mask_count()` changes what masks mean: from
# here on a mask is a number of elements in all. If nobody sets it back, the next mask
# form reads its 64 that way. The kernel computes exp(0) for 256 numbers; without the
# reset most of them stay -1.
# %% [markdown] lang="zh"
# ## “掩码会自己复位”
#
# 掩码是向量单元的一种*状态*。`set_mask_count()` 改变掩码的含义：从这里起，掩码表示元素总数。
# 没有人把它改回去的话，下一条掩码形式的指令就会这样理解它的 64。
# 这个核函数对 256 个数算 exp(0)；没有复位时，大多数元素还是 -1。
# %% id="mask-state-cell"
@asc.jit
def state_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, reset: asc.constexpr):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 1024, 256)
    copy_in(a, x, 256)
    asc.duplicate(b, -1.0, 256)
    asc.set_mask_count()
    asc.adds(a, a, 0.0, 256, 1, asc.UnaryRepeatParams(1, 1, 8, 8))
    if reset:
        asc.set_mask_norm()
        asc.reset_mask()
    asc.exp(b, a, 64, 4, asc.UnaryRepeatParams(1, 1, 8, 8))
    copy_out(y, b, 256)


for reset in (False, True):
    run = state_kernel[1](zeros[:256], y[:256], reset)
    codes = [d.code for d in run.found]
    print(f"reset {reset}: {(y[:256] == 1).sum():3} of 256 computed, messages {codes}")
# %% id="quiz-mask"
quiz("z6-mask")
# %% [markdown] lang="en" id="stride"
# ## Strides: where the next block lies
#
# The parameters of the mask form say where each operand is found. Block b of repeat r
# starts at
#
# base + 32 B · (r · *repeat stride* + b · *block stride*)
#
# so both strides count data blocks of 32 B. Dense data have block stride 1 and repeat
# stride 8. A stride of 0 stays where it is: one row is read again and again.
# `BinaryRepeatParams` lists first the block strides, then the repeat strides, each for
# dst, src0, src1.
# %% [markdown] lang="zh"
# ## 步长：下一块在哪里
#
# 掩码形式的参数说明每个操作数放在哪里。第 r 次重复的第 b 块，起点是
#
# 基址 + 32 B ×（r × *重复步长* + b × *块步长*）
#
# 它们的英文名是 repeat stride 和 block stride。两种步长都以 32 B 的数据块计。连续存放的数据，块步长是 1，重复步长是 8。步长为 0 就是原地不动：
# 同一行反复读。`BinaryRepeatParams` 先列块步长，再列重复步长，顺序都是 dst、src0、src1。
# %% [markdown] lang="en" id="turn-bias"
# ## Your turn: add one row to all rows
#
# A matrix has 128 rows of 64 float32 numbers, so a row is one repeat. Every row shall
# get the same bias added, with *one* instruction. The starter reads a new row of `c`
# in each repeat, and behind the first there are only zeros. Change one number.
# Done when 128 rows are right.
# %% [markdown] lang="zh"
# ## 轮到你了：给每一行加上同一行
#
# 矩阵有 128 行，每行 64 个 float32，一行正好是一次重复。要用*一条*指令给每一行加上同一个偏置。
# 起始代码每次重复都读 `c` 的新一行，而第一行后面全是 0。改一个数。128 行都对，就完成了。
# %% id="turn-bias-cell" tags=["your-turn"]
@asc.jit
def bias_kernel(x: asc.GlobalAddress, bias: asc.GlobalAddress, y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 128 * 64)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 32768, 128 * 64)
    asc.duplicate(c, 0.0, 128 * 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    copy_in(a, x, 128 * 64)
    copy_in(c, bias, 64)
    params = asc.BinaryRepeatParams(1, 1, 1, 8, 8, 8)  # change it / 修改这里
    asc.add(a, a, c, 64, 128, params)
    copy_out(y, a, 128 * 64)


rows = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
bias, sums = np.arange(64, dtype=np.float32), np.zeros_like(rows)
bias_run = bias_kernel[1](rows, bias, sums)
print("rows right:", (sums == rows + bias).all(axis=1).sum(), "of 128")
check("z6-turn-bias", sums == rows + bias)
# %% id="turn-bias-hint"
hint("z6-turn-bias")
# %% [markdown] lang="en" id="bias-loop"
# The obvious other way is a loop of 128 short instructions.
#
# **Predict.** How many times as long is the vector unit busy with the loop?
# %% [markdown] lang="zh"
# 另一种容易想到的办法，是循环 128 次，每次一条短指令。
#
# **预测。** 用循环时，向量单元忙的时间是上面的多少倍？
# %% id="bias-loop-cell"
@asc.jit
def bias_loop_kernel(
    x: asc.GlobalAddress, bias: asc.GlobalAddress, y: asc.GlobalAddress
):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 128 * 64)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 32768, 64)
    copy_in(a, x, 128 * 64)
    copy_in(c, bias, 64)
    for row in range(128):
        asc.add(a[row * 64 :], a[row * 64 :], c, 64)
    copy_out(y, a, 128 * 64)


def adding(run):
    return sum(cycles for name, cycles in on_v(run) if name == "add")


loop_run = bias_loop_kernel[1](rows, bias, sums)
my_ratio = None
predict("z6-loop", my_ratio, actual=adding(loop_run) / adding(bias_run), within=1)
# %% [markdown] lang="en" id="range"
# ## The range of half: sinh
#
# sinh(x) = (eˣ − e⁻ˣ) / 2. Half ends at 65,504. sinh(11.7) is below that, so it has a
# half number.
#
# **Predict.** What does the kernel below, all in half, return for x = 11.7? Write
# "number", "inf" or "nan".
# %% [markdown] lang="zh"
# ## half 的范围：sinh
#
# sinh(x) = (eˣ − e⁻ˣ) / 2。half 最大到 65,504。sinh(11.7) 比它小，所以能用 half 表示。
#
# **预测。** 下面的核函数全程用 half，x = 11.7 时返回什么？写 "number"（数）、"inf" 或 "nan"。
# %% id="sinh-half"
@asc.jit
def sinh_half_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    p = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, n)
    m = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, n * 2, n)
    copy_in(p, x, n)
    asc.muls(m, p, -1.0, n)
    asc.exp(p, p, n)
    asc.exp(m, m, n)
    asc.sub(p, p, m, n)
    asc.muls(p, p, 0.5, n)
    copy_out(y, p, n)


probe = np.zeros(16, np.float16)  # the rest stays 0 / 其余为 0
probe[:8] = 11.7, 0.001, 0.1, 1, 5, 11, 12, -12
got = np.zeros_like(probe)
sinh_half_kernel[1](probe, got, 16)
kind = "number" if np.isfinite(got[0]) else "nan" if np.isnan(got[0]) else "inf"
my_result = None
predict("z6-half-sinh", my_result, actual=kind)
# %% id="sinh-half-table"
def true_sinh(x):
    return np.sinh(x.astype(np.float64))


with np.errstate(over="ignore"):
    truth = true_sinh(probe).astype(np.float16)
for x, g, t in zip(probe[:8], got, truth, strict=False):
    print(f"x = {x:8.4f}: kernel {g:10.5g}, rounded truth {t:10.5g}")
# %% [markdown] lang="en" id="range-read"
# Two failures in one small kernel:
#
# * At 11.7 the *intermediate* e¹¹·⁷ is above 65,504, though the result is not. At ±12
#   the truth itself is beyond half: there Inf is right.
# * At 0.001 and 0.1 the two exponentials are both close to 1; their difference has lost
#   most of its digits.
#
# How good is good enough? The public benchmark specification of hicann/cann-bench
# (docs/spec/benchmark_spec.md) measures relative errors |a − g| / (|g| + 10⁻⁷): for half the mean (**MERE**) must stay
# below 2⁻¹⁰, the maximum (**MARE**) below 2⁻⁷. The judge of this course uses this rule.
# %% [markdown] lang="zh"
# 一个小小的核函数，错了两处：
#
# * 11.7 处，*中间结果* e¹¹·⁷ 超过了 65,504，而最终结果并没有。±12 处，真值本身就超出 half，那里得 Inf 是对的。
# * 0.001 和 0.1 处，两个指数都接近 1，一相减，有效数字就丢得差不多了。
#
# 多准才算准？公开的评测规范 hicann/cann-bench（docs/spec/benchmark_spec.md）看相对误差 |a − g| / (|g| + 10⁻⁷)：
# half 的平均值（**MERE**）要小于 2⁻¹⁰，最大值（**MARE**）要小于 2⁻⁷。本课程给作业评分，用的就是这条规则。
# %% id="errors-cell"
def errors(got, true):
    relative = np.abs(got.astype(np.float64) - true) / (np.abs(true) + 1e-7)
    mere, mare = relative.mean(), relative.max()
    good = mere < 2**-10 and mare < 2**-7
    return f"MERE {mere:.1e}, MARE {mare:.1e}: {'passes' if good else 'FAILS'}"


xs = np.linspace(-10, 10, 4096).astype(np.float16)
ys = np.zeros_like(xs)
sinh_half_kernel[1](xs, ys, xs.size)
print("all in half:", errors(ys, true_sinh(xs)))
# %% [markdown] lang="en" id="cast"
# ## Build: half outside, float32 inside
#
# `asc.cast(dst, src, mode, count)` converts. Widening is exact (`CAST_NONE`), narrowing
# rounds (`CAST_RINT`: to nearest, ties to even). In between the five instructions stay
# as they are, on tensors of float32.
#
# **Predict.** How many instructions does the vector unit then execute for 4,096
# elements?
# %% [markdown] lang="zh"
# ## 动手：外面 half，里面 float32
#
# `asc.cast(dst, src, mode, count)` 做类型转换。变宽没有误差（`CAST_NONE`），变窄要舍入
# （`CAST_RINT`：取最近的，居中时取偶数）。中间的五条指令不变，只是张量换成 float32。
#
# **预测。** 处理 4,096 个元素，向量单元一共执行多少条指令？
# %% id="sinh-kernel"
@asc.jit
def sinh_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    h = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, n)
    p = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, n * 2, n)
    m = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, n * 6, n)
    copy_in(h, x, n)
    asc.cast(p, h, asc.RoundMode.CAST_NONE, n)
    asc.muls(m, p, -1.0, n)
    asc.exp(p, p, n)
    asc.exp(m, m, n)
    asc.sub(p, p, m, n)
    asc.muls(p, p, 0.5, n)
    asc.cast(h, p, asc.RoundMode.CAST_RINT, n)
    copy_out(y, h, n)


sinh_run = sinh_kernel[1](xs, ys, xs.size)
my_number = None
predict("z6-instructions", my_number, actual=len(on_v(sinh_run)))
# %% id="sinh-errors"
print("float32 inside:", errors(ys, true_sinh(xs)))
sinh_kernel[1](probe, got, 16)
print("at 11.7:", got[0], " at 0.001:", got[1])
# %% [markdown] lang="en" id="step"
# ## Step through it
#
# Move the slider to the instructions on V. Each step shows the bytes it reads and
# writes. Which tensor do three instructions in a row work on?
# %% [markdown] lang="zh"
# ## 一步一步看
#
# 把滑块移到 V 上的指令。每一步都显示读写了哪些字节。哪个张量被连续几条指令反复使用？
# %% id="step-cell"
sinh_kernel[1](probe, got, 16).step()
# %% [markdown] lang="en" id="turn-sigmoid"
# ## Your turn: the sigmoid that passes
#
# sigmoid(x) = 1 / (1 + e⁻ˣ), half in and out, was the programming task of the 2025-26
# certificate, as public write-ups report (among them CSDN article 149690331). The starter does everything
# right but one thing: `asc.reciprocal` is a fast *approximation*, not a division.
#
# Replace its line by two: fill `one` with 1.0 (`asc.duplicate(dst, value, count)`), then
# divide (`asc.div(dst, src0, src1, count)`). Done when the last word is *passes*.
# %% [markdown] lang="zh"
# ## 轮到你了：过得了关的 sigmoid
#
# 据公开的经验帖（例如 CSDN 文章 149690331），2025-26 年认证的编程题就是
# sigmoid(x) = 1 / (1 + e⁻ˣ)，输入输出都是 half。
# 起始代码只有一处不对：`asc.reciprocal` 是快速*近似*，不是除法。
#
# 把它换成两行：先用 `asc.duplicate(dst, value, count)` 把 `one` 填成 1.0，再用
# `asc.div(dst, src0, src1, count)` 相除。最后一个词变成 *passes*，就完成了。
# %% id="turn-sigmoid-cell" tags=["your-turn"]
@asc.jit
def sigmoid_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    h = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, n)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, n * 2, n)
    one = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, n * 6, n)
    copy_in(h, x, n)
    asc.cast(t, h, asc.RoundMode.CAST_NONE, n)
    asc.muls(t, t, -1.0, n)
    asc.exp(t, t, n)
    asc.adds(t, t, 1.0, n)
    asc.reciprocal(t, t, n)  # replace this line / 替换这一行
    asc.cast(h, t, asc.RoundMode.CAST_RINT, n)
    copy_out(y, h, n)


sigmoid_run = sigmoid_kernel[1](xs, ys, xs.size)
print("V:", sum(cycles for _, cycles in on_v(sigmoid_run)), "cycles")
verdict = errors(ys, 1 / (1 + np.exp(-xs.astype(np.float64))))
print(verdict)
check("z6-turn-sigmoid", verdict.endswith("passes"))
# %% id="turn-sigmoid-hint"
hint("z6-turn-sigmoid")
# %% id="quiz-approximate"
quiz("z6-approximate")
# %% [markdown] lang="en" id="select"
# ## Compare and select: a choice for each element
#
# leaky relu is x where x ≥ 0, else 0.01 · x. There is no `if` for single elements.
# `asc.compare_scalar(bits, x, 0.0, mode, count)` writes one *bit* for each element;
# `asc.select(dst, bits, a, b, mode, count)` takes a where the bit is 1, else b. Both
# sides are computed for all elements.
#
# ## Break 2: 100 elements
#
# The comparison works in whole repeats only: 100 half numbers are 200 B.
# %% [markdown] lang="zh"
# ## 比较与选择：逐个元素做选择
#
# leaky relu：x ≥ 0 时是 x，否则是 0.01 · x。对单个元素没有 `if` 可用。
# `asc.compare_scalar(bits, x, 0.0, mode, count)` 为每个元素写一*位*；
# `asc.select(dst, bits, a, b, mode, count)` 在位为 1 处取 a，否则取 b。两边的值对所有元素都要算。
#
# ## 故意弄坏（二）：100 个元素
#
# 比较只按整次重复进行，而 100 个 half 是 200 B。
# %% id="leaky-kernel"
@asc.jit
def leaky_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr, whole: asc.constexpr
):
    a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 4096)
    b = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 8192, 4096)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 16384, 512)
    asc.duplicate(a, 0.0, 4096)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    copy_in(a, x, n)
    asc.muls(b, a, 0.01, n)
    asc.compare_scalar(bits, a, 0.0, asc.CMPMODE.GE, whole)
    asc.select(b, bits, a, b, asc.SELMODE.VSEL_TENSOR_TENSOR_MODE, n)
    copy_out(y, b, n)


x100, y100 = np.linspace(-3, 3, 100).astype(np.float16), np.zeros(100, np.float16)
with expect("ASC-CMP-32"):
    leaky_kernel[1](x100, y100, 100, 100)
# %% [markdown] lang="en" id="break-tail"
# ## Break 3: round up, and read what is not there
#
# So take 128, the next whole repeat. `a` was filled with zeros beforehand, and yet:
# %% [markdown] lang="zh"
# ## 故意弄坏（三）：向上取整，读到不存在的数据
#
# 那就取 128，凑成整次重复。`a` 事先填过 0，可是：
# %% id="break-tail-run"
with expect("ASC-PAD-04"):
    leaky_kernel[1](x100, y100, 100, 128)
# %% [markdown] lang="en" id="cure"
# The copy writes whole data blocks; the 12 elements behind the tail are undefined again
# (Z5). The cure: compare a tensor that only the vector unit writes. `c` is filled once;
# `asc.adds` then puts exactly `n` elements over it, and the rest stays defined.
# %% [markdown] lang="zh"
# 搬运按整块写入，尾块后面的 12 个元素又变成未定义的了（Z5 课）。办法是：比较一个只由向量单元写入的张量。
# `c` 先填满一次，再用 `asc.adds` 恰好覆盖 `n` 个元素，其余的仍然有定义。
# %% id="cure-cell"
@asc.jit
def leaky_any_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    whole = (n + 127) // 128 * 128
    a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 4096)
    b = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 8192, 4096)
    c = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 16384, 4096)
    bits = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 24576, 512)
    asc.duplicate(c, 0.0, whole)
    copy_in(a, x, n)
    asc.adds(c, a, 0.0, n)
    asc.muls(b, a, 0.01, n)
    asc.compare_scalar(bits, c, 0.0, asc.CMPMODE.GE, whole)
    asc.select(b, bits, a, b, asc.SELMODE.VSEL_TENSOR_TENSOR_MODE, n)
    copy_out(y, b, n)


for n in (1, 100, 128, 1003, 4096):
    part, result = xs[:n].copy(), np.zeros(n, np.float16)
    select_run = leaky_any_kernel[1](part, result, n)
    assert np.array_equal(result, np.where(part >= 0, part, part * np.float16(0.01)))
    print(f"n = {n:4}: ok")
# %% [markdown] lang="en" id="measure"
# ## Measure: three ways to the same result
#
# For a slope between 0 and 1, leaky relu is also the larger of x and 0.01 · x. And the
# vector unit has an instruction of that name. All three on 4,096 half numbers:
# %% [markdown] lang="zh"
# ## 测量：三种写法，结果相同
#
# 斜率在 0 和 1 之间时，leaky relu 也就是 x 和 0.01 · x 中较大的一个。另外，向量单元本来就有一条同名指令。
# 三种写法都处理 4,096 个 half：
# %% id="ladder-cell"
@asc.jit
def leaky_short_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, own: asc.constexpr):
    a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, 4096)
    b = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 8192, 4096)
    copy_in(a, x, 4096)
    if own:
        asc.leaky_relu(b, a, 0.01, 4096)
    else:
        asc.muls(b, a, 0.01, 4096)
        asc.max(b, a, b, 4096)
    copy_out(y, b, 4096)


ways = {"compare and select": select_run}
ways["muls and max"] = leaky_short_kernel[1](xs, ys, False)
ways["leaky_relu"] = leaky_short_kernel[1](xs, ys, True)
for name, r in ways.items():
    work = on_v(r)
    print(f"{name:18}: {len(work)} instructions, {sum(c for _, c in work):6.1f} cycles")
# %% [markdown] lang="en" id="measure-read"
# Fewer and longer instructions win. Before you combine compare and select, look through
# the list of instructions; but when no trick exists, the pair does any choice.
# %% [markdown] lang="zh"
# 指令越少、越长，越快。动手写比较加选择之前，先查一遍指令表；实在没有窍门，这一对指令可以实现任何选择。
# %% [markdown] lang="en" id="explain"
# ## Say it in your own words
#
# A colleague's half kernel returns Inf for some inputs, though every true result is
# below 65,504. What happened, and what do you change? Two or three sentences.
# %% [markdown] lang="zh"
# ## 用自己的话说一说
#
# 同事的 half 核函数对某些输入返回 Inf，而真实结果都小于 65,504。发生了什么？你会怎么改？写两三句话。
# %% id="explain-cell"
my_answer = None
explain("z6-why", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * One instruction = start-up + repeats of 256 B; mask and strides say which bytes.
# * You met `ASC-REP-29`, `ASC-MASK-30`, `ASC-CMP-32` and again `ASC-PAD-04`.
# * float32 inside, division instead of reciprocal: that is what the tolerance asks for.
#
# **Next:** the assignment `z6-vector-unit` in the folder `exercises`: tanh shrink, a
# relative of sinh and sigmoid, and hard shrink, a choice by compare and select. After it
# lesson Z7 adds numbers up.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 一条指令 = 启动 + 若干次 256 B 的重复；掩码和步长决定是哪些字节。
# * 认识了 `ASC-REP-29`、`ASC-MASK-30`、`ASC-CMP-32`，又见到了 `ASC-PAD-04`。
# * 里面用 float32，用除法代替倒数指令：精度要求的就是这个。
#
# **下一步：** `exercises` 文件夹里的作业 `z6-vector-unit`：sinh 和 sigmoid 的近亲 tanh shrink，
# 以及用比较和选择实现的 hard shrink。之后的 Z7 课讲求和。
# %% id="progress-cell"
progress()
