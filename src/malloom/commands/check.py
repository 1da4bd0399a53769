"""`malloom check`: whether a recording keeps to limits against a baseline, for continuous integration."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from malloom.commands.diff import CACHE, DEPTH
from malloom.commands.notes import tell_notes
from malloom.commands.simulate import CACHE_HELP
from malloom.errors import CommandError, UsageProblem
from malloom.quantities import counted

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry
    from malloom.diff.changes import Difference
    from malloom.diff.limits import Judged

BROKEN = 3
"""Exit status where a limit is broken; 1 is a failure, 2 bad use."""
PROFILE_HELP = "A profile made by 'malloom record', or what 'malloom check --save' wrote."
LEAST = 0.01
"""Part of the process's number that a site must have to be judged, where the user does not say."""


def register(app: typer.Typer) -> None:
    app.command(
        name="check", epilog="Example: malloom check new.profile --baseline baseline.json --max-peak 1.05"
    )(check)


def check(
    profile: Annotated[Path, typer.Argument(help=PROFILE_HELP, show_default=False)],
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
            "--save",
            help="Write what the profile is held by there, as a later baseline, once it is judged.",
            metavar="FILE",
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

    --save may name the baseline itself, which is replaced where all limits hold, and stays where one is
    broken.
    """
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.diff.junit import errors_reported  # noqa: PLC0415
    from malloom.diff.limits import check_comparable, judged  # noqa: PLC0415

    limits = limits_from(
        {"peak": max_peak, "misses": max_misses, "requests": max_requests, "bytes": max_bytes}
    )
    check_use(baseline, limits, save, site, junit, as_json)
    check_files(profile, baseline, save, junit)
    geometry = geometry_from(cache)
    if baseline is None:
        save_alone(profile, process, geometry, depth, save)
        return
    with errors_reported(profile.name, junit):
        found = compared(baseline, profile, process, geometry, depth)
        check_comparable(found, limits)
        all_judged = judged(found, limits, site or [], least)
    raise typer.Exit(conclude(found, all_judged, baseline, save, junit, as_json))


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
    as_json: bool,
) -> None:
    """Raises UsageProblem where the options make no sense together."""
    if baseline is None and (limits or site or junit or as_json):
        raise UsageProblem("there is nothing to hold the limits against", remedy="name it with --baseline")
    if baseline is None and save is None:
        raise UsageProblem("there is nothing to do", remedy="give --baseline and limits, or --save")
    if baseline is not None and not limits:
        raise UsageProblem("there is no limit", remedy="give one, as --max-peak 1.05")


def check_files(profile: Path, baseline: Path | None, save: Path | None, junit: Path | None) -> None:
    """Raises where what is to be written cannot be, or would lose another file. That --save names the
    baseline is well."""
    from malloom.diff.junit import check_report  # noqa: PLC0415
    from malloom.output_file import check_output, check_replaced  # noqa: PLC0415

    if save is not None:
        check_output(save, profile)
        check_replaced(save, "summary")
    if junit is not None:
        check_report(junit, [profile, *([baseline] if baseline else [])])
    if save is not None and junit is not None and save.resolve() == junit.resolve():
        raise UsageProblem(f"--save and --junit both name {save}", remedy="choose another name for one")


def save_alone(profile: Path, process: str | None, geometry: Geometry, depth: int, save: Path | None) -> None:
    """A baseline from a profile that is held against nothing."""
    from malloom.commands.progress import steps_shown  # noqa: PLC0415
    from malloom.diff.summary_file import read_side, write_summary  # noqa: PLC0415

    with steps_shown():
        summary, notes = read_side(profile, process, geometry, depth)
    if summary.is_cut:
        raise CommandError(f"{summary.source}: {summary.gaps[0]}", remedy="record it again")
    if save is not None:
        write_summary(summary, save)
    tell_notes([*summary.gaps, *notes])


def compared(
    baseline: Path, profile: Path, process: str | None, geometry: Geometry, depth: int
) -> Difference:
    """What differs, with what is to be known about both sides."""
    from malloom.commands.progress import steps_shown  # noqa: PLC0415
    from malloom.diff.changes import difference  # noqa: PLC0415
    from malloom.diff.summary_file import read_side  # noqa: PLC0415

    with steps_shown():
        before, old_notes = read_side(baseline, process, geometry, depth)
        after, new_notes = read_side(profile, process, geometry, depth)
        found = difference(before, after, "live_peak")
    found.notes.extend(dict.fromkeys([*old_notes, *new_notes]))
    return found


def conclude(
    found: Difference,
    all_judged: list[Judged],
    baseline: Path,
    save: Path | None,
    junit: Path | None,
    as_json: bool,
) -> int:
    """Prints what holds and what does not, and writes what is asked for; the exit status."""
    from malloom.diff.junit import write_junit  # noqa: PLC0415
    from malloom.diff.summary_file import write_summary  # noqa: PLC0415

    is_broken = any(each.is_broken for each in all_judged)
    if junit is not None:
        write_junit(all_judged, found.new.name, junit)
    if is_broken and save is not None and save.exists() and save.samefile(baseline):
        found.notes.append(f"{baseline} stays as it was, as a limit is broken")
        save = None
    if save is not None:
        write_summary(found.new, save)
    show(found, all_judged, as_json)
    return BROKEN if is_broken else 0


def show(found: Difference, all_judged: list[Judged], as_json: bool) -> None:
    """Print the notes, each limit that is broken, and how many there are."""
    from malloom.diff.text import fitted, matched_text  # noqa: PLC0415

    if as_json:
        print(json.dumps(as_object(found, all_judged), indent=2))
        return
    tell_notes(found.notes)
    broken = [each.line for each in all_judged if each.is_broken]
    limits = counted(len(all_judged), "limit")
    counts = f"{len(broken)} of {limits} broken" if broken else f"{limits} kept"
    for line in (*broken, counts, matched_text(found)):
        print(fitted(line, sys.stdout))


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
