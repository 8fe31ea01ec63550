"""What-if and browse: the right runs and rows; controls move what is shown."""

import pytest

from npusim.diagnostic import KernelError
from npusim.view import what_if

TILES = (1024, 2048, 4096)


@pytest.fixture
def explorer(launch):
    def sample(tile, depth):
        return launch("queue_add", blocks=2, tiles=8192 // tile, tile=tile, depth=depth)

    return what_if(sample, language="en", tile=TILES, depth=(1, 2))


# ---------------------------------------------------------------------------- what if
def test_a_setting_is_the_run_of_that_setting(explorer):
    run = explorer.at(tile=2048, depth=2)
    assert sum(e.name == "add" for e in run.events()) == 2 * 4
    assert explorer.at(tile=2048, depth=2) is run  # kept
    assert explorer.at() is explorer.at(tile=1024, depth=1)


def test_the_ladder_shows_what_was_tried(explorer):
    for tile in TILES:
        shown = explorer.html(tile=tile)
    assert shown.count("<tr") == 3 and "tile=4096, depth=1" in shown
    assert "<svg" in shown and "of the roofline" in shown


def test_a_refused_launch_shows_its_message(launch):
    wide = what_if(
        lambda tile: launch("queue_add", blocks=1, tiles=1, tile=tile),
        language="en", tile=(1024, 65536),
    )  # fmt: skip
    assert "ASC-UB-09" in wide.html(tile=65536)
    with pytest.raises(KernelError):
        wide.at(tile=65536)


def test_wrong_knobs_are_named(explorer):
    with pytest.raises(ValueError, match="no knob tiles; knobs: tile, depth"):
        explorer.at(tiles=1)
    with pytest.raises(ValueError, match="1024, 2048, 4096"):
        explorer.at(tile=7)
    with pytest.raises(ValueError, match="at least one choice"):
        what_if(lambda: None, language="en")
    with pytest.raises(ValueError, match="tile"):
        what_if(lambda tile: None, language="zh", tile=())


def test_turning_a_knob_changes_what_is_shown(explorer):
    *sliders, shown = explorer.widget().children
    before = shown.value
    assert [s.description for s in sliders] == ["tile", "depth"]
    sliders[0].value = 4096
    assert shown.value != before and "tile=4096, depth=1" in shown.value


# ----------------------------------------------------------------------------- browse
@pytest.fixture
def browser(launch):
    return launch("queue_add", blocks=50, tiles=2, tile=1024).browse(language="en")


def test_rows_are_the_events_of_the_window(browser):
    everything = browser.events(0, 0.0, browser.last_cycle(0))
    assert {event.block for event in everything} == {0, 48}
    middle = browser.last_cycle(0) / 2
    early = browser.events(0, 0.0, middle)
    assert early and all(event.start_cycle < middle for event in early)
    vector = browser.events(0, 0.0, browser.last_cycle(0), "V")
    assert [event.name for event in vector] == ["add"] * 4
    assert browser.events(47, 0.0, 1.0) and len(browser.cores) == 48


def test_controls_choose_core_pipe_and_window(browser):
    row, window, shown = browser.widget().children
    core, pipe = row.children
    pipe.value = "V"
    assert "4 of 4 events" in shown.value
    core.value = 5  # runs one block only
    assert "2 of 2 events" in shown.value
    pipe.value = ""
    window.value = (0.0, window.max / 10)
    assert shown.value.count("<tr") >= 2


def test_both_have_a_plain_form(browser, explorer):
    assert "48 cores" in repr(browser)
    assert "tile: 1024, 2048, 4096" in repr(explorer)
    for shown in (browser, explorer):
        bundle = shown._repr_mimebundle_()
        assert "application/vnd.jupyter.widget-view+json" in bundle
        assert bundle["text/html"]
