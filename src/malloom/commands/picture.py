"""malloom picture: the heap's pages and lines as a page for a browser, before and after a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.commands.diff import CACHE
from malloom.commands.progress import steps_shown
from malloom.errors import UsageProblem
from malloom.layout.layout import Layout
from malloom.output_file import check_output, check_replaced, is_kind
from malloom.quantities import format_size

if TYPE_CHECKING:
    from malloom.profile import HeapProfile


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("picture", epilog="Example: malloom picture run.profile --plan run.plan")(picture)


def picture(
    profile: Annotated[Path, typer.Argument(help="The profile to draw.")],
    plan: Annotated[
        Path | None,
        typer.Option("--plan", help="Also draw the heap as this plan places it.", metavar="PLAN"),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option("--strategy", help="The same as this strategy places it.", metavar="NAME"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Default: PROFILE.picture.html.", metavar="FILE"),
    ] = None,
    process: Annotated[
        str | None,
        typer.Option("--process", help="Process of the profile: a pid, or the end of its executable's path."),
    ] = None,
) -> None:
    """Draw the heap: a row for each page, a cell for each cache line; as recorded, and as a plan has it.

    One page for a browser, which opens offline. Lines are coloured by heat, by call site, or by the time of
    their first use; a walk marks the lines that the program touches, step by step.
    """
    if plan is not None and strategy is not None:
        raise UsageProblem("--plan and --strategy both say where objects lie", remedy="leave one of them out")
    if is_kind(profile, "plan"):
        raise UsageProblem(f"{profile} is a plan", remedy="name a profile, and the plan with --plan")
    page = output or profile.with_name(f"{profile.name}.picture.html")
    check_output(page, profile)
    check_replaced(page, "page")
    with steps_shown():
        write(profile, process, plan, strategy, page)
    typer.echo(f"{page} ({format_size(page.stat().st_size)}); open it in a browser")


def write(profile: Path, process: str | None, plan: Path | None, strategy: str | None, page: Path) -> None:
    """Read what is to be drawn, and write the page."""
    from malloom.page.picture import write_picture  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.profile import HeapProfile  # noqa: PLC0415
    from malloom.report.reasons import check_not_empty  # noqa: PLC0415

    opened = HeapProfile.open(profile, process)
    check_not_empty(opened)
    layout = placed_by_plan(opened, plan) if plan is not None else None
    if strategy is not None:
        layout = placed_by_strategy(opened, strategy)
    write_picture(profile, opened, layout, str(plan or ""), page)


def placed_by_plan(profile: HeapProfile, plan: Path) -> Layout:
    """Where the plan has the profile's requests."""
    from malloom.layout.plan_places import plan_places  # noqa: PLC0415

    return plan_places(profile, plan)


def placed_by_strategy(profile: HeapProfile, name: str) -> Layout:
    """Where the strategy would have them."""
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415
    from malloom.layout.ranking import place  # noqa: PLC0415
    from malloom.layout.registry import strategy  # noqa: PLC0415

    layout = place(strategy(name), profile, geometry_from(CACHE))
    if not layout.planned:
        raise UsageProblem(f"{name} places nothing here", remedy="choose another strategy, or leave it out")
    return layout
