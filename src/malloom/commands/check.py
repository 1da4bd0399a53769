"""`malloom check`: whether a recording keeps to limits against a baseline, for continuous integration."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from malloom.commands.diff import CACHE, DEPTH, SIDE_HELP
from malloom.commands.simulate import CACHE_HELP
from malloom.errors import UsageProblem
from malloom.printable import printable
from malloom.quantities import counted

if TYPE_CHECKING:
    from malloom.diff.changes import Difference
    from malloom.diff.limits import Judged

BROKEN = 3
"""Exit status where a limit is broken; 1 is a failure, 2 bad use."""
LEAST = 0.01
"""Part of the process's number that a site must have to be judged, where the user does not say."""


def register(app: typer.Typer) -> None:
    app.command(
        name="check", epilog="Example: malloom check new.profile --baseline baseline.json --max-peak 1.05"
    )(check)


def check(
    profile: Annotated[Path, typer.Argument(help=f"{SIDE_HELP}.", show_default=False)],
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="The same: what it is held against.", metavar="FILE")
    ] = None,
    max_peak: Annotated[
        float | None,
        typer.Option("--max-peak", help="Most bytes that live at once, as a ratio.", metavar="RATIO"),
    ] = None,
    max_misses: Annotated[
        float | None,
        typer.Option("--max-misses", help="Simulated misses of the last level.", metavar="RATIO"),
    ] = None,
    max_requests: Annotated[
        float | None, typer.Option("--max-requests", help="Requests for memory.", metavar="RATIO")
    ] = None,
    max_bytes: Annotated[
        float | None,
        typer.Option("--max-bytes", help="Bytes asked for, over the whole run.", metavar="RATIO"),
    ] = None,
    site: Annotated[
        list[str] | None,
        typer.Option(
            "--site",
            help="Hold the limits against each such call site (a function, a file or FILE:LINE, with "
            "* and ?), not against the process; may be repeated.",
            metavar="GLOB",
        ),
    ] = None,
    least: Annotated[
        float,
        typer.Option(
            "--site-share",
            min=0,
            max=1,
            help="Leave out sites with less of what the process has.",
            metavar="SHARE",
        ),
    ] = LEAST,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save", help="Write what the profile is held by there, as a later baseline.", metavar="FILE"
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="Write a JUnit report there.", metavar="FILE")
    ] = None,
    depth: Annotated[int, typer.Option("--depth", min=1, max=32, help="Frames of a call site.")] = DEPTH,
    cache: Annotated[str, typer.Option(help=CACHE_HELP, metavar="GEOMETRY")] = CACHE,
    process: Annotated[
        str | None,
        typer.Option(
            "--process", help="Process of either profile: a pid, or the end of its executable's path."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Say whether a recording keeps to limits against a baseline, by counts that are the same each time.

    Exit status: 0 where all limits hold, 3 where one is broken (a line for each), 1 where it cannot be
    judged, 2 for bad use.
    """
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.diff.summary_file import read_side, write_summary  # noqa: PLC0415
    from malloom.output_file import check_output, check_replaced  # noqa: PLC0415

    limits = limits_from(
        {"peak": max_peak, "misses": max_misses, "requests": max_requests, "bytes": max_bytes}
    )
    check_use(baseline, limits, save, site, junit)
    if save is not None:
        check_output(save, profile)
        check_replaced(save, "summary")
    if junit is not None:
        check_output(junit, profile)
    geometry = geometry_from(cache)
    summary, notes = read_side(profile, process, geometry, depth)
    if save is not None:
        write_summary(summary, save)
    if baseline is None:
        for note in notes:
            typer.echo(f"note: {printable(note)}", err=True)
        return
    from malloom.diff.changes import difference  # noqa: PLC0415

    before, old_notes = read_side(baseline, process, geometry, depth)
    found = difference(before, summary, "live_peak")
    found.notes.extend(dict.fromkeys([*old_notes, *notes]))
    raise typer.Exit(conclude(found, limits, site or [], least, junit, as_json))


def limits_from(given: dict[str, float | None]) -> dict[str, float]:
    """Those that were given. Raises UsageProblem for one that is no ratio."""
    limits = {name: most for name, most in given.items() if most is not None}
    for name, most in limits.items():
        if not math.isfinite(most) or most <= 0:
            raise UsageProblem(f"--max-{name} must be a ratio above 0", remedy="1.05 allows 5 % more")
    return limits


def check_use(
    baseline: Path | None,
    limits: dict[str, float],
    save: Path | None,
    site: list[str] | None,
    junit: Path | None,
) -> None:
    """Raises UsageProblem where the options make no sense together."""
    if baseline is None and (limits or site or junit):
        raise UsageProblem("there is nothing to hold the limits against", remedy="name it with --baseline")
    if baseline is None and save is None:
        raise UsageProblem("there is nothing to do", remedy="give --baseline and limits, or --save")
    if baseline is not None and not limits:
        raise UsageProblem("there is no limit", remedy="give one, as --max-peak 1.05")


def conclude(
    found: Difference,
    limits: dict[str, float],
    sites: list[str],
    least: float,
    junit: Path | None,
    as_json: bool,
) -> int:
    """Prints what holds and what does not; the exit status."""
    from malloom.diff.junit import write_junit  # noqa: PLC0415
    from malloom.diff.limits import check_comparable, judged  # noqa: PLC0415
    from malloom.diff.text import matched_text  # noqa: PLC0415

    check_comparable(found, limits)
    all_judged = list(judged(found, limits, sites, least))
    broken = [each for each in all_judged if each.is_broken]
    if junit is not None:
        write_junit(all_judged, found.new.name, junit)
    if as_json:
        print(json.dumps(as_object(found, all_judged), indent=2))
        return BROKEN if broken else 0
    for note in found.notes:
        print(f"note: {printable(note)}", file=sys.stderr)
    for each in broken:
        print(printable(each.line))
    limits_text = counted(len(all_judged), "limit")
    print(f"{len(broken)} of {limits_text} broken" if broken else f"{limits_text} kept")
    print(matched_text(found))
    return BROKEN if broken else 0


def as_object(found: Difference, all_judged: list[Judged]) -> dict[str, Any]:
    """The outcome for machines."""
    return {
        "broken": sum(each.is_broken for each in all_judged),
        "limits": [
            {
                "limit": each.limit,
                "most": each.most,
                "old": each.old,
                "new": each.new,
                "broken": each.is_broken,
                "site": each.site.name if each.site else None,
                "line": each.line,
            }
            for each in all_judged
        ],
        "matched": found.matched,
        "geometry": found.new.geometry or found.old.geometry,
        "notes": found.notes,
    }
