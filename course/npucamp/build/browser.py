"""JupyterLab in headless Chromium, driven as a person would: open, Run All, look.

Used by the browser tests and by the screenshot of the README. The server is the one
that `npucamp lab` starts, on a free port of this machine with a token of its own.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from npucamp.doctor import TOOLS

CHROMIUM_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
_READY = "return Boolean(window.jupyterapp && window.jupyterapp.shell)"
_RESTORED = """
const done = arguments[arguments.length - 1];
window.jupyterapp.restored.then(() => done('')).catch(error => done(String(error)));
"""
_OPEN = """
const done = arguments[arguments.length - 1];
const app = window.jupyterapp;
app.restored
  .then(() => app.commands.execute('docmanager:open', {path: arguments[0]}))
  .then(async widget => {
    await widget.context.ready;
    await widget.sessionContext.ready;
    app.shell.activateById(widget.id);
    done('');
  })
  .catch(error => done(String(error)));
"""
_RUN_ALL = """
const done = arguments[arguments.length - 1];
window.jupyterapp.commands.execute('notebook:run-all-cells')
  .then(() => done('')).catch(error => done(String(error)));
"""
_CELLS = "return window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
_SHOW = """
const done = arguments[arguments.length - 1];
const content = window.jupyterapp.shell.currentWidget.content;
content.activeCellIndex = arguments[0];
content.scrollToItem(arguments[0], arguments[1]).then(() => done(''));
"""
_COMMANDS = "return window.jupyterapp.commands.listCommands()"


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab: its address, its token, its workspace."""

    url: str
    token: str
    workspace: Path


@contextmanager
def running_lab(workspace: Path, language: str, *, wait_s: float = 60) -> Iterator[Lab]:
    """`npucamp lab` on `workspace`; RuntimeError with its output if it does not start.

    The server's home and log lie beside the workspace."""
    port, token = free_port(), secrets.token_hex(16)
    command = [sys.executable, "-m", "npucamp.cli", "lab", "--work", str(workspace)]
    command += ["--no-browser", f"--port={port}", "--ServerApp.port_retries=0"]
    command += [f"--IdentityProvider.token={token}", "--expose-app-in-browser"]
    log = workspace.parent / "lab.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            env=_environment(workspace.parent / "home", language),
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    lab = Lab(f"http://127.0.0.1:{port}", token, workspace)
    try:
        _wait_for(lab, process, log, wait_s)
        yield lab
    finally:
        _end(process)


def _environment(home: Path, language: str) -> dict[str, str]:
    """The user's environment with a home of its own: no setting or layout is shared."""
    ours = {"HOME": str(home), "NPUCAMP_LANG": language}
    others = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    return {**others, **ours}


def _end(process: subprocess.Popen, wait_s: float = 10) -> None:
    """Ask the server to stop; after `wait_s` end it and its kernels."""
    process.terminate()
    try:
        process.wait(timeout=wait_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(lab: Lab, process: subprocess.Popen, log: Path, wait_s: float) -> None:
    end = time.monotonic() + wait_s
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(
                f"{lab.url}/api?token={lab.token}", timeout=5
            ).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    text = log.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise RuntimeError(f"JupyterLab did not start:\n{text}")


@contextmanager
def chromium(profile: Path, width: int, height: int) -> Iterator[webdriver.Chrome]:
    """A headless Chromium with a new profile folder; no window of the user is
    touched."""
    browser, driver = TOOLS["browser"].found()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*CHROMIUM_FLAGS, f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={profile}")
    window = webdriver.Chrome(options=options, service=Service(driver))
    try:
        window.set_script_timeout(180)
        yield window
    finally:
        window.quit()


class LabPage:
    """JupyterLab in a browser window."""

    def __init__(self, window: webdriver.Chrome, lab: Lab) -> None:
        self.window = window
        self.lab = lab
        window.get(f"{lab.url}/lab?token={lab.token}")
        self._until(_READY, 60)
        self._ask(_RESTORED)

    def _until(self, script: str, wait_s: float) -> None:
        end = time.monotonic() + wait_s
        while not self.window.execute_script(script):
            if time.monotonic() > end:
                raise RuntimeError(f"JupyterLab: waited {wait_s} s for {script}")
            time.sleep(0.1)

    def _ask(self, script: str, *arguments: Any) -> None:
        error = self.window.execute_async_script(script, *arguments)
        if error:
            raise RuntimeError(f"JupyterLab: {error}")

    def open_notebook(self, path: str) -> None:
        """Open `path` (below the workspace) and wait for its kernel."""
        self._ask(_OPEN, path)

    def run_all(self) -> None:
        """Run > Run All Cells, and wait until the last cell is done."""
        self._ask(_RUN_ALL)

    def cells(self) -> list[dict[str, Any]]:
        """The open notebook's cells with their outputs, as in a notebook file."""
        return self.window.execute_script(_CELLS)

    def show_cell(self, index: int, place: str = "center") -> None:
        """Scroll to cell `index`; place is "start", "center" or "smart"."""
        self._ask(_SHOW, index, place)

    def commands(self) -> list[str]:
        """Ids of every command that JupyterLab offers here."""
        return self.window.execute_script(_COMMANDS)
