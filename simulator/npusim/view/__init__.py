"""Floor 7: pictures, the notebook display and the step view. Joins `Run` when imported.

matplotlib and ipywidgets are loaded by the first picture and the first step view.
"""

from npusim.launch import Run
from npusim.view.stepping import StepView, step
from npusim.view.summary import error_html, run_html
from npusim.view.timeline import Timeline, timeline

Run.register("timeline", timeline)
Run.register("step", step)
Run.register("_repr_html_", run_html)

__all__ = ["StepView", "Timeline", "error_html", "run_html", "step", "timeline"]
