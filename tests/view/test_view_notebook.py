"""What a notebook shows of a run: table, picture, messages, nothing too early."""

import subprocess
import sys

import numpy as np
import pytest

from npusim import asc
from npusim.launch import Kernel
from npusim.view import error_html, run_html


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("Roofline", "Bound by")), ("zh", ("屋顶线", "瓶颈"))],
)
def test_run_shows_table_and_picture(run, language, words):
    html = run_html(run, language)
    for piece in (*words, "<svg ", f"{run.cycles:,}", f"lang='{language}'"):
        assert piece in html


def test_display_follows_the_session(run):
    from npusim.diagnostic.language import use

    for language in ("en", "zh", "both"):
        use(language)
        assert run._repr_html_() == run_html(run, language)
    assert "Roofline" in run._repr_html_()
    assert "屋顶线" in run._repr_html_()


def test_html_is_balanced(run):
    from html.parser import HTMLParser

    class Checker(HTMLParser):
        stack: list = []

        def handle_starttag(self, tag, attributes):
            self.stack.append(tag)

        def handle_endtag(self, tag):
            assert self.stack.pop() == tag

    checker = Checker()
    checker.feed(run._repr_html_())
    assert checker.stack == []


def test_names_are_escaped(run):
    import dataclasses

    evil = dataclasses.replace(run, kernel="<script>alert(1)</script>")
    assert "<script" not in evil._repr_html_()


FAULTY = """
@asc.jit
def bad(x: asc.GlobalAddress, length: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.data_copy(a, x_gm, length)
"""


def failed(text, *arguments):
    kernel = Kernel.from_text(text, "Cell [1]", "bad", {"asc": asc})
    with pytest.raises(asc.KernelError) as caught:
        kernel.launch(np.zeros(64, np.float32), *arguments, blocks=1)
    return caught.value


def test_failed_launch_shows_messages_and_what_ran():
    error = failed(FAULTY, 3)
    html = error_html(error, "zh")
    assert error.diagnostics[-1].code in html
    assert "出错之前的执行情况" in html
    assert "因错误停止" in error.run.profile.text("zh")
    assert "A fault stopped the launch" in error.run._repr_html_()
    assert "MTE2 busy" in error.run.timeline().text


def test_kernel_that_does_not_compile_shows_its_messages():
    error = failed(FAULTY.replace("length)", "lenght)"), 3)
    html = error_html(error, "en")
    assert error.run is None
    assert error.diagnostics[0].code in html
    assert "<svg" not in html


def test_heavy_packages_are_loaded_by_the_first_picture_only():
    code = (
        "import sys; from npusim import asc; import npusim.view;"
        "print(sorted({'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "[]"


def test_pictures_leave_matplotlib_alone(run):
    import matplotlib

    before = dict(matplotlib.rcParams)
    run._repr_html_()
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not _open_figures()


def _open_figures():
    from matplotlib import pyplot

    return pyplot.get_fignums()
