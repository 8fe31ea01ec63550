"""Floor 0: what a message is, and the catalogue in English and Chinese."""

from npusim.diagnostic.model import Diagnostic, Fault, KernelError, Location
from npusim.diagnostic.render import LANGUAGES, render, render_all, render_html

__all__ = [
    "LANGUAGES",
    "Diagnostic",
    "Fault",
    "KernelError",
    "Location",
    "render",
    "render_all",
    "render_html",
]
