# ---
# jupyter:
#   npucamp:
#     id: k1
#     slug: knowledge-check
#     title: {en: Knowledge check, zh: 知识测验}
# ---
# %% [markdown] lang="en" id="goal" tags=["seed:A008.1"]
# # K1 · Knowledge check
#
# **Goal.** Find out what you know and what you only recognise: eight practice questions
# with explanations, a prediction about guessing, a plan of what to read again. Then the
# check itself: forty questions, drawn for you from 160.
#
# **Time.** About 60 minutes, half of it for the forty questions. You need lessons Z0 to
# Z7.
#
# **Where it comes from.** A training camp gives an official certificate to those who
# complete the course and pass an examination. Its entry level is said to ask single
# choice, multiple choice and true or false. This check has the same forms. It is a
# rehearsal of this course and no official certificate.
# %% [markdown] lang="zh"
# # K1 · 知识测验
#
# **目标。** 弄清楚哪些是真懂，哪些只是眼熟：八道练习题，答完就有讲解；预测一下“蒙”能得多少分；
# 再定一个复习计划。然后是正式测验：从 160 题里为你抽四十题。
#
# **用时。** 约 60 分钟，其中一半留给四十道题。需要先学完 Z0 到 Z7。
#
# **出处。** 一个训练营说，完成课程并通过认证，就能获得官方证书。据公开的经验帖，初级认证考单选、多选和判断。
# 本测验题型相同，但它只是本课程的一次练习，不是官方认证。
# %% [markdown] lang="en" id="draw"
# ## How your forty questions are drawn
#
# The bank has eight topics. Five questions of each are drawn for you; a neighbour in your
# class has others, and the options in another order. The same learner always gets the
# same draw.
# %% [markdown] lang="zh"
# ## 四十题怎么抽
#
# 题库有八个主题，每个主题抽五题。同班同学抽到的题不一样，选项次序也不一样；同一个人每次抽到的都相同。
# %% id="draw-cell"
from npucamp import check, draw, expect, explain, hint, predict, progress, quiz
from npugrade.banks import bank, bank_groups

for topic, ids in bank_groups("k1").items():
    name = bank("k1")["topics"][topic]
    print(f"{topic:8} {len(ids)}  {name['en']} / {name['zh']}")
mine = draw("k1-knowledge-check")
print("mine:", len(mine.ids), "first:", mine.ids[0])
# %% [markdown] lang="en" id="predict-guess"
# ## What is guessing worth?
#
# A question with four options is right by chance one time in four; one with several right
# options hardly ever. A pass is 32 of 40.
#
# **Predict.** Somebody answers all forty of these questions by chance, one letter each.
# How many are right on average? Replace `None` by your number.
# %% [markdown] lang="zh"
# ## 蒙能蒙对多少？
#
# 四个选项的题，蒙对的机会是四分之一；多选题几乎蒙不对。答对 32 题为通过。
#
# **预测。** 一个人四十题全靠蒙，每题随便写一个字母，平均能对几题？把 `None` 换成你的答案。
# %% id="predict-guess-cell"
items = [bank("k1")["items"][one] for one in mine.ids]
chance = [0 if q["kind"] == "multiple" else 1 / len(q["options"]) for q in items]
my_guess = None
predict("k1-guess", my_guess, actual=round(sum(chance)), within=2)
# %% [markdown] lang="en" id="know"
# Who knows some of the questions guesses only the rest. Move the slider: how many must
# one know, so that guessing the others leads to a pass nine times in ten?
# %% [markdown] lang="zh"
# 会一部分题的人，只需要蒙剩下的。拖动滑块：要会多少题，靠蒙其余的题才能十次里通过九次？
# %% id="know-cell"
from ipywidgets import interact
from math import comb


def pass_chance(known, need=32, p=0.25, n=40):
    rest = n - known
    terms = (comb(rest, k) * p**k * (1 - p) ** (rest - k) for k in range(rest + 1))
    return sum(t for k, t in enumerate(terms) if known + k >= need)


@interact(known=(0, 40))
def show(known=20):
    print(f"known {known:2}: pass {pass_chance(known):.1%}")
# %% id="know-plot"
import matplotlib.pyplot as plt

figure, axes = plt.subplots(figsize=(6.5, 2.2))
axes.plot(range(41), [100 * pass_chance(k) for k in range(41)], marker=".")
axes.set(xlabel="questions known", ylabel="pass (%)");
# %% [markdown] lang="en" id="predict-know"
# **Predict.** What is the smallest number that one must know?
# %% [markdown] lang="zh"
# **预测。** 最少要会几题？
# %% id="predict-know-cell"
enough = min(k for k in range(41) if pass_chance(k) >= 0.9)
my_number = None
predict("k1-know", my_number, actual=enough)
# %% [markdown] lang="en" id="practice"
# ## Practice: eight questions, one of each topic
#
# These are not in the bank. Answer from memory first; the explanation comes with the
# answer, for a wrong one too. Note the topics that you miss.
# %% [markdown] lang="zh"
# ## 练习：八个主题，各一题
#
# 这八题不在题库里。先凭记忆作答；答完就给讲解，答错也有。记下答错的主题。
# %% id="practice-stack"
quiz("k1-stack")
# %% id="practice-graph"
quiz("k1-graph")
# %% id="practice-runtime"
quiz("k1-runtime")
# %% id="practice-kernel"
quiz("k1-kernel")
# %% id="practice-moving"
quiz("k1-moving")
# %% id="practice-order"
quiz("k1-order")
# %% id="practice-vector"
quiz("k1-vector")
# %% id="practice-numbers"
quiz("k1-numbers")
# %% [markdown] lang="en" id="output"
# ## A question with code
#
# Some questions show code and ask what it prints. Guess first, then run it. Here a kernel
# adds 1 to 1,000 half numbers with `data_copy`, on one core.
#
# **Predict.** What happens? Write `"right"`, `"wrong"` or the code of a message, such as
# `"ASC-RACE-15"`.
# %% [markdown] lang="zh"
# ## 带代码的题
#
# 有些题给出一段代码，问会输出什么。先猜，再运行。下面的核函数用 `data_copy` 给 1,000 个 half 加 1，只用一个核。
#
# **预测。** 会发生什么？写 `"right"`（结果对）、`"wrong"`（结果错），或者报错的编号，例如 `"ASC-RACE-15"`。
# %% id="output-kernel"
import numpy as np

from npusim import asc


@asc.jit
def plus_one(x: asc.GlobalAddress, y: asc.GlobalAddress, n: asc.constexpr):
    x_gm, y_gm = asc.GlobalTensor(), asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    a = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 0, n)
    asc.data_copy(a, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(a, a, 1.0, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, a, n)
# %% id="predict-output-cell"
my_answer = None
predict("k1-output", my_answer, actual="ASC-MTE-01")
# %% id="output-run"
values = np.ones(1000, np.float16)
with expect("ASC-MTE-01"):
    plus_one[1](values, np.zeros_like(values), 1000)
# %% [markdown] lang="en" id="output-read"
# 1,000 × 2 B = 2,000 B, and 2,000 / 32 = 62.5: 16 B are left over. With 1,008 or 992
# numbers the same kernel is right. Whoever works the bytes out has the answer;
# whoever remembers "it worked with 1,024" has not.
# %% [markdown] lang="zh"
# 1,000 × 2 B = 2,000 B，而 2,000 / 32 = 62.5，多出 16 B。换成 1,008 或 992 个数，同一个核函数就是对的。
# 会算字节的人答得出；只记得“1,024 个时没问题”的人答不出。
# %% id="output-right"
fits = values[:992].copy()
plus_one[1](fits, np.zeros_like(fits), 992)
# %% [markdown] lang="en" id="turn-plan" tags=["your-turn"]
# ## Your turn: a plan
#
# Somebody missed these topics in the practice. `LESSONS` says which lesson a topic is
# from. Write `plan`: the lessons to read again, the one with the most misses first.
# %% [markdown] lang="zh"
# ## 轮到你了：复习计划
#
# 某人练习时答错了下面这些主题。`LESSONS` 写着每个主题属于哪一课。请写出 `plan`：要重读的课，错得最多的排在最前。
# %% id="turn-plan-cell" tags=["your-turn"]
missed = {"moving": 1, "order": 3, "numbers": 2}
LESSONS = {"kernel": "z1", "moving": "z2", "order": "z3", "vector": "z6", "numbers": "z7"}
plan = []
print(plan)
check("k1-turn-plan", plan == ["z3", "z7", "z2"])
# %% id="turn-plan-hint"
hint("k1-turn-plan")
# %% [markdown] lang="en" id="explain"
# ## Explain
#
# Answer in one or two sentences: in the box below, or in quotes in place of `None`.
# %% [markdown] lang="zh"
# ## 解释
#
# 用一两句话回答：写在下面的框里，或者加上引号替换 `None`。
# %% id="explain-cell"
my_answer = None
explain("k1-once", my_answer)
# %% [markdown] lang="en" id="next"
# ## What you reached, what comes next
#
# * You know what guessing is worth, and that it does not reach 32 of 40.
# * You saw which of the eight topics you are sure of.
# * You have a plan of what to read again.
#
# **Next:** the check itself, `exercises/k1-knowledge-check/k1-knowledge-check.ipynb`. With
# 32 right you are ready for the mock examination, K2.
# %% [markdown] lang="zh"
# ## 学到了什么，接下来做什么
#
# * 知道了蒙能得多少分：32 题是蒙不出来的。
# * 看清了八个主题里哪些有把握。
# * 定好了复习计划。
#
# **下一步：** 正式测验 `exercises/k1-knowledge-check/k1-knowledge-check.ipynb`。答对 32 题，就可以参加模拟考试 K2 了。
# %% id="progress"
progress()
