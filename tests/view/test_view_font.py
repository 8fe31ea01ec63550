"""Labels: both languages, and a glyph of the shipped font for every character."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from npusim.profile.table import PIPE_COLOURS
from npusim.view.fonts import ASCII, FONT_FILE
from npusim.view.fonts.make_subset import SOURCE, main, wanted_characters
from npusim.view.labels import LABELS


def test_every_label_in_both_languages():
    for key in LABELS:
        assert set(LABELS._table[key]) == {"en", "zh"}, key


def test_no_label_falls_back():
    drawn = set(map(chr, TTFont(FONT_FILE).getBestCmap()))
    assert LABELS.characters() - {"\n"} <= drawn
    assert set(ASCII) <= drawn


def test_font_holds_nothing_else():
    drawn = set(map(chr, TTFont(FONT_FILE).getBestCmap()))
    assert drawn == wanted_characters()
    assert FONT_FILE.stat().st_size < 100_000


def test_matplotlib_draws_every_label(recwarn):
    """It warns of a missing glyph, and draws an empty box."""
    from matplotlib.figure import Figure

    from npusim.view.ink import font

    figure = Figure()
    figure.text(0, 0, "".join(sorted(wanted_characters())), fontproperties=font(9))
    figure.canvas.draw()
    assert [str(w.message) for w in recwarn if "missing" in str(w.message)] == []


def test_a_missing_glyph_would_be_noticed():
    from matplotlib.figure import Figure

    from npusim.view.ink import font

    figure = Figure()
    figure.text(0, 0, "龘", fontproperties=font(9))
    with pytest.warns(UserWarning, match="missing from font"):
        figure.savefig("/dev/null", format="png")


def test_licence_travels_with_the_font():
    text = FONT_FILE.with_name("OFL.txt").read_text()
    assert "SIL OPEN FONT LICENSE" in text
    assert FONT_FILE.name in text
    names = TTFont(FONT_FILE)["name"]
    assert "Adobe" in names.getDebugName(0)
    assert "Noto" not in names.getDebugName(1)


@pytest.mark.skipif(not Path(SOURCE).exists(), reason="needs package fonts-noto-cjk")
def test_script_makes_the_shipped_font(tmp_path):
    assert Path(main(target=str(tmp_path / "a.ttf"))).read_bytes() == (
        FONT_FILE.read_bytes()
    )


def luminance(colour):
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("pipe", PIPE_COLOURS)
@pytest.mark.parametrize("background", ["#ffffff", "#111111"])
def test_colours_stand_out_in_both_themes(pipe, background):
    """WCAG 2.1: at least 3 to 1 for graphics."""
    low, high = sorted(map(luminance, (PIPE_COLOURS[pipe], background)))
    assert (high + 0.05) / (low + 0.05) >= 3
