"""malloom report: what a recorded program did with its heap; or what a plan says."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.commands.diff import CACHE
from malloom.commands.notes import tell_notes
from malloom.commands.simulate import CACHE_HELP
from malloom.errors import UsageProblem
from malloom.output_file import check_output, check_replaced, is_kind, written_whole
from malloom.quantities import format_size

if TYPE_CHECKING:
    from malloom.report.report import Report, ReportFormat

SHOWN = 20
"""Contexts that are shown to people, if they do not say how many."""

DEFAULTS = {"sort": "bytes", "top": None, "depth": 0, "cache": CACHE}
"""Of options that some formats have no use for."""
UNUSED = {"html": ("sort", "top", "depth"), "parquet": ("sort", "top")}
"""By format; others have no use for `cache`."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report", epilog="Example: malloom report run.profile --format json")(report)


def report(
    profile: Annotated[Path, typer.Argument(help="The profile to read, a plan, or a fleet.")],
    format: Annotated[
        str,
        typer.Option(
            "--format", help="text, json, html, csv, folded, speedscope, pprof, perfetto or parquet."
        ),
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="The file to write; default: PROFILE.html or .parquet of these two, else stdout.",
            metavar="FILE",
        ),
    ] = None,
    sort: Annotated[str, typer.Option("--sort", help="bytes, requests or accesses.")] = "bytes",
    top: Annotated[
        int | None,
        typer.Option(
            "--top", min=0, help=f"How many contexts to show, 0: all; default: {SHOWN} as text, else all."
        ),
    ] = None,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=32, help="Frames of a context; 0: as recorded.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    cache: Annotated[
        str,
        typer.Option(
            help=f"With html and parquet: whose misses are counted. {CACHE_HELP}", metavar="GEOMETRY"
        ),
    ] = CACHE,
    process: Annotated[
        str | None,
        typer.Option("--process", help="Process of the profile: a pid, or the end of its executable's path."),
    ] = None,
) -> None:
    """Show requests, bytes, lifetimes and accesses for each context.

    As html: one page for a browser, which opens offline: advice, call sites as a list or a tree, a flame
    graph, memory over time.

    For other tools: csv, folded stacks (by what --sort says), speedscope, and pprof, all contexts in them;
    and perfetto, memory over time. As parquet: the table that 'malloom merge' takes, for any tool that reads
    such files.

    Of a plan: what it carries, what it holds for (on check inputs, or on this input only), and what was
    measured of it. Of a fleet: its builds, and what its hosts' objects did, by context.
    """
    from malloom.commands.progress import steps_shown  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.report.context_rows import SORT_KEYS  # noqa: PLC0415
    from malloom.report.report import EXPORTS, find_format, make_report  # noqa: PLC0415

    format = "json" if as_json else format
    refuse_unused(format, {"sort": sort, "top": top, "depth": depth, "cache": cache})
    if format == "html":
        show_page(profile, output, process, cache)
        return
    if format == "parquet":
        write_host_table(profile, output, process, cache, depth)
        return
    chosen = find_format(format)
    if is_kind(profile, "plan"):
        if (sort, top, depth, process, output) != ("bytes", None, 0, None, None) or format in EXPORTS:
            raise UsageProblem(f"{profile} is a plan", remedy="leave out the options that are for profiles")
        show_plan(profile, format == "json")
        return
    if is_kind(profile, "table of a host"):
        refuse_of_table(profile, process, output)
        show_fleet(profile, format, sort, _rows_of(top, format), depth)
        return
    if sort not in SORT_KEYS:
        raise UsageProblem(f"cannot sort by '{sort}'", remedy=f"use one of {', '.join(SORT_KEYS)}")
    if format == "pprof" and output is None and sys.stdout.isatty():
        raise UsageProblem("a file for pprof is no text for a terminal", remedy="name the file with -o")
    if output is not None:
        check_output(output, profile)
    if output is not None and output.exists():
        raise UsageProblem(f"{output} exists already", remedy="choose another name")
    top = _rows_of(top, format)
    with steps_shown():
        made = make_report(profile, process=process, sort=sort, top=top, depth=depth)
        if output is not None:
            write_report(chosen, made, output)
    if format in EXPORTS:
        tell_notes([*made.gaps, *made.notes])
    if output is None:
        chosen.write(made, sys.stdout)


def refuse_of_table(table: Path, process: str | None, output: Path | None) -> None:
    """Raise where an option is given that is for profiles."""
    if (process, output) != (None, None):
        raise UsageProblem(f"{table} is a table", remedy="leave out --process and -o")


def _rows_of(top: int | None, format: str) -> int:
    """How many rows are shown; 0: all."""
    return top if top is not None else SHOWN if format == "text" else 0


def refuse_unused(format: str, given: dict[str, object]) -> None:
    """Raise where an option is given that changes nothing in this format."""
    unused = [f"--{name}" for name in UNUSED.get(format, ("cache",)) if given[name] != DEFAULTS[name]]
    if not unused:
        return
    why = "a page has all call sites, and sorts them" if format == "html" else f"{format} has no use for it"
    raise UsageProblem(f"{unused[0]} changes nothing: {why}", remedy=f"leave out {', '.join(unused)}")


def write_report(format: ReportFormat, made: Report, output: Path) -> None:
    """Write the report to a file."""
    with written_whole(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="replace")
        format.write(made, text)
        text.detach()  # flushes it; the file is closed by who opened it


def show_page(profile: Path, output: Path | None, process: str | None, cache: str) -> None:
    """Write the page, and say where it is."""
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415
    from malloom.commands.ranking_progress import shown  # noqa: PLC0415
    from malloom.layout.ranking import FIRST_ROUND  # noqa: PLC0415
    from malloom.layout.registry import strategy_names  # noqa: PLC0415
    from malloom.page.write import write_page  # noqa: PLC0415

    if is_kind(profile, "plan"):
        raise UsageProblem(f"{profile} is a plan", remedy="a page is made of a profile")
    page = output or profile.with_name(f"{profile.name}.html")
    geometry = geometry_from(cache)
    check_output(page, profile)
    check_replaced(page, "page")
    with shown(len(strategy_names()), FIRST_ROUND, with_steps=True) as progress:
        write_page(profile, process, geometry, page, progress)
    typer.echo(f"{page} ({format_size(page.stat().st_size)}); open it in a browser")


def write_host_table(profile: Path, output: Path | None, process: str | None, cache: str, depth: int) -> None:
    """Write the table, and say where it is."""
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415
    from malloom.commands.progress import steps_shown  # noqa: PLC0415
    from malloom.fleet.table_file import write_table  # noqa: PLC0415
    from malloom.fleet.tables import DEPTH, table_of  # noqa: PLC0415
    from malloom.profile import HeapProfile  # noqa: PLC0415
    from malloom.report.reasons import notes_on  # noqa: PLC0415

    if is_kind(profile, "plan") or is_kind(profile, "table of a host"):
        raise UsageProblem(f"{profile} is no profile", remedy="a table is made of what was recorded")
    table = output or profile.with_name(f"{profile.name}.parquet")
    geometry = geometry_from(cache)
    check_output(table, profile)
    check_replaced(table, "table of a host")
    with steps_shown():
        opened = HeapProfile.open(profile, process)
        made, missing = table_of(opened, geometry, depth or DEPTH)
    tell_notes([*notes_on(opened), *missing])
    with steps_shown():
        write_table(made, table)
    typer.echo(f"{table} ({format_size(table.stat().st_size)}); 'malloom merge' and DuckDB read it")


def show_plan(plan: Path, as_json: bool) -> None:
    """Print what a plan says."""
    from malloom.layout.plan_shown import plan_as_data, plan_lines  # noqa: PLC0415

    if as_json:
        print(json.dumps(plan_as_data(plan), indent=2))
    else:
        print("\n".join(plan_lines(plan)))


def show_fleet(fleet: Path, format: str, sort: str, top: int, depth: int) -> None:
    """Print what a fleet, or the table of one host, says."""
    from malloom.fleet.shown import as_object, lines, read_shown  # noqa: PLC0415
    from malloom.report.context_rows import SORT_KEYS  # noqa: PLC0415

    if format not in ("text", "json"):
        raise UsageProblem(f"{fleet} is a fleet, which has no report as {format}", remedy="use text or json")
    if sort not in SORT_KEYS:
        raise UsageProblem(f"cannot sort by '{sort}'", remedy=f"use one of {', '.join(SORT_KEYS)}")
    read = read_shown(fleet, sort, top, depth)
    print(json.dumps(as_object(fleet, read), indent=2) if format == "json" else "\n".join(lines(read)))
