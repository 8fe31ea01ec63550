"""The step view: the facts of each step, in text, HTML and as a widget."""

import pytest


def find(view, name):
    return next(i for i, step in enumerate(view.steps) if step.name == name)


def test_a_step_in_words(run):
    view = run.step(language="en")
    index = find(view, "add")
    text = view.describe(index)
    for piece in (
        "kernels.py:", "asc.add(z_local, x_local, y_local, tile)", "^^^", "Pipe: V",
        "Reads: 16,384 B UB", "Writes: 16,384 B UB z_local", "Waited for: ",
    ):  # fmt: skip
        assert piece in text
    start, end = run.timing.classes[0].start_ticks, run.timing.classes[0].end_ticks
    assert f"{start[index] / 256:,.1f} – {end[index] / 256:,.1f}" in text


def test_every_wait_has_a_text_in_both_languages(run):
    for language, unknown in (("en", "queue"), ("zh", "queue")):
        view = run.step(language=language)
        told = {dict(view.rows(i))[_waited(language)] for i in range(len(view))}
        assert len(told) > 1
        assert unknown not in told  # a bare internal name


def _waited(language):
    return {"en": "Waited for", "zh": "等待原因"}[language]


def test_chinese(run):
    text = run.step(language="zh").describe(0)
    assert "第 1 步" in text
    assert "流水线：" in text


def test_widget_follows_its_slider(run):
    view = run.step(block=3)
    slider, shown = view.widget().children
    assert (slider.min, slider.max) == (1, len(view))
    index = find(view, "add")
    slider.value = index + 1
    assert shown.value == view.html(index)
    assert "asc.add(" in shown.value


def test_notebook_gets_a_widget_and_text(run):
    bundle = run.step()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "step 1 of" in bundle["text/plain"]
    assert "step 1 of" in bundle["text/html"]  # where no widget manager is at hand


def test_text_where_ipywidgets_is_missing(run, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ipywidgets", None)
    bundle = run.step()._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}


def test_block_that_did_not_run(run):
    with pytest.raises(ValueError, match="blocks are 0 to 47"):
        run.step(block=48, language="en")
    with pytest.raises(ValueError, match="block 编号为 0 到 47"):
        run.step(block=48, language="zh")
