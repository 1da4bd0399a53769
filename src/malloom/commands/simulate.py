"""`malloom simulate`: every strategy's misses and footprint, the best first."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from malloom.cache.cost import translation_cycles
from malloom.cache.geometry import NAMED, Geometry, geometry_from
from malloom.cache.simulate import Sample, sample_among
from malloom.cluster.files import as_named, local_file
from malloom.cluster.ranking import RemoteRanking, check_simulatable
from malloom.cluster.tasks import tasks_at
from malloom.commands import predicted_sites
from malloom.commands.notes import tell_notes
from malloom.commands.predicted_sites import SITES_HELP, ratio_text
from malloom.commands.ranking_progress import shown, tasks_shown
from malloom.errors import UsageProblem
from malloom.layout.ranking import RECORDED, Ranked, in_order, rank, worth_simulating
from malloom.layout.registry import strategy, strategy_names
from malloom.output_width import output_width
from malloom.predictions.sites import SitePrediction, by_site
from malloom.predictions.time import RunTime, notes_on_time, predicted, run_time_of
from malloom.profile import HeapProfile
from malloom.report.reasons import notes_on

CACHE_HELP = (
    f"A cache geometry: {', '.join(NAMED)}, or spelled out as L1:48K:12:64,L2:2M:16:64,TLB:64:4:4096."
)
SCHEDULER_HELP = (
    "Simulate each strategy as a task of Dask's, by the scheduler at this address, or with 'local' by "
    "workers on this machine. What comes out is the same."
)
BESIDE_EACH_OTHER = 3
"""Strategies that a line about a call site has room for."""
RUN_TIME_HELP = (
    "CPU time of the process in a run by itself, on this machine. With it the share of that time is told, "
    "else only that of the waiting."
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
    run_time: Annotated[
        float | None, typer.Option(help=RUN_TIME_HELP, metavar="SECONDS", show_default=False)
    ] = None,
    sites: Annotated[int, typer.Option(help=SITES_HELP, min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Rank the strategies by simulated misses and by footprint.

    The ranking is by estimated cycles spent waiting; where those are within 1 %, the smaller footprint wins.
    Requests without a place are simulated where they were recorded. Ratios, below 1 where less is waited, are
    to the layout as recorded.
    """
    if auto and only:
        raise UsageProblem("--auto chooses the strategies itself", remedy="leave out --auto or --strategy")
    if sites and scheduler:
        raise UsageProblem("--sites reads the profile here", remedy="leave out --sites or --scheduler")
    geometry = geometry_from(cache)
    names = [strategy(name).name for name in dict.fromkeys(only or strategy_names())]
    asked = Asked(profile, process, geometry, names, auto, accesses, run_time, sites)
    simulated = _ranked_here(asked) if scheduler is None else _ranked_at(scheduler, asked)
    typer.echo(
        json.dumps(as_object(simulated, geometry), indent=2)
        if as_json
        else "\n".join(as_lines(simulated, output_width(sys.stdout)))
    )


@dataclass(frozen=True)
class Asked:
    """What is to be ranked: the strategies of the names, or with `auto` those of them that are worth it, by
    about so many accesses of the process, with so many call sites."""

    profile: str
    process: str | None
    geometry: Geometry
    names: list[str]
    auto: bool
    accesses: int | None
    run_time: float | None
    sites: int


@dataclass(frozen=True)
class Simulated:
    """The strategies that were asked for, the best first, and the layout as recorded, by one sample."""

    ranked: list[Ranked]
    recorded: Ranked
    sample: Sample
    run_time: RunTime | None
    sites: list[SitePrediction]


def _ranked_here(asked: Asked) -> Simulated:
    opened = HeapProfile.open(local_file(asked.profile), asked.process)
    check_simulatable(opened, asked.profile)
    _tell([*notes_on(opened), *asked.geometry.notes])
    chosen = [strategy(name) for name in asked.names]
    if asked.auto:
        chosen = worth_simulating(chosen, opened)
    run_time = run_time_of(asked.run_time, asked.geometry, opened.has_all_accesses)
    sample = sample_among(opened.access_entries, asked.accesses)
    _tell(notes_on_time(asked.run_time, run_time, sample))
    names = [each.name for each in chosen]
    beside = [strategy(RECORDED)] if RECORDED not in names else []
    with shown(len(chosen), asked.accesses or opened.access_entries) as progress:
        found = rank(
            opened,
            [*chosen, *beside],
            asked.geometry,
            sample=sample,
            progress=progress,
            by_context=asked.sites > 0,
        )
    ranked, recorded = _parted(found, names)
    sites, missing = by_site(opened, ranked, recorded) if asked.sites else ([], [])
    _tell(missing)
    return Simulated(ranked, recorded, sample, run_time, sites[: asked.sites])


def _parted(found: list[Ranked], names: list[str]) -> tuple[list[Ranked], Ranked]:
    """Those of the names, ordered among themselves, as what is beside might part those that are tied; and the
    layout as recorded, which may be one of them."""
    recorded = next(each for each in found if each.strategy == RECORDED)
    return in_order([each for each in found if each.strategy in names]), recorded


def _ranked_at(scheduler: str, asked: Asked) -> Simulated:
    with tasks_at(scheduler) as tasks:
        ranking = RemoteRanking(tasks, as_named(asked.profile), asked.process, asked.geometry)
        facts = ranking.facts(asked.names)
        _tell([*facts.notes, *asked.geometry.notes])
        run_time = run_time_of(asked.run_time, asked.geometry, facts.has_all_accesses)
        names = [*(facts.worth if asked.auto else asked.names)]
        sample = sample_among(facts.access_entries, asked.accesses)
        _tell(notes_on_time(asked.run_time, run_time, sample))
        every = dict.fromkeys([*names, RECORDED])
        with tasks_shown("simulating", len(every)) as told:
            return Simulated(*_parted(ranking.rank([*every], sample, told), names), sample, run_time, [])


def _tell(notes: Iterable[str]) -> None:
    tell_notes(notes)


def as_object(simulated: Simulated, geometry: Geometry) -> dict[str, Any]:
    """The ranking for machines. Ratios of waiting and of CPU time are to the layout as recorded, and
    `waiting_share` is of the run with that layout, where its time is known."""
    recorded, run_time = simulated.recorded, simulated.run_time
    return {
        "geometry": geometry.name,
        "waiting_share": run_time.waiting_share(recorded, simulated.sample) if run_time else None,
        "recorded": _row(recorded, simulated, geometry),
        "rows": [_row(each, simulated, geometry) for each in simulated.ranked],
        "sites": predicted_sites.as_data(simulated.sites),
    }


def _row(each: Ranked, simulated: Simulated, geometry: Geometry) -> dict[str, Any]:
    levels = (*each.counts.caches, *each.counts.tlbs)
    found = predicted(each, simulated.recorded, simulated.sample, simulated.run_time)
    return {
        "strategy": each.strategy,
        "cycles": round(each.cycles),
        "translation_cycles": round(translation_cycles(each.counts, geometry)),
        "waiting": found.waiting,
        "time": found.time,
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


def as_lines(simulated: Simulated, width: int) -> Iterator[str]:
    """The ranking for people, a strategy a line; what is too wide has its columns in parts. Then the sites,
    with the best strategies."""
    first = simulated.ranked[0].counts
    names = [f"{level.name} misses" for level in (*first.caches, *first.tlbs)]
    time = ["time"] if simulated.run_time else []
    rows = [["strategy", "cycles", *time, "waiting", *names, "lines", "pages", "arena MiB"]]
    rows += [_cells(each, simulated) for each in simulated.ranked]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    parts = [[_aligned(row, widths, part) for row in rows] for part in _columns_that_fit(widths, width)]
    yield "\n\n".join("\n".join(lines) for lines in parts)
    if simulated.sites:
        best = [each.strategy for each in simulated.ranked[:BESIDE_EACH_OTHER]]
        yield ""
        yield from predicted_sites.as_lines(simulated.sites, best, width)


def _cells(each: Ranked, simulated: Simulated) -> list[str]:
    found = predicted(each, simulated.recorded, simulated.sample, simulated.run_time)
    ratios = [found.time, found.waiting] if simulated.run_time else [found.waiting]
    misses = [str(level.misses) for level in (*each.counts.caches, *each.counts.tlbs)]
    footprint = [str(each.counts.lines), str(each.counts.pages), f"{each.arena_bytes / 2**20:.1f}"]
    return [each.strategy, f"{each.cycles:.4g}", *map(ratio_text, ratios), *misses, *footprint]


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
