"""Whether tables may be merged at all: of one program, one architecture, one way of counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from malloom.errors import CommandError
from malloom.fleet.inputs import Table
from malloom.fleet.origin import Origin
from malloom.printable import printable

Property = Callable[[Origin], str]

ONE = (
    ("programs", lambda origin: origin.program, "choose one with --program"),
    ("architectures", lambda origin: origin.architecture, "merge those of each alone"),
    ("page sizes", lambda origin: _text(origin.page_size, "bytes"), "merge those of each alone"),
    ("depths of contexts", lambda origin: _text(origin.depth, "frames"), "make them with one --depth"),
    ("simulated machines", lambda origin: origin.geometry, "make them with one --cache"),
)
"""What all tables have alike, where they say it, and what to do where they do not."""


def _text(number: int, unit: str) -> str:
    return f"{number} {unit}" if number else ""


def chosen(tables: Sequence[Table], program: str | None, builds: Sequence[str]) -> list[Table]:
    """The tables of the program, by its name or the end of its path, and of builds by how their build-ids
    begin. Raises CommandError where none is left, and where one is a fleet."""
    for table in tables:
        if table.origin.is_fleet:
            raise CommandError(
                f"{table.name} is a fleet already", remedy="merge the tables that it was made of"
            )
    left = [table for table in tables if program is None or _is_of(table.origin, program)]
    if not left:
        known = ", ".join(sorted({printable(table.origin.program) for table in tables})[:8])
        raise CommandError(f"no table is of the program '{program}'", remedy=f"they are of {known}")
    wanted = [table for table in left if not builds or table.origin.build_id.startswith(tuple(builds))]
    if not wanted:
        known = ", ".join(sorted({table.origin.build_id or "?" for table in left})[:8])
        raise CommandError("no table is of these builds", remedy=f"they are of {known}")
    return wanted


def _is_of(origin: Origin, program: str) -> bool:
    return origin.program == program or origin.executable.endswith("/" + program.lstrip("/"))


def check_alike(tables: Sequence[Table]) -> None:
    """Raises CommandError where the tables differ in what they must have alike."""
    for what, property_, remedy in ONE:
        names: dict[str, str] = {}
        counts: Counter[str] = Counter()
        for table in tables:
            if value := property_(table.origin):
                counts[value] += 1
                names.setdefault(value, table.name)
        if len(counts) > 1:
            told = ", ".join(
                f"{printable(value)} ({count}, as {names[value]})" for value, count in counts.most_common(3)
            )
            raise CommandError(f"the tables are of {len(counts)} {what}: {told}", remedy=remedy)


def notes_on(tables: Sequence[Table]) -> list[str]:
    """What a reader of the fleet has to know, a line each."""
    notes = []
    modes = Counter(table.origin.accesses for table in tables)
    if len(modes) > 1:
        told = ", ".join(f"{count} have {mode}" for mode, count in modes.most_common())
        notes.append(f"the tables differ in which accesses they count: {told}; a sample weighs less")
    if cut := sum(table.origin.is_cut for table in tables):
        notes.append(f"of {cut} of {len(tables)} tables a part of the run is missing")
    if keyless := sum(not table.origin.keyed for table in tables):
        notes.append(
            f"{keyless} of {len(tables)} tables have no debug information: their call sites are found in the "
            "same build only"
        )
    return notes
