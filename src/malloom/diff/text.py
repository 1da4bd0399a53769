"""A difference for people, and for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import IO, Any

from malloom.diff.changes import Change, Difference
from malloom.diff.summary import MEASURES, Numbers, Summary
from malloom.output_width import output_width
from malloom.printable import printable
from malloom.quantities import counted
from malloom.report.text import bytes_text, in_columns

INDENT = "    "
TITLES = {
    "requests": "requests",
    "bytes": "bytes",
    "live_peak": "live peak",
    "lifetime": "lifetime",
    "accesses": "accesses",
    "misses": "misses",
}
IN_BYTES = ("bytes", "live_peak")


def as_object(found: Difference) -> dict[str, Any]:
    """One JSON object, all sites in it."""
    return {
        "old": _side(found.old),
        "new": _side(found.new),
        "geometry": found.new.geometry or found.old.geometry,
        "depth": found.new.depth,
        "matched": found.matched,
        "sites": [_site(change) for change in found.changes],
        "notes": found.notes,
    }


def _side(side: Summary) -> dict[str, Any]:
    return {
        "source": side.source,
        "executable": side.executable,
        "build_id": side.build_id,
        "arguments": list(side.arguments),
        "totals": asdict(side.totals),
    }


def _site(change: Change) -> dict[str, Any]:
    return {
        "name": change.name,
        "calls": [asdict(call) for call in change.calls],
        "match": change.level or None,
        "old": asdict(change.old) if change.old else None,
        "new": asdict(change.new) if change.new else None,
        "words": list(change.words),
    }


def lines(found: Difference, top: int, width: int) -> Iterator[str]:
    """The totals, how much was matched, then the notable sites; `top` 0 shows all of these."""
    for note in found.notes:
        yield from broken(f"note: {note}", width)
    yield from broken(f"{found.old.source} -> {found.new.source}, {found.new.name}", width)
    yield from in_columns(_parts(found.old.totals, found.new.totals), width)
    yield from in_columns(matched_text(found).split(" "), width)
    notable = [change for change in found.changes if change.words]
    for change in notable[: top or None]:
        yield ""
        yield from _site_lines(change, width)
    yield ""
    if top and len(notable) > top:
        yield f"{counted(len(notable) - top, 'more site')} that changed ('--top 0' shows all)"
    same = len(found.changes) - len(notable)
    yield f"{counted(same, 'site')} did not change notably" if notable else "no site changed notably"


def matched_text(found: Difference) -> str:
    """How much of either side is of sites that both have."""
    shares = found.matched["bytes_of_old"], found.matched["bytes_of_new"]
    return shares_text(*shares, "bytes", (change.level for change in found.changes))


def shares_text(old: float | None, new: float | None, what: str, levels: Iterable[str]) -> str:
    """The parts of what either side has that are of sites found in both, and how much of the keys of these
    agrees. None: that side has nothing; an empty level: of a site that one side alone has."""
    shares = " and ".join(
        f"{share:.0%} of the {side} {what}"
        for share, side in ((old, "old"), (new, "new"))
        if share is not None
    )
    agreed = ", ".join(sorted(set(levels) - {""}))
    return f"sites found in both make {shares or 'nothing'}; their keys agree: {agreed or 'none'}"


def fitted(line: str, output: IO[str]) -> str:
    """The line as `output` is to have it: whole, but where that is a terminal in lines that fit it."""
    return "\n".join(broken(line, output_width(output))) if output.isatty() else printable(line)


def broken(line: str, width: int) -> list[str]:
    """The line in lines of so many columns, those after the first indented, without what a terminal would
    obey. A word that is longer stays whole, so that a path can be copied."""
    first, *rest = in_columns(printable(line).split(" "), width - len(INDENT)) or [""]
    return [first, *(INDENT + part for part in rest)]


def _site_lines(change: Change, width: int) -> Iterator[str]:
    yield from in_columns([f"{', '.join(change.words)}:", *printable(change.name).split(" ")], width)
    for line in in_columns(_parts(change.old, change.new), width - len(INDENT)):
        yield INDENT + line


def _parts(old: Numbers | None, new: Numbers | None) -> list[str]:
    parts = [_part(measure, old, new) for measure in MEASURES]
    known = [part for part in parts if part]
    return [*(f"{part}," for part in known[:-1]), *known[-1:]]


def _part(measure: str, old: Numbers | None, new: Numbers | None) -> str:
    was = old.measure(measure) if old else None
    now = new.measure(measure) if new else None
    if was is None and now is None:
        return ""
    if was is None or now is None:
        known = amount(measure, now if was is None else was)
        return f"{TITLES[measure]} {known}" if old is None or new is None else ""
    ratio = f" ({now / was:.2f})" if was and was != now else ""
    both = f"{amount(measure, was)} -> {amount(measure, now)}" if was != now else amount(measure, now)
    return f"{TITLES[measure]} {both}{ratio}"


def amount(measure: str, number: int | None) -> str:
    """A number of a measure as people read it."""
    if number is None:
        return "?"
    return bytes_text(number) if measure in IN_BYTES else f"{number:,}"
