"""Values of dataclasses from JSON of anybody, by the types that their fields are declared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

MOST = 2**63 - 1
"""Of whole numbers, of which none is negative."""

T = TypeVar("T")


def from_json(kind: type[T], document: Any) -> T:
    """A value of the dataclass from a JSON object, which has its fields and no others.

    Raises TypeError or ValueError where a value is not of the declared type: bool, int, float, str, a tuple
    of one of them, a mapping from texts, or a dataclass. A text may be the name of a file, whose bytes need
    not be UTF-8.
    """
    if not isinstance(document, dict):
        raise TypeError
    hints = get_type_hints(kind)
    known = {field.name: hints[field.name] for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: _value(known[name], value) for name, value in document.items()})


def _value(kind: Any, value: Any) -> Any:
    if is_dataclass(kind):
        return from_json(kind, value)  # type: ignore[arg-type]
    outer, inner = get_origin(kind), get_args(kind)
    if outer is tuple:
        return tuple(_value(inner[0], each) for each in _of(list, value))
    if outer is Mapping:
        return {_value(str, name): _value(inner[1], each) for name, each in _of(dict, value).items()}
    if kind is float:
        return float(_value(int, value)) if type(value) is int else _of(float, value)
    if kind is int and not 0 <= _of(int, value) <= MOST:
        raise ValueError
    if kind is str:
        _of(str, value).encode(errors="surrogateescape")
    return _of(kind, value)


def _of(kind: Any, value: Any) -> Any:
    """The value, whose type is exactly that: True is no number here."""
    if type(value) is not kind:
        raise TypeError
    return value
