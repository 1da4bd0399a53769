"""`malloom diff`: what changed from one recording to another."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.commands.simulate import CACHE_HELP
from malloom.errors import UsageProblem
from malloom.output_file import check_output, check_replaced, is_kind
from malloom.output_width import output_width

if TYPE_CHECKING:
    from malloom.cache.geometry import Geometry
    from malloom.diff.changes import Difference
    from malloom.diff.summary import Summary

    Side = tuple[Summary, list[str]]
    """What is compared of a recording, and notes on it."""

FORMATS = ("text", "json", "html")
DEPTH = 3
"""Frames of a context: as many as a report shows of one."""
CACHE = "zen5"
"""Whose misses are counted: the same machine wherever the command runs."""
SIDE_HELP = "A profile made by 'malloom record', a fleet, or what 'malloom check --save' wrote"


def register(app: typer.Typer) -> None:
    app.command(name="diff", epilog="Example: malloom diff before.profile after.profile")(diff)


def diff(
    old: Annotated[Path, typer.Argument(help=f"{SIDE_HELP}: before.", show_default=False)],
    new: Annotated[Path, typer.Argument(help="The same: after.", show_default=False)],
    format: Annotated[
        str, typer.Option("--format", help="text, json, or html, a page for a browser.")
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page to write; default: NEW.diff.html.", metavar="FILE"),
    ] = None,
    sort: Annotated[
        str,
        typer.Option("--sort", help="By whose difference: live_peak, bytes, requests, accesses or misses."),
    ] = "live_peak",
    top: Annotated[int, typer.Option("--top", min=0, help="How many changed sites to show; 0: all.")] = 20,
    depth: Annotated[int, typer.Option("--depth", min=1, max=32, help="Frames of a call site.")] = DEPTH,
    cache: Annotated[str, typer.Option(help=CACHE_HELP, metavar="GEOMETRY")] = CACHE,
    process: Annotated[
        str | None,
        typer.Option(
            "--process", help="Process of either profile: a pid, or the end of its executable's path."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Show what grew, became hot or cold, lives longer or misses more, by call site.

    Of two plans: what serves each call site, and what they hold for.

    Call sites are found again by keys that survive a rebuild: callee, function, file, line and what is
    inlined. Misses are simulated, so they are the same on every machine.
    """
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.commands.progress import bars_shown, watched  # noqa: PLC0415
    from malloom.diff.changes import SORT_KEYS, difference  # noqa: PLC0415
    from malloom.diff.text import as_object, lines  # noqa: PLC0415

    if format not in FORMATS:
        raise UsageProblem(f"there is no format '{format}' of a difference", remedy="use text, json or html")
    if sort not in SORT_KEYS:
        raise UsageProblem(f"cannot sort by '{sort}'", remedy=f"use one of {', '.join(SORT_KEYS)}")
    if as_json and format == "html":
        raise UsageProblem("--json and --format html are two answers", remedy="leave one of them out")
    page = page_of(new, format, output)
    if is_kind(old, "plan") or is_kind(new, "plan"):
        show_plans(old, new, top, as_json or format == "json", page)
        return
    geometry = geometry_from(cache)
    with bars_shown() as bars:

        def read(name: str, side: Path) -> Side:
            with watched(bars, name):
                return one_side(side, process, geometry, depth)

        (before, old_notes), (after, new_notes) = read("before", old), read("after", new)
        with watched(bars):
            found = difference(before, after, sort)
    found.notes.extend(dict.fromkeys([*old_notes, *new_notes]))
    if page:
        write_page(found, sort, page)
        return
    if as_json or format == "json":
        print(json.dumps(as_object(found), indent=2))
        return
    for line in lines(found, top, output_width(sys.stdout)):
        print(line)


def page_of(new: Path, format: str, output: Path | None) -> Path | None:
    """The page that is asked for, if one is. Raises before anything is read where none can be written."""
    if format != "html":
        if output:
            raise UsageProblem("-o is for the page", remedy="add --format html, or redirect the output")
        return None
    page = output or new.with_name(f"{new.name}.diff.html")
    check_output(page, new)
    check_replaced(page, "page")
    return page


def write_page(found: Difference, sort: str, page: Path) -> None:
    """The difference as a page."""
    from malloom.diff.changes import WORDS  # noqa: PLC0415
    from malloom.diff.text import IN_BYTES, TITLES, as_object, matched_text  # noqa: PLC0415
    from malloom.page.difference import write_difference  # noqa: PLC0415

    measures = [
        {"name": name, "title": title, "in_bytes": name in IN_BYTES} for name, title in TITLES.items()
    ]
    words = ["new", "gone", *(word for pair in WORDS.values() for word in pair)]
    write_difference(as_object(found), measures, words, sort, matched_text(found), page)
    tell_page(page)


def tell_page(page: Path) -> None:
    """Say where it is."""
    print(f"{page}; open it in a browser")


def one_side(path: Path, process: str | None, geometry: Geometry, depth: int) -> Side:
    """What is compared of a profile, a fleet or a summary, and notes."""
    from malloom.diff.summary_file import read_side  # noqa: PLC0415

    if is_kind(path, "table of a host"):
        return fleet_side(path)
    return read_side(path, process, geometry, depth)


def fleet_side(fleet: Path) -> Side:
    """What is compared of a fleet."""
    from malloom.fleet.summary import summary_of  # noqa: PLC0415

    return summary_of(fleet), []


def show_plans(old: Path, new: Path, top: int, as_json: bool, page: Path | None) -> None:
    """Print what two plans differ in, or write it as a page."""
    from malloom.diff.plans import (  # noqa: PLC0415
        plan_difference,
        plans_as_object,
        plans_for_page,
        plans_lines,
    )

    for side, other in ((old, new), (new, old)):
        if not is_kind(side, "plan"):
            raise UsageProblem(
                f"{other} is a plan, {side} is none", remedy="compare two plans, or two profiles"
            )
    found = plan_difference(old, new)
    if page:
        from malloom.page.difference import write_plan_difference  # noqa: PLC0415

        write_plan_difference(plans_for_page(found), page)
        tell_page(page)
        return
    if as_json:
        print(json.dumps(plans_as_object(found), indent=2))
        return
    for line in plans_lines(found, top, output_width(sys.stdout)):
        print(line)
