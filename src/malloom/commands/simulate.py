"""`malloom simulate`: every strategy's misses and footprint, the best first."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from malloom.cache.geometry import NAMED, Geometry, geometry_from
from malloom.cache.simulate import sample_among
from malloom.cluster.files import as_named, local_file
from malloom.cluster.ranking import RemoteRanking, check_simulatable
from malloom.cluster.tasks import tasks_at
from malloom.commands.ranking_progress import shown, tasks_shown
from malloom.errors import UsageProblem
from malloom.layout.ranking import Ranked, rank, worth_simulating
from malloom.layout.registry import strategy, strategy_names
from malloom.output_width import output_width
from malloom.profile import HeapProfile
from malloom.report.reasons import notes_on

CACHE_HELP = (
    f"A cache geometry: {', '.join(NAMED)}, or spelled out as L1:48K:12:64,L2:2M:16:64,TLB:64:4:4096."
)
SCHEDULER_HELP = (
    "Simulate each strategy as a task of Dask's, by the scheduler at this address, or with 'local' by "
    "workers on this machine. What comes out is the same."
)
PROFILE_HELP = "The profile, made by 'malloom record'; or one in a store, as s3://bucket/run.profile."


def register(app: typer.Typer) -> None:
    app.command(name="simulate", epilog="Example: malloom simulate run.profile --cache p4")(simulate)


def simulate(
    profile: Annotated[str, typer.Argument(help=PROFILE_HELP, show_default=False)],
    cache: Annotated[str, typer.Option(help=CACHE_HELP, metavar="GEOMETRY")] = "host",
    only: Annotated[
        list[str] | None,
        typer.Option("--strategy", help="Only this strategy; can be given again.", metavar="NAME"),
    ] = None,
    auto: Annotated[
        bool,
        typer.Option(
            "--auto", help="Only the strategies among which 'malloom plan --strategy auto' chooses."
        ),
    ] = False,
    process: Annotated[
        str | None, typer.Option(help="Process of the profile: a pid, or the end of its executable's path.")
    ] = None,
    accesses: Annotated[
        int | None, typer.Option(help="Simulate about so many accesses, in windows; all if left out.", min=1)
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help=SCHEDULER_HELP, metavar="ADDRESS", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rank the strategies by simulated misses and by footprint.

    The ranking is by estimated cycles spent waiting; where those are within 1 %, the smaller footprint wins.
    Requests without a place are simulated where they were recorded.
    """
    if auto and only:
        raise UsageProblem("--auto chooses the strategies itself", remedy="leave out --auto or --strategy")
    geometry = geometry_from(cache)
    names = [strategy(name).name for name in only or strategy_names()]
    asked = Asked(profile, process, geometry, names, auto, accesses)
    ranked = _ranked_here(asked) if scheduler is None else _ranked_at(scheduler, asked)
    typer.echo(
        json.dumps(as_object(ranked, geometry), indent=2)
        if as_json
        else as_table(ranked, output_width(sys.stdout))
    )


@dataclass(frozen=True)
class Asked:
    """What is to be ranked: the strategies of the names, or with `auto` those of them that are worth it, by
    about so many accesses of the process."""

    profile: str
    process: str | None
    geometry: Geometry
    names: list[str]
    auto: bool
    accesses: int | None


def _ranked_here(asked: Asked) -> list[Ranked]:
    opened = HeapProfile.open(local_file(asked.profile), asked.process)
    check_simulatable(opened, asked.profile)
    _tell([*notes_on(opened), *asked.geometry.notes])
    chosen = [strategy(name) for name in asked.names]
    if asked.auto:
        chosen = worth_simulating(chosen, opened)
    sample = sample_among(opened.access_entries, asked.accesses)
    with shown(len(chosen), asked.accesses or opened.access_entries) as progress:
        return rank(opened, chosen, asked.geometry, sample=sample, progress=progress)


def _ranked_at(scheduler: str, asked: Asked) -> list[Ranked]:
    with tasks_at(scheduler) as tasks:
        ranking = RemoteRanking(tasks, as_named(asked.profile), asked.process, asked.geometry)
        facts = ranking.facts(asked.names)
        _tell([*facts.notes, *asked.geometry.notes])
        names = facts.worth if asked.auto else asked.names
        with tasks_shown("simulating", len(names)) as told:
            return ranking.rank(names, sample_among(facts.access_entries, asked.accesses), told)


def _tell(notes: Iterable[str]) -> None:
    for note in notes:
        typer.echo(f"note: {note}", err=True)


def as_object(ranked: list[Ranked], geometry: Geometry) -> dict[str, Any]:
    """The ranking for machines."""
    return {"geometry": geometry.name, "rows": [_row(each) for each in ranked]}


def _row(each: Ranked) -> dict[str, Any]:
    levels = (*each.counts.caches, *each.counts.tlbs)
    return {
        "strategy": each.strategy,
        "cycles": round(each.cycles),
        "levels": [
            {
                "name": level.name,
                "references": level.references,
                "misses": level.misses,
                "hidden_misses": level.hidden,
            }
            for level in levels
        ],
        "lines": each.counts.lines,
        "pages": each.counts.pages,
        "arena_bytes": each.arena_bytes,
        "planned_requests": each.planned,
    }


def as_table(ranked: list[Ranked], width: int) -> str:
    """The ranking for people, a strategy a line; what is too wide has its columns in parts."""
    first = ranked[0].counts
    names = [f"{level.name} misses" for level in (*first.caches, *first.tlbs)]
    rows = [["strategy", "cycles", *names, "lines", "pages", "arena MiB"]]
    for each in ranked:
        misses = [str(level.misses) for level in (*each.counts.caches, *each.counts.tlbs)]
        footprint = [str(each.counts.lines), str(each.counts.pages), f"{each.arena_bytes / 2**20:.1f}"]
        rows.append([each.strategy, f"{each.cycles:.4g}", *misses, *footprint])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    parts = [[_aligned(row, widths, part) for row in rows] for part in _columns_that_fit(widths, width)]
    return "\n\n".join("\n".join(lines) for lines in parts)


def _columns_that_fit(widths: list[int], width: int) -> list[list[int]]:
    """The columns of numbers in as few parts as fit beside the first column, each with at least one."""
    parts: list[list[int]] = []
    used = width
    for column, needed in enumerate(widths[1:], start=1):
        if used + 2 + needed > width or not parts:
            parts.append([])
            used = widths[0]
        parts[-1].append(column)
        used += 2 + needed
    return parts


def _aligned(row: list[str], widths: list[int], columns: list[int]) -> str:
    cells = [f"{row[column]:>{widths[column]}}" for column in columns]
    return "  ".join([f"{row[0]:{widths[0]}}", *cells]).rstrip()
