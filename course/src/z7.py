# ---
# jupyter:
#   npucamp:
#     id: z7
#     slug: reductions
#     title: {en: Reductions and precision, zh: 归约与精度}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1"]
# # Z7 · Reductions and precision
#
# Until now every output element needed one input element of each array. A **reduction**
# makes one number of many: a sum, a maximum, a mean. Softmax and layer normalisation,
# two of the most frequent steps of a language model, are built of them.
#
# **Goal.** You sum the numbers of a row in three ways and find the fastest, build a row
# softmax that survives every input, and measure its error as a public benchmark does.
#
# **Time.** About 70 minutes. You need lessons Z1 to Z6.
#
# **Where it comes from.** A practitioner's article on CANN names a frequent cause of
# wrong results: "the precision modes differ: training used high precision, the
# inference operator low precision, and the error adds up beyond what is acceptable."
# You will see where such an error comes from, and find the layer that makes it.
# %% [markdown] lang="zh"
# # Z7 · 归约与精度
#
# 到目前为止，每个输出元素只用到每个数组里的一个元素。**归约**（reduction）则是把许多数变成一个数：
# 求和、求最大值、求平均值。大语言模型里最常见的两步，softmax 和层归一化，都由归约搭成。
#
# **目标。** 用三种办法给一行数求和，找出最快的；写出对任何输入都不出错的行 softmax；
# 像公开的评测那样度量误差。
#
# **用时。** 约 70 分钟。需要先学完 Z1 到 Z6。
#
# **出处。** 一篇讲 CANN 的实战文章提到结果出错的一个常见原因：“精度模式不一致，训练用了高精度，
# 推理算子用了低精度，导致误差累积超过可接受范围。”本课让你看到这种误差从哪里来，并找出是哪一层造成的。
# %% id="setup"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import asc, ops
from npusim.view import what_if

rng = np.random.default_rng(7)
# %% [markdown] lang="en" id="order"
# ## The order of a sum
#
# A half number has 11 significant bits. From 2,048 on its neighbours are 2 apart: 2,049
# does not exist, and 2,048 + 1 is rounded back to 2,048.
#
# **Predict.** 4,096 ones are added one after another, each sum rounded to half. What
# comes out?
# %% [markdown] lang="zh"
# ## 求和的次序
#
# half 只有 11 位有效数字（二进制）。从 2,048 起，相邻两个数相差 2：没有 2,049 这个数，
# 2,048 + 1 会舍入回 2,048。
#
# **预测。** 把 4,096 个 1 一个接一个地加起来，每一步都舍入成 half，结果是多少？
# %% id="predict-running"
ones = np.ones(4096, np.float16)
my_sum = None
predict("z7-running", my_sum, actual=lambda: float(np.add.accumulate(ones)[-1]))
# %% [markdown] lang="en" id="tree"
# The vector unit does not add one after another. Within a **repeat** of 256 bytes, 128
# half numbers, it adds *neighbours*: 128 numbers become 64 sums, these 32, and so on, as
# in a knock-out tournament. Only the sums of the 32 repeats are then added one after
# another. Numbers of like size meet, and less is lost. The next cell does it with numpy.
# %% [markdown] lang="zh"
# 向量单元并不是一个接一个地加。在一次**重复**（256 字节，即 128 个 half）之内，
# 它让*相邻*的数两两相加：128 个数变成 64 个和，再变成 32 个，如此下去，就像淘汰赛。
# 最后只有 32 次重复各自的和才一个接一个地加起来。相加的数大小相近，损失就小。
# 下面的单元用 numpy 照做一遍。
# %% id="tree-cell"
sums = ones.reshape(32, 128)  # 32 repeats
while sums.shape[1] > 1:
    sums = sums[:, 0::2] + sums[:, 1::2]
print("one after another / 逐个相加:", np.add.accumulate(ones)[-1])
print("as reduce_sum / 同 reduce_sum:", np.add.accumulate(sums[:, 0])[-1])
# %% id="quiz-order"
quiz("z7-order")
# %% [markdown] lang="en" id="words"
# ## Build: three instructions that sum
#
# A repeat holds 64 float32 numbers, a **data block** of 32 bytes holds 8.
#
# | instruction | leaves one sum for each |
# |---|---|
# | `whole_reduce_sum(dst, src, mask, repeats, 1, 1, 8)` | repeat |
# | `block_reduce_sum(dst, src, repeats, mask, 1, 1, 8)` | data block |
# | `reduce_sum(dst, src, tmp, count)` | call: all numbers |
#
# `mask` says how many numbers of a repeat count; mind that the two first instructions
# take it in different places. The last three numbers are strides: results lie next to
# each other (1), so do the blocks of a repeat (1), the next repeat begins 8 blocks on.
# `reduce_sum` needs `tmp`, a work area. For `max` and `min` there are the same three,
# with one trap: `whole_reduce_max` and `whole_reduce_min` write two numbers for each
# repeat, the value and its index. `asc.ReduceOrder.ORDER_ONLY_VALUE` as last argument
# leaves the value alone.
#
# 256 numbers are 4 repeats. One instruction is not enough; here are two ways down to 1.
# %% [markdown] lang="zh"
# ## 动手：三条求和指令
#
# 一次重复有 64 个 float32，一个 32 字节的**数据块**（data block）有 8 个。
#
# | 指令 | 每多少数据得一个和 |
# |---|---|
# | `whole_reduce_sum(dst, src, mask, repeats, 1, 1, 8)` | 每次重复 |
# | `block_reduce_sum(dst, src, repeats, mask, 1, 1, 8)` | 每个数据块 |
# | `reduce_sum(dst, src, tmp, count)` | 每次调用：全部的数 |
#
# `mask` 是一次重复里参与计算的元素个数；注意前两条指令里它的位置不同。最后三个数是步长：
# 结果一个挨一个（1），同一次重复的数据块一个挨一个（1），下一次重复从 8 个块之后开始。
# `reduce_sum` 还要一块工作区 `tmp`。求最大值、最小值的指令（`max`、`min`）也各有这三种，
# 但要当心一处：`whole_reduce_max` 和 `whole_reduce_min` 每次重复写两个数，一个是值，一个是它的下标。
# 最后一个参数写 `asc.ReduceOrder.ORDER_ONLY_VALUE`，就只写值。
#
# 256 个数是 4 次重复，一条指令不够。下面是归约到 1 个数的两种走法。
# %% id="mixes"
@asc.jit
def two_whole(out, x, part):
    asc.whole_reduce_sum(part, x, 64, 4, 1, 1, 8)  # 256 -> 4
    asc.whole_reduce_sum(out, part, 4, 1, 1, 1, 8)  # 4 -> 1


@asc.jit
def three_block(out, x, part):
    asc.block_reduce_sum(part, x, 4, 64, 1, 1, 8)  # 256 -> 32
    asc.block_reduce_sum(part, part, 1, 32, 1, 1, 8)  # 32 -> 4
    asc.block_reduce_sum(out, part, 1, 4, 1, 1, 8)  # 4 -> 1
# %% [markdown] lang="en" id="mix-both"
# The third way takes one of each: blocks first, the whole rest after. To see the
# difference, the kernel does the sum `times` times.
#
# **Predict.** Which is the fastest: `"two whole"`, `"three block"` or
# `"block then whole"`?
# %% [markdown] lang="zh"
# 第三种走法两样各用一次：先按数据块，剩下的整个归约。为了看出差别，核函数把求和重复 `times` 次。
#
# **预测。** 哪一种最快：`"two whole"`、`"three block"` 还是 `"block then whole"`？
# %% id="mix-kernel"
@asc.jit
def block_then_whole(out, x, part):
    asc.block_reduce_sum(part, x, 4, 64, 1, 1, 8)  # 256 -> 32
    asc.whole_reduce_sum(out, part, 32, 1, 1, 1, 8)  # 32 -> 1


@asc.jit
def sum_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, mix: asc.constexpr, times: int):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, 256)
    y_gm.set_global_buffer(y, 8)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 256)
    part = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 64)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 1280, 8)
    asc.data_copy(row, x_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    for _ in range(times):
        if mix == "two whole":
            two_whole(out, row, part)
        elif mix == "three block":
            three_block(out, row, part)
        else:
            block_then_whole(out, row, part)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, out, asc.DataCopyExtParams(1, 4, 0, 0))
# %% id="predict-mix"
MIXES = ["two whole", "three block", "block then whole"]
numbers, total = np.arange(256, dtype=np.float32), np.zeros(1, np.float32)


def launch(mix="two whole", times=100):
    return sum_kernel[1](numbers, total, mix, times)


vector = {mix: launch(mix).pipe_cycles["V"] for mix in MIXES}
my_mix = None
predict("z7-mix", my_mix, actual=min(vector, key=vector.get))
# %% id="measure-mix"
# us of 100 sums on a 910B, Ascend C developer guide / 真机实测，出自 Ascend C 开发指南
device_us = {"two whole": 13.0, "three block": 13.94, "block then whole": 8.44}
for mix, cycles in vector.items():
    ours = cycles / vector["block then whole"]
    device = device_us[mix] / device_us["block then whole"]
    print(f"{mix:17} {cycles:7.0f} cycles  {ours:.2f} x  (device {device:.2f} x)")
assert total[0] == numbers.sum()
# %% [markdown] lang="en" id="mix-why"
# Two costs explain the order. `whole_reduce_sum` works on 64 numbers at once and keeps
# the vector unit busy longer for each repeat than `block_reduce_sum`, which adds 8 and
# 8. And an instruction that needs the result of the one before *waits* for it: three
# instructions wait twice, two wait once. Turn the knobs: with how many sums does the
# difference begin to show?
# %% [markdown] lang="zh"
# 两种开销决定了快慢。`whole_reduce_sum` 一次归约 64 个数，每次重复占用向量单元的时间
# 比 8 个 8 个相加的 `block_reduce_sum` 长。另外，一条指令若要用前一条的结果，就得*等*：
# 三条指令等两次，两条只等一次。转动旋钮看看：求和多少次以后，差别才显出来？
# %% id="mix-what-if"
what_if(launch, mix=MIXES, times=[1, 10, 100, 1000])
# %% [markdown] lang="en" id="turn-row-text"
# **Your turn.** A row of 1,024 numbers is 16 repeats. The helper below goes
# 1,024 → 16 → 1 with two whole reductions. Write the fastest mix instead, in
# three lines: 1,024 → 128 → 16 → 1.
# %% [markdown] lang="zh"
# **轮到你了。** 一行 1,024 个数是 16 次重复。下面的函数用两次 whole 归约，从 1,024 到 16 再到 1。
# 请改成最快的组合，共三行：1,024 → 128 → 16 → 1。
# %% id="turn-row" tags=["your-turn"]
@asc.jit
def sum_1024(out, x, part):
    asc.whole_reduce_sum(part, x, 64, 16, 1, 1, 8)
    asc.whole_reduce_sum(out, part, 16, 1, 1, 1, 8)


@asc.jit
def row_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, 1024)
    y_gm.set_global_buffer(y, 8)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 1024)
    part = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4096, 128)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4608, 8)
    asc.data_copy(row, x_gm, 1024)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    sum_1024(out, row, part)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, out, asc.DataCopyExtParams(1, 4, 0, 0))


row = np.arange(1024, dtype=np.float32)
run = row_kernel[1](row, total)
print("right:", total[0] == row.sum(), " V:", run.pipe_cycles["V"], "cycles, goal < 120")
check("z7-row", total[0] == row.sum() and run.pipe_cycles["V"] < 120)
# %% id="turn-row-step"
run.step()
# %% id="turn-row-hint"
hint("z7-row")
# %% [markdown] lang="en" id="levels"
# ## Eight rows: level by level
#
# In a real kernel many rows lie in UB. The steps of one row wait for each other; the
# steps of *different* rows do not. Both helpers below do the same 8 × 1,024 sums.
# %% [markdown] lang="zh"
# ## 八行一起：一层一层来
#
# 真实的核函数里，UB 中同时放着许多行。同一行的几步要互相等待，*不同行*的步骤却不用。
# 下面两个函数做的是同样的 8 × 1,024 个数的求和。
# %% id="levels-helpers"
@asc.jit
def row_by_row(sums, x, part):
    for r in range(8):
        asc.block_reduce_sum(part[r * 128 :], x[r * 1024 :], 16, 64, 1, 1, 8)
        asc.block_reduce_sum(part[r * 128 :], part[r * 128 :], 2, 64, 1, 1, 8)
        asc.whole_reduce_sum(sums[r:], part[r * 128 :], 16, 1, 1, 1, 8)


@asc.jit
def level_by_level(sums, x, part):
    asc.block_reduce_sum(part, x, 128, 64, 1, 1, 8)  # 8 x 1,024 -> 8 x 128
    asc.block_reduce_sum(part, part, 16, 64, 1, 1, 8)  # 8 x 128 -> 8 x 16
    asc.whole_reduce_sum(sums, part, 16, 8, 1, 1, 2)  # 8 x 16 -> 8
# %% id="levels-kernel"
@asc.jit
def eight_rows(x: asc.GlobalAddress, y: asc.GlobalAddress, levels: asc.constexpr):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8192)
    y_gm.set_global_buffer(y, 8)
    rows = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8192)
    part = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 32768, 1024)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 36864, 8)
    asc.data_copy(rows, x_gm, 8192)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if levels:
        level_by_level(sums, rows, part)
    else:
        row_by_row(sums, rows, part)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, sums, 8)
# %% id="levels-measure"
eight, sums = rng.standard_normal((8, 1024)).astype(np.float32), np.zeros(8, np.float32)
for levels in (False, True):
    run = eight_rows[1](eight, sums, levels)
    name = "level by level / 一层一层" if levels else "row by row / 一行一行"
    print(name, run.pipe_cycles["V"], "cycles")
# %% [markdown] lang="en" id="tail"
# ## Break: the filler of a row
#
# 1,003 numbers end in the middle of a data block; 5 places of it stay free. The kernel
# below reads 1,008 numbers, filler and all. `fill` is the value that `data_copy_pad`
# shall write there; `is_pad` false means that it writes nothing in particular.
# %% [markdown] lang="zh"
# ## 故意弄坏：一行末尾的填充
#
# 1,003 个数在一个数据块的中间结束，块里还空着 5 个位置。下面的核函数把 1,008 个数连同填充一起读了。
# `fill` 是让 `data_copy_pad` 填进去的值；`is_pad` 为假，就是填什么都不管。
# %% id="tail-kernel"
@asc.jit
def largest_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, is_pad: asc.constexpr, fill: float
):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, 1003)
    y_gm.set_global_buffer(y, 1)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 1008)
    tmp = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4096, 64)
    out = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4352, 8)
    pad = asc.DataCopyPadExtParams(is_pad, 0, 5, fill)
    asc.data_copy_pad(row, x_gm, asc.DataCopyExtParams(1, 4012, 0, 0), pad)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.reduce_max(out, row, tmp, 1008)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, out, asc.DataCopyExtParams(1, 4, 0, 0))
# %% id="tail-break"
negative = rng.uniform(-9, -2, 1003).astype(np.float32)
with expect("ASC-PAD-04"):
    largest_kernel[1](negative, total, False, 0.0)
# %% [markdown] lang="en" id="tail-read"
# The message tells the buffer, the place and the line that left the filler undefined. A
# real chip would have said nothing: such a kernel passes every test with aligned widths.
# Filling with 0 silences the message.
#
# **Predict.** All numbers of `negative` lie between −9 and −2. What does the kernel give
# as the largest, with 0 as filler?
# %% [markdown] lang="zh"
# 报错说出是哪个缓冲区、哪个位置、哪一行留下了没有定义的填充。真实的芯片什么也不会说：
# 只要宽度对齐，这样的核函数能通过所有测试。用 0 填充，报错就没有了。
#
# **预测。** `negative` 里的数都在 −9 和 −2 之间。用 0 填充时，核函数给出的最大值是多少？
# %% id="predict-zero"
largest_kernel[1](negative, total, True, 0.0)
my_largest = None
predict("z7-zero", my_largest, actual=float(total[0]))
# %% [markdown] lang="en" id="tail-cure"
# No message, and a wrong result: 0 is neutral for a sum, not for a maximum. Two cures:
# fill with a number that cannot win (−inf), or reduce exactly the numbers that count. For
# the second, `reduce_max(…, 1003)` is enough; the other two instructions take an exact
# count as mask after `asc.set_mask_count()`, until `asc.set_mask_norm()`.
# %% [markdown] lang="zh"
# 没有报错，结果却错了：0 对求和没有影响，对求最大值却有。两种解决办法：用不可能胜出的数（−inf）填充，
# 或者只归约该算的那些数。后一种办法，写 `reduce_max(…, 1003)` 就够了；另外两种指令，
# 在 `asc.set_mask_count()` 之后 mask 就是准确的元素个数，直到 `asc.set_mask_norm()` 为止。
# %% id="tail-right"
largest_kernel[1](negative, total, True, float("-inf"))
assert total[0] == negative.max()
# %% [markdown] lang="en" id="softmax"
# ## Build: the softmax of a row
#
# Softmax turns scores into shares: $y_i = e^{x_i} / \sum_j e^{x_j}$. Each row sums to 1.
# The kernel has one block for each row. `1.0 / stat.get_value(0)` happens on the scalar
# unit, so the vector unit must have finished: a barrier stands before it.
# %% [markdown] lang="zh"
# ## 动手：一行的 softmax
#
# softmax 把分数变成份额：$y_i = e^{x_i} / \sum_j e^{x_j}$，每行之和为 1。核函数的一个 block 处理一行。
# `1.0 / stat.get_value(0)` 由标量单元计算，必须等向量单元做完，所以前面有一个 barrier。
# %% id="softmax-kernel"
@asc.jit
def softmax_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, cols: asc.constexpr):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * cols, cols)
    y_gm.set_global_buffer(y + asc.get_block_idx() * cols, cols)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 1024)
    tmp = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4096, 128)
    stat = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4608, 16)
    form = asc.DataCopyExtParams(1, cols * x.dtype.sizeof(), 0, 0)
    asc.data_copy_pad(a, x_gm, form, asc.DataCopyPadExtParams(False, 0, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    # your lines / 你的代码
    asc.exp(a, a, cols)
    asc.reduce_sum(stat, a, tmp, cols)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.muls(a, a, 1.0 / stat.get_value(0), cols)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, a, form)


for last in (3.0, 90.0):
    share = np.zeros((1, 3), np.float32)
    softmax_kernel[1](np.float32([[1, 2, last]]), share, 3)
    print("softmax of 1, 2 and", last, "is", share[0])
# %% id="softmax-run"
def row_sums(limit, dtype=np.float32):
    x = rng.uniform(-limit, limit, (48, 1023)).astype(dtype)
    x[:, 5] = limit  # one number at the limit / 每行有一个数取到上限
    y = np.zeros_like(x)
    softmax_kernel[48](x, y, 1023)
    return y.astype(np.float64).sum(axis=1)


for limit in (8, 88, 95):
    print(f"|x| <= {limit}: sums of the first rows", row_sums(limit)[:3])
# %% [markdown] lang="en" id="softmax-why"
# Right up to 8, nonsense above. Where does it begin?
#
# **Predict.** What is the largest whole number n for which $e^n$ is still a finite
# float32? (The largest float32 is about $3.4 \cdot 10^{38}$.)
# %% [markdown] lang="zh"
# 上限为 8 时正确，再大就乱了。从哪里开始出错？
#
# **预测。** 使 $e^n$ 仍是有限 float32 的最大整数 n 是多少？（float32 最大约为 $3.4 \cdot 10^{38}$。）
# %% id="predict-exp"
my_n = None
predict("z7-exp", my_n, actual=int(np.log(np.finfo(np.float32).max)))
# %% id="stages"
def stages(x):
    """Each intermediate: does it hold only finite numbers? / 每步中间结果是否都有限"""
    with np.errstate(all="ignore"):
        power = np.exp(x)
        total = power.sum(dtype=x.dtype)
        return {"x": x, "exp": power, "sum": total, "share": power * (1 / total)}


for limit in (8, 88, 95):
    x = np.full(1023, limit, np.float32)
    finite = {name: bool(np.isfinite(v).all()) for name, v in stages(x).items()}
    print(limit, finite, " share:", stages(x)["share"][0])
# %% [markdown] lang="en" id="stages-read" tags=["seed:B098.3"]
# Keeping the intermediate results and asking each the same question finds the *first*
# one that goes wrong. At 88 each exponential is finite, but their sum is inf, and
# 1/inf = 0. At 95 the exponentials are inf, and inf · 0 is **nan**, "not a number". The
# instruction `exp` did what it should: nan was born two steps later.
#
# **Your turn.** The same shares come out if a constant is taken off every number of the
# row first: $e^{x_i - m} / \sum_j e^{x_j - m}$. With m the largest of the row no exponent
# is above 0, and no exponential above 1. Go back to `softmax_kernel`, add the lines at
# *your lines*, run that cell again, then this one. Softmax is right if each sum is 1.
# %% [markdown] lang="zh"
# 把中间结果都留下来，逐个问同一个问题，就能找到*第一个*出错的地方。上限为 88 时，每个指数都有限，
# 但它们的和是 inf，而 1/inf = 0。上限为 95 时，指数本身就是 inf，inf · 0 得到 **nan**（不是一个数）。
# `exp` 指令本身没有错：nan 是后面两步才产生的。
#
# **轮到你了。** 每个数先减去同一个常数，份额不变：$e^{x_i - m} / \sum_j e^{x_j - m}$。
# 取 m 为这一行的最大值，指数就不会大于 0，$e$ 的幂也不会大于 1。回到 `softmax_kernel`，
# 在“你的代码”处补上几行，重新运行那个单元，再运行下面这个。每行之和都是 1 就对了。
# %% id="turn-softmax-run" tags=["your-turn"]
offs = [np.abs(row_sums(limit) - 1).max() for limit in (8, 88, 95, 30000)]
for limit, off in zip((8, 88, 95, 30000), offs, strict=True):
    print(f"|x| <= {limit}: sum off by {off:.2e}", "right" if off < 2**-10 else "WRONG")
check("z7-softmax", [bool(off < 2**-10) for off in offs] == [True] * 4)
# %% id="turn-softmax-hint"
hint("z7-softmax")
# %% id="quiz-nan"
quiz("z7-nan")
# %% [markdown] lang="en" id="errors"
# ## Measure: how large is an error?
#
# A public benchmark for NPU operators (hicann/cann-bench, benchmark_spec.md) uses the
# **relative error** |a − g| / (|g| + 10⁻⁷), where a is the result and g the truth in
# float64. **MERE** is its mean, **MARE** its maximum over all elements. A half result
# passes below 2⁻¹⁰ and 2⁻⁷, a float32 result below 2⁻¹³ and 2⁻¹⁰. (Very small g are
# counted separately.) Your assignments are judged by this rule.
#
# **Predict.** Softmax of 1,023 numbers. A wrong kernel returns nothing but zeros, and the
# test asks for |a − g| < 0.05. Does it pass, `True` or `False`?
# %% [markdown] lang="zh"
# ## 测量：误差有多大？
#
# 一个公开的 NPU 算子评测（hicann/cann-bench，benchmark_spec.md）使用**相对误差**
# |a − g| / (|g| + 10⁻⁷)，a 是结果，g 是用 float64 算出的真值。**MERE** 是它在所有元素上的平均值，
# **MARE** 是最大值。half 的结果要低于 2⁻¹⁰ 和 2⁻⁷，float32 的结果要低于 2⁻¹³ 和 2⁻¹⁰。
# （非常小的 g 另外计数。）你的作业就按这个规则评判。
#
# **预测。** 对 1,023 个数做 softmax。一个错误的核函数只返回 0，测试要求 |a − g| < 0.05。
# 它能通过吗？填 `True` 或 `False`。
# %% id="predict-decimals"
def truth(x):
    power = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return power / power.sum(axis=1, keepdims=True)


scores = rng.uniform(-8, 8, (48, 1023)).astype(np.float32)
my_verdict = None
predict("z7-zeros", my_verdict, actual=bool(truth(scores).max() < 0.05))
# %% id="errors-cell"
def mere_mare(a, g):
    error = (np.abs(a - g) / (np.abs(g) + 1e-7))[g >= 2**-11]
    return f"MERE {error.mean() * 2**10:8.3f}  MARE {error.max() * 2**7:7.3f}"


g, low = truth(scores), scores.astype(np.float16)
share = np.zeros_like(low)
softmax_kernel[48](low, share, 1023)  # half all the way / 全程 half
print("zeros / 全零        ", mere_mare(np.zeros_like(g), g))
print("half / 全程 half    ", mere_mare(share, g))
print("float32 inside / 中间", mere_mare(ops.softmax(low), g))
print("float32 / 全程      ", mere_mare(ops.softmax(scores), g))
# %% [markdown] lang="en" id="errors-read"
# The columns are in units of half's limits, 2⁻¹⁰ and 2⁻⁷: below 1 passes. More decimals
# in a test do not make it stricter; a limit that follows the size of g does.
#
# Look at the third line: float32 inside, and hardly better than half all the way. (If
# the half line equals the zeros, `softmax_kernel` still lacks your lines.) The
# harm is done when the *input* is rounded to half. Between 4 and 8 its neighbours are 2⁻⁸
# apart, so x is off by up to 2⁻⁹, and $e^x$ by the same share. No arithmetic can bring
# that back: the two precision modes disagree before the kernel starts.
#
# ## Break: a half sum that overflows
#
# The largest half is 65,504. The sum of 60,000, 60,000, −60,000, −60,000 is 0, but on the
# way there the partial sums are not. The kernel sums in half; `overflow="saturate"` is
# the older mode of the chip, in which a sum sticks at ±65,504 instead of becoming inf.
# %% [markdown] lang="zh"
# 两列的单位分别是 half 的限值 2⁻¹⁰ 和 2⁻⁷：小于 1 就通过。测试里多写几位小数并不会更严格，
# 让限值随 g 的大小变化才会。
#
# 看第三行：中间用的是 float32，却没比全程 half 好多少。（如果 half 那行和全零一样，说明 `softmax_kernel` 里
# 还没有补上你的代码。）损失发生在把*输入*舍入成 half 的那一刻：
# 在 4 和 8 之间，相邻的 half 相差 2⁻⁸，x 最多偏差 2⁻⁹，$e^x$ 就有同样大的相对误差。
# 后面的运算再精确也补不回来：核函数还没开始，两种精度模式就已经不一致了。
#
# ## 故意弄坏：half 求和溢出
#
# half 最大是 65,504。60,000、60,000、−60,000、−60,000 的和是 0，但中间的部分和可不是。
# 核函数用 half 求和；`overflow="saturate"` 是芯片较早的模式：和停在 ±65,504，而不是变成 inf。
# %% id="overflow-kernel"
@asc.jit
def half_sum_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, 1)
    a = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, n)
    tmp = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 4096, 128)
    out = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, 4352, 16)
    asc.data_copy(a, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.reduce_sum(out, a, tmp, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, out, asc.DataCopyExtParams(1, 2, 0, 0))
# %% id="overflow-run"
large, half_sum = np.array([60000, 60000, -60000, -60000] * 8, np.float16), ones[:1].copy()
for mode in ("inf", "saturate"):
    run = half_sum_kernel.launch(large, half_sum, 32, blocks=1, overflow=mode)
    print(f"{mode}: {half_sum[0]}\n{run.found[0].render(asc.language())}\n")
pairs = np.sort(large).reshape(2, 16).T.copy()  # -60000, 60000, -60000, …
half_sum_kernel[1](pairs, half_sum, 32)
print("as pairs / 正负成对:", half_sum[0], "  float32:", large.sum(dtype=np.float32))
# %% [markdown] lang="en" id="overflow-read" tags=["seed:B077.4", "seed:B098.3"]
# The message names the cure. One sum, three ways: nan from inf − inf; 0 by luck, because
# the two stuck sums happen to cancel; 0 again in an order where each number meets its
# opposite. Only float32 is right for a reason: cast first, sum in float32, round once at
# the end. That is how the library's reductions work.
#
# ## Find the layer with the wrong precision
#
# A model of eight equal layers, h ← h + silu(h). The reference run is kept *layer by
# layer*, as baseline. In the suspect run one layer computes in half, the others in
# float32. The bars show MERE after each layer, one sign for a tenth of float32's limit.
# %% [markdown] lang="zh"
# 报错里写着办法。同一个和，三种情形：inf − inf 得 nan；卡在上限的两个和恰好抵消，碰巧得 0；
# 换一种次序，让每个数先遇上它的相反数，也得 0。只有 float32 的结果是有道理的：
# 先转换，用 float32 求和，最后只舍入一次。库里的归约就是这样做的。
#
# ## 找出精度不对的那一层
#
# 一个八层的模型，每层都是 h ← h + silu(h)。参考运行的结果*逐层*保留下来，作为基线。
# 被怀疑的那次运行里，有一层用 half 计算，其余用 float32。
# 条形表示每层之后的 MERE，一格是 float32 限值的十分之一。
# %% id="layers-baseline"
start = rng.uniform(-2, 2, (16, 256)).astype(np.float32)
baseline = [start.astype(np.float64)]
for _ in range(8):
    last = baseline[-1]
    baseline.append(last + last / (1 + np.exp(-last)))


def layer(h, dtype):
    h = h.astype(dtype)
    return ops.add(h, ops.silu(h)).astype(np.float32)
# %% id="layers-run"
LOW, h = int(abs(start).sum()) % 6 + 2, start  # LOW: in half / 用 half 的那一层
for number in range(1, 9):
    h = layer(h, np.float16 if number == LOW else np.float32)
    g = baseline[number]
    mere = (np.abs(h - g) / (np.abs(g) + 1e-7)).mean() * 2**13
    print(number, "#" * round(10 * mere), f"{mere:.3f}")
# %% id="predict-layer"
my_layer = None
predict("z7-layer", my_layer, actual=LOW)
# %% [markdown] lang="en" id="moments" tags=["seed:A086.1", "seed:A087.1", "seed:A088.1", "seed:A089.1", "seed:A090.1", "seed:A091.1"]
# ## Audit: mean and variance in one pass
#
# An article's layer normalisation walks over a row once and keeps two sums, `sum += val`
# and `square_sum += val * val`. The variance is then E[x²] − E[x]². It is one pass, so it
# looks fast. Take numbers around 3,000 that scatter by 1: the variance is about 1.
#
# **Predict.** E[x²] is about 9,000,000. How far apart are two neighbouring float32 there?
# %% [markdown] lang="zh"
# ## 核实：只走一遍，求出均值和方差
#
# 一篇文章里的层归一化只把一行走一遍，同时累加两个和：`sum += val` 和 `square_sum += val * val`。
# 方差就是 E[x²] − E[x]²。只走一遍，看起来很快。取 3,000 附近、上下波动 1 的数：方差约为 1。
#
# **预测。** E[x²] 约为 9,000,000。在那里，相邻两个 float32 相差多少？
# %% id="predict-spacing"
my_spacing = None
predict("z7-spacing", my_spacing, actual=float(np.spacing(np.float32(9_000_000))))
# %% id="moments-kernel" tags=["seed:A086.1", "seed:A087.1", "seed:A088.1", "seed:A089.1", "seed:A090.1", "seed:A091.1"]
@asc.jit
def one_pass_kernel(x: asc.GlobalAddress, n: asc.constexpr):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * n, n)
    val = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, n)
    squares = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 4 * n, n)
    tmp = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8 * n, 64)
    stat = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 8 * n + 256, 16)
    asc.data_copy(val, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.mul(squares, val, val, n)
    asc.reduce_sum(stat, val, tmp, n)  # sum += val
    asc.reduce_sum(stat[8:], squares, tmp, n)  # square_sum += val * val
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    mean = stat.get_value(0) / n
    asc.printf(f"{stat.get_value(8) / n - mean * mean}")
# %% id="moments-run"
near = (3000 + rng.standard_normal((6, 1024))).astype(np.float32)
lines = one_pass_kernel[6](near, 1024).prints  # "[core 0] 1.0", …
one_pass = [float(line.split()[-1]) for line in lines]
mean = near.mean(axis=1, keepdims=True, dtype=np.float32)
two_pass = ((near - mean) ** 2).mean(axis=1)
print("true / 真值", near.astype(np.float64).var(axis=1).round(3))
print("one pass / 一遍", np.round(one_pass, 3))
print("two pass / 两遍", two_pass.round(3))
# %% [markdown] lang="en" id="moments-read"
# Two large numbers are subtracted, and what is left is their rounding. With a variance
# below zero the square root gives nan. Taking the mean off first and then squaring keeps
# the numbers small; the row lies in UB, so the second pass costs no copy from GM.
#
# ## Explain
#
# A colleague's softmax in half gives nan on one row of a thousand. "The exp instruction
# must be broken," he says. Answer him in two or three sentences: where nan comes from, and
# what to change. Replace `None` by your text.
# %% [markdown] lang="zh"
# 两个大数相减，剩下的只是它们的舍入误差。方差若小于零，开方就得 nan。先减去均值再平方，
# 数就一直不大；而且这一行已经在 UB 里，第二遍不必再从 GM 搬运。
#
# ## 解释
#
# 同事用 half 写的 softmax，一千行里有一行出现 nan。他说：“一定是 exp 指令坏了。”
# 用两三句话回答他：nan 从哪里来，该改什么。把 `None` 换成你的回答。
# %% id="explain-cell"
my_answer = None
explain("z7-nan-row", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * You found the fastest mix of reductions, and the reason: fewer costly repeats, fewer
#   waits.
# * You met `ASC-PAD-04`, and a filler of 0 that no tool complains about.
# * You built a softmax that survives every input, and measured errors by MERE and MARE.
# * You found a layer of low precision by its baseline, and audited a one-pass variance.
#
# **Next:** the assignment `z7-reductions` in the folder `exercises`: the logarithm of the
# sum of exponentials of every row, as fast as the memory allows, and a variance that
# keeps its digits. After it you are ready for the mock examination; speed goes on with P1.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 找到了最快的归约组合，也知道为什么：费时的重复少，等待次数也少。
# * 认识了 `ASC-PAD-04`，还有一种没有任何工具会报错的填充：0。
# * 写出了对任何输入都不出错的 softmax，会用 MERE 和 MARE 度量误差。
# * 靠逐层的基线找到了精度不对的那一层，核实了“只走一遍求方差”的做法。
#
# **下一步：** `exercises` 文件夹里的作业 `z7-reductions`：求每一行的“指数和的对数”，
# 要快到接近内存的极限；再写一个不丢有效数字的方差。做完就可以参加模拟考试了；性能方面，接着学 P1。
# %% id="progress"
progress()
