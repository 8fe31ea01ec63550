"""A font file for the letters of a certificate.

The bundled DejaVu Sans of matplotlib serves Latin, Greek and Cyrillic letters. A name
in Chinese can hold any of many thousand characters, so a font of the machine is taken,
the first of a list that shows them all. Leaves out shaping (Arabic, Devanagari, …).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib
from fontTools.ttLib import TTCollection, TTFont, TTLibError
from matplotlib import font_manager

from npugrade.certificate.faults import CertificateError

# Families with Chinese, in order of preference: Debian's, then macOS' and Windows'.
CHINESE_FAMILIES = (
    "Noto Sans CJK",
    "Noto Sans SC",
    "Source Han Sans",
    "WenQuanYi",
    "PingFang",
    "Microsoft YaHei",
    "SimHei",
)


@dataclass(frozen=True)
class _Face:
    letters: frozenset[int]
    simplified: bool = False  # its punctuation is that of simplified Chinese


@dataclass(frozen=True)
class FontFace:
    """One face of a font file; `number` counts the faces of a collection."""

    path: Path
    number: int = 0


def face_for(text: str, given: Path | None = None) -> FontFace:
    """A face that shows every letter of `text`: of `given`, or of the first file found.

    CertificateError names the letters that none of them shows, or the bad file.
    """
    wanted = {ord(letter) for letter in text if not letter.isspace()}
    candidates = [given] if given else _candidates()
    for path in candidates:
        faces = _faces(path, strict=given is not None)
        for number in sorted(range(len(faces)), key=lambda i: not faces[i].simplified):
            if wanted <= faces[number].letters:
                return FontFace(path, number)
    raise CertificateError("no-font", letters=_missing(text, candidates))


def _missing(text: str, candidates: list[Path]) -> str:
    """The first letters of `text` that no candidate shows, in their order."""
    faces = [face.letters for path in candidates for face in _faces(path, strict=False)]
    shown = frozenset[int]().union(*faces)
    lacking = [letter for letter in dict.fromkeys(text) if ord(letter) not in shown]
    return " ".join([letter for letter in lacking if not letter.isspace()][:12])


def _candidates() -> list[Path]:
    folder = Path(matplotlib.get_data_path()) / "fonts/ttf"
    return [folder / "DejaVuSans.ttf", *_chinese()]


@cache
def _chinese() -> tuple[Path, ...]:
    found = sorted(Path(name) for name in font_manager.findSystemFonts())
    return tuple(
        path
        for family in CHINESE_FAMILIES
        for path in _regular_first(found)
        if family.replace(" ", "").lower() in path.stem.replace(" ", "").lower()
    )


def _regular_first(paths: list[Path]) -> Iterator[Path]:
    yield from sorted(paths, key=lambda path: "regular" not in path.stem.lower())


@cache
def _faces(path: Path, strict: bool) -> tuple[_Face, ...]:
    """The letters of each face; none if the file is no font, an error if `strict`."""
    try:
        if path.suffix.lower() in (".ttc", ".otc"):
            fonts = TTCollection(str(path), lazy=True).fonts
        else:
            fonts = [TTFont(path, lazy=True)]
        return tuple(_face(font) for font in fonts)
    except (TTLibError, OSError, ValueError) as error:
        if strict:
            why = getattr(error, "strerror", None) or error
            raise CertificateError("font-unreadable", path=path, why=why) from None
        return ()


def _face(font: TTFont) -> _Face:
    family = font["name"].getBestFamilyName() or ""
    return _Face(frozenset(font.getBestCmap() or ()), family.endswith(" SC"))
