"""`@asc.tiling` and `asc.settings` in the host process, for a learner's host code.

Standard library only: `host_worker.py` loads it by path. A record travels as its
class' name, its fields and its values; the judge makes the real record from that and
checks every value. Left out: the checks themselves, which are the judge's.
"""

from __future__ import annotations

KINDS = {"int": int, "float": float, "bool": bool}


class Settings:
    """`with asc.settings(…):` the task fixes them, so it changes nothing."""

    def __enter__(self) -> Settings:
        return self

    def __exit__(self, *about: object) -> None:
        return None


class Record:
    """Base of tiling classes: frozen, equal where class and values are equal."""

    _asc_tiling: tuple = ()
    _asc_defaults: dict = {}

    def __init__(self, *values: object, **named: object):
        names = [name for name, _ in self._asc_tiling]
        given = dict(zip(names, values, strict=False))
        twice = sorted(named.keys() & given.keys())
        given = {**self._asc_defaults, **given, **named}
        if len(values) > len(names) or twice or set(given) != set(names):
            raise TypeError(f"{type(self).__name__} takes the fields {names}")
        for name, kind in self._asc_tiling:
            object.__setattr__(self, name, KINDS[kind](given[name]))

    def __setattr__(self, name: str, value: object) -> None:
        raise TypeError(f"{type(self).__name__} is frozen: {name}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))


def tiling(cls: type) -> type:
    """Make a class with annotated int, float and bool fields a tiling record."""
    import inspect  # slow to load, and most submissions have no such class

    found = inspect.get_annotations(cls)
    fields = tuple((n, str(getattr(a, "__name__", a))) for n, a in found.items())
    wrong = [name for name, kind in fields if kind not in KINDS]
    if wrong or not fields:
        raise TypeError(f"{cls.__name__}: fields are int, float or bool ({wrong})")
    defaults = {name: getattr(cls, name) for name, _ in fields if hasattr(cls, name)}
    body = {"_asc_tiling": fields, "_asc_defaults": defaults}
    return type(cls.__name__, (Record, cls), body)


def encode(value: object) -> dict:
    """A tiling class or record as JSON; {} for anything else."""
    if isinstance(value, Record):
        kind = type(value)
        values = [getattr(value, name) for name, _ in kind._asc_tiling]
        return {"record": [kind.__name__, kind._asc_tiling, values]}
    if isinstance(value, type) and issubclass(value, Record):
        return {"tiling": [value.__name__, value._asc_tiling]}
    return {}
