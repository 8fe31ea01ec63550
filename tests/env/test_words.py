"""Every message of npucamp exists in both languages with the same facts."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

import npucamp
from npucamp.speech import LANGUAGES, preferred_language, say, speak, words
from npusim.diagnostic import language

SOURCES = sorted(Path(npucamp.__file__).parent.rglob("*.py"))
_USED = re.compile(r"\b(?:say|speak)\(\s*\"([a-z-]+)\"")


def _facts(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", sorted(words()))
def test_both_languages_with_the_same_facts(key):
    entry = words()[key]
    assert set(entry) == set(LANGUAGES)
    assert _facts(entry["en"]) == _facts(entry["zh"])


def test_every_key_that_is_said_exists():
    used = {k for path in SOURCES for k in _USED.findall(path.read_text("utf-8"))}
    assert len(used) > 10
    assert used <= set(words())


def test_both_languages_at_once():
    text = speak("build-wrote", "both", count=3)
    assert text == "3 files built.\n已生成 3 个文件。"


def test_the_session_language_is_used():
    language.use("zh")
    assert say("build-wrote", count=3) == "已生成 3 个文件。"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "NPUCAMP_LANG": "en"}, "en"),
        ({"LANG": "C", "NPUCAMP_LANG": "both"}, "both"),
        ({"LANG": "zh_TW", "NPUCAMP_LANG": "klingon"}, "zh"),
    ],
)
def test_preferred_language(monkeypatch, environment, expected):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NPUCAMP_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert preferred_language() == expected
