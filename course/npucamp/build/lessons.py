"""course/src/<lesson>.py → course/en/<lesson>-<slug>.ipynb and course/zh/….

The source is py:percent text. Code cells stand once; prose cells stand twice, English
then Chinese:

    # ---
    # jupyter:
    #   npucamp:
    #     id: z1
    #     slug: first-kernel
    #     title: {en: First kernel, zh: 第一个核函数}
    # ---
    # %% [markdown] lang="en" id="goal" tags=["seed:B037.1"]
    # # First kernel
    # %% [markdown] lang="zh"
    # # 第一个核函数
    # %% id="run"
    kernel[8](x, y)

A prose cell may ask for `{{course-map}}` or `{{glossary}}`, which the build makes from
data. `id` and `tags` are optional; the pair of prose cells becomes one cell with the id and
tags of the English one. The build adds the first cell, `begin("z1", "en")`: that
literal is the only difference in code between the two languages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

from npucamp.build.glossary import glossary_cell
from npucamp.build.headers import LANGUAGES, LessonHeader, read_header
from npucamp.build.mappage import map_cell
from npucamp.build.notebook import make_cell, make_notebook
from npucamp.build.percent import Source, SourceCell, read_source

_ATTRIBUTES = frozenset({"lang", "id", "tags"})
FOLDED = "folded"  # tag of a cell whose source JupyterLab shows folded away
# in a prose cell: what is put there, from the folder of sources and the language
_GENERATED: Mapping[str, Callable[[Path, str], str]] = {
    "{{course-map}}": map_cell,
    "{{glossary}}": glossary_cell,
}


@dataclass(frozen=True)
class _Cell:
    kind: str
    text: Mapping[str, str]
    id: str
    tags: tuple[str, ...]


def build_lesson(path: Path) -> dict[str, NotebookNode]:
    """Language → notebook of the lesson whose source is `path`; SourceError."""
    source = read_source(path)
    header = read_header(source)
    cells = tuple(_cells(source, header))
    return {language: _notebook(header, cells, language) for language in LANGUAGES}


def _notebook(
    header: LessonHeader, cells: tuple[_Cell, ...], language: str
) -> NotebookNode:
    call = f'begin("{header.id}", "{language}")'
    text = f"from npucamp import begin\n\n{call}"
    made = [make_cell("code", text, f"{header.id}-begin", {})]
    for cell in cells:
        metadata: dict[str, object] = {"tags": list(cell.tags)} if cell.tags else {}
        if FOLDED in cell.tags:
            metadata["jupyter"] = {"source_hidden": True}
        made.append(make_cell(cell.kind, cell.text[language], cell.id, metadata))
    about = {"id": header.id, "language": language, "title": header.titles[language]}
    return make_notebook(made, {"npucamp": about})


# ----------------------------------------------------------------------------- cells
def _cells(source: Source, header: LessonHeader) -> Iterator[_Cell]:
    remaining = iter(source.cells)
    for index, cell in enumerate(remaining, start=1):
        _check_attributes(source, cell)
        texts = _generated(source, _texts(source, cell, remaining))
        cell_id = f"{header.id}-{cell.attributes.get('id', f'{index:02d}')}"
        tags = tuple(cell.attributes.get("tags", ()))
        yield _Cell(cell.kind, texts, cell_id, tags)


def _generated(source: Source, texts: dict[str, str]) -> dict[str, str]:
    """The texts with what they ask for put in."""
    folder = source.path.parent
    for mark, make in _GENERATED.items():
        for language, text in texts.items():
            if mark in text:
                texts[language] = text.replace(mark, make(folder, language))
    return texts


def _check_attributes(source: Source, cell: SourceCell) -> None:
    unknown = sorted(set(cell.attributes) - _ATTRIBUTES)
    if unknown:
        raise source.fail(cell, f"unknown attribute {', '.join(unknown)}")


def _texts(
    source: Source, cell: SourceCell, remaining: Iterator[SourceCell]
) -> dict[str, str]:
    """Language → text: a code cell as it stands, a prose cell with its translation."""
    if cell.kind == "code":
        return dict.fromkeys(LANGUAGES, cell.text)
    texts = {_language(source, cell, LANGUAGES[0]): cell.text}
    for language in LANGUAGES[1:]:
        other = next(remaining, None)
        if other is None or other.kind != cell.kind:
            raise source.fail(cell, f'this prose cell lacks its lang="{language}" twin')
        texts[_language(source, other, language)] = other.text
    return texts


def _language(source: Source, cell: SourceCell, expected: str) -> str:
    if cell.attributes.get("lang") != expected:
        raise source.fail(cell, f'a prose cell with lang="{expected}" must stand here')
    return expected
