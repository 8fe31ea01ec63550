"""A small lesson's data file, and a folder that holds it, for the tests."""

from __future__ import annotations

from pathlib import Path

TEXT = """
[[term]]
id = "pipe"
en = "pipe"
zh = "流水线"
meaning.en = "a unit that works beside the others"
meaning.zh = "与其他单元并行工作的单元"

[quiz.order]
stem.en = "Which **pipe** runs `data_copy` into UB?"
stem.zh = "哪条**流水线**执行搬入 UB 的 `data_copy`？"

[[quiz.order.option]]
en = "MTE2"
zh = "MTE2"
right = true
why.en = "MTE2 moves from GM to UB."
why.zh = "MTE2 负责从 GM 到 UB。"

[[quiz.order.option]]
en = "MTE3"
zh = "MTE3"
why.en = "MTE3 moves out."
why.zh = "MTE3 负责搬出。"

[[quiz.order.option]]
en = "V <vector>"
zh = "V（向量）"
why.en = "V computes."
why.zh = "V 负责计算。"

[quiz.several]
many = true
stem.en = "Which pipes move data?"
stem.zh = "哪些流水线搬运数据？"

[[quiz.several.option]]
en = "MTE2"
zh = "MTE2"
right = true
why.en = "in"
why.zh = "搬入"

[[quiz.several.option]]
en = "MTE3"
zh = "MTE3"
right = true
why.en = "out"
why.zh = "搬出"

[[quiz.several.option]]
en = "V"
zh = "V"
why.en = "computes"
why.zh = "计算"

[hint.turn-flags]
steps = [
  { en = "Look at the copy.", zh = "看搬运那一行。" },
  { en = "Which pipe waits?", zh = "哪条流水线在等？" },
  { en = "Wait for MTE2_V.", zh = "等待 MTE2_V。" },
]

[explain.why]
words = 5
prompt.en = "Why is the picture full of gaps?"
prompt.zh = "图里为什么有许多空白？"
model.en = "V waits for MTE2, so both stand idle in turn."
model.zh = "V 要等 MTE2，所以两者轮流空闲。"

[[explain.why.points]]
en = "names the pipe that copies in"
zh = "说出搬入的流水线"
any = ["MTE2", "copy in", "搬入"]

[[explain.why.points]]
en = "says that one waits"
zh = "说出谁在等"
any = ["wait", "等"]
"""


def write(folder: Path, text: str = TEXT, lesson: str = "t1") -> Path:
    """The data file of a lesson below the clone-like `folder`; its path."""
    path = folder / "course" / "src" / f"{lesson}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
