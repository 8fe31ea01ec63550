"""The font of the pictures: a subset of Noto Sans CJK SC (OFL 1.1, see OFL.txt).

It holds printable ASCII and the characters of `labels.toml`, nothing else. It is given
to matplotlib as a file, so no list of fonts on this machine is read or changed.
"""

from __future__ import annotations

from pathlib import Path

FONT_FILE = Path(__file__).with_name("NPUCampSansSC-Regular.ttf")
ASCII = "".join(map(chr, range(0x20, 0x7F)))
