"""The controls: below stock nbgrader the same attacks pay, or harm somebody.

One class for attacks that pay, one (with a home of its own) for those that change what
others get. Left out: attacks that would harm the testing machine (signals to the
grader, which is this process; bombs; endless loops, 30 s a test cell), and those on
channels that stock nbgrader has not (`channel/`, `objects/returned_score`). A silenced
traceback alone does not pay there: the reply still tells the error.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from tests.attacks.batch import ATTACKS, stock_source
from tests.classroom.small_assignment import marks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning"),  # of nbgrader
]
SOLUTION = "### BEGIN SOLUTION\ndef add(x, y):\n    return x + y\n\n\n### END SOLUTION"
RIGHT, WRONG = "def add(x, y):\n    return x + y", "def add(x, y):\n    return None"
CHECKS = {
    "equal": "expected = 3\nassert add(1, 2) == expected",
    "arrays": "import numpy as np\nassert np.array_equal(add(1, 2), 3)",
    "every": "assert all(abs(add(1, 2) - n) == 3 - n for n in (0, 1))",
    "part": "10.0 * add(1, 2) / 3",
}
# Which test cell pays in full for an answer that is wrong.
PAYS = {
    "executor/ast_transformer": "equal",
    "executor/input_transformer": "equal",
    "executor/forged_reply": "equal",
    "executor/silenced_display": "part",
    "executor/trace_of_the_caller": "equal",
    "objects/lying_eq": "equal",
    "objects/lying_array": "equal",
    "objects/int_with_every_answer": "equal",
    "modules/numpy_replaced": "arrays",
    "modules/builtins_patched": "every",
    "scores/not_a_number": "part",
    "scores/numpy_scalar": "part",
    "scores/negative": "part",
    "scores/text": "part",
    "files/solution_of_the_source": "equal",
}
# Files handed in beside a wrong answer.
BESIDE = {
    "numpy.py": ("arrays", "array_equal = lambda *a, **k: True"),
    "ipykernel_launcher.py": (
        "equal",
        "from ipykernel import kernelapp\n"
        "from ipykernel.ipkernel import IPythonKernel\n"
        "async def forged(*args, **options):\n"
        "    return {'status': 'ok', 'execution_count': 1, 'payload': [],\n"
        "            'user_expressions': {}}\n"
        "IPythonKernel.do_execute = forged\n"
        "kernelapp.launch_new_instance()\n",
    ),
}
SCRIPT = "<script>document.title='stolen'</script>"


def notebook(answer: str, edit: Callable[[NotebookNode], None] | None = None):
    """What a learner hands in; with SOLUTION the source."""
    cells = [new_code_cell(answer, id="answer", metadata=marks("a", solution=True))]
    for name, text in CHECKS.items():
        about = marks(name, grade=True, locked=True, points=10)
        cells.append(new_code_cell(text, id=name, metadata=about))
    made = new_notebook(cells=cells)
    if edit is not None:
        edit(made)
    return made


def _tagged(made: NotebookNode) -> None:
    for cell in made.cells[1:]:
        cell.metadata["tags"] = ["skip-execution"]


def _with_script(made: NotebookNode) -> None:
    made.cells.append(new_markdown_cell(SCRIPT))


class Stock:
    """A class that is graded with nbgrader's own settings."""

    def __init__(self, folder: Path):
        self.folder, self.success = folder, {}
        config = Config()
        config.CourseDirectory.root = str(folder)
        config.CourseDirectory.course_id = "npu101"
        config.ExecutePreprocessor.kernel_name = "python3"
        self.api = NbGraderAPI(config=config)
        self._write("source", notebook(SOLUTION))
        assert self.api.generate_assignment("t")["success"]

    def grade(self, student: str, made: NotebookNode, **files: str) -> None:
        student = student.replace("/", "-")
        place = self._write(f"submitted/{student}", made)
        for name, text in files.items():
            (place / name.replace("__", ".")).write_text(text)
        self.success[student] = self.api.autograde("t", student)["success"]

    def points(self, student: str, cell: str) -> float | None:
        """What the gradebook has for a test cell, as a person sees it."""
        with Gradebook(f"sqlite:///{self.folder}/gradebook.db", "npu101") as book:
            return book.find_grade(cell, "t", "t", student.replace("/", "-")).score

    def _write(self, step: str, made: NotebookNode) -> Path:
        place = self.folder / step / "t"
        place.mkdir(parents=True)
        nbformat.write(made, place / "t.ipynb")
        return place


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory) -> Iterator[Path]:
    """A home for start-up files, and alembic on PATH, which nbgrader calls."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("home")
        patch.setenv("HOME", str(home))
        patch.setenv("IPYTHONDIR", str(home / ".ipython"))
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        patch.setenv("PATH", programs)
        yield home


@pytest.fixture(scope="module")
def stock(surroundings, tmp_path_factory) -> Stock:
    made = Stock(tmp_path_factory.mktemp("stock"))
    for name in PAYS:
        made.grade(name, notebook(stock_source(name)))
    for name, (_, text) in BESIDE.items():
        made.grade(name, notebook(WRONG), **{name.replace(".", "__"): text})
    made.grade("tagged", notebook(WRONG, _tagged))
    made.grade("script", notebook(WRONG, _with_script))
    made.grade("right", notebook(RIGHT))
    made.grade("wrong", notebook(WRONG))
    made.grade("untouched", notebook("# YOUR CODE HERE\nraise NotImplementedError()"))
    return made


@pytest.mark.parametrize(
    ("who", "due"), [("right", 10), ("wrong", 0), ("untouched", 0)]
)
def test_stock_nbgrader_grades_honest_people_rightly(stock, who, due):
    assert {stock.points(who, cell) for cell in CHECKS} == {due}


@pytest.mark.parametrize("name", PAYS)
def test_stock_nbgrader_pays_for_the_attack(stock, name):
    assert stock.points(name, PAYS[name]) == 10.0


@pytest.mark.parametrize("name", BESIDE)
def test_stock_nbgrader_runs_modules_that_were_handed_in(stock, name):
    assert stock.points(name, BESIDE[name][0]) == 10.0


def test_stock_nbgrader_pays_for_tests_that_a_tag_skips(stock):
    assert {stock.points("tagged", cell) for cell in CHECKS} == {10.0}


def test_stock_nbgrader_shows_the_instructor_a_learners_script(stock):
    assert stock.api.generate_feedback("t", "script")["success"]
    page = (stock.folder / "feedback/script/t/t.html").read_text("utf-8")
    assert SCRIPT in page


def test_every_kind_that_stock_nbgrader_knows_has_a_control():
    kinds = {name.partition("/")[0] for name in ATTACKS}
    shown = {name.partition("/")[0] for name in PAYS} | {"machine", "people"}
    assert kinds - shown == {"channel"}


# -------------------------------------------------------------------- harm to others
@pytest.fixture(scope="module")
def harmed(surroundings, tmp_path_factory) -> Iterator[Stock]:
    made = Stock(tmp_path_factory.mktemp("harmed"))
    made.grade("before", notebook(WRONG))
    names = ("files/writes_the_gradebook", "machine/exit", "machine/daemon",
             "scores/above_the_maximum", "files/plants_a_start_up_file")  # fmt: skip
    for name in names:
        made.grade(name, notebook(stock_source(name)))
    made.grade("after", notebook(WRONG))
    yield made
    for folder in ("/tmp", "/var/tmp", "/dev/shm"):
        Path(folder, "npucamp_planted.py").unlink(missing_ok=True)


def test_stock_nbgrader_lets_a_learner_write_points(harmed):
    assert harmed.points("before", "equal") == 10.0


def test_stock_nbgrader_lets_a_learner_change_what_the_next_one_gets(harmed):
    assert harmed.points("after", "equal") == 10.0


@pytest.mark.parametrize("name", ["machine-exit", "scores-above_the_maximum"])
def test_stock_nbgrader_gives_no_grade(harmed, name):
    assert harmed.success == {n: n != name for n in harmed.success} | {
        "machine-exit": False,
        "scores-above_the_maximum": False,
    }


def test_stock_nbgrader_leaves_a_process_behind(harmed):
    found = [number for number in Path("/proc").glob("[0-9]*") if _sleeps(number)]
    for number in found:
        os.kill(int(number.name), signal.SIGKILL)
    assert len(found) == 1


def _sleeps(process: Path) -> bool:
    try:
        return b"sleep\0" + b"1234.567\0" in (process / "cmdline").read_bytes()
    except OSError:
        return False
