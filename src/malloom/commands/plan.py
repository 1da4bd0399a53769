"""`malloom plan`: a profile's requests placed by a strategy, written for the run time; or as bins."""

from __future__ import annotations

import json
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from malloom.cache.geometry import Geometry, geometry_from
from malloom.commands.plan_bins import plan_bins, require_bins, require_no_places
from malloom.commands.plan_exact_bins import Language, plan_exact_bins, require_source
from malloom.commands.ranking_progress import shown
from malloom.commands.simulate import CACHE_HELP
from malloom.errors import CommandError
from malloom.layout.bin_layout import DEFAULT_BINS, MOST_BINS, TARGETS
from malloom.layout.layout import Layout
from malloom.layout.plan import Plan, make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.plan_merge import with_learned
from malloom.layout.plan_sites import with_site_keys
from malloom.layout.ranking import FIRST_ROUND, best_layout, left_out, place
from malloom.layout.registry import AUTO, all_strategies, strategy, strategy_names
from malloom.output_file import check_new, check_output, check_replaced
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
    profile: Annotated[
        Path, typer.Argument(help="The profile, made by 'malloom record'.", show_default=False)
    ],
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
    if purpose is Purpose.bins:
        require_no_places(
            strategy=name != AUTO,
            cache=cache != "host",
            match=match is not Match.context,
            depth=depth is not None,
            preallocate=preallocate is not None,
            pools=pools,
            **{"with": learned is not None},
        )
        require_source(language, bins=bins is not None)
        write = (
            partial(plan_bins, bins=bins) if language is None else partial(plan_exact_bins, language=language)
        )
        write(profile, output, process=process, target=target, force=force, as_json=as_json)
        return
    require_bins(target=target, bins=bins, language=language)
    geometry = geometry_from(cache)
    named = None if name == AUTO else strategy(name)
    check_output(output, profile)
    if not force:
        check_new(output)
    check_replaced(output, "plan")
    opened = HeapProfile.open(profile, process)
    check_not_empty(opened)
    for note in (*notes_on(opened), *geometry.notes):
        typer.echo(f"note: {note}", err=True)
    layout = place(named, opened, geometry) if named else _best(opened, geometry)
    made = make_plan(opened, layout, match=match.value, depth=depth, preallocate=preallocate, pools=pools)
    if learned is not None:
        made = with_learned(opened, made, learned)
    write_plan(with_site_keys(opened, made), output)
    if as_json:
        print(json.dumps(as_data(made, output, len(opened.requests)), indent=1))
    else:
        typer.echo(summary(made, len(opened.requests)), err=True)


def _best(profile: HeapProfile, geometry: Geometry) -> Layout:
    candidates = all_strategies()
    if profile.access_entries == 0:
        raise CommandError(
            f"there is nothing to choose by: {why_no_accesses(profile.process)}",
            remedy="or name a --strategy",
        )
    if names := left_out(profile):
        typer.echo(f"note: too many requests to try {', '.join(names)}; --strategy takes them", err=True)
    accesses = min(profile.access_entries, FIRST_ROUND)
    with shown(len(candidates), accesses) as progress:
        return best_layout(profile, candidates, geometry, progress)[1]


def as_data(plan: Plan, output: Path, requests: int) -> dict[str, str | int]:
    """The same for machines. Sizes are bytes."""
    return {
        "plan": str(output),
        "strategy": plan.strategy,
        "requests": requests,
        "placed": plan.planned_requests,
        "groups": len(plan.groups),
        "pools": plan.pools_count,
        "prefetches": len(plan.prefetches),
        "arena_bytes": plan.arena_bytes,
        "depth": plan.depth,
        "preallocated": int(plan.flags),
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
    flags = ", preallocated" if plan.flags else ""
    return f"planned by {plan.strategy}: {by}, arena {arena}, depth {plan.depth}{flags}{racy}"
