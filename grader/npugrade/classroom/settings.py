"""`class.toml`: what a class is. Read into a model, refused with a located message.

course = "npu101"
language = "en"                # of reports and feedback: en, zh or both
seed = "64 hexadecimal digits" # hidden cases follow from it: keep it secret
exchange = "exchange"          # where learners fetch and submit; path, or below here
[deadlines]
z1-vector-add = 2027-03-01T18:00:00+08:00   # the zone is required
"""

from __future__ import annotations

import secrets
import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from npugrade.classroom.errors import ClassError

FILE_NAME = "class.toml"
GRADEBOOK = "gradebook.db"
_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"  # of courses and assignments
_SEED = r"^[0-9a-f]{64}$"  # 32 bytes
Name = Annotated[str, Field(pattern=_NAME, max_length=64)]


class ClassSettings(BaseModel):
    """A class as its file tells it; `seed` (hexadecimal) never goes into an output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    course: Name
    language: Literal["en", "zh", "both"] = "en"
    seed: str = Field(pattern=_SEED, repr=False)
    exchange: str = Field(default="exchange", min_length=1)
    deadlines: dict[Name, AwareDatetime] = Field(default_factory=dict)

    def exchange_path(self, folder: Path) -> Path:
        """Where learners fetch and submit: `exchange`, taken from the class folder."""
        return folder / Path(self.exchange).expanduser()


def load_settings(folder: Path) -> ClassSettings:
    """The settings of the class in `folder`; a ClassError names file, key and fault."""
    path = folder / FILE_NAME
    try:
        return read_settings(path.read_text("utf-8"), path)
    except FileNotFoundError:
        raise ClassError("no-class", folder=folder.resolve()) from None
    except OSError as error:
        raise ClassError("unreadable-file", path=path, why=error.strerror) from None
    except UnicodeDecodeError as error:
        raise ClassError("bad-toml", path=path, why=error) from None


def read_settings(text: str, path: Path) -> ClassSettings:
    """The settings in `text`, which stands in the file `path`; ClassError as above."""
    try:
        return ClassSettings.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ClassError("bad-toml", path=path, why=error) from None
    except ValidationError as error:
        raise ClassError("bad-settings", path=path, why=_faults(error)) from None


def find_class(start: Path) -> Path:
    """The class folder that `start` is, or lies in; ClassError if there is none."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise ClassError("no-class", folder=start)


def new_settings_text(course: str, language: str, exchange: str) -> str:
    """The first `class.toml`, with a fresh seed; ClassError for bad names."""
    seed = secrets.token_hex(32)
    values = {
        "course": course,
        "language": language,
        "exchange": exchange,
        "seed": seed,
    }
    try:
        ClassSettings.model_validate(values)
    except ValidationError as error:
        raise ClassError("bad-option", why=_faults(error)) from None
    return _TEMPLATE.format(
        course=course, language=language, seed=seed, exchange=_toml_text(exchange)
    )


def _faults(error: ValidationError) -> str:
    """Each fault as `key: what is wrong`, without the value (it may be the seed)."""
    return "; ".join(
        f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}"
        for fault in error.errors(include_input=False, include_url=False)
    )


def _toml_text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_TEMPLATE = """\
# A class of NPU Camp. Keep this file secret: hidden cases follow from the seed.
# 班级设置。请保密：隐藏用例由 seed 决定。
course = "{course}"
language = "{language}"  # of reports and feedback 报告与反馈的语言: en, zh, both
seed = "{seed}"
exchange = {exchange}  # where learners fetch and submit 学员领取与提交的目录

# Deadlines are read by `npucamp class assign`. 截止时间由 npucamp class assign 读取。
[deadlines]
# z1-vector-add = 2027-03-01T18:00:00+08:00
"""
