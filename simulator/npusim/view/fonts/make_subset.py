"""Make the subset font of the pictures: `python -m npusim.view.fonts.make_subset`.

Source: Debian package `fonts-noto-cjk` (Noto Sans CJK SC, © 2014-2021 Adobe, SIL OFL
1.1). Kept: printable ASCII and the characters of `labels.toml` and of the reports of a
hang, which stand in a picture (`hccl/words.toml`). The cubic outlines become
quadratic ones (TrueType), which every matplotlib backend embeds. The subset has a name
of its own, and equal input gives equal bytes.
"""

from __future__ import annotations

import sys
from importlib import resources

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from npusim.view.fonts import ASCII, FONT_FILE
from npusim.view.labels import LABELS

SOURCE = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
SIMPLIFIED_CHINESE = "Noto Sans CJK SC"
FAMILY = "NPU Camp Sans SC"
LICENCE = "SIL Open Font License, Version 1.1; https://openfontlicense.org"
MAX_ERROR = 1.0  # font units of 1000: the quadratic outline's distance from the cubic


def wanted_characters() -> set[str]:
    """What the font must draw."""
    reports = (resources.files("npusim") / "hccl" / "words.toml").read_text("utf-8")
    return (set(ASCII) | LABELS.characters() | set(reports)) - {"\n"}


def open_source(path: str) -> TTFont:
    """The Simplified Chinese face of the collection at `path`."""
    index = 0
    while True:
        font = TTFont(path, fontNumber=index, lazy=True)
        if font["name"].getDebugName(1) == SIMPLIFIED_CHINESE:
            return font
        index += 1


def subset(font: TTFont) -> TTFont:
    """Only the wanted glyphs; layout features other than kerning go."""
    options = Options(layout_features=[], name_IDs=[0, 13, 14], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(sorted(wanted_characters())))
    subsetter.subset(font)
    return font


def to_truetype(font: TTFont) -> FontBuilder:
    """A TrueType font with the same glyphs, metrics and character map."""
    order = font.getGlyphOrder()
    glyphs = font.getGlyphSet()
    builder = FontBuilder(font["head"].unitsPerEm, isTTF=True)
    builder.setupGlyphOrder(order)
    builder.setupCharacterMap(font.getBestCmap())
    builder.setupGlyf({name: _quadratic(glyphs, name) for name in order})
    builder.setupHorizontalMetrics({name: font["hmtx"][name] for name in order})
    ascent, descent = font["hhea"].ascent, font["hhea"].descent
    builder.setupHorizontalHeader(ascent=ascent, descent=descent)
    builder.setupOS2(sTypoAscender=ascent, sTypoDescender=descent, fsType=0)
    builder.setupPost(keepGlyphNames=False)
    builder.setupNameTable(_names(font))
    builder.updateHead(created=0, modified=0, fontRevision=1.0)
    builder.font.recalcTimestamp = False
    return builder


def _quadratic(glyphs: object, name: str) -> object:
    pen = TTGlyphPen(None)
    glyphs[name].draw(Cu2QuPen(pen, MAX_ERROR, reverse_direction=True))  # type: ignore[index]
    return pen.glyph()


def _names(font: TTFont) -> dict[str, str]:
    return {
        "copyright": font["name"].getDebugName(0),
        "familyName": FAMILY,
        "styleName": "Regular",
        "uniqueFontIdentifier": f"{FAMILY} 1.0",
        "fullName": FAMILY,
        "psName": FAMILY.replace(" ", ""),
        "version": "Version 1.0; subset of Noto Sans CJK SC 2.004",
        "licenseDescription": LICENCE,
    }


def main(source: str = SOURCE, target: str = str(FONT_FILE)) -> str:
    """Write the font; the path written."""
    to_truetype(subset(open_source(source))).save(target)
    return target


if __name__ == "__main__":
    print(main(*sys.argv[1:2]))
