# ---
# jupyter:
#   npucamp:
#     id: z5
#     slug: tiling
#     title: {en: "Tiling: cores, tiles, tails", zh: 切分：核、tile 与尾块}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A003.1"]
# # Z5 · Tiling: cores, tiles, tails
#
# Real arrays have awkward lengths: 1, 31, 1,003, 1,000,003. A kernel that is used must
# take them all.
#
# **Goal.** You write a *plan* for any length: how many cores work, which part each of
# them gets, how long the pieces are that pass through UB. You drop elements, overfill
# UB and read undefined bytes, each once and on purpose. At the end you can say why 48
# cores are sometimes slower than 4, and compute how many are best.
#
# **Time.** About 75 minutes. You need lesson Z4 (queues and double buffer).
#
# **Where it comes from.** A practitioner's article on CANN begins its kernel skeleton
# with this step: choose the dimension to split, give each compute unit its data. It
# adds that the pieces must be neither too coarse nor too fine. You will measure both.
# %% [markdown] lang="zh"
# # Z5 · 切分：核、tile 与尾块
#
# 实际的数组长度往往不整齐：1、31、1,003、1,000,003。真正能用的核函数，每一种都要能处理。
#
# **目标。** 为任意长度写一个*切分方案*：用几个核，每个核分到哪一段，一次有多长的一段经过 UB。
# 过程中你会故意漏掉元素、撑爆 UB、读到没有定义的字节，各一次。
# 最后你能说清楚为什么 48 个核有时比 4 个还慢，并算出用几个核最好。
#
# **用时。** 约 75 分钟。需要先学 Z4 课（队列与双缓冲）。
#
# **出处。** 一篇讲 CANN 的实战文章，把这件事放在核函数骨架的第一步：确定切分维度，把数据分给不同计算单元。
# 文章还说，切分的粒度不能太粗也不能太细。太粗、太细各会怎样，本课都会测出来。
# %% [markdown] lang="en" id="limits"
# ## Two limits
#
# Two numbers of the chip force us to split. The next cell prints them, and beside them
# the size of the array of this lesson.
# %% [markdown] lang="zh"
# ## 两个限制
#
# 芯片的两个数逼着我们切分。下一个单元把它们打印出来，旁边是本课要处理的数组大小。
# %% id="limits-cell"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import asc
from npusim.view import what_if

chip = asc.chip("910B1")
x = (np.arange(1_000_003) % 100 - 50).astype(np.float16)
print("vector cores:", chip.vector_cores)
print("UB of a core:", chip.ub_nbytes, "B")
print("the array   :", x.nbytes, "B,", x.size, "elements of half")
# %% [markdown] lang="en" id="words" tags=["seed:B022.3", "seed:B042.1", "seed:B043.1"]
# ## The words
#
# * A **share** is what one core gets. Splitting over cores is splitting in space: all
#   shares are worked on at the same time.
# * A **tile** is what fits into UB at once. Splitting into tiles is splitting in time:
#   a core takes one tile after the other.
# * A **tail** is what is left over. Both splits can have one: cores at the end with a
#   shorter share (*tail cores*, the others are *head cores*), and a shorter last tile.
#
# A plan in five numbers says it all. In Ascend C such a record is called the *tiling*:
# ordinary code on the host fills it, the kernel receives it and obeys.
# `@asc.tiling` makes one.
# %% [markdown] lang="zh"
# ## 几个词
#
# * **份额**（share）：一个核分到的那一份。按核切分是在空间上切：各个份额同时处理。
# * **tile**：UB 一次放得下的一块。按 tile 切分是在时间上切：一个核处理完一块，再处理下一块。
# * **尾**（tail）：切剩下的部分。两种切分都会有：排在后面、分得少一些的核（*小核*，其余的叫*大核*），
#   以及比较短的最后一个 tile（尾块）。
#
# 一个方案用五个数就能说完。Ascend C 里把这样的记录叫 *tiling*：由主机端的普通代码填写，
# 核函数收到后照着做。用 `@asc.tiling` 定义。
# %% id="plan"
@asc.tiling
class Plan:
    n: int  # elements / 元素总数
    head: int  # so many cores have the long share / 大核个数
    long: int  # elements of a long share / 大核的份额
    short: int  # elements of a short share / 小核的份额
    tile: int  # elements of a tile / 一个 tile 的元素数
# %% [markdown] lang="en" id="build-tile"
# ## Build: the work on one tile
#
# The operator is relu: y = max(x, 0). You know this part from Z4: two buffers for x,
# two for y, and queues that hand them over. New is only that `count` may be any number.
# `asc.data_copy_pad` copies exactly `count * 2` bytes.
# %% [markdown] lang="zh"
# ## 动手：处理一个 tile
#
# 算子是 relu：y = max(x, 0)。这一部分在 Z4 课见过：x 两块缓冲区，y 两块，由队列交接。
# 新的只有一点：`count` 可以是任意数。`asc.data_copy_pad` 恰好搬 `count * 2` 个字节。
# %% id="tile-code"
@asc.jit
def relu_tile(x_gm, y_gm, x_queue, y_queue, offset, count):
    row = asc.DataCopyExtParams(1, count * 2, 0, 0)
    no_pad = asc.DataCopyPadExtParams(False, 0, 0, 0)
    x_ub = x_queue.alloc_tensor(asc.half)
    asc.data_copy_pad(x_ub, x_gm[offset:], row, no_pad)
    x_queue.enque(x_ub)

    ready = x_queue.deque(asc.half)
    y_ub = y_queue.alloc_tensor(asc.half)
    asc.relu(y_ub, ready, count)
    x_queue.free_tensor(ready)
    y_queue.enque(y_ub)

    done = y_queue.deque(asc.half)
    asc.data_copy_pad(y_gm[offset:], done, row)
    y_queue.free_tensor(done)
# %% [markdown] lang="en" id="build-kernel" tags=["seed:B041.1"]
# ## Build: the kernel that obeys the plan
#
# Each block computes from its index where its share starts: the cores before it have
# `short` elements each, and the head cores among them `long - short` more. Then it walks
# through the share. Both tails are cut by a `min`: the share at `n`, the tile at `stop`.
# %% [markdown] lang="zh"
# ## 动手：照方案工作的核函数
#
# 每个 block 由自己的编号算出份额的起点：排在前面的核各有 `short` 个元素，其中的大核还要多
# `long - short` 个。然后从头到尾走完自己的份额。两处尾部各由一个 `min` 截断：份额截到 `n`，tile 截到 `stop`。
# %% id="kernel-code"
@asc.jit
def relu_kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, p: Plan):
    block = asc.get_block_idx()
    start = block * p.short + min(block, p.head) * (p.long - p.short)
    share = p.long if block < p.head else p.short
    stop = min(start + share, p.n)
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, p.n)
    y_gm.set_global_buffer(y, p.n)
    pipe = asc.TPipe()
    x_queue = asc.TQue(asc.TPosition.VECIN, 2)
    y_queue = asc.TQue(asc.TPosition.VECOUT, 2)
    pipe.init_buffer(x_queue, 2, p.tile * 2)
    pipe.init_buffer(y_queue, 2, p.tile * 2)
    for offset in range(start, stop, p.tile):
        count = min(p.tile, stop - offset)
        relu_tile(x_gm, y_gm, x_queue, y_queue, offset, count)
# %% id="launch-code"
def relu(x, plan, blocks):
    y = asc.device.empty(x.shape, x.dtype)  # every element must be written
    run = relu_kernel[blocks](x, y, plan)
    assert np.array_equal(y.numpy(), np.maximum(x, 0))
    return run


small = relu(x[:1000], Plan(n=1000, head=0, long=0, short=1000, tile=512), 1)
small
# %% [markdown] lang="en" id="predict-tile"
# ## How long may a tile be?
#
# The run above: one core, a full tile of 512 and a tail tile of 488. How large can we
# make the tile? UB has 196,608 B, a half has 2 B.
#
# **Predict.** How many elements can a tile of this kernel have at most? Think of every
# buffer that it opens. Replace `None`.
# %% [markdown] lang="zh"
# ## 一个 tile 最长能有多长？
#
# 上面那次运行：一个核，一个 512 的整块，加一个 488 的尾块。tile 能取到多大？
# UB 有 196,608 B，一个 half 占 2 B。
#
# **预测。** 这个核函数的 tile 最多能有多少元素？想一想它一共开了哪些缓冲区。把 `None` 换成你的答案。
# %% id="predict-tile-cell"
my_tile = None
predict("z5-tile", my_tile, actual=chip.ub_nbytes // (4 * 2))
# %% [markdown] lang="en" id="break-ub"
# ## Break 1: a budget for one buffer
#
# The tempting answer is UB ÷ 2 B = 98,304: it forgets that x and y each have two
# buffers, and that all four lie in UB at once.
# %% [markdown] lang="zh"
# ## 故意弄坏（一）：只算一块缓冲区
#
# 容易想到的答案是 UB ÷ 2 B = 98,304。它忘了 x 和 y 各有两块缓冲区，四块同时占着 UB。
# %% id="break-ub-run"
with expect("ASC-UB-09"):
    relu(x, Plan(x.size, 0, 0, x.size, 98304), 1)
# %% [markdown] lang="en" id="budget"
# The message lists the plan of UB: number of buffers × bytes. Turn it round and you have
# the rule: UB ÷ (all buffers × bytes of an element), rounded down to whole data blocks
# of 32 B.
# %% [markdown] lang="zh"
# 报错列出了 UB 的规划：缓冲区个数 × 字节数。反过来算就是规则：UB ÷（缓冲区总数 × 每个元素的字节数），
# 再向下取整到 32 B 的数据块。
# %% id="longest-tile"
def longest_tile(ub_nbytes, buffers, itemsize):
    step = 32 // itemsize
    return ub_nbytes // (buffers * itemsize) // step * step


for buffers, itemsize in ((2, 2), (4, 2), (4, 4), (6, 4)):
    longest = longest_tile(chip.ub_nbytes, buffers, itemsize)
    print(f"{buffers} buffers of {itemsize} B elements: {longest:6}")
# %% [markdown] lang="en" id="split-floor" tags=["seed:B039.1", "seed:B040.1"]
# ## Split 1: n // cores
#
# Now the cores. The first idea: every core gets `n // 48` elements.
#
# **Predict.** How many of the 1,000,003 elements are then never written?
# %% [markdown] lang="zh"
# ## 切法一：n // 核数
#
# 再来分核。最先想到的是：每个核分 `n // 48` 个元素。
#
# **预测。** 这样一来，1,000,003 个元素里有多少个从来没有被写到？
# %% id="predict-dropped"
my_dropped = None
predict("z5-dropped", my_dropped, actual=x.size - 48 * (x.size // 48))
# %% [markdown] lang="en" id="break-rest"
# ## Break 2: the remainder can wait
#
# It cannot. The output comes from `asc.device.empty`, so the simulator checks that every
# element was written. With a length such as 960,000 the same code passes: test with
# lengths that divide nothing.
# %% [markdown] lang="zh"
# ## 故意弄坏（二）：余数先不管
#
# 不能不管。输出来自 `asc.device.empty`，所以模拟器会检查每个元素是否都写过。
# 换成 960,000 这样的长度，同样的代码就能通过：测试时要用什么都除不尽的长度。
# %% id="break-rest-run"
share = x.size // 48
with expect("ASC-TILE-26"):
    relu(x, Plan(x.size, 0, 0, share, 8192), 48)
# %% [markdown] lang="en" id="split-rest"
# ## Split 2: one core takes the rest
#
# From here on we count in **units**: pieces that no core should cut, such as a line of
# 512 B. `divmod` gives what every core gets and what is left over. Here core 0 takes
# all that is left over.
#
# **Predict.** 95 units on 48 cores. How many units does core 0 have to do?
# %% [markdown] lang="zh"
# ## 切法二：剩下的都给一个核
#
# 从这里起我们按**单位**（unit）来数：不该被切断的一段，例如 512 B 的一行。
# `divmod` 给出每个核分到几个单位、还剩几个。这里剩下的全部交给 0 号核。
#
# **预测。** 95 个单位分给 48 个核，0 号核要做几个单位？
# %% id="predict-core0"
my_units = None
predict("z5-core0", my_units, actual=95 // 48 + 95 % 48)
# %% id="split-rest-code"
def split_rest(n, blocks, unit):
    units = (n + unit - 1) // unit
    each, rest = divmod(units, blocks)
    return 1, (each + rest) * unit, each * unit  # head, long, short


part = x[: 95 * 8192]
lopsided = relu(part, Plan(part.size, *split_rest(part.size, 48, 8192), 8192), 48)
print(f"{lopsided.time_us:.2f} us")
lopsided.balance()
# %% [markdown] lang="en" id="read-balance"
# Each bar is a core, its height the time it worked. The result is right, and 47 cores
# wait for one. **A launch takes as long as its slowest core.**
# %% [markdown] lang="zh"
# 一根柱子是一个核，高度是它工作的时间。结果是对的，可是 47 个核都在等一个。
# **一次启动要用多久，由最慢的核决定。**
# %% [markdown] lang="en" id="turn-even"
# ## Your turn: an even split
#
# Change the last line of `split_even` so that the rest is dealt out one unit at a time:
# some cores get `each + 1` units, the others `each`. How many get one more? Done when
# in each line the longest and the shortest share differ by at most one unit, which is
# 256 elements, nothing is missing, and less than one unit is too many. The cell after
# the hint then runs the 95 units with your split: compare the picture with the one
# above.
# %% [markdown] lang="zh"
# ## 轮到你了：平均分
#
# 修改 `split_even` 的最后一行，把剩下的单位一个一个分出去：一部分核得 `each + 1` 个单位，其余的得
# `each` 个。有几个核要多得一个？输出的每一行里，最长与最短的份额最多差一个单位（256 个元素），
# 没有遗漏（missing），多出来的（too many）不到一个单位，就完成了。提示后面的单元会用你的切法再跑一遍那 95 个单位：把图和上面的比一比。
# %% id="turn-even-cell" tags=["your-turn"]
def split_even(n, blocks, unit):
    units = (n + unit - 1) // unit
    each, rest = divmod(units, blocks)
    return 1, (each + rest) * unit, each * unit  # change this line / 修改这一行


fair = []
for n, blocks in ((95 * 256, 48), (1_000_003, 48), (1000, 4)):
    head, long, short = split_even(n, blocks, 256)
    shares = [long] * head + [short] * (blocks - head)
    missing, over = max(0, n - sum(shares)), max(0, sum(shares) - n)
    fair.append(max(shares) - min(shares) <= 256 and not missing and over < 256)
    print(f"n = {n:7}: longest {max(shares):6}, shortest {min(shares):6}, "
          f"missing {missing}, too many {over}")
check("z5-turn-even", all(fair))
# %% id="turn-even-hint"
hint("z5-turn-even")
# %% id="even-run-cell"
even = relu(part, Plan(part.size, *split_even(part.size, 48, 8192), 8192), 48)
print(f"{lopsided.time_us:.2f} us before, {even.time_us:.2f} us with your split")
even.balance()
# %% [markdown] lang="en" id="slowest"
# ## What an even split can and cannot do
#
# Lesson Z1 rounded the share up: `ceil(65 / 48)` = 2 units for everyone, until nothing
# is left. With 65 units 33 cores work and 15 stand idle. The even split gives 17 cores
# 2 units and 31 cores 1.
#
# **Predict.** How many times as fast is the even split?
# %% [markdown] lang="zh"
# ## 平均分能做到什么，做不到什么
#
# Z1 课把份额向上取整：`ceil(65 / 48)`，每个核 2 个单位，分完为止。65 个单位时，33 个核干活，15 个闲着。
# 平均分则是 17 个核做 2 个单位，31 个核做 1 个。
#
# **预测。** 平均分快多少倍？
# %% id="predict-even"
u, part = 8192, x[: 65 * 8192]
plans = {
    "rounded up, 48 cores": (Plan(part.size, 0, 0, 2 * u, u), 48),
    "even, 48 cores": (Plan(part.size, 17, 2 * u, u, u), 48),
    "rounded up, 33 cores": (Plan(part.size, 0, 0, 2 * u, u), 33),
}
splits = {name: relu(part, plan, blocks) for name, (plan, blocks) in plans.items()}
up, even = splits["rounded up, 48 cores"], splits["even, 48 cores"]
my_gain = None
predict("z5-even-gain", my_gain, actual=up.time_us / even.time_us, within=0.02)
# %% id="slowest-table"
for name, r in splits.items():
    print(f"{name}: {r.time_us:5.2f} us, slowest core {max(r.core_cycles)} cycles")
# %% [markdown] lang="en" id="slowest-read"
# The slowest core has 2 units in all three cases, so balance gains nothing here. Fewer
# cores do: the 15 that had nothing to do were started all the same. An even split is a
# guarantee (no core has more than one unit above another), not a speed-up.
# %% [markdown] lang="zh"
# 三种情况里，最慢的核都是 2 个单位，所以在这里均衡没有带来好处。少用几个核却有好处：
# 那 15 个没活干的核，照样要启动。平均分给出的是一个保证（任何两个核最多差一个单位），而不是加速。
# %% id="quiz-slowest"
quiz("z5-slowest")
# %% [markdown] lang="en" id="break-pad"
# ## Break 3: "the bytes behind the tail are zero"
#
# The tail of 1,003 elements fills 62 data blocks of 32 B and 22 B of the next one. It
# seems handy to compute on 1,008 elements, whole blocks, and to copy out 1,003. The
# kernel below does so.
# %% [markdown] lang="zh"
# ## 故意弄坏（三）：“尾部后面的字节是 0”
#
# 1,003 个元素占满 62 个 32 B 的数据块，外加下一块的 22 B。看起来可以图方便：按整块算 1,008 个元素，
# 搬出时只搬 1,003 个。下面的核函数就是这样做的。
# %% id="break-pad-run"
@asc.jit
def whole_blocks_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, whole: asc.constexpr
):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    x_ub = asc.LocalTensor(asc.half, asc.TPosition.VECIN, 0, whole)
    y_ub = asc.LocalTensor(asc.half, asc.TPosition.VECOUT, whole * 2, whole)
    row = asc.DataCopyExtParams(1, n * 2, 0, 0)
    asc.data_copy_pad(x_ub, x_gm, row, asc.DataCopyPadExtParams(False, 0, 0, 0))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.relu(y_ub, x_ub, whole)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, y_ub, row)


with expect("ASC-PAD-04"):
    whole_blocks_kernel[1](x[:1003], asc.device.empty(1003, x.dtype), 1003, 1008)
# %% [markdown] lang="en" id="read-pad"
# Five elements were never copied in. What stands there is what an earlier kernel left
# behind. For relu the five garbage results are cut off again; a maximum or a sum over
# the tile would take them in, and be wrong only for lengths with a tail. So: compute on
# `count` elements, or fill the padding yourself (`is_pad`) with a value that changes
# nothing.
# %% [markdown] lang="zh"
# 有 5 个元素从来没有搬进来，那里是以前的核函数留下的内容。对 relu 来说，这 5 个无用的结果最后会被截掉；
# 如果对 tile 求最大值或求和，它们就会混进去，而且只在有尾块的长度上出错。
# 所以：要么只算 `count` 个元素，要么自己用 `is_pad` 填一个不影响结果的值。
# %% [markdown] lang="en" id="tiles" tags=["seed:B051.2"]
# ## Measure: too fine, too coarse
#
# First the tile. 48 cores, 1,000,003 elements; only the tile changes.
# %% [markdown] lang="zh"
# ## 测量：太细，太粗
#
# 先看 tile：48 个核，1,000,003 个元素，只改 tile。
# %% id="tiles-cell"
def rounded_up(n, blocks, tile=8192, unit=256):
    units = (n + unit - 1) // unit
    return Plan(n, 0, 0, (units + blocks - 1) // blocks * unit, tile)


for tile in (128, 512, 2048, 8192, 16384, 24576):
    run = relu(x, rounded_up(x.size, 48, tile), 48)
    print(f"tile {tile:5} ({tile * 2:5} B): {run.time_us:5.2f} us")
# %% [markdown] lang="en" id="tiles-read"
# Small tiles are slow because every copy has a start-up time, however little it moves.
# The largest tile is not the best either: a share then is a single tile, so copying in
# and computing no longer overlap (Z4). Copies of 16 KiB and more run at full rate.
# %% [markdown] lang="zh"
# tile 太小就慢，因为每次搬运都有启动时间，搬得再少也要付。tile 最大也不是最好：
# 这时一个份额只有一个 tile，搬入和计算就没法重叠了（Z4 课）。每次搬 16 KiB 以上，速率就到顶了。
# %% [markdown] lang="en" id="cores"
# ## Measure: how many cores?
#
# Now only the number of cores changes, for three lengths.
#
# **Predict.** Which of 1, 4, 8, 24, 48 cores is fastest for 65,536 elements?
# %% [markdown] lang="zh"
# ## 测量：用几个核？
#
# 现在只改核数，长度取三种。
#
# **预测。** 65,536 个元素，1、4、8、24、48 个核里哪个最快？
# %% id="predict-cores"
def on(n, blocks):
    return relu(x[:n], rounded_up(n, blocks, unit=16), blocks)


lengths, counts = (1000, 65536, 1_000_003), (1, 4, 8, 24, 48)
times = {n: {b: on(n, b).time_us for b in counts} for n in lengths}
my_cores = None
predict("z5-cores", my_cores, actual=min(times[65536], key=times[65536].get))
# %% id="cores-table"
print("   elements", *(f"{b:5} cores" for b in counts))
for n in lengths:
    print(f"{n:11}", *(f"{t:8.2f} us" for t in times[n].values()))
# %% [markdown] lang="en" id="model"
# ## Explain: two terms
#
# Every further core costs a start; the work divides by the number of cores:
#
# time = fixed + **start** · cores + **work** ÷ cores
#
# The sum is smallest where both terms are equal: cores = √(work ÷ start). The next cell
# takes *start* from the first row of the table, *work* from the ends of the column of one core.
# %% [markdown] lang="zh"
# ## 解释：两项
#
# 每多一个核，就多一次启动；工作量则被核数平分：
#
# 时间 = 固定 + **启动** × 核数 + **工作** ÷ 核数
#
# 两项相等时总和最小：核数 = √(工作 ÷ 启动)。下一个单元里，*启动*取自表的第一行，
# *工作*取自单核那一列的首尾两行。
# %% id="model-cell"
tiny = times[1000]
start_us = (tiny[48] - tiny[1]) / 47
print(f"start: {start_us * 1000:.1f} ns a core")
work_us = (times[1_000_003][1] - tiny[1]) / 1_000_003  # of one element / 一个元素
for n in lengths:
    best = (n * work_us / start_us) ** 0.5
    print(f"n = {n:7}: work {n * work_us:6.2f} us, best about {best:4.1f} cores")
# %% [markdown] lang="en" id="model-read"
# The best number grows with the *square root* of the length: 16 times the data, 4 times
# the cores. And 1,000 elements are work for one core: a second one costs as much as it
# saves. Compare with the table: how far are the best columns from the formula?
# %% [markdown] lang="zh"
# 最佳核数随长度的*平方根*增长：数据是 16 倍，核数是 4 倍。而 1,000 个元素只够一个核做：
# 第二个核省下的时间和它的启动开销差不多。对照上面的表：最快的几列离公式有多远？
# %% [markdown] lang="en" id="try"
# ## Turn the knobs
#
# Try the three numbers together. Look for the fastest setting of each length, and watch
# the timeline: where does MTE2 wait?
# %% [markdown] lang="zh"
# ## 动手调一调
#
# 三个数一起试。给每种长度找出最快的设置，同时留意时间线：MTE2 在哪里等？
# %% id="try-cell"
what_if(
    lambda n, blocks, tile: relu(x[:n], rounded_up(n, blocks, tile), blocks),
    n=[1_000_003, 65536, 1000],
    blocks=[48, 24, 8, 4, 1],
    tile=[8192, 512, 2048, 24576],
)
# %% [markdown] lang="en" id="turn-cores"
# ## Your turn: as many cores as pay off
#
# The starter always takes 48 cores. Use the formula: `work_us` is the work of one
# element, `start_us` the start of a core, both in µs. Take at least 1 core, at most 48. Done
# when no length is slower than with 48 cores and the sum is smaller.
# %% [markdown] lang="zh"
# ## 轮到你了：用到划算为止
#
# 起始代码总是用 48 个核。请用上面的公式：`work_us` 是一个元素的工作量，`start_us` 是启动一个核的时间，
# 单位都是 µs。
# 至少 1 个核，最多 48 个。没有一种长度比 48 个核慢，并且总时间变小，就完成了。
# %% id="turn-cores-cell" tags=["your-turn"]
def cores_for(n):
    return 48  # change this line / 修改这一行


yours = {n: on(n, cores_for(n)).time_us for n in lengths}
for n in lengths:
    print(f"n = {n:7}: {cores_for(n):2} cores {yours[n]:5.2f} us, "
          f"48 cores {times[n][48]:5.2f} us")
sums = sum(yours.values()), sum(times[n][48] for n in lengths)
print("sum: {:.2f} us, with 48 cores {:.2f} us".format(*sums))
slower = [n for n in lengths if yours[n] > times[n][48]]
check("z5-turn-cores", not slower and sums[0] < sums[1])
# %% id="turn-cores-hint"
hint("z5-turn-cores")
# %% [markdown] lang="en" id="any"
# ## Every length
#
# A plan is finished when the awkward lengths pass. `relu` asserts that the result is
# right; the simulator checks that nothing is missing and nothing is written twice.
# %% [markdown] lang="zh"
# ## 所有长度
#
# 那些不整齐的长度都通过了，方案才算完成。`relu` 里断言结果正确；模拟器检查没有遗漏，也没有重复写。
# %% id="any-cell"
for n in (1, 31, 1000, 1003, 65536, 1_000_003):
    run = on(n, cores_for(n))
    written = run.nbytes_written // 2
    print(f"n = {n:7}: ok, {written:7} elements written, {run.time_us:5.2f} us")
# %% id="quiz-budget"
quiz("z5-budget")
# %% [markdown] lang="en" id="explain"
# ## Say it in your own words
#
# Why does the best number of cores grow with the length, but more slowly than the
# length? Write two or three sentences in place of `None`.
# %% [markdown] lang="zh"
# ## 用自己的话说一说
#
# 为什么数据越长，最佳核数越大，却又比长度增长得慢？把 `None` 换成两三句话。
# %% id="explain-cell"
my_answer = None
explain("z5-why", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * A plan of five numbers covers any length: head and tail cores, tiles and a tail tile.
# * You met `ASC-UB-09`, `ASC-TILE-26` and `ASC-PAD-04`: budget, remainder, padding.
# * The slowest core decides; each core costs a start; √(work ÷ start) is the best number.
#
# **Next:** the assignment `z5-tiling` in the folder `exercises`: a plan for two inputs
# and two element types, and the kernel that obeys it. After it lesson Z6 looks inside
# the vector instruction.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 五个数的方案就能覆盖任意长度：大核与小核，整块与尾块。
# * 认识了 `ASC-UB-09`、`ASC-TILE-26` 和 `ASC-PAD-04`：预算、余数、填充。
# * 最慢的核说了算；每个核都有启动开销；最佳核数是 √(工作 ÷ 启动)。
#
# **下一步：** `exercises` 文件夹里的作业 `z5-tiling`：为两个输入、两种元素类型写切分方案，再写照它工作的核函数。
# 之后的 Z6 课会打开一条向量指令，看看里面。
# %% id="progress-cell"
progress()
