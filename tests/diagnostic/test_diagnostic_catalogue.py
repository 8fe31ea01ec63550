"""Every message in both languages, filled with the facts of a real case."""

from __future__ import annotations

import re

import pytest

from npusim.diagnostic import Diagnostic, Location
from npusim.diagnostic.catalogue import CATALOGUE, TEXTS, read_entry
from npusim.diagnostic.render import render, render_html
from npusim.diagnostic.template import MISSING, SPECS, facts_used

ENTRIES = [
    pytest.param(variant, id="-".join((code, reason)).rstrip("-"))
    for code, entry in CATALOGUE.items()
    for reason, variant in (("", entry), *entry.variants.items())
]
OWN_FILES = re.compile(
    r"ASC-(MTE|ALIGN|PAD|GM|PATH|UB|RUN|RACE|FLAG|QUE|INIT|TILE"
    r"|ALIAS|REDUCE|TMP|REP|MASK|STRIDE|CMP|NUM|CAST|LAYOUT|FUNC|CORE|PERF|BANK)-"
)
WHERE = Location("Cell [5]", 7, 4, 20, "    asc.add(z, x, y, n)")
REQUIRED_CODES = re.findall(
    r"\S+",
    """
    ASC-MTE-01 ASC-ALIGN-02 ASC-PAD-04 ASC-GM-05 ASC-GM-06 ASC-GM-06b ASC-PATH-07
    ASC-UB-09 ASC-UB-10 ASC-INIT-11 ASC-INIT-11b ASC-RACE-15 ASC-RACE-16 ASC-RACE-17
    ASC-RACE-18 ASC-FLAG-19 ASC-FLAG-19b ASC-FLAG-19c ASC-FLAG-19d ASC-QUE-21
    ASC-QUE-22 ASC-QUE-22b ASC-TILE-26 ASC-RUN-01 ASC-RUN-02 ASC-RUN-03 ASC-RUN-04
    ASC-RUN-05 ASC-RUN-07 ASC-ALIAS-12 ASC-REDUCE-13 ASC-TMP-14 ASC-REP-29
    ASC-MASK-30 ASC-STRIDE-31 ASC-CMP-32 ASC-NUM-33 ASC-NUM-34 ASC-CAST-35
    """,
)

# Names of the language and the hardware: the only Latin words of a Chinese message.
NAMES = re.compile(
    "asc|block|tile|barrier|sizeof|half|enque|deque|duplicate|budget|assert|int|id|add|device|tensor|empty"
    "|tmp|dst|src|src1|count|float32|int32|reciprocal|rsqrt|float|compare|select|cast|Inf"
    "|KiB|softmax|init_buffer|TBuf|bank|brcb|DataCopyExtParams|kernel|count|expected|num|get_value|set_value|get|div|sqrt|TQue|TPipe|HardEvent|PipeID|False|NaN"
)


def diagnostic(entry, **facts):
    return Diagnostic(entry.code, entry.severity, WHERE, {**entry.sample, **facts}, 3)


def test_every_code_of_this_floor_is_there():
    assert set(REQUIRED_CODES) <= set(CATALOGUE)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("entry", ENTRIES)
def test_message_renders_with_real_facts(entry, language):
    text = render(diagnostic(entry), language)
    assert text.startswith(f"{entry.severity} {entry.code}  ")
    templates = "".join(getattr(entry, key)[language] for key in TEXTS)
    assert text.count(MISSING) == templates.count(MISSING)
    assert "{" not in text.replace("{}", "") or "{{" in templates
    assert "[[" not in text
    assert "None" not in text
    assert entry.code in render_html(diagnostic(entry), language)


@pytest.mark.parametrize("entry", ENTRIES)
def test_sample_holds_the_facts_of_the_templates(entry):
    for key in TEXTS:
        for language in ("en", "zh"):
            used = facts_used(getattr(entry, key)[language])
            assert used <= set(entry.sample), (key, language)
    en, zh = (
        set().union(*(facts_used(getattr(entry, key)[lang]) for key in TEXTS))
        for lang in ("en", "zh")
    )
    assert en == zh


@pytest.mark.parametrize("entry", ENTRIES)
def test_chinese_is_chinese(entry):
    for key in TEXTS:
        text = re.sub(r"\{[^}]*\}", "", getattr(entry, key)["zh"])
        text = re.sub(r"`[^`]*`|[\w.]+\([^)]*\)+", "", text)  # without code
        if not text:
            continue
        assert re.search(r"[\u4e00-\u9fff]", text), (key, text)
        assert not re.search(r"[\u4e00-\u9fff][,;:?!]", text), (key, text)
        if OWN_FILES.match(entry.code):
            assert not _foreign_words(text), (key, _foreign_words(text))


def _foreign_words(text: str) -> list[str]:
    words = re.findall(r"[A-Za-z_][A-Za-z_0-9]*", text)
    return [
        w
        for w in words
        if len(w) > 1 and not w.isupper() and "_" not in w and not NAMES.fullmatch(w)
    ]


@pytest.mark.parametrize("entry", ENTRIES)
def test_english_has_no_chinese(entry):
    for key in TEXTS:
        assert not re.search(r"[\u3000-\u9fff\uff00-\uffef]", getattr(entry, key)["en"])


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_missing_fact_never_raises(entry):
    for language in ("en", "zh", "both"):
        bare = Diagnostic(entry.code, entry.severity, None, {})
        assert entry.code in render(bare, language)
        wrong = diagnostic(entry, **{name: object() for name in entry.sample})
        assert entry.code in render(wrong, language)
        assert render_html(bare, language)


def test_variants_keep_what_they_do_not_change():
    entry = CATALOGUE["ASC-QUE-22"]
    depth = entry.variant({"reason": "depth"})
    assert depth.title == entry.title and depth.message != entry.message
    assert entry.variant({"reason": "unheard of"}) is entry


def test_a_bad_entry_is_located():
    with pytest.raises(ValueError, match=r"x\.toml: ASC-X-01 has no message"):
        read_entry("ASC-X-01", {"severity": "E", "title": {}}, "x.toml")
    table = {"severity": "E", "title": {"en": "t"}, "message": {"en": "m", "zh": "m"}}
    with pytest.raises(ValueError, match=r"ASC-X-01: title needs \.en and \.zh"):
        read_entry("ASC-X-01", table, "x.toml")


def test_format_specs_are_used():
    used = {
        match
        for entry in CATALOGUE.values()
        for variant in (entry, *entry.variants.values())
        for match in re.findall(r":(\w+)\}", variant.message["en"])
    }
    assert set(SPECS) - {"list"} <= used
