"""Chinese texts call a thing by one word: that of the glossary and the lessons."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("simulator", "grader", "course/src", "course/npucamp", "solutions")
OTHER_WORDS = {  # a synonym that readers would take for another thing → our word
    "矢量": "向量",
    "分块": "tile",
    "统一缓存": "UB（统一缓冲区）",
    "核心数": "核数",
    "内核函数": "核函数",
    "双缓存": "双缓冲",
    "屏障": "barrier",
    "整次迭代": "整次重复",
    "迭代步长": "重复步长",
}
# a block of a launch is `block`
OUR_BLOCK = re.compile(r"块 \{\w*(block|core)\w*\}|块 \d+ (的|与|写|读)")


def texts() -> dict[str, str]:
    """Every file of ours with Chinese words for readers, by its place."""
    done = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True
    )
    names = [n for n in done.stdout.split("\n") if n.endswith((".toml", ".py"))]
    return {name: (ROOT / name).read_text("utf-8") for name in names}


def test_chinese_texts_use_the_words_of_the_glossary():
    found = texts()
    assert len(found) > 300
    wrong = [
        f"{name}: {word}, write {ours}"
        for name, text in found.items()
        for word, ours in OTHER_WORDS.items()
        if word in text
    ]
    assert wrong == []


def test_a_block_of_a_launch_is_not_called_as_a_block_of_bytes():
    assert OUR_BLOCK.search("块 {block}") and OUR_BLOCK.search("块 1 的")
    assert [n for n, text in texts().items() if OUR_BLOCK.search(text)] == []
