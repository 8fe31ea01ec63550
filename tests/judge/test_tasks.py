"""Task files: a mistake is named with file and key; hidden data follow the seed."""

from __future__ import annotations

import numpy as np
import pytest

from npugrade.cases import case_shape, make_case, next_prime, raw_words
from npugrade.golden import GOLDEN
from npugrade.tasks import FOLDER, TaskError, load_base, load_task, task_names

# PCG64 seeded with HMAC-SHA256: numpy keeps this stream fixed; ours must not drift.
WORDS = [17213064907916273488, 6170415638360453341]
TEXT = (FOLDER / "z1-add.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('id = "z1-add"', 'id = "other"', "z1-add.toml: id:"),
        ('id = "z1-add"', 'id = "Z1 add"', "z1-add.toml: id:"),
        ('golden = "add"', 'golden = "nothing"', "z1-add.toml: golden:"),
        ('kind = "kernel"', 'kind = "poem"', "z1-add.toml: kind:"),
        ("builds = 20", "builds = 30", "z1-add.toml: weights:"),
        ("builds = 20", "build = 20", "z1-add.toml: weights.build:"),
        ("shape = [1003]", "shape = [0]", "z1-add.toml: visible.1.shape.0:"),
        ("shape = [1003]", "", "z1-add.toml: visible.1:"),
        ('dtype = "float32"', 'dtype = "float"', "z1-add.toml: visible.1.dtype:"),
        ('twin_of = "prime-a"', 'twin_of = "nobody"', "no case 'nobody'"),
        ('name = "prime-b"', 'name = "prime-a"', "two cases are called 'prime-a'"),
        ('group = "values"', 'group = "valves"', "no group 'valves'"),
        ("[60_000, 90_000]", "[90_000, 60_000]", "z1-add.toml: hidden.2.length:"),
        ('zh = "多核向量加法"', "", "z1-add.toml: title.zh:"),
        ("[title]", "[title", "z1-add.toml:"),
    ],
)
def test_mistake_is_located(tmp_path, old, new, place):
    assert old in TEXT
    (tmp_path / "z1-add.toml").write_text(TEXT.replace(old, new), encoding="utf-8")
    with pytest.raises(TaskError) as caught:
        load_task("z1-add", tmp_path)
    assert place in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_unknown_task_lists_the_known_ones():
    with pytest.raises(TaskError, match="no task 'z9'; known: .*z1-add"):
        load_task("z9")


def test_every_task_loads_with_three_hints():
    for name in task_names():
        assert len(load_task(name).hints) == 3


def test_broken_base_file_is_located(tmp_path):
    (tmp_path / "z1-add.base.json").write_text("{}")
    with pytest.raises(TaskError, match=r"z1-add\.base\.json"):
        load_base("z1-add", tmp_path)
    assert load_base("none", tmp_path) == {"cycles": {}, "starter": ""}


# ------------------------------------------------------------------------------ data
def test_hidden_data_depend_on_the_seed_alone():
    task = load_task("z1-add")
    np.random.seed(1)
    first = [make_case(task, c, True, "seed one") for c in task.hidden]
    np.random.seed(2)
    again = [make_case(task, c, True, "seed one") for c in task.hidden]
    other = [make_case(task, c, True, "seed two") for c in task.hidden]
    for a, b, c in zip(first, again, other, strict=True):
        assert [x.tobytes() for x in a.inputs] == [x.tobytes() for x in b.inputs]
        assert a.inputs[0].tobytes() != c.inputs[0].tobytes()
        assert a.inputs[0].tobytes() != a.inputs[1].tobytes()


def test_visible_shapes_are_the_same_for_every_class_but_values_are_not():
    task = load_task("z1-add")
    one, two = (make_case(task, task.visible[0], False, seed) for seed in "ab")
    assert one.inputs[0].shape == two.inputs[0].shape == (8, 2048)
    assert one.inputs[0].tobytes() != two.inputs[0].tobytes()


def test_random_words_never_change():
    words = raw_words("self-study", "z1-add", "aligned", "x", "values", count=2)
    assert words.tolist() == WORDS


def test_lengths_follow_their_recipe():
    task = load_task("z1-add")
    for seed in ("a", "b", "c"):
        length = {c.name: case_shape(task, c, seed)[0] for c in task.hidden}
        for case in task.hidden:
            if case.length.between:
                low, high = case.length.between
                assert low <= length[case.name] < high + 2048
                assert length[case.name] % case.length.multiple == 0
        assert next_prime(length["prime-a"]) == length["prime-a"]
        assert length["prime-a-twin"] == length["prime-a"] + 1
        assert length["prime-b-twin"] == length["prime-b"] - 1


def test_special_values_are_placed():
    task = load_task("z1-add")
    case = task.draws["special-values"]
    x, _ = make_case(task, case, True, "a").inputs
    assert np.isnan(x).any() and np.isposinf(x).any() and np.isneginf(x).any()
    assert (x == np.finfo(np.float16).max).any()


def test_golden_add_keeps_the_dtype():
    x = np.array([1, np.inf], np.float16)
    (z,) = GOLDEN["add"](x, x)
    assert z.dtype == np.float16 and z.tolist() == [2, np.inf]
