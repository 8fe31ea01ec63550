"""Learner prose made harmless for the pages on which an instructor reads it.

Written answers are rendered in the instructor's browser. Raw HTML, script links and
MathJax commands that reach outside mathematics are defused; the words stay as written.
Code cells need none of this: pages show them as escaped text.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SCRIPT_LINK = re.compile(r"(javascript|vbscript)\s*:", re.IGNORECASE)
_ENTITY_IN_LINK = re.compile(r"&(?=#|\w+;)")
_MATHJAX = re.compile(r"\\(?=(href|require|unicode|class|cssId|style)\b)")


def neutral_markdown(text: str) -> str:
    """`text` with tags, script links and MathJax commands shown as plain words."""
    text = _ENTITY_IN_LINK.sub("&amp;", text)
    text = _TAG.sub("&lt;", text)
    text = _SCRIPT_LINK.sub(r"\1 :", text)
    return _MATHJAX.sub(r"\\\\", text)
