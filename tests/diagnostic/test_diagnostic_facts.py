"""Facts and templates agree: what a message may show, some floor provides."""

import re
from pathlib import Path

import pytest

import npusim
from npusim.diagnostic.catalogue import CATALOGUE, TEXTS
from npusim.diagnostic.template import facts_used

SOURCE = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted(Path(npusim.__file__).parent.rglob("*.py"))
)


@pytest.mark.parametrize("code", list(CATALOGUE))
def test_every_fact_of_a_template_has_a_provider(code):
    entry = CATALOGUE[code]
    used = {
        fact
        for each in (entry, *entry.variants.values())
        for key in TEXTS
        for template in getattr(each, key).values()
        for fact in facts_used(template)
    }
    unknown = {f for f in used if not re.search(rf'"{f}"|\b{f}=', SOURCE)}
    assert not unknown


@pytest.mark.parametrize("code", list(CATALOGUE))
def test_every_variant_has_a_provider(code):
    reasons = set(CATALOGUE[code].variants)
    assert not {reason for reason in reasons if f'"{reason}"' not in SOURCE}
