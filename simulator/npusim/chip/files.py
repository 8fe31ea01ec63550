"""Chip files: reading, checking, and saying where one is wrong.

`load_chip` reads the files shipped beside this module; `read_chip` reads an
instructor's own, which names a `base` and gives what differs from it. A fault names the
file, the line and the key, in English and Chinese.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Any

from npusim.chip.model import Chip, Constant, Mechanism, VectorCost

CONFIDENCES = ("high", "medium", "low", "none")
_SHARED = ("common", "vector", "mechanisms", "words")
_FIELDS = {"value", "unit", "source", "confidence"}
_ROW_FIELDS = {"free", "source", "confidence"}  # and perhaps "conflict"
_WHOLE = frozenset({"vector_cores", "cube_cores", "ub", "l2_capacity"})
_TOML_LINE = re.compile(r"\(at line (\d+)")


class ChipFileError(ValueError):
    """A chip file that cannot be used: `path`, `line` (0: none), `key`, both texts."""

    def __init__(self, path: Path, line: int, key: str, reason: str, **facts: Any):
        self.path, self.line, self.key = path, line, key
        place = f"{path}:{line}" if line else f"{path}"
        texts = _words()[reason]
        self.text = {one: texts[one].format(key=key, **facts) for one in ("en", "zh")}
        super().__init__(f"{place}: {self.text['en']}\n{place}: {self.text['zh']}")


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return _read("words")


def _read(stem: str) -> dict[str, Any]:
    text = (resources.files(__package__) / f"{stem}.toml").read_text("utf-8")
    return tomllib.loads(text)


# ------------------------------------------------------------------------ shipped files
def _constant(name: str, entry: Mapping[str, Any]) -> Constant:
    if set(entry) != _FIELDS or entry["confidence"] not in CONFIDENCES:
        raise ValueError(f"constant {name!r} needs exactly {sorted(_FIELDS)}")
    return Constant(name=name, **{**entry, "value": float(entry["value"])})


def _vector_row(key: str, entry: Mapping[str, Any]) -> VectorCost:
    known = entry.get("confidence") in CONFIDENCES
    if set(entry) - {"conflict"} != _ROW_FIELDS or not known:
        raise ValueError(f"vector row {key!r} needs {sorted(_ROW_FIELDS)}")
    conflict = entry.get("conflict", entry["free"])
    return VectorCost(
        key, entry["free"], conflict, entry["source"], entry["confidence"]
    )


@cache
def chip_names() -> tuple[str, ...]:
    """The names that `load_chip` knows, sorted."""
    files = resources.files(__package__).iterdir()
    stems = (f.name[:-5] for f in files if f.name.endswith(".toml"))
    return tuple(sorted(s.upper() for s in stems if s not in _SHARED))


@cache
def mechanisms() -> Mapping[str, Mechanism]:
    """Every mechanism by name, in the order of its table."""
    return {name: Mechanism(name, **row) for name, row in _read("mechanisms").items()}


@cache
def load_chip(name: str) -> Chip:
    """The chip called `name`, for example "910B1".

    ValueError lists the known names where there is no such chip.
    """
    if name not in chip_names():
        raise ValueError(f"unknown chip {name!r}; known: {', '.join(chip_names())}")
    entries = {**_read("common"), **_read(name.lower())}
    constants = {key: _constant(key, entry) for key, entry in entries.items()}
    rows = {key: _vector_row(key, entry) for key, entry in _read("vector").items()}
    return Chip(name, constants, rows, mechanisms())


# --------------------------------------------------------------------------- own files
def read_chip(path: str | PathLike[str]) -> Chip:
    """The chip of an own file; ChipFileError names file, line and key."""
    return _OwnFile(Path(path)).chip()


class _OwnFile:
    """One file while it is read; knows the line of each key."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ChipFileError(path, 0, "", "unreadable", why=error) from error
        try:
            self.data = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            found = _TOML_LINE.search(str(error))
            line = int(found[1]) if found else 0
            raise ChipFileError(path, line, "", "syntax", why=error) from error

    def fail(self, key: str, reason: str, **facts: Any) -> ChipFileError:
        return ChipFileError(self.path, self.line_of(key), key, reason, **facts)

    def line_of(self, key: str) -> int:
        """The line of a key `table.name`, of a table, or of a plain name."""
        table, _, name = key.rpartition(".")
        inside = not table
        for number, line in enumerate(self.text.splitlines(), 1):
            bare = line.strip().replace('"', "").replace("'", "")
            if bare.startswith("["):
                if bare.rstrip("]").lstrip("[") in (key, name if not table else key):
                    return number
                inside = bare.strip("[] ") == table if table else False
            elif inside and bare.split("=")[0].strip() == name:
                return number
        return self.line_of(table) if table else 0

    def chip(self) -> Chip:
        base = self.base()
        name = self.data.get("name", self.path.stem)
        if not isinstance(name, str) or not name:
            raise self.fail("name", "not_text", value=name)
        constants, rows = dict(base.constants), dict(base.vector)
        off = set(base.switched_off) | set(self.off(base))
        for key, entry in self.tables():
            constants[key] = self.constant(key, entry, base)
        for key, entry in self.table("vector").items():
            rows[key] = self.row(key, entry, base)
        return Chip(name, constants, rows, base.mechanisms, frozenset(off))

    def base(self) -> Chip:
        name = self.data.get("base")
        if name not in chip_names():
            known = ", ".join(chip_names())
            raise self.fail("base", "base", value=name, known=known)
        return load_chip(name)

    def table(self, name: str) -> Mapping[str, Any]:
        found = self.data.get(name, {})
        if not isinstance(found, dict):
            raise self.fail(name, "not_table", value=found)
        return found

    def tables(self) -> Iterator[tuple[str, Any]]:
        """The constants: everything that has no other meaning."""
        special = {"name", "base", "mechanisms", "vector"}
        return ((k, v) for k, v in self.data.items() if k not in special)

    def off(self, base: Chip) -> Iterator[str]:
        for name, on in self.table("mechanisms").items():
            key = f"mechanisms.{name}"
            if name not in base.mechanisms:
                raise self.fail(key, "unknown", near=_near(name, base.mechanisms))
            if not isinstance(on, bool):
                raise self.fail(key, "not_bool", value=on)
            if not on:
                yield name

    def constant(self, key: str, entry: Any, base: Chip) -> Constant:
        if key not in base.constants:
            raise self.fail(key, "unknown", near=_near(key, base.constants))
        old = base.constants[key]
        fields = entry if isinstance(entry, dict) else {"value": entry}
        self._fields(key, fields, _FIELDS, "value")
        value = self._number(f"{key}.value", fields["value"])
        if key in _WHOLE and value != int(value):
            raise self.fail(f"{key}.value", "not_whole", value=value)
        if fields.get("unit", old.unit) != old.unit:
            facts = {"value": fields["unit"], "wanted": old.unit}
            raise self.fail(f"{key}.unit", "unit", **facts)
        source = str(fields.get("source", f"file {self.path.name}"))
        confidence = self._confidence(key, fields)
        return Constant(key, value, old.unit, source, confidence)

    def row(self, key: str, entry: Any, base: Chip) -> VectorCost:
        full = f"vector.{key}"
        if key.partition(":")[0] not in {k.partition(":")[0] for k in base.vector}:
            raise self.fail(full, "unknown", near=_near(key, base.vector))
        fields = entry if isinstance(entry, dict) else {"free": entry}
        self._fields(full, fields, _ROW_FIELDS | {"conflict"}, "free")
        free = self._number(f"{full}.free", fields["free"])
        conflict = self._number(f"{full}.conflict", fields.get("conflict", free))
        if conflict < free:
            raise self.fail(f"{full}.conflict", "conflict", value=conflict, free=free)
        source = str(fields.get("source", f"file {self.path.name}"))
        return VectorCost(key, free, conflict, source, self._confidence(full, fields))

    def _fields(
        self, key: str, fields: Mapping[str, Any], allowed: set[str], needed: str
    ) -> None:
        for name in fields:
            if name not in allowed:
                near = ", ".join(sorted(allowed))
                raise self.fail(f"{key}.{name}", "unknown", near=near)
        if needed not in fields:
            raise self.fail(key, "missing", field=needed)

    def _number(self, key: str, value: Any) -> float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 < value < float("inf"):
            raise self.fail(key, "not_positive", value=value)
        return float(value)

    def _confidence(self, key: str, fields: Mapping[str, Any]) -> str:
        found = fields.get("confidence", "none")
        if found not in CONFIDENCES:
            facts = {"value": found, "near": ", ".join(CONFIDENCES)}
            raise self.fail(f"{key}.confidence", "choice", **facts)
        return found


def _near(name: str, known: Mapping[str, Any]) -> str:
    return ", ".join(get_close_matches(name, known, 3, 0.4)) or "–"
