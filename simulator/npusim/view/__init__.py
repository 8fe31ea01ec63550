"""Floor 7: pictures, the notebook display and the step view. Joins `Run` when imported.

matplotlib and ipywidgets are loaded by the first picture and the first step view.
"""

from collections.abc import Callable
from typing import Any

from npusim.launch import Run
from npusim.view.balance import Balance, balance
from npusim.view.banks import Banks, banks
from npusim.view.beforeafter import BeforeAfter, beside
from npusim.view.browse import Browser, browse
from npusim.view.dataflow import DataFlow, dataflow
from npusim.view.hotlines import HotLines, hot_lines
from npusim.view.occupancy import Occupancy, occupancy
from npusim.view.roofline import Roofline, roofline
from npusim.view.stepping import StepView, step
from npusim.view.summary import error_html, run_html
from npusim.view.timeline import Timeline, timeline
from npusim.view.whatif import WhatIf, what_if

VIEWS: dict[str, Callable[..., Any]] = {
    "timeline": timeline,
    "step": step,
    "balance": balance,
    "hot_lines": hot_lines,
    "banks": banks,
    "ub": occupancy,
    "dataflow": dataflow,
    "roofline": roofline,
    "beside": beside,
    "browse": browse,
    "_repr_html_": run_html,
}
for _name, _view in VIEWS.items():
    Run.register(_name, _view)

__all__ = [
    "VIEWS",
    "Balance",
    "Banks",
    "BeforeAfter",
    "Browser",
    "DataFlow",
    "HotLines",
    "Occupancy",
    "Roofline",
    "StepView",
    "Timeline",
    "WhatIf",
    "error_html",
    "run_html",
    "what_if",
]
