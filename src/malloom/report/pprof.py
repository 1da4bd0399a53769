"""The report for pprof and all that reads its format (github.com/google/pprof, proto/profile.proto)."""

from __future__ import annotations

import gzip
import importlib
from functools import cache
from typing import IO, Any, TextIO, cast

from malloom.errors import CommandError
from malloom.report.context_rows import ContextRow
from malloom.report.report import Report
from malloom.report.symbols import Place

summary = "a file for pprof, compressed"

SAMPLES = (
    ("alloc_objects", "count", "requests"),
    ("alloc_space", "bytes", "bytes"),
    ("peak_space", "bytes", "live_peak"),
    ("accesses", "count", "accesses"),
)
"""Type and unit of each number of a sample, as tools show them, and the number of a row."""

LARGEST = (1 << 63) - 1
"""That a field holds."""

INT64, UINT64, STRING, MESSAGE = 3, 4, 9, 11
"""Types of fields, by the numbers that protocol buffers give them."""
MESSAGES: dict[str, dict[str, tuple[int, int | str]]] = {
    "ValueType": {"type": (1, INT64), "unit": (2, INT64)},
    "Sample": {"location_id": (1, -UINT64), "value": (2, -INT64)},
    "Mapping": {"id": (1, UINT64), "filename": (5, INT64), "build_id": (6, INT64)},
    "Line": {"function_id": (1, UINT64), "line": (2, INT64)},
    "Location": {"id": (1, UINT64), "mapping_id": (2, UINT64), "line": (4, "Line")},
    "Function": {"id": (1, UINT64), "name": (2, INT64), "system_name": (3, INT64), "filename": (4, INT64)},
    "Profile": {
        "sample_type": (1, "ValueType"),
        "sample": (2, "Sample"),
        "mapping": (3, "Mapping"),
        "location": (4, "Location"),
        "function": (5, "Function"),
        "string_table": (6, -STRING),
        "time_nanos": (9, INT64),
        "comment": (13, -INT64),
        "default_sample_type": (14, INT64),
    },
}
"""The fields that are written: number, and type. Negative ones, and those of messages, are repeated."""


def write(report: Report, output: IO[str]) -> None:
    """Writes the compressed message to the bytes below `output`. Raises CommandError where the library that
    encodes it is not installed."""
    profile = _filled(report)
    output.flush()
    cast(TextIO, output).buffer.write(gzip.compress(profile.SerializeToString(deterministic=True), mtime=0))


@cache
def message_type() -> Any:
    """The class of a Profile."""
    try:
        descriptors = importlib.import_module("google.protobuf.descriptor_pb2")
        factory = importlib.import_module("google.protobuf.message_factory")
        pools = importlib.import_module("google.protobuf.descriptor_pool")
    except ImportError:
        raise CommandError(
            "files for pprof need the Python package protobuf", remedy="install malloom[export]"
        ) from None
    file = descriptors.FileDescriptorProto(
        name="profile.proto", package="perftools.profiles", syntax="proto3"
    )
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            made = message.field.add(name=field, number=number, label=1)
            if isinstance(kind, str):
                made.type, made.type_name, made.label = MESSAGE, f".perftools.profiles.{kind}", 3
            else:
                made.type, made.label = abs(kind), 3 if kind < 0 else 1
    pool = pools.DescriptorPool()
    pool.Add(file)
    return factory.GetMessageClass(pool.FindMessageTypeByName("perftools.profiles.Profile"))


class _Strings:
    """The table of strings; the first one is empty."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(text.encode(errors="replace").decode(), len(self._numbers))

    def all(self) -> list[str]:
        return list(self._numbers)


def _filled(report: Report) -> Any:
    profile, strings = message_type()(), _Strings()
    samples = [each for each in SAMPLES if any(getattr(row, each[2]) for row in report.rows)]
    for kind, unit, _ in samples:
        profile.sample_type.add(type=strings.number(kind), unit=strings.number(unit))
    profile.default_sample_type = strings.number("alloc_space")
    profile.time_nanos = min(report.created, LARGEST)
    profile.comment.extend(strings.number(gap) for gap in report.gaps)
    process = report.process
    profile.mapping.add(
        id=1, filename=strings.number(process.executable), build_id=strings.number(process.build_id)
    )
    locations: dict[Place, int] = {}
    for row, chain in zip(report.rows, report.chains, strict=True):
        numbers = [locations.setdefault(place, len(locations) + 1) for place in chain]
        profile.sample.add(location_id=numbers, value=[_number(row, measure) for *_, measure in samples])
    for place, number in locations.items():
        _add_location(profile, strings, place, number)
    profile.string_table.extend(strings.all())
    return profile


def _number(row: ContextRow, measure: str) -> int:
    return min(int(getattr(row, measure) or 0), LARGEST)


def _add_location(profile: Any, strings: _Strings, place: Place, number: int) -> None:
    """A location of its own for each call, inlined or not: places have no addresses that tools could join."""
    name = strings.number(place.function or str(place))
    profile.function.add(id=number, name=name, system_name=name, filename=strings.number(place.file))
    location = profile.location.add(id=number, mapping_id=1)
    location.line.add(function_id=number, line=place.line)
