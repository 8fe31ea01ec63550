# ---
# jupyter:
#   npucamp:
#     id: glossary
#     page: true
#     title: {en: Glossary, zh: 术语表}
# ---
# %% [markdown] lang="en" id="words"
# # Glossary
#
# The words of the course, lesson by lesson, each under the lesson that introduces it.
# %% [markdown] lang="zh"
# # 术语表
#
# 课程中的术语，按课排列；每个词放在最先讲到它的那一课下面。
# %% [markdown] lang="en" id="terms"
# {{glossary}}
# %% [markdown] lang="zh"
# {{glossary}}
