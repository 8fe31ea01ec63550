# ---
# jupyter:
#   npucamp:
#     id: p2
#     slug: memory-plan
#     title: {en: "Memory plan: pool, banks, alignment, L2", zh: 内存规划：复用、bank、对齐、L2}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A004.1", "seed:B052.1", "seed:B053.2", "seed:B055.1", "seed:B055.2"]
# # P2 · Memory plan: pool, banks, alignment, L2
#
# P1 found that moves are the first suspect. This lesson plans memory **before** the
# kernel is written, on one sheet of paper.
#
# **Goal.** You plan UB for an operator with three inputs, to within 1 % of its
# capacity; you lay the buffers out so that no read waits for another; you measure what
# an address costs that is aligned to 32, 64, … 512 B, and how large an array may be to
# stay in L2. Two numbers of a seed article are put to the test.
#
# **Time.** About 60 minutes. You need Z5 and P1.
#
# **Where it comes from.** Section 3.3 of the article on CANN: "memory planning and
# details of moving data". It names three details, reuse, double buffer, alignment, and
# warns: who comes back to them only when the bottleneck shows rebuilds the operator.
# %% [markdown] lang="zh"
# # P2 · 内存规划：复用、bank、对齐、L2
#
# P1 课发现，搬运是头号嫌疑。本课在写核函数**之前**，先在一张纸上把内存规划好。
#
# **目标。** 为一个三输入的算子规划 UB，用到容量的 99% 以上；安排好各缓冲区的位置，让读操作互不等待；
# 测出地址对齐到 32、64、…、512 B 各要付多少代价，以及数组多大还能留在 L2 里。最后检验一篇文章里的两个数。
#
# **用时。** 约 60 分钟。需要先学 Z5 和 P1 课。
#
# **出处。** CANN 文章的 3.3 节“内存规划与数据搬移的细节”。它列了三个细节：内存池复用、双缓冲、地址对齐，
# 并提醒：等到性能瓶颈出现再回头改，往往要改动整个算子的结构。
# %% [markdown] lang="en" id="operator" tags=["seed:B006.3", "seed:B022.2", "seed:B054.1"]
# ## The operator and its sheet
#
# `addcmul`: y = x + 0.5 · a · b. Fused into one kernel it reads three arrays and writes
# one. On the sheet: which tensors lie in UB at the same time, how many buffers each.
#
# | tensor | buffers | why |
# |---|---|---|
# | x, a, b | 2 each | one is filled, one is computed on |
# | y | 2 | one is computed, one is copied out |
# | a · b | 0 | computed in the buffer of y: **reuse** |
#
# A queue is a small pool: its buffers are reserved once, before the loop, and used
# again by every tile. The article wants the same of device memory: reserve once, use
# many times.
# %% [markdown] lang="zh"
# ## 算子和它的规划表
#
# `addcmul`：y = x + 0.5 · a · b。融合成一个核函数后，读三个数组，写一个。
# 规划表上写清楚：哪些张量同时在 UB 里，各要几块缓冲区。
#
# | 张量 | 缓冲区 | 理由 |
# |---|---|---|
# | x、a、b | 各 2 | 一块在填，一块在算 |
# | y | 2 | 一块在算，一块在搬出 |
# | a · b | 0 | 就在 y 的缓冲区里算：**复用** |
#
# 队列就是一个小内存池：循环之前一次申请好，每个 tile 反复使用。文章对设备内存的要求也一样：预先申请，反复使用。
# %% id="setup"
import numpy as np

from npucamp import check, expect, explain, hint, predict, progress, quiz
from npusim import asc
from npusim.view import what_if

chip = asc.chip("910B1")
VECIN, VECOUT = asc.TPosition.VECIN, asc.TPosition.VECOUT
print("UB:", chip.ub_nbytes, "B; L2:", chip.l2_nbytes // 2**20, "MiB")
# %% id="parts"
@asc.jit
def gm(address, start, count):
    tensor = asc.GlobalTensor()
    tensor.set_global_buffer(address + start, count)
    return tensor


@asc.jit
def fetch(queue, source, count):
    tensor = queue.alloc_tensor(asc.float32)
    asc.data_copy(tensor, source, count)
    queue.enque(tensor)
    return queue.deque(asc.float32)


@asc.jit
def queue(pipe, position, num, count):
    made = asc.TQue(position, 1)
    pipe.init_buffer(made, num, count * 4)
    return made
# %% id="addcmul"
@asc.jit
def addcmul_kernel(
    x: asc.GlobalAddress, a: asc.GlobalAddress, b: asc.GlobalAddress,
    y: asc.GlobalAddress, share: asc.constexpr, tile: asc.constexpr, num: asc.constexpr,
):
    first, pipe = asc.get_block_idx() * share, asc.TPipe()
    x_gm, a_gm = gm(x, first, share), gm(a, first, share)
    b_gm, y_gm = gm(b, first, share), gm(y, first, share)
    x_q, a_q = queue(pipe, VECIN, num, tile), queue(pipe, VECIN, num, tile)
    b_q, y_q = queue(pipe, VECIN, num, tile), queue(pipe, VECOUT, num, tile)
    for i in range(0, share, tile):
        count = min(tile, share - i)
        a_ub, b_ub = fetch(a_q, a_gm[i:], count), fetch(b_q, b_gm[i:], count)
        x_ub, y_ub = fetch(x_q, x_gm[i:], count), y_q.alloc_tensor(asc.float32)
        asc.mul(y_ub, a_ub, b_ub, count)
        a_q.free_tensor(a_ub)
        b_q.free_tensor(b_ub)
        asc.muls(y_ub, y_ub, 0.5, count)
        asc.add(y_ub, y_ub, x_ub, count)
        x_q.free_tensor(x_ub)
        y_q.enque(y_ub)
        asc.data_copy(y_gm[i:], y_q.deque(asc.float32), count)
        y_q.free_tensor(y_ub)
# %% id="launch"
x = np.linspace(-1, 1, 48 * 32768, dtype=np.float32)


def addcmul(tile, num=2):
    y = np.zeros_like(x)
    run = addcmul_kernel[48](x, x[::-1].copy(), x, y, 32768, tile, num)
    assert np.allclose(y, x + np.float32(0.5) * x[::-1] * x, atol=1e-6)
    return run
# %% [markdown] lang="en" id="predict-tile"
# ## The largest tile
#
# **Predict.** Four tensors, two buffers each, float32. How many elements has the
# longest tile? Take UB from the cell above.
# %% [markdown] lang="zh"
# ## 最长的 tile
#
# **预测。** 四个张量，各两块缓冲区，float32。最长的 tile 有多少元素？UB 的大小见上面的单元。
# %% id="predict-tile-cell"
my_tile = None
predict("p2-tile", my_tile, actual=chip.ub_nbytes // (4 * 2 * 4))
# %% [markdown] lang="en" id="break"
# One step more and the plan no longer fits. The message prints the sheet.
# %% [markdown] lang="zh"
# 再多一步就放不下了。报错会把规划表打印出来。
# %% id="break-run"
with expect("ASC-UB-09"):
    addcmul(6144 + 8)
# %% id="plan-ub"
full = addcmul(6144)
full.ub()
# %% [markdown] lang="en" id="plan-read"
# A band is a buffer, and all of UB is taken. Is the largest tile the fastest? The next
# cell compares plans: one buffer with a tile twice as long, two with shorter tiles.
# %% [markdown] lang="zh"
# 一条横带是一块缓冲区，整个 UB 都用上了。tile 最长就最快吗？下一个单元比较几种规划：
# 一块缓冲区配两倍长的 tile，两块配较短的 tile。
# %% id="plan-table"
for num, tile in ((1, 12288), (2, 6144), (2, 4096), (2, 2048), (2, 512)):
    run = addcmul(tile, num)
    used = 4 * num * tile * 4 / chip.ub_nbytes
    print(f"{num} × {tile:5} elements: {used:4.0%} of UB, {run.cycles:6,} cycles")
# %% [markdown] lang="en" id="banks" tags=["seed:A077.1"]
# ## Banks: where in UB
#
# UB is divided into 16 **bank groups**: consecutive blocks of 32 B go to group 0, 1, …
# 15, then 0 again, so a group comes back every 512 B (public Ascend C documentation,
# Atlas A2). In a cycle a vector instruction with two sources reads 8 blocks of each, so
# 8 groups of each; where the two sets meet it takes two cycles.
#
# A tile of 6,144 float32 is 24,576 B = 48 · 512 B: every buffer begins in group 0.
# %% [markdown] lang="zh"
# ## bank：放在 UB 的哪里
#
# UB 分成 16 个 **bank group**：相邻的 32 B 块依次属于 0、1、…、15 号，然后又从 0 号开始，
# 所以每隔 512 B 回到同一个 bank group（见 Atlas A2 的 Ascend C 公开文档）。
# 有两个源操作数的向量指令，一个周期各读 8 块，也就是各占 8 个 bank group；两边有重合，就要两个周期。
#
# 6,144 个 float32 的 tile 是 24,576 B = 48 · 512 B：每块缓冲区都从 0 号开始。
# %% id="banks-map"
full.banks()
# %% id="banks-count"
print("cycles lost to conflicts:", full.counters["bank_conflict_cycles"])
# %% [markdown] lang="en" id="turn-banks"
# ## Your turn: a tile without conflicts
#
# Choose a tile so that the sources of an instruction begin 8 groups apart: half of 512 B.
# It stays a multiple of 8 elements (32 B) and uses at least 99 % of UB. Done when not a
# hundredth of the lost cycles is left.
# %% [markdown] lang="zh"
# ## 轮到你了：没有冲突的 tile
#
# 选一个 tile，让同一条指令的两个源操作数相差 8 个 bank group，也就是 512 B 的一半。
# 它仍是 8 个元素（32 B）的倍数，至少用到 UB 的 99%。损失的周期剩下不到百分之一，就完成了。
# %% id="turn-banks-cell" tags=["your-turn"]
my_tile = 6144

mine = addcmul(my_tile)
used = 4 * 2 * my_tile * 4 / chip.ub_nbytes
print(f"{used:.2%} of UB, lost {mine.counters['bank_conflict_cycles']}, "
      f"V busy {mine.pipe_cycles['V']:,.0f}, before {full.pipe_cycles['V']:,.0f}")
still, before = (r.counters["bank_conflict_cycles"] for r in (mine, full))
check("p2-turn-banks", used >= 0.99 and still < before / 100)
# %% id="turn-banks-hint"
hint("p2-turn-banks")
# %% [markdown] lang="en" id="claim" tags=["seed:A077.1", "seed:A078.1", "seed:A079.1"]
# ## A claim on trial: "two buffers reduce bank conflicts"
#
# The LayerNorm listing of the other article has the comment "double buffering reduces
# bank conflicts" above two arrays of 256 float numbers, one for means and one for
# variances. Two things can be tested: does the second buffer change the conflicts, and
# where would two such arrays lie?
#
# **Predict.** Tile 6,144: how many times as many cycles are lost with one buffer as
# with two?
# %% [markdown] lang="zh"
# ## 检验一句话：“双缓冲减少 bank conflict”
#
# 另一篇文章的 LayerNorm 代码里，两个 256 个 float 的数组（均值、方差各一个）上面有一行注释：
# “采用双缓冲技术减少bank conflict”。有两点可以检验：第二块缓冲区会不会改变冲突；这样两个数组会落在哪里？
#
# **预测。** tile 取 6,144：一块缓冲区损失的周期是两块的几倍？
# %% id="claim-predict"
lost = {n: addcmul(6144, n).counters["bank_conflict_cycles"] for n in (1, 2)}
my_ratio = None
predict("p2-claim", my_ratio, actual=lost[1] / lost[2])
# %% id="claim-place"
size = 256 * 4
print("mean_buf: group", 0 // 32 % 16, " var_buf: group", size // 32 % 16)
# %% [markdown] lang="en" id="claim-read"
# The claim does not hold: double buffering hides moves, and conflicts depend on
# addresses only. Worse, two arrays of 1,024 B, one behind the other, begin in the same
# group: an instruction with both as sources conflicts in every cycle.
# %% [markdown] lang="zh"
# 这句话不成立：双缓冲藏住的是搬运，冲突只取决于地址。更糟的是，两个 1,024 B 的数组一个挨一个，
# 正好从同一个 bank group 开始：一条指令同时读它们，每个周期都冲突。
# %% [markdown] lang="en" id="stride"
# ## Eight blocks in one group
#
# The worst case needs one source only. A repeat reads 8 blocks; `block_stride` says how
# far apart. In a matrix with 128 columns of float32 a row is 16 blocks: who walks down
# a column reads 8 blocks of the same group.
#
# **Predict.** How many cycles does a repeat take with stride 16? With stride 1 it is 1.
# %% [markdown] lang="zh"
# ## 八个块在同一个 bank group
#
# 最坏的情况只需要一个源操作数。一个重复（repeat）读 8 个块，`block_stride` 说它们相隔多远。
# 一行 128 个 float32 是 16 个块：顺着列往下读，8 个块全在同一个 bank group。
#
# **预测。** 步长为 16 时，一个重复要几个周期？步长为 1 时是 1 个。
# %% id="stride-kernel"
@asc.jit
def stride_kernel(
    x: asc.GlobalAddress, y: asc.GlobalAddress,
    block_stride: asc.constexpr, repeat_stride: asc.constexpr,
):
    x_ub = asc.LocalTensor(asc.float32, VECIN, 0, 8192)
    y_ub = asc.LocalTensor(asc.float32, VECOUT, 40960, 1024)
    asc.data_copy(x_ub, gm(x, 0, 8192), 8192)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    form = asc.UnaryRepeatParams(1, block_stride, 8, repeat_stride)
    for _ in range(100):
        asc.adds(y_ub, x_ub, 1.0, 64, 16, form)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gm(y, 0, 1024), y_ub, 1024)
# %% id="stride-predict"
column, out = np.arange(8192, dtype=np.float32), np.zeros(1024, np.float32)
strided = {s: stride_kernel[1](column, out, s, r) for s, r in ((16, 1), (8, 1), (1, 8))}
clean = strided[1].pipe_cycles["V"]
extra = {s: r.counters["bank_conflict_cycles"] / 1600 for s, r in strided.items()}
my_cycles = None
predict("p2-stride", my_cycles, actual=1 + round(extra[16]), within=0.5)
# %% id="stride-table"
for stride, run in strided.items():
    print(f"stride {stride:2}: {run.pipe_cycles['V']:8,.0f} cycles of V, "
          f"{extra[stride]:4.1f} lost in each repeat")
# %% id="quiz-stride"
quiz("p2-stride")
# %% [markdown] lang="en" id="align" tags=["seed:A105.1", "seed:B051.3", "seed:B054.3", "seed:B034.3", "seed:A056.1"]
# ## Alignment: where in GM
#
# GM is moved in lines of 512 B. The kernel below reads a window: rows of 1 KiB out of
# rows of 1.5 KiB, 16 rows with each copy. Only the start of the window moves. The other
# article says: "input must be aligned to 128 B, else performance falls by 30 %".
#
# **Predict.** From which alignment on is the copy at full speed: 32, 64, 128, 256 or
# 512 B?
# %% [markdown] lang="zh"
# ## 对齐：放在 GM 的哪里
#
# GM 按 512 B 的行来搬。下面的核函数读一个窗口：从每行 1.5 KiB 里取 1 KiB，每次搬 16 行。
# 变的只有窗口的起点。另一篇文章说：“输入数据必须按128字节对齐，否则性能下降30%。”
#
# **预测。** 对齐到多少字节，搬运才达到全速：32、64、128、256 还是 512 B？
# %% id="align-kernel"
@asc.jit
def window_kernel(x: asc.GlobalAddress, copies: asc.constexpr, skip: asc.constexpr):
    pitch = 384  # elements, 1.5 KiB / 元素
    start = asc.get_block_idx() * copies * 16 * pitch
    x_gm = gm(x, start, (copies * 16 + 1) * pitch)
    pipe = asc.TPipe()
    x_q = queue(pipe, VECIN, 2, 4096)
    rows = asc.DataCopyParams(16, 32, 16, 0)  # 32 B blocks / 以 32 B 块计
    for i in range(copies):
        x_ub = x_q.alloc_tensor(asc.float32)
        asc.data_copy(x_ub, x_gm[i * 16 * pitch + skip :], rows)
        x_q.enque(x_ub)
        x_q.free_tensor(x_q.deque(asc.float32))
# %% id="align-predict"
wide = np.zeros((48 * 16 * 16 + 1) * 384, np.float32)
sweep = {n: window_kernel[48](wide, 16, n // 4) for n in (32, 64, 128, 256, 512)}
fastest = min(run.cycles for run in sweep.values())
my_alignment = None
at_full = min(n for n, run in sweep.items() if run.cycles <= 1.01 * fastest)
predict("p2-alignment", my_alignment, actual=at_full)
# %% id="align-table"
for alignment, run in sweep.items():
    rate = sweep[512].pipe_cycles["MTE2"] / run.pipe_cycles["MTE2"]
    print(f"{alignment:3} B: {run.cycles:6,} cycles, MTE2 at {rate:4.0%} of full rate")
# %% [markdown] lang="en" id="align-read" tags=["seed:A103.1", "seed:A104.1", "seed:A105.1"]
# A row of 1 KiB fills two lines; from any other start it touches three. The loss here is
# near the article's 30 %, but no constant: it depends on the length of a row. And 128 B
# is no border: 32 and 256 B cost the same, 512 B is the border. In public documentation:
# UB wants 32 B (obligatory), GM 512 B (recommended).
#
# The article's other finding, "a hidden size that is a multiple of 128 is best", is the
# same border seen from elsewhere: 128 float32 are 512 B. For half it would be 256.
# %% [markdown] lang="zh"
# 1 KiB 的一行占满两条 512 B 的行；换个起点，就要碰到三条。这里的损失接近文章说的 30%，但它不是常数，
# 取决于一段有多长。而 128 B 不是界线：32 B 和 256 B 的代价一样，界线在 512 B。公开文档的说法是：
# UB 必须 32 B 对齐，GM 建议 512 B 对齐。
#
# 文章的另一个发现，“hidden_size 是 128 的倍数时最好”，其实是同一条界线：128 个 float32 正好 512 B。
# 换成 half 就是 256。
# %% [markdown] lang="en" id="turn-hidden" tags=["seed:A103.1"]
# ## Your turn: the rule for any type
#
# Write the rule as a function: of how many elements of `itemsize` bytes must a row
# length be a multiple, so that every row begins on a line?
# %% [markdown] lang="zh"
# ## 轮到你了：对任意类型的规则
#
# 把规则写成函数：元素占 `itemsize` 个字节时，一行的长度要是多少个元素的倍数，每一行才都从 512 B 的整行开始？
# %% id="turn-hidden-cell" tags=["your-turn"]
def multiple_of(itemsize):
    return 128  # change this line / 修改这一行


for itemsize in (1, 2, 4):
    print(f"{itemsize} B: a multiple of {multiple_of(itemsize)}")
check("p2-turn-hidden", [multiple_of(n) * n for n in (1, 2, 4)] == [512] * 3)
# %% id="turn-hidden-hint"
hint("p2-turn-hidden")
# %% [markdown] lang="en" id="tile" tags=["seed:A081.1", "seed:A082.1", "seed:B051.5", "seed:B080.1", "seed:B080.2", "seed:B091.1"]
# ## Small pieces
#
# The LayerNorm listing walks along the hidden size in tiles of 128: 512 B a copy, well
# aligned. But every copy has a start-up time. "Avoid frequent small writes, best write
# long stretches." Try the length of a tile and the number of buffers together: can a
# second buffer make up for small pieces? Scattered copies are the case in which "all
# other parameters are in vain", and the first suspect for a low utilisation.
# %% [markdown] lang="zh"
# ## 小块
#
# 那段 LayerNorm 代码沿 hidden_size 按 128 个元素一块往前走：每次搬 512 B，对齐没有问题。
# 可是每次搬运都有启动时间。文章说：“避免频繁的小块写入，最好是连续成片地写。”
# tile 的长度和缓冲区个数一起试：第二块缓冲区能弥补小块的损失吗？
# 零散的搬运，正是“其他参数再怎么调都白搭”的情形，也是利用率低时的头号嫌疑。
# %% id="tile-what-if"
what_if(addcmul, tile=[128, 512, 2048, 6112], num=[1, 2])
# %% [markdown] lang="en" id="cache"
# ## L2: bandwidth is no constant
#
# All cores use one cache, L2, before the memory of the device. The kernel reads an
# array twice; the second time it is in L2, if it fits.
#
# **Predict.** By what factor does the second reading slow down between 96 and 256 MiB,
# measured in bytes a second? (Right within a fifth.)
# %% [markdown] lang="zh"
# ## L2：带宽不是常数
#
# 所有核共用一个缓存 L2，位于设备内存之前。这个核函数把数组读两遍；第二遍时，放得下的话数据就在 L2 里。
#
# **预测。** 数组从 96 MiB 变成 256 MiB，第二遍读取的带宽（每秒字节数）降到几分之一？填倍数，
# 相差五分之一以内算对。
# %% id="cache-kernel"
@asc.jit
def read_kernel(x: asc.GlobalAddress, share: asc.constexpr, passes: asc.constexpr):
    x_gm, pipe = gm(x, asc.get_block_idx() * share, share), asc.TPipe()
    x_q = queue(pipe, VECIN, 2, 16384)
    for _ in range(passes):
        for i in range(0, share, 16384):
            x_q.free_tensor(fetch(x_q, x_gm[i:], 16384))
# %% id="cache-predict"
def second_reading(mib):
    share = mib * 2**20 // 4 // 48 // 16384 * 16384
    array = np.zeros(48 * share, np.float32)
    once, twice = (read_kernel[48](array, share, n).time_us for n in (1, 2))
    return array.nbytes / (twice - once) / 1e6  # TB/s


rates = {mib: second_reading(mib) for mib in (8, 32, 96, 160, 256)}
my_factor, factor = None, rates[96] / rates[256]
predict("p2-cache", my_factor, actual=round(factor, 1), within=0.2 * factor)
# %% id="cache-table"
for mib, rate in rates.items():
    print(f"{mib:4} MiB: {rate:.2f} TB/s")
# %% [markdown] lang="en" id="explain"
# ## Say it in your own words
#
# Someone writes: "My tile is 128 elements, so everything is aligned to 512 B and fast."
# What is true, what is missing? Two or three sentences in place of `None`.
# %% [markdown] lang="zh"
# ## 用自己的话说一说
#
# 有人写道：“我的 tile 是 128 个元素，所以全都对齐到 512 B，很快。”哪里对，少了什么？把 `None` 换成两三句话。
# %% id="explain-cell"
my_answer = None
explain("p2-tile", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, and what comes next
#
# * A sheet of buffers fills UB to 99 %, and the largest tile is not always the fastest.
# * Conflicts come from addresses: 512 B apart is the same bank group.
# * 32 B for UB, 512 B for GM. Not 128.
# * Inside L2 the second reading is several times as fast.
#
# **Next:** the assignment `p2-memory` in the folder `exercises`. Then P3 looks at the
# depth of queues and at what a start costs.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 一张规划表把 UB 用到 99%；tile 最长不一定最快。
# * 冲突来自地址：相隔 512 B 就是同一个 bank group。
# * UB 看 32 B，GM 看 512 B，不是 128。
# * 数据在 L2 里，第二遍读取能快好几倍。
#
# **下一步：** `exercises` 文件夹里的作业 `p2-memory`。之后的 P3 课研究队列的深度和启动开销。
# %% id="progress-cell"
progress()
