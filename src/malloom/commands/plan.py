"""`malloom plan`: a profile's requests placed by a strategy, written for the run time; or as bins."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from malloom.cache.geometry import Geometry, geometry_from
from malloom.cluster.files import as_named, local_file
from malloom.cluster.ranking import RemoteRanking
from malloom.cluster.tasks import tasks_at
from malloom.commands.notes import tell_notes
from malloom.commands.plan_bins import plan_bins, require_bins, require_no_places
from malloom.commands.plan_exact_bins import Language, plan_exact_bins, require_source
from malloom.commands.plan_explained import Explanation, explanation
from malloom.commands.plan_fleet import plan_of_fleet, require_profile
from malloom.commands.ranking_progress import shown, tasks_shown
from malloom.commands.simulate import CACHE_HELP, PROFILE_HELP, RUN_TIME_HELP, SCHEDULER_HELP
from malloom.errors import CommandError, UsageProblem
from malloom.layout.bin_layout import DEFAULT_BINS, MOST_BINS, TARGETS
from malloom.layout.layout import Layout
from malloom.layout.plan import Plan, make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_merge import with_learned
from malloom.layout.plan_sites import with_site_keys
from malloom.layout.ranking import (
    FIRST_ROUND,
    RECORDED,
    Chosen,
    best_layout,
    best_of,
    left_out,
    place,
    worth_simulating,
)
from malloom.layout.registry import AUTO, all_strategies, strategy, strategy_names
from malloom.output_file import check_new, check_output, check_replaced, is_kind
from malloom.output_width import output_width
from malloom.predictions.time import notes_on_time, run_time_of
from malloom.profile import HeapProfile
from malloom.quantities import counted
from malloom.report.reasons import check_not_empty, notes_on, why_no_accesses


class Purpose(StrEnum):
    """Whose the plan is."""

    run = "run"
    bins = "bins"


class Match(StrEnum):
    """How a request finds its place again."""

    context = "context"
    sequence = "sequence"


def register(app: typer.Typer) -> None:
    names = ", ".join([AUTO, *strategy_names()])
    app.command(
        name="plan",
        epilog=f"Strategies: {names}.\n\nExample: malloom plan run.profile -o run.plan --strategy auto\n\n"
        "Example: malloom plan run.profile --for bins --target thumb2 -o bins.h\n\n"
        "Example: malloom plan run.profile --for bins --target riscv32 --language c -o guest_heap.c",
    )(plan)


def plan(
    profile: Annotated[str, typer.Argument(help=PROFILE_HELP, show_default=False)],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The plan to write, or the header.", show_default=False)
    ],
    purpose: Annotated[
        Purpose,
        typer.Option(
            "--for",
            help="run: a plan for 'malloom run'. bins: a C99 header of bins, for include/malloom/bins.h.",
        ),
    ] = Purpose.run,
    name: Annotated[
        str,
        typer.Option(
            "--strategy", help="Name of a strategy, or auto: the best by simulation.", metavar="NAME"
        ),
    ] = AUTO,
    cache: Annotated[str, typer.Option(help=CACHE_HELP, metavar="GEOMETRY")] = "host",
    match: Annotated[
        Match, typer.Option(help="By context and ordinal, or by exact sequence per thread.")
    ] = Match.context,
    depth: Annotated[
        int | None, typer.Option(help="Frames of a context; chosen if left out.", min=1, max=32)
    ] = None,
    preallocate: Annotated[
        bool | None,
        typer.Option(
            "--preallocate/--no-preallocate", help="Allocate the memory at program start; chosen if left out."
        ),
    ] = None,
    pools: Annotated[
        bool,
        typer.Option(
            "--pools",
            help="Also give a pool to each context whose requests have one size; it serves requests "
            "without a place.",
        ),
    ] = False,
    learned: Annotated[
        Path | None,
        typer.Option(
            "--with",
            help="Add the pools and prefetches of a plan that 'malloom run --save-plan' has written.",
            metavar="PLAN",
            show_default=False,
        ),
    ] = None,
    process: Annotated[
        str | None, typer.Option(help="Process of the profile: a pid, or the end of its executable's path.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            help=f"With --for bins: the heap's machine ({', '.join(TARGETS)}), for which the header gets the "
            "bin function's code. Left out: this machine, without code.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(
            help=f"With --for bins: how many there are at most; default {DEFAULT_BINS}.",
            min=2,
            max=MOST_BINS,
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        Language | None,
        typer.Option(
            help="With --for bins: write a whole allocator, with a bin for each size that is frequent. c: a "
            "file that needs no C library. rust: a crate without std; the output is its folder.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Print why auto takes what it takes: what each strategy is predicted to wait and to miss, "
            "against the layout as recorded, and where.",
        ),
    ] = False,
    run_time: Annotated[
        float | None,
        typer.Option(help=f"With --explain: {RUN_TIME_HELP}", metavar="SECONDS", show_default=False),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(help=f"For --strategy auto. {SCHEDULER_HELP}", metavar="ADDRESS", show_default=False),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing plan or header.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what was planned, or the bins, as one JSON object.")
    ] = False,
) -> None:
    """Choose a place for every request of a profile and write them as a plan.

    With --for bins nothing is placed: the sizes of the requests say where the bins of a bin heap should
    begin, so that each is as busy as the others. The header has them as an array for malloom_bins_open;
    with --target also the function from a size to its bin as machine code, to lie in flash. With --language
    the output is an allocator by itself.
    """
    given = {
        "cache": cache != "host",
        "match": match is not Match.context,
        "depth": depth is not None,
        "preallocate": preallocate is not None,
        "pools": pools,
        "scheduler": scheduler is not None,
        "explain": explain,
        "run-time": run_time is not None,
        "with": learned is not None,
    }
    if purpose is Purpose.bins:
        require_no_places(strategy=name != AUTO, **given)
        require_source(language, bins=bins is not None)
        write = (
            partial(plan_bins, bins=bins) if language is None else partial(plan_exact_bins, language=language)
        )
        write(local_file(profile), output, process=process, target=target, force=force, as_json=as_json)
        return
    require_bins(target=target, bins=bins, language=language)
    geometry = geometry_from(cache)
    named = None if name == AUTO else strategy(name)
    for option in ("scheduler", "explain"):
        if named and given[option]:
            raise UsageProblem(f"--{option} is for --strategy auto", remedy="leave one of them out")
    if run_time is not None and not explain:
        raise UsageProblem("--run-time is for --explain", remedy="add --explain, or leave it out")
    path = local_file(profile)
    check_output(output, path)
    if not force:
        check_new(output)
    check_replaced(output, "plan")
    if is_kind(path, "table of a host"):
        require_profile(path, process=process is not None, **given)
        plan_of_fleet(path, output, name, as_json=as_json)
        return
    opened = HeapProfile.open(path, process)
    check_not_empty(opened)
    tell_notes((*notes_on(opened), *geometry.notes))
    run = run_time_of(run_time, geometry, opened.has_all_accesses)
    chosen, layout = (
        (None, place(named, opened, geometry))
        if named
        else _best_of(opened, (as_named(profile), process), geometry, scheduler, explain)
    )
    made = make_plan(opened, layout, match=match.value, depth=depth, preallocate=preallocate, pools=pools)
    if learned is not None:
        made = with_learned(opened, made, learned)
    write_plan(with_site_keys(opened, made), output)
    explained = None
    if chosen and explain:
        explained, missing = explanation(chosen, opened, run)
        tell_notes((*missing, *notes_on_time(run_time, run, chosen.samples[-1])))
    _tell(made, output, len(opened.requests), explained, as_json)


def _tell(plan: Plan, output: Path, requests: int, explained: Explanation | None, as_json: bool) -> None:
    if as_json:
        told = {"explanation": explained.data()} if explained else {}
        print(json.dumps({**as_data(plan, output, requests), **told}, indent=1))
        return
    typer.echo(summary(plan, requests), err=True)
    if explained:
        typer.echo("\n".join(explained.lines(output_width(sys.stdout))))


def _best_of(
    profile: HeapProfile,
    named: tuple[str, str | None],
    geometry: Geometry,
    scheduler: str | None,
    explain: bool,
) -> tuple[Chosen, Layout]:
    """What is chosen by simulation, here or by tasks. `named` are the profile's name and process."""
    check_choosable(profile)
    if scheduler is None:
        return _best(profile, geometry, explain)
    return _best_at(scheduler, profile, named, geometry, explain)


def check_choosable(profile: HeapProfile) -> None:
    """Raises CommandError where there is nothing to choose a strategy by; tells which are not tried."""
    if profile.access_entries == 0:
        raise CommandError(
            f"there is nothing to choose by: {why_no_accesses(profile.process)}",
            remedy="or name a --strategy",
        )
    if names := left_out(profile):
        tell_notes([f"too many requests to try {', '.join(names)}; --strategy takes them"])


def _best(profile: HeapProfile, geometry: Geometry, explain: bool) -> tuple[Chosen, Layout]:
    candidates = all_strategies()
    accesses = min(profile.access_entries, FIRST_ROUND)
    beside = [strategy(RECORDED)] if explain else []
    with shown(len(candidates), accesses) as progress:
        return best_layout(profile, candidates, geometry, progress, beside, by_context=explain)


def _best_at(
    scheduler: str, profile: HeapProfile, named: tuple[str, str | None], geometry: Geometry, explain: bool
) -> tuple[Chosen, Layout]:
    """The same, with the strategies simulated as tasks."""
    names = [each.name for each in worth_simulating(all_strategies(), profile)]
    beside = [RECORDED] if explain else []
    with tasks_at(scheduler) as tasks, tasks_shown("simulating", len(names)) as told:
        ranking = RemoteRanking(tasks, *named, geometry, by_context=explain)
        chosen = best_of(names, profile.access_entries, partial(ranking.rank, told=told), beside)
    return chosen, place(strategy(chosen.best.strategy), profile, geometry)


def as_data(plan: Plan, output: Path, requests: int) -> dict[str, str | int | bool]:
    """The same for machines. Sizes are bytes."""
    return {
        "plan": str(output),
        "strategy": plan.strategy,
        "requests": requests,
        "planned_requests": plan.planned_requests,
        "groups": len(plan.groups),
        "pools": plan.pools_count,
        "prefetches": len(plan.prefetches),
        "arena_bytes": plan.arena_bytes,
        "depth": plan.depth,
        "preallocated": plan.is_preallocated,
        "racy_requests": plan.racy_requests,
    }


def summary(plan: Plan, requests: int) -> str:
    """What was planned, in one line."""
    parts = [counted(len(plan.groups), "group")] if len(plan.groups) else []
    parts += [counted(plan.pools_count, "pool")] if plan.pools_count else []
    parts += [counted(len(plan.prefetches), "prefetch", "es")] if len(plan.prefetches) else []
    if plan.planned_requests or not parts:
        parts = [f"{plan.planned_requests} of {requests} requests", *parts]
    by = " and ".join(parts)
    racy = f", {plan.racy_requests} in contexts that several threads share" if plan.racy_requests else ""
    arena = f"{plan.arena_bytes / 2**20:.1f} MiB"
    flags = ", preallocated" if plan.is_preallocated else ""
    return f"planned by {plan.strategy}: {by}, arena {arena}, depth {plan.depth}{flags}{racy}"
