"""The README's picture: the first lesson in JupyterLab, after Run All.

    python -m npucamp.build.screenshot docs/screenshot.png

Made from a fresh run in headless Chromium and reduced to a palette, so that it stays
below `LIMIT_NBYTES`.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image

from npucamp.build.browser import LabPage, chromium, running_lab

LIMIT_NBYTES = 200_000
WIDTH, HEIGHT = 1280, 860
LESSON = "course/en/z1-first-kernel.ipynb"
CELL = "z1-launch-cell"


def take_screenshot() -> bytes:
    """A PNG of the lesson at the cell that launches the first kernel."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (
            running_lab(folder / "work", "en") as lab,
            chromium(folder / "profile", WIDTH, HEIGHT) as window,
        ):
            page = LabPage(window, lab)
            page.open_notebook(LESSON)
            page.run_all()
            ids = [cell["id"] for cell in page.cells()]
            page.show_cell(ids.index(CELL), "start")
            return window.get_screenshot_as_png()


def reduced(png: bytes, limit_nbytes: int = LIMIT_NBYTES) -> bytes:
    """The picture with a palette of at most 256 colours; ValueError if still too
    big."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    for colours in (256, 128, 64, 32):
        sink = io.BytesIO()
        image.quantize(colours).save(sink, "PNG", optimize=True)
        if sink.tell() <= limit_nbytes:
            return sink.getvalue()
    raise ValueError(f"the picture does not fit into {limit_nbytes} bytes")


def main() -> int:
    """Command line: write the picture to the file that the argument names."""
    if len(sys.argv) != 2:
        print("usage: python -m npucamp.build.screenshot FILE.png", file=sys.stderr)
        return 2
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(reduced(take_screenshot()))
    print(f"{target}: {target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
