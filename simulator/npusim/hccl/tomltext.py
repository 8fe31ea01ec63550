"""A TOML text that knows on which line each key stands, for located errors.

Keys are `name`, `table`, or `table.name`. Left out: arrays of tables and dotted keys,
which no file of ours has.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

_SYNTAX_LINE = re.compile(r"\(at line (\d+)")


class TomlSyntax(ValueError):
    """The text is no TOML, or the file cannot be read; `line` is 0 for the latter."""

    def __init__(self, line: int, why: object):
        self.line, self.why = line, why
        super().__init__(str(why))


class TomlText:
    """`data`: the tables as read; `line_of(key)`: where a key stands."""

    def __init__(self, path: Path):
        try:
            self.text = path.read_text(encoding="utf-8")
            self.data: dict[str, Any] = tomllib.loads(self.text)
        except (OSError, UnicodeDecodeError) as error:
            raise TomlSyntax(0, error) from error
        except tomllib.TOMLDecodeError as error:
            found = _SYNTAX_LINE.search(str(error))
            raise TomlSyntax(int(found[1]) if found else 0, error) from error

    def line_of(self, key: str) -> int:
        """The line of `key`, else that of its table, else 0."""
        table, _, name = key.rpartition(".")
        inside = not table
        for number, line in enumerate(self.text.splitlines(), 1):
            bare = line.strip().replace('"', "").replace("'", "")
            if bare.startswith("["):
                header = bare.split("#")[0].strip().strip("[]").strip()
                if not table and header == name:
                    return number
                inside = bool(table) and header == table
            elif inside and bare.split("=")[0].strip() == name:
                return number
        return self.line_of(table) if table else 0
