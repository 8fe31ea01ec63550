"""A learner's own cluster as a TOML file, and where such a file is wrong.

    name = "lab"
    servers = 4
    devices = 8
    inside = "hccs-a2"          # a link by name,
    [between]                   # or a link of one's own: what differs from `base`
    base = "roce-200"
    collective_gb_s = 22.0

A fault names the file, the line, the key, and the cure, in English and Chinese.
"""

from __future__ import annotations

from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from npusim.hccl.links import KINDS, NUMBERS, Link, link_names, load_link
from npusim.hccl.tomltext import TomlSyntax, TomlText
from npusim.hccl.topology import Topology
from npusim.hccl.words import texts

MAX_RANKS = 1 << 20
_KEYS = ("name", "servers", "devices", "inside", "between")
_LINK_KEYS = ("base", "kind", *NUMBERS)


class TopologyFileError(ValueError):
    """A file that cannot be used: `path`, `line` (0: none), `key`, `text`."""

    def __init__(self, path: Path, line: int, key: str, reason: str, **facts: Any):
        self.path, self.line, self.key = path, line, key
        place = f"{path}:{line}" if line else f"{path}"
        self.text = texts(f"topology-{reason}", name=key, **facts)
        super().__init__(f"{place}: {self.text['en']}\n{place}: {self.text['zh']}")


def read_topology(path: str | PathLike[str]) -> Topology:
    """The topology of the file; TopologyFileError names line and key."""
    return _File(Path(path)).topology()


class _File:
    def __init__(self, path: Path):
        self.path = path
        try:
            self.toml = TomlText(path)
        except TomlSyntax as error:
            reason = "syntax" if error.line else "unreadable"
            raise TopologyFileError(path, error.line, "", reason, why=error) from error
        self.data = self.toml.data

    def fail(self, key: str, reason: str, **facts: Any) -> TopologyFileError:
        return TopologyFileError(
            self.path, self.toml.line_of(key), key, reason, **facts
        )

    def topology(self) -> Topology:
        self.known(self.data, _KEYS, "")
        name = self.data.get("name", self.path.stem)
        if not isinstance(name, str) or not name:
            raise self.fail("name", "text", value=name)
        servers, devices = self.count("servers"), self.count("devices")
        if servers * devices > MAX_RANKS:
            raise self.fail("servers", "size", ranks=servers * devices, most=MAX_RANKS)
        inside = self.link("inside")
        between = (
            self.link("between") if servers > 1 or "between" in self.data else None
        )
        return Topology(name, servers, devices, inside, between or inside)

    def known(self, table: dict[str, Any], keys: tuple[str, ...], prefix: str) -> None:
        for key in table:
            if key not in keys:
                close = get_close_matches(key, keys, 1)
                meant = close[0] if close else ", ".join(keys)
                raise self.fail(f"{prefix}{key}", "unknown", meant=meant)

    def count(self, key: str) -> int:
        value = self.data.get(key)
        if value is None:
            raise self.fail(key, "missing")
        if type(value) is not int or value < 1:
            raise self.fail(key, "count", value=value)
        return value

    def link(self, key: str) -> Link:
        entry = self.data.get(key)
        if entry is None:
            raise self.fail(key, "missing")
        if isinstance(entry, str):
            return self.named(entry, key)
        if not isinstance(entry, dict):
            raise self.fail(key, "link", value=entry)
        self.known(entry, _LINK_KEYS, f"{key}.")
        if "base" not in entry:
            raise self.fail(f"{key}.base", "missing")
        base = self.named(entry["base"], f"{key}.base")
        kind = entry.get("kind", base.kind)
        if kind not in KINDS:
            raise self.fail(f"{key}.kind", "kind", value=kind, kinds=", ".join(KINDS))
        numbers = {
            n: self.number(entry[n], f"{key}.{n}") for n in NUMBERS if n in entry
        }
        return Link(f"{key} ({base.name})", kind, *(_numbers(base) | numbers).values())

    def named(self, name: Any, key: str) -> Link:
        if name not in link_names():
            raise self.fail(key, "link", value=name, known=", ".join(link_names()))
        return load_link(name)

    def number(self, value: Any, key: str) -> float:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        least = 0.0 if key.endswith("_us") else 1e-6
        if not number or not least <= value < 1e12:
            raise self.fail(key, "number", value=value)
        return float(value)


def _numbers(link: Link) -> dict[str, float]:
    return {name: getattr(link, name) for name in NUMBERS}
