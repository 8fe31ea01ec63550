"""The committed notebooks: as the sources give, in step, without outputs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from notebooktools import answers, read, solved

from npucamp.build import outputs
from npucamp.build.headers import lesson_header
from npucamp.build.notebook import notebook_text
from npucamp.material import load_material
from npucamp.workspace import lay_out

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = outputs.built_notebooks(ROOT)
LESSONS = outputs.lesson_sources(ROOT)
_BEGIN = re.compile(r'begin\("[a-z0-9-]+"(, "(en|zh)")?\)$')


def names(paths):
    return [p.as_posix() for p in paths]


def pair(source: Path):
    name = lesson_header(source).file_name
    return tuple(read(ROOT / "course" / language / name) for language in ("en", "zh"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3 and len(LESSONS) >= 1


def test_the_committed_files_are_what_the_sources_give():
    assert outputs.differences(ROOT) == []


def test_a_difference_is_found(tmp_path):
    for folder in ("course/src", "solutions", "grader/npugrade/tasks"):
        (tmp_path / folder).mkdir(parents=True)
    source = (ROOT / "course/src/z1.py").read_text(encoding="utf-8")
    (tmp_path / "course/src/z1.py").write_text(source, encoding="utf-8")
    built = outputs.build(tmp_path)
    assert outputs.differences(tmp_path) == []
    path = tmp_path / "course/zh/z1-first-kernel.ipynb"
    path.write_text(path.read_text("utf-8") + "\n", encoding="utf-8")
    (tmp_path / "course/en/old.ipynb").write_text("{}")
    assert outputs.differences(tmp_path) == [
        "course/zh/z1-first-kernel.ipynb: not what its source gives",
        "course/en/old.ipynb: has no source",
    ]
    assert outputs.build(tmp_path) == built
    assert outputs.differences(tmp_path) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_a_built_notebook_has_no_outputs_and_begins(path):
    notebook = read(ROOT / path)
    for cell in notebook.cells:
        assert not cell.get("outputs") and not cell.get("execution_count")
    assert _BEGIN.search(notebook.cells[0].source)
    assert notebook.metadata.kernelspec.name == "python3"
    assert len(notebook.cells) <= 60
    assert (ROOT / path).read_text(encoding="utf-8") == notebook_text(notebook)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_no_region_marker_is_left(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    for word in ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "MARK SCHEME"):
        assert word not in text


# ----------------------------------------------------------------------------- parity
@pytest.mark.parametrize("source", LESSONS, ids=[p.stem for p in LESSONS])
def test_english_and_chinese_are_in_step(source):
    english, chinese = pair(source)
    assert [_shape(c) for c in english.cells] == [_shape(c) for c in chinese.cells]


def _shape(cell):
    """What must be the same in both languages: ids, tags, code, headings, code
    fences, where the links lead."""
    if cell.cell_type == "code":
        masked = re.sub(r'begin\("([\w-]+)", "\w+"\)', r'begin("\1")', cell.source)
        return cell.id, cell.metadata, masked
    headings = [len(m) for m in re.findall(r"^(#+) ", cell.source, re.MULTILINE)]
    links = sorted(re.findall(r"\]\(([^)]+)\)", cell.source))
    return cell.id, cell.metadata, headings, cell.source.count("```"), links


@pytest.mark.parametrize("source", LESSONS, ids=[p.stem for p in LESSONS])
def test_each_language_speaks_its_own(source):
    english, chinese = pair(source)
    for cell in (c for c in english.cells if c.cell_type == "markdown"):
        assert not re.search(r"[\u4e00-\u9fff]", cell.source), cell.id
    for cell in (c for c in chinese.cells if c.cell_type == "markdown"):
        assert re.search(r"[\u4e00-\u9fff]", cell.source), cell.id


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_no_emphasis_mark_is_shown_as_such(path):
    """`**词（x）**后` is no emphasis to a Markdown reader: the stars would show."""
    for cell in read(ROOT / path).cells:
        if cell.cell_type == "markdown":
            assert "*" not in _plain_text(cell.source), (cell.id, cell.source)


def _plain_text(markdown: str) -> str:
    tokens = MarkdownIt().enable("table").parse(markdown)
    inline = [child for token in tokens for child in token.children or ()]
    return "".join(child.content for child in inline if child.type == "text")


# ---------------------------------------------------------------------------- answers
@pytest.mark.parametrize("source", LESSONS, ids=[p.stem for p in LESSONS])
def test_every_answer_fits_its_cell(source):
    path = ROOT / "solutions" / "lessons" / source.name
    if lesson_header(source).page and not path.exists():
        assert not load_material(source.stem).quiz, "a page asks nothing"
        return
    changes = answers(path)
    for notebook in pair(source):
        assert solved(notebook, changes) != notebook


# ---------------------------------------------------------------------- the workspace
def test_the_workspace_receives_every_notebook(tmp_path):
    copied = {one.path for one in lay_out(ROOT, tmp_path)}
    assert copied == {path.as_posix() for path in NOTEBOOKS}
    names = {lesson_header(source).file_name for source in LESSONS}
    for language in ("en", "zh"):
        assert {p.name for p in (tmp_path / "course" / language).iterdir()} == names


@pytest.mark.parametrize("path", NOTEBOOKS, ids=names(NOTEBOOKS))
def test_every_link_to_a_notebook_leads_to_one(path):
    for cell in read(ROOT / path).cells:
        if cell.cell_type == "markdown":
            for link in re.findall(r"\]\(([^)#:]+\.ipynb)\)", cell.source):
                place = (ROOT / path).parent / link
                assert place.resolve() in {ROOT / p for p in NOTEBOOKS}, link


def test_a_folded_cell_opens_with_its_source_folded_away():
    folded = {
        cell.id
        for path in sorted((ROOT / "course").glob("??/*.ipynb"))
        for cell in read(path).cells
        if cell.metadata.get("jupyter", {}).get("source_hidden")
    }
    tagged = {
        cell.id
        for path in sorted((ROOT / "course").glob("??/*.ipynb"))
        for cell in read(path).cells
        if "folded" in cell.metadata.get("tags", [])
    }
    assert folded == tagged and len(folded) >= 5  # the five kernels of P1
