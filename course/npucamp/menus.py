"""JupyterLab as a learner sees it: no tool that needs an exchange, menus in their
language.

Writes two files into a `labconfig` folder, which JupyterLab reads from every folder of
its configuration path. Five plug-ins of nbgrader are switched off (assignment list,
course list, create assignment, formgrader, menu); its validate button stays.
The state of widgets is saved with a notebook, so that a question or a picture with
controls is still there when it is opened again; the controls work after the next run.
"""

from __future__ import annotations

import json
from pathlib import Path

EXCHANGE_PLUGINS = tuple(
    f"@jupyter/nbgrader:{name}"
    for name in (
        "assignment-list",
        "course-list",
        "create-assignment",
        "formgrader",
        "menu",
    )
)
_LOCALES = {"en": "en", "zh": "zh_CN", "both": "zh_CN"}


def write_learner_menus(configuration: Path, language: str = "en") -> None:
    """Write `configuration`/labconfig; `language` is "en", "zh" or "both"."""
    folder = configuration / "labconfig"
    folder.mkdir(parents=True, exist_ok=True)
    disabled = dict.fromkeys(EXCHANGE_PLUGINS, True)
    _write(folder / "page_config.json", {"disabledExtensions": disabled})
    translation = {"locale": _LOCALES[language]}
    overrides = {
        "@jupyterlab/translation-extension:plugin": translation,
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    }
    _write(folder / "default_setting_overrides.json", overrides)


def _write(path: Path, value: object) -> None:
    text = json.dumps(value, indent=2, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8")
