"""The labels of this floor, loaded once."""

from __future__ import annotations

from npusim.diagnostic.words import Words

LABELS = Words("npusim.view", "labels.toml")
