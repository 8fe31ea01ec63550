"""The page of named counters, made from their table.

    python -m npusim.profile.page docs/counters.md

A test makes it again and compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

from npusim.profile.named import COUNTER_NAMES

_HEAD = """# Counters · 计数器

`run.counters` is a mapping from name to value. Each value is a total of the whole
launch unless the row says otherwise. A graded task may set a limit on any of them:
`counter <= value`. This page is made from `simulator/npusim/profile/counters.toml` by
`python -m npusim.profile.page docs/counters.md`.

`run.counters` 把名称映射到数值。除另有说明外，每个值都是整次启动的总和。
评分题可以对其中任何一个设上限：`counter <= value`。
本页由 `simulator/npusim/profile/counters.toml` 生成。

| name 名称 | unit 单位 | meaning | 含义 |
|---|---|---|---|
"""


def page() -> str:
    """The whole page as Markdown."""
    rows = (
        f"| `{name}` | {row.unit} | {row.en} | {row.zh} |\n"
        for name, row in COUNTER_NAMES.items()
    )
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8", newline="\n")
