"""The profile's and the plan's structs and enumerations, parsed from formats/*.def.

C++ includes the same files as X-macros, so the two cannot disagree. Importing this module does not import
NumPy; `dtype` does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from malloom.errors import CommandError

if TYPE_CHECKING:
    import numpy as np

_NUMPY_TYPES = {"u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i32": "<i4", "c32": "S32"}
_MACRO = re.compile(
    r"""^(VERSION|LIMIT|ENUM_BEGIN|VALUE|ENUM_END|STRUCT_BEGIN|FIELD|STRUCT_END)\((.*)\)\s*$""", re.MULTILINE
)
_ARGUMENT = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|([^,"]+))\s*(?:,|$)""")


@dataclass(frozen=True)
class Field:
    """One field of a struct on disk."""

    name: str
    type: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Struct:
    """One struct on disk: little-endian, without padding."""

    name: str
    size: int
    fields: tuple[Field, ...]

    def dtype(self) -> np.dtype[Any]:
        """The NumPy structured type of the struct."""
        import numpy as np  # noqa: PLC0415  (see the module)

        dtype = np.dtype([(field.name, _NUMPY_TYPES[field.type]) for field in self.fields])
        if dtype.itemsize != self.size:
            raise CommandError(
                f"struct {self.name} has {dtype.itemsize} bytes where its definition says {self.size}"
            )
        return dtype


@dataclass(frozen=True)
class Format:
    """All that one .def file defines."""

    versions: Mapping[int, str]
    limits: Mapping[str, int]
    structs: Mapping[str, Struct]
    enums: Mapping[str, Mapping[str, int]]

    @property
    def newest_version(self) -> int:
        return max(self.versions)


def _arguments(text: str) -> list[str]:
    return [quoted or plain.strip() for quoted, plain in _ARGUMENT.findall(text)]


def _definition_file(name: str) -> Path:
    """The installed definition, or in a source tree the one in formats/."""
    installed = Path(__file__).parent / "format_definitions" / f"{name}.def"
    source = Path(__file__).parents[2] / "formats" / f"{name}.def"
    for path in (installed, source):
        if path.is_file():
            return path
    raise CommandError(f"this installation of malloom lacks {name}.def", remedy="run 'make build'")


def parse(text: str) -> Format:
    """Parses the text of a .def file (see the head of formats/profile.def for its grammar)."""
    versions: dict[int, str] = {}
    limits: dict[str, int] = {}
    enums: dict[str, dict[str, int]] = {}
    structs: dict[str, Struct] = {}
    open_struct: tuple[str, int] = ("", 0)
    fields: list[Field] = []
    for macro, body in _MACRO.findall(text):
        arguments = _arguments(body)
        if macro == "VERSION":
            versions[int(arguments[0])] = arguments[1]
        elif macro == "LIMIT":
            limits[arguments[1]] = int(arguments[2])
        elif macro == "ENUM_BEGIN":
            enums[arguments[0]] = {}
        elif macro == "VALUE":
            enums[arguments[0]][arguments[1]] = int(arguments[2], 0)
        elif macro == "STRUCT_BEGIN":
            open_struct, fields = (arguments[0], int(arguments[1])), []
        elif macro == "FIELD":
            fields.append(Field(arguments[1], arguments[0], arguments[2], arguments[3]))
        elif macro == "STRUCT_END":
            structs[arguments[0]] = Struct(*open_struct, tuple(fields))
    return Format(versions, limits, structs, enums)


@cache
def load(name: str) -> Format:
    """The format `profile` or `plan`."""
    return parse(_definition_file(name).read_text(encoding="utf-8"))


@cache
def dtype(format_name: str, struct_name: str) -> np.dtype[Any]:
    """The NumPy type of a struct, for example dtype("plan", "PlanSlot")."""
    return load(format_name).structs[struct_name].dtype()


def magic(text: str) -> int:
    """A magic number from the bytes that it has on disk."""
    return int.from_bytes(text.encode("ascii"), "little")
