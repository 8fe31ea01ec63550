"""The words of the table, the files and the verdict line, loaded once."""

from __future__ import annotations

from npusim.diagnostic.language import parts
from npusim.diagnostic.words import Words

__all__ = ["WORDS", "Words", "parts"]

WORDS = Words("npusim.profile", "words.toml")
