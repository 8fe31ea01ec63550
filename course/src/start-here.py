# ---
# jupyter:
#   npucamp:
#     id: start-here
#     page: true
#     title: {en: Start here, zh: 从这里开始}
# ---
# %% [markdown] lang="en" id="welcome"
# # Start here
#
# NPU Camp teaches you to write programs for an NPU, a chip for neural networks, on
# a computer that has none. A simulator computes what your program would compute, and how
# long it would take. You need Python and a little numpy.
#
# **How a lesson works.** Run the cells from top to bottom with Shift+Enter. You guess a
# number before it is measured, build a kernel, break it on purpose, measure it, and say
# why. Cells that wait for you are marked *Your turn*. A lesson takes about an hour; its
# assignment in the folder `exercises` takes another.
#
# **When you are stuck.** A cell with `hint(…)` opens three steps, one at a time. Every
# message of the simulator has a code, such as `ASC-MTE-01`, the line of the mistake and
# the cure. Words that are new are in the [glossary](glossary.ipynb). A `NameError` from
# Python often means that a cell above has not run since the last start: choose *Run All
# Above Selected Cell* in the menu *Run*.
#
# **What is kept.** Your notebooks are never overwritten. Your guesses, answers and
# attempts stay on this computer; the next cell shows them.
# %% [markdown] lang="zh"
# # 从这里开始
#
# NPU 是专门做神经网络运算的芯片。NPU Camp 教你给它写程序，而且不需要有 NPU：
# 你的程序会算出什么、要用多少时间，都由模拟器给出。会 Python、略懂 numpy 就够了。
#
# **一课怎么上。** 从上到下逐个运行单元（Shift+Enter）。先猜一个数，再去测量；写一个核函数，故意弄坏它，
# 测出它的快慢，最后说清楚原因。要你动手的单元都写着*轮到你了*。一课大约一小时，
# `exercises` 文件夹里的作业再用一小时。
#
# **卡住了怎么办。** 带 `hint(…)` 的单元里有三条提示，一次打开一条。模拟器的每条报错都有编号
# （例如 `ASC-MTE-01`）、出错的那一行和改法。没见过的词，请查[术语表](glossary.ipynb)。
# Python 报 `NameError`，多半是重启之后上面有单元还没运行：在“运行”菜单里选“运行所选单元上方的所有单元”。
#
# **哪些会保留。** 你的笔记本不会被覆盖。你的预测、回答和尝试都只存在这台电脑上，下一个单元会列出来。
# %% id="standing"
from npucamp import progress

progress()
# %% [markdown] lang="en" id="map"
# ## The course
#
# The letters are tracks. Begin with the first lesson of track Z, unless you already
# write kernels. *Planned* lessons are not written yet.
#
# {{course-map}}
# %% [markdown] lang="zh"
# ## 课程地图
#
# 字母代表系列。除非你已经会写核函数，否则请从 Z 系列的第一课开始。标着*计划中*的课还没有写好。
#
# {{course-map}}
