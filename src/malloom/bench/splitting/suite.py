"""The suite splitting: pools and split structures at compile time, as Curial et al. measure them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from malloom.bench.cases import Case
from malloom.bench.gathered import Races
from malloom.bench.room import memory_for
from malloom.bench.sized_by_cache import LastLevel, last_level_of, refuse_seconds, sizes_of
from malloom.bench.splitting import (
    debian_programs,
    figure4,
    link_programs,
    links,
    llu,
    olden,
    programs,
    reasons,
    streams,
    table2,
)
from malloom.bench.splitting.builds import toolchain_of
from malloom.bench.splitting.chosen import (
    DEBIAN,
    LARGEST_LEVEL,
    CheckRuns,
    Made,
    chosen,
    chosen_rows,
    made_here,
    made_of_debian,
    mean_rows,
)
from malloom.bench.splitting.comparing import FINALISTS, HEAT
from malloom.bench.splitting.compilers import VARIANTS
from malloom.bench.splitting.counting import WholeRuns
from malloom.bench.splitting.debian import Shares, program_rows, share_goals
from malloom.bench.splitting.debian_programs import DebianProgram
from malloom.bench.splitting.scale import QUICK_LAST_LEVEL, SIZES, SplittingScale, full_scale, quick_scale
from malloom.bench.splitting.tables import tables
from malloom.bench.steps import Bench, Found, Step, conclusion
from malloom.bench.suite import Prepared, Suite
from malloom.bench.ten_programs import heap_bytes, known

PARTS = {
    "figure4": "small structures that are gone through",
    "llu": "Zilles' linked lists in the caches, built in both ways, growing or not, with two fields or six",
    "llu-one-list": "one of his lists, in the caches and beyond them",
    "olden": "figure 5: programs of Olden, and the goals over them",
    "chosen": "what `malloom optimize --build` keeps of programs, on inputs that nothing was learned on",
    "table2": "instructions, and misses of caches and TLBs, beside table 2",
    "streams": "figures 6 and 7: prefetch streams and prefetches; lines and pages that are touched",
    "debian": "real programs from Debian's sources: what is proven of them, their builds, their times",
    "reasons": "why structures of such programs have no pools, by the bytes of their heaps",
    "links": "what links and clean builds of many such programs cost",
}
SECONDS = 60.0
SECONDS_PER_BYTE = 1e-8
"""What a run takes for each byte of its heap: a guess for the first estimate only, from the ten minutes that
Olden took at 2x and 8x of 32 MiB, and the two minutes of a row of figure 4 at 2x."""
SECONDS_A_BUILD = 30.0
"""Of one of Debian's programs: a guess too."""
SECONDS_OF_A_COUNT = 70.0
"""Of a program whose instructions or misses are counted: 14 minutes for twelve."""
SECONDS_OF_A_CHOICE = 240.0
"""Of `malloom optimize` on a program that it builds: a guess."""
RECORDED = 8
"""Bytes of a recording of all accesses for each byte of the heap: em3d's has 6.7, and all others fewer."""
BUILT = 1 << 30
"""Bytes of both builds of one of Debian's programs, at most: a guess."""
MEMORY_OF_A_LINK = 3 << 30
"""Of the largest program's, and of two compilers beside each other: a guess."""
RUNS_A_ROUND = len(VARIANTS) + 2
ALLOCATORS = 8


def prepare(
    quick: bool,
    program: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Measure this of Olden's programs ({', '.join(programs.OLDEN)}); may be repeated. "
            "Default: all.",
            show_default=False,
        ),
    ] = None,
    debian: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Measure this of Debian's programs ({', '.join(debian_programs.NAMES)}); may be repeated. "
            "Default: all.",
            show_default=False,
        ),
    ] = None,
    linked: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Measure the links of this of Debian's programs alone "
            f"({', '.join(link_programs.NAMES)}); may be repeated. Default: all.",
            show_default=False,
        ),
    ] = None,
    heaps_of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Say why structures of this of Debian's programs have no pools "
            f"({', '.join(reasons.NAMES)}); may be repeated. Default: all.",
            show_default=False,
        ),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            metavar="SIZES",
            help="Sizes of the heaps of figure 4 and of Olden against the last-level cache, of 0.5x,2x,8x. "
            "Default: 2x,8x.",
            show_default=False,
        ),
    ] = "",
    last_level: LastLevel = "",
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Time for the runs of each line; twelve rounds are measured however long they take. "
            f"Default: {SECONDS:.0f}.",
            show_default=False,
        ),
    ] = None,
    allocators: Annotated[
        bool | None,
        typer.Option(
            "--allocators/--no-allocators",
            help="Measure the general allocators too. Default: they are measured, but not with --quick.",
            show_default=False,
        ),
    ] = None,
) -> Prepared:
    """The suite with what was chosen. Raises UsageProblem for a program or a size that there is not."""
    refuse_seconds(quick, seconds)
    wanted, sized_by = sizes_of(sizes), last_level_of(last_level, quick, QUICK_LAST_LEVEL)
    of_olden = tuple(known("program", program or (), programs.OLDEN))
    named = known("program", debian or (), debian_programs.NAMES)
    real = tuple(each for each in debian_programs.PROGRAMS if each.name in named)
    to_link = known("program", linked or (), link_programs.NAMES)
    joined = tuple(each for each in link_programs.PROGRAMS if each.name in to_link)
    named_heaps = known("heaps-of", heaps_of or (), reasons.NAMES)
    heaps = tuple(each for each in reasons.PROGRAMS if each.name in named_heaps)
    if quick:
        made = quick_scale(wanted, sized_by, of_olden, real, joined, heaps, allocators is True)
        return _prepared(made)
    limit = SECONDS if seconds is None else seconds
    full = full_scale(wanted, sized_by, limit, of_olden, real, joined, heaps, allocators is not False)
    return _prepared(full)


def _prepared(scale: SplittingScale) -> Prepared:
    runs = WholeRuns()
    makers: Mapping[str, Callable[[], Sequence[Step]]] = {
        "figure4": partial(_figure4, scale),
        "llu": partial(_llu, scale),
        "llu-one-list": partial(_llu_one_list, scale),
        "olden": partial(_olden, scale),
        "chosen": partial(_chosen, scale),
        "table2": partial(_table2, scale, runs),
        "streams": partial(_streams, scale, runs),
        "debian": partial(_debian, scale),
        "reasons": partial(_reasons, scale),
        "links": partial(_links, scale),
    }
    judged = "the goals" if scale.judges else "nothing: --quick has few runs of small inputs"
    return Prepared(makers, tables(), scale.last_level, [("what it judges", judged)], check=_check)


def _check(workloads: Path) -> None:
    toolchain_of(workloads).require()


def _timed(scale: SplittingScale, part: str, what: str, heap: int, measure: Callable[[Bench], Found]) -> Step:
    runs = RUNS_A_ROUND * (scale.times.fewest + 1)
    if scale.allocators:
        runs += (ALLOCATORS + 2) * (HEAT.fewest + 1) + FINALISTS * (scale.times.fewest + 1)
    least = runs * max(SECONDS_PER_BYTE * heap, 0.05)
    expected = max(scale.times.seconds if scale.judges else 0.0, least)
    return Step(part, what, measure, expected, memory=memory_for(heap))


def _figure4(scale: SplittingScale) -> list[Step]:
    races = Races()

    def step(case: Case, size: str) -> Step:
        measure = partial(
            figure4.structure_rows, case=case, budget=scale.times, allocators=scale.allocators, races=races
        )
        timed = _timed(scale, "figure4", str(case), heap_bytes(size, scale.last_level), measure)
        return replace(timed, gathers=races)

    steps = [
        step(programs.small(structure, walk, order, size, scale.last_level, scale.walks_of_structures), size)
        for size in scale.sizes
        for structure in scale.structures
        for walk in scale.walks
        for order in scale.orders
    ]
    return [*steps, conclusion("figure4", "means", partial(figure4.mean_rows, races))]


def _llu(scale: SplittingScale) -> list[Step]:
    heap = llu.papers_bytes(scale.last_level, scale.second_level)
    return [_llu_step(scale, "llu", lists, llu.HALVED) for lists in llu.papers_cases(heap)]


def _llu_one_list(scale: SplittingScale) -> list[Step]:
    cases = llu.one_list_cases(scale.last_level, scale.llu_sizes)
    return [_llu_step(scale, "llu-one-list", lists, limit) for lists, limit in cases]


def _llu_step(scale: SplittingScale, part: str, lists: programs.Lists, limit: float) -> Step:
    measure = partial(llu.llu_rows, lists=lists, limit=limit, budget=scale.times, allocators=scale.allocators)
    return _timed(scale, part, f"{lists.program} {lists.label}", lists.bytes, measure)


def _olden(scale: SplittingScale) -> list[Step]:
    races = Races()

    def step(case: Case, heap: int) -> Step:
        measure = partial(
            olden.olden_rows, case=case, budget=scale.times, allocators=scale.allocators, races=races
        )
        return replace(_timed(scale, "olden", str(case), heap, measure), gathers=races)

    cases = programs.cases_of_olden(scale.olden, scale.sizes, scale.last_level)
    steps = [step(case, heap) for case, heap in cases]
    return [*steps, conclusion("olden", "goals", partial(olden.mean_goals, races))]


def _chosen(scale: SplittingScale) -> list[Step]:
    """The suite's own programs, and Debian's; the latter are built a dozen times."""
    seconds, runs = scale.seconds_of_choice, CheckRuns()
    expected = SECONDS_OF_A_CHOICE if seconds is None else 3 * seconds

    def step(name: str, make: Callable[[Bench, Path], Made], longer: float) -> Step:
        heap = heap_bytes("2.8x", min(scale.last_level, LARGEST_LEVEL))
        measure = partial(chosen_rows, name=name, make=make, seconds=seconds, gathered=runs)
        return Step("chosen", name, measure, expected + longer, memory=memory_for(heap), gathers=runs)

    ours = [
        step(each, partial(made_here, wanted=chosen(each, scale.last_level)), 0.0) for each in scale.chosen
    ]
    of_debian = [
        step(
            each.name, partial(made_of_debian, program=each, is_quick=not scale.judges), 12 * SECONDS_A_BUILD
        )
        for each in DEBIAN
        if scale.judges
    ]
    return [*ours, *of_debian, conclusion("chosen", "means", partial(mean_rows, runs))]


def _counted(scale: SplittingScale) -> list[Case]:
    """At twice the last level of the machines that are simulated."""
    heap = heap_bytes(SIZES[0], scale.counted_last_level)
    return [
        programs.Lists(llu.PAPERS_LISTS, heap, SIZES[0]).case(llu.COUNTED_WALKS)
        if program == programs.LLU
        else programs.olden(program, SIZES[0], heap)
        for program in scale.counted
    ]


def _recorded(scale: SplittingScale) -> int:
    return RECORDED * heap_bytes(SIZES[0], scale.counted_last_level)


def _table2(scale: SplittingScale, runs: WholeRuns) -> list[Step]:
    def step(what: str, case: Case, measure: Callable[[Bench], Found]) -> Step:
        expected = SECONDS_OF_A_COUNT if scale.judges else 5.0
        name, last_level = f"{case}, {what}", scale.counted_last_level
        return Step("table2", name, measure, expected, last_level=last_level, disk=disk, gathers=runs.found)

    cases, disk = _counted(scale), _recorded(scale)
    return [
        *(step("instructions", case, partial(table2.instruction_rows, case=case)) for case in cases),
        *(step("misses", case, partial(table2.miss_rows, case=case, runs=runs)) for case in cases),
    ]


def _streams(scale: SplittingScale, runs: WholeRuns) -> list[Step]:
    return [
        Step(
            "streams",
            str(case),
            partial(streams.stream_rows, case=case, runs=runs),
            SECONDS_OF_A_COUNT if scale.judges else 5.0,
            last_level=scale.counted_last_level,
            disk=_recorded(scale),
            gathers=runs.found,
        )
        for case in _counted(scale)
    ]


def _debian(scale: SplittingScale) -> list[Step]:
    amount, shares = scale.of_debian, Shares()
    builds = 2 * SECONDS_A_BUILD * (amount.builds + 1)
    steps = [
        Step(
            "debian",
            " ".join(program.place(amount.size(program))),
            partial(program_rows, program=program, amount=amount, shares=shares),
            builds + scale.times.seconds,
            disk=BUILT,
            gathers=shares,
        )
        for program in scale.debian
    ]
    return [*steps, conclusion("debian", "heap shares", partial(share_goals, shares))]


def _reasons(scale: SplittingScale) -> list[Step]:
    reached = reasons.Reached()

    def step(program: DebianProgram) -> Step:
        size = scale.of_debian.size(program)
        measure = partial(reasons.reason_rows, program=program, size=size, reached=reached)
        what = " ".join(program.place(size))
        return Step("reasons", what, measure, 2 * SECONDS_A_BUILD, disk=BUILT, gathers=reached)

    steps = [step(program) for program in scale.heaps]
    return [*steps, conclusion("reasons", "totals", partial(reasons.total_rows, reached))]


def _links(scale: SplittingScale) -> list[Step]:
    amount, sizes = scale.of_links, links.Lines()
    steps = [
        Step(
            "links",
            " ".join(program.place),
            partial(links.linked_rows, program=program, amount=amount, sizes=sizes),
            links.seconds_of(program, amount),
            memory=MEMORY_OF_A_LINK,
            disk=BUILT,
            gathers=sizes,
        )
        for program in scale.linked
    ]
    if len(steps) < links.WANTED:
        return steps
    return [*steps, conclusion("links", "programs", partial(links.size_goals, sizes))]


SUITE = Suite(
    "Curial et al.: pools per alias set and split structures, by a compiler",
    PARTS,
    prepare,
    choosing=("program", "debian", "linked", "heaps_of", "sizes"),
)
