"""The folder of a class: made once, never overwritten, private, backed up whole."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    load_pem_private_key,
    load_pem_public_key,
)
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook

from npugrade.classroom import folder as folder_module
from npugrade.classroom.assign import assign
from npugrade.classroom.backup import backup_class
from npugrade.classroom.errors import ClassError
from npugrade.classroom.folder import create_class
from npugrade.classroom.learner import closed_folders
from npugrade.classroom.settings import find_class, load_settings


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """One class, for tests that only look at it."""
    path = tmp_path_factory.mktemp("class") / "npu101"
    create_class(path, "npu101")
    return path


@pytest.fixture
def quick(monkeypatch, tmp_path) -> Path:
    """Where a class may be made without a gradebook (which takes a second)."""
    monkeypatch.setattr(folder_module, "_make_gradebook", lambda path, course: [])
    return tmp_path / "class"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_everything_is_there_with_its_mode(made):
    private = {"source", "release", "submitted", "autograded", "feedback", "keys"}
    assert {path.name for path in made.iterdir() if mode(path) == 0o700} == private
    assert mode(made) == 0o711 and mode(made / "exchange") == 0o777
    for name in ("class.toml", "gradebook.db", "nbgrader_config.py"):
        assert mode(made / name) == 0o600
    assert {mode(path) for path in (made / "keys").iterdir()} == {0o600}


def test_the_seed_is_32_fresh_bytes(made, quick):
    create_class(quick, "npu101")
    first, second = load_settings(made), load_settings(quick)
    assert len(bytes.fromhex(first.seed)) == 32 and first.seed != second.seed
    assert first.seed not in repr(first)


def test_the_keys_belong_together(made):
    private = load_pem_private_key((made / "keys/private.pem").read_bytes(), None)
    public = load_pem_public_key((made / "keys/public.pem").read_bytes())
    public.verify(private.sign(b"grade"), b"grade")


def test_making_it_again_changes_nothing(made):
    before = contents(made)
    assert create_class(made, "npu101") == []
    assert contents(made) == before


def test_making_it_again_mends_what_is_missing(quick):
    create_class(quick, "npu101")
    before = contents(quick)
    (quick / "nbgrader_config.py").unlink()
    (quick / "feedback").rmdir()
    assert create_class(quick, "npu101") == ["feedback/", "nbgrader_config.py"]
    assert contents(quick) == before


def test_half_a_key_pair_is_reported(quick):
    create_class(quick, "npu101")
    (quick / "keys/public.pem").unlink()
    with pytest.raises(ClassError, match="only one of"):
        create_class(quick, "npu101")
    assert not (quick / "keys/public.pem").exists()


def test_a_folder_with_other_things_is_refused(quick):
    quick.mkdir()
    (quick / "thesis.txt").write_text("precious")
    with pytest.raises(ClassError, match="is not empty"):
        create_class(quick, "npu101")
    assert contents(quick) == {"thesis.txt": b"precious"}


def test_another_course_in_the_same_folder_is_refused(made):
    with pytest.raises(ClassError, match="already is the class of course 'npu101'"):
        create_class(made, "npu102")


def test_a_class_inside_the_clone_is_refused(quick):
    inside = Path(__file__).parents[2] / "my-class"
    with pytest.raises(ClassError, match="inside the clone"):
        create_class(inside, "npu101")
    assert not inside.exists()


def test_a_refused_exchange_leaves_no_class_that_remembers_it(quick, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ClassError, match="cannot be made"):
        create_class(quick, "npu101", "en", str(tmp_path / "file/exchange"))
    create_class(quick, "npu101", "en", str(tmp_path / "exchange"))
    assert (tmp_path / "exchange").is_dir()


def test_folders_that_keep_learners_out_are_named(quick):
    create_class(quick, "npu101")
    quick.parent.chmod(0o750)
    assert quick.parent in closed_folders(quick)
    quick.parent.chmod(0o711)
    assert quick.parent not in closed_folders(quick)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (("Bad Name",), "course"),
        (("a--b",), "course"),
        (("../x",), "course"),
        (("npu101", "fr"), "language"),
        (("npu101", "en", ""), "exchange"),
    ],
)
def test_bad_options_are_refused_before_anything_is_made(quick, arguments, key):
    with pytest.raises(ClassError, match=rf"{key}: "):
        create_class(quick, *arguments)
    assert not quick.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("course =", "not valid TOML"),
        ("course = 'x'", "seed: Field required"),
        ("course = 'x'\nseed = 'ab'", "seed: String should match"),
        (f"course = 'x'\nseed = '{'a' * 64}'\nsed = 1", "sed: Extra inputs"),
        (
            f"course = 'x'\nseed = '{'a' * 64}'\n[deadlines]\nz1 = 'soon'",
            "deadlines.z1: Input should be a valid datetime",
        ),
        (
            f"course = 'x'\nseed = '{'a' * 64}'\n[deadlines]\nz1 = 2027-03-01T18:00:00",
            "deadlines.z1: Input should have timezone info",
        ),
    ],
)
def test_a_faulty_class_file_is_refused_with_file_and_key(tmp_path, text, said):
    (tmp_path / "class.toml").write_text(text)
    with pytest.raises(ClassError) as caught:
        load_settings(tmp_path)
    assert said in str(caught.value)
    assert str(tmp_path / "class.toml") in str(caught.value)
    assert "'ab'" not in str(caught.value), "the seed is not shown"


def test_a_class_is_found_from_below(made, tmp_path):
    assert find_class(made / "source") == made
    with pytest.raises(ClassError, match="not in a class"):
        find_class(tmp_path)


def test_the_gradebook_is_stamped_without_an_activated_environment(tmp_path):
    """nbgrader asks `alembic` from PATH for the stamp; PATH has none here."""
    code = (
        "import sys; from pathlib import Path; "
        "from npugrade.classroom.folder import create_class; "
        "create_class(Path(sys.argv[1]), 'npu101')"
    )
    path = tmp_path / "class"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    command = [sys.executable, "-c", code, str(path)]
    subprocess.run(command, env=environment, check=True)
    stamps = sqlite3.connect(path / "gradebook.db").execute(
        "select version_num from alembic_version"
    )
    assert len(stamps.fetchall()) == 1


def test_a_changed_source_is_kept_unless_replaced(made):
    path = assign(made, "t-add", new_notebook())
    assert assign(made, "t-add", new_notebook()) == path
    newer = new_notebook(metadata={"version": 2})
    with pytest.raises(ClassError, match="--replace"):
        assign(made, "t-add", newer)
    assign(made, "t-add", newer, replace=True)
    assert sorted(p.name for p in path.parent.iterdir()) == [
        "t-add.ipynb",
        "t-add.ipynb.1",
    ]


def test_a_deadline_reaches_the_gradebook_in_utc(made):
    file = made / "class.toml"
    text = file.read_text()
    file.write_text(text + "t-late = 2027-03-01T18:00:00+08:00\n")
    try:
        assign(made, "t-late", new_notebook())
    finally:
        file.write_text(text)
    with Gradebook(f"sqlite:///{made}/gradebook.db", "npu101") as gradebook:
        assert gradebook.find_assignment("t-late").duedate.isoformat() == (
            "2027-03-01T10:00:00"
        )


def test_a_deadline_changes_also_where_the_source_was_edited(made):
    path = assign(made, "t-edited", new_notebook())
    path.write_text("{}")
    file = made / "class.toml"
    text = file.read_text()
    file.write_text(text + "t-edited = 2027-03-01T18:00:00Z\n")
    try:
        with pytest.raises(ClassError, match="its deadline was entered"):
            assign(made, "t-edited", new_notebook())
    finally:
        file.write_text(text)
    with Gradebook(f"sqlite:///{made}/gradebook.db", "npu101") as gradebook:
        assert gradebook.find_assignment("t-edited").duedate is not None
    assert path.read_text() == "{}"


def test_a_backup_that_cannot_be_written_says_so_and_leaves_no_part(made, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ClassError, match="was not written"):
        backup_class(made, tmp_path / "file/backup.tar.gz")
    target = tmp_path / "backup.tar.gz"
    with pytest.MonkeyPatch.context() as patch:
        full = OSError(28, "No space left on device")
        patch.setattr(tarfile.TarFile, "add", _raiser(full))
        with pytest.raises(ClassError, match="No space left"):
            backup_class(made, target)
    assert not target.exists()


def _raiser(error: OSError):
    def raise_it(*_arguments, **_options):
        raise error

    return raise_it


def test_a_backup_holds_everything_and_overwrites_nothing(made, tmp_path):
    archive = backup_class(made)
    assert mode(archive) == 0o600 and archive.parent == made / "backups"
    with tarfile.open(archive) as stream:
        stream.extractall(tmp_path, filter="data")
    restored = contents(tmp_path / "npu101")
    expected = contents(made)
    assert {name for name in expected if not name.startswith("backups")} == set(
        restored
    )
    assert restored["class.toml"] == expected["class.toml"]
    with Gradebook(f"sqlite:///{tmp_path}/npu101/gradebook.db", "npu101") as gradebook:
        assert "t-add" in [found.name for found in gradebook.assignments]
    with pytest.raises(ClassError, match="never overwrites"):
        backup_class(made, archive)
