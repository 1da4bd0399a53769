"""malloom report: what a recorded program did with its heap; or what a plan says."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from malloom.commands.diff import CACHE
from malloom.commands.simulate import CACHE_HELP
from malloom.errors import UsageProblem
from malloom.output_file import check_output, check_replaced, is_kind
from malloom.quantities import format_size


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("report", epilog="Example: malloom report run.profile --format json")(report)


def report(
    profile: Annotated[Path, typer.Argument(help="The profile to read, or a plan.")],
    format: Annotated[str, typer.Option("--format", help="text, json or html.")] = "text",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="With html: the page to write; default: PROFILE.html.", metavar="FILE"
        ),
    ] = None,
    sort: Annotated[str, typer.Option("--sort", help="bytes, requests or accesses.")] = "bytes",
    top: Annotated[int, typer.Option("--top", min=0, help="How many contexts to show; 0: all.")] = 20,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=32, help="Frames of a context; 0: as recorded.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    cache: Annotated[
        str, typer.Option(help=f"With html: whose misses are counted. {CACHE_HELP}", metavar="GEOMETRY")
    ] = CACHE,
    process: Annotated[
        str | None,
        typer.Option("--process", help="Process of the profile: a pid, or the end of its executable's path."),
    ] = None,
) -> None:
    """Show requests, bytes, lifetimes and accesses for each context.

    As html: one page for a browser, which opens offline: advice, call sites as a list or a tree, a flame
    graph, memory over time.

    Of a plan: what it carries, what it holds for (on check inputs, or on this input only), and what was
    measured of it.
    """
    from malloom.report.context_rows import SORT_KEYS  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.report.report import find_format, make_report  # noqa: PLC0415

    if format == "html" and not as_json:
        show_page(profile, output, process, cache)
        return
    if output is not None:
        raise UsageProblem("-o is for --format html", remedy="redirect the output of the others")
    chosen = find_format("json" if as_json else format)
    if is_kind(profile, "plan"):
        if (sort, top, depth, process) != ("bytes", 20, 0, None):
            raise UsageProblem(f"{profile} is a plan", remedy="leave out the options that are for profiles")
        show_plan(profile, as_json or format == "json")
        return
    if sort not in SORT_KEYS:
        raise UsageProblem(f"cannot sort by '{sort}'", remedy=f"use one of {', '.join(SORT_KEYS)}")
    made = make_report(profile, process=process, sort=sort, top=top, depth=depth)
    chosen.write(made, sys.stdout)


def show_page(profile: Path, output: Path | None, process: str | None, cache: str) -> None:
    """Write the page, and say where it is."""
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415
    from malloom.page.write import write_page  # noqa: PLC0415

    if is_kind(profile, "plan"):
        raise UsageProblem(f"{profile} is a plan", remedy="a page is made of a profile")
    page = output or profile.with_name(f"{profile.name}.html")
    geometry = geometry_from(cache)
    check_output(page, profile)
    check_replaced(page, "page")
    write_page(profile, process, geometry, page)
    typer.echo(f"{page} ({format_size(page.stat().st_size)}); open it in a browser")


def show_plan(plan: Path, as_json: bool) -> None:
    """Print what a plan says."""
    from malloom.layout.plan_shown import plan_as_data, plan_lines  # noqa: PLC0415

    if as_json:
        print(json.dumps(plan_as_data(plan), indent=2))
    else:
        print("\n".join(plan_lines(plan)))
