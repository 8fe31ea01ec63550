"""Floor 0: what a message is, and the catalogue in English and Chinese."""

from npusim.diagnostic.language import WRITTEN as LANGUAGES
from npusim.diagnostic.model import Diagnostic, Fault, KernelError, Location
from npusim.diagnostic.render import render, render_all, render_html

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
