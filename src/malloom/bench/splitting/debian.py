"""Real programs: what is proven of their structures, what their builds cost, and what they gain."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from malloom.bench.gathered import Gathered
from malloom.bench.goals import Goal, against_limit
from malloom.bench.numbers import number_rows
from malloom.bench.splitting.builds import toolchain_of
from malloom.bench.splitting.compilers import CONTROL, DEFAULT, LTO
from malloom.bench.splitting.debian_builds import (
    WALL_TIME,
    Tree,
    clean_builds,
    configured,
    lines_of,
    linked_again,
)
from malloom.bench.splitting.debian_programs import DebianProgram
from malloom.bench.splitting.heap_share import Requested, requested, share_of_pools
from malloom.bench.splitting.remark_file import AliasSets, alias_sets
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Rounds, again
from malloom.measure.process import Command, Run
from malloom.measure.rows import Place, Row, control_rows, measured_row, rows_of

NO_SLOWER, BUILD_TIME = 1.01, 1.15
"""Of the run time and of the CPU time of a clean build with link-time optimisation."""
LARGE = 100_000
"""Lines of a program whose link has limits: seconds, and bytes of memory."""
LINK_TIME, LINK_MEMORY = 60.0, 4 << 30
WANTED_SHARE, WANTED_PROGRAMS = 0.1, 3
"""At least so many programs have at least such a part of their heap's bytes in pools."""
COMMONEST = 5
"""Reasons of a program that are shown."""
FACTS, REASONS, LINK = "facts", "reasons", "link"
BUILD, BUILD_WALL = "build_cpu_time", "build_wall_time"
POOLS_IN_PROGRAM = b"malloom_pool_"
"""What the symbols of a program with pools begin with."""
SAME_DATE = {"SOURCE_DATE_EPOCH": "0"}
"""For programs that write a date."""
BUILT = (LTO, DEFAULT)
"""Whose builds are measured, and whose requests are counted."""
HEAP, SHARE = "MB of heap", "heap share"


class Shares(Gathered[float]):
    """The part of their heaps' bytes that pools hold, of the programs measured so far."""

    kind = float


@dataclass(frozen=True)
class Amount:
    """How often each program is built, and run; and whether its work is the small one."""

    builds: int
    runs: Budget
    is_quick: bool = False

    def size(self, program: DebianProgram) -> int:
        return program.work.quick_size if self.is_quick else program.work.size


def program_rows(bench: Bench, program: DebianProgram, amount: Amount, shares: Shares) -> list[Row | Goal]:
    """Everything of one program, of which nothing stays. Raises CommandError where a build fails."""
    try:
        return _rows(bench, program, amount, shares)
    finally:
        shutil.rmtree(bench.scratch / "debian" / program.name, ignore_errors=True)


def _rows(bench: Bench, program: DebianProgram, amount: Amount, shares: Shares) -> list[Row | Goal]:
    place = program.place(amount.size(program))
    trees = configured(bench, program, toolchain_of(bench.workloads))
    lines = lines_of(trees[LTO])
    builds = clean_builds(bench, {name: trees[name] for name in BUILT}, amount.builds)
    linked, record = linked_again(trees[DEFAULT])
    commands = _commands(bench, program, trees, amount.size(program))
    counted = {name: commands[name] for name in BUILT}
    heaps = bench.counted(f"requests of {program.name}", counted, partial(requested, bench.scratch))
    if {LTO, DEFAULT} <= heaps.keys():
        shares[place] = share_of_pools(heaps[LTO], heaps[DEFAULT])
    sets = alias_sets(record)
    make_control(trees[CONTROL])
    rounds = bench.race_of(" ".join(place), commands, LTO, amount.runs, controls=(CONTROL,))
    return [
        *fact_rows(place, lines, heaps.get(LTO), sets, shares.get(place)),
        *number_rows(place, REASONS, dict(sets.reasons.most_common(COMMONEST))),
        *build_rows(place, builds),
        *link_rows(place, linked, lines),
        *time_rows(place, rounds),
    ]


def make_control(tree: Tree) -> None:
    """Raises CommandError where its policy did not reach the link, so that the program has pools."""
    tree.make()
    if POOLS_IN_PROGRAM in tree.binary.read_bytes():
        raise CommandError(f"the policy {CONTROL} did not reach the link of {tree.program.name}")


def _commands(
    bench: Bench, program: DebianProgram, trees: Mapping[str, Tree], size: int
) -> dict[str, Command]:
    """Of all builds, with the same arguments."""
    arguments = program.work.prepared(bench.scratch / "debian" / program.name, size)
    return {name: Command([str(tree.binary), *arguments], SAME_DATE) for name, tree in trees.items()}


def fact_rows(
    place: Place, lines: int, heap: Requested | None, sets: AliasSets, share: float | None
) -> list[Row]:
    """What the program is, and what is proven of it."""
    facts = {
        "lines": lines,
        HEAP: None if heap is None else heap.live_peak / 1e6,
        "sets": sets.found,
        "proven": sets.proven,
        "pooled": sets.pooled,
        "split": sets.split,
        SHARE: share,
    }
    return number_rows(place, FACTS, {name: fact for name, fact in facts.items() if fact is not None})


def build_rows(place: Place, builds: Rounds) -> list[Row | Goal]:
    """Clean builds: CPU time, with its limit, and wall time with two jobs; with the control of each."""
    rows = [
        replace(each, metric=name, peak_rss_ratio=None)
        for metric, name in (("cpu_time", BUILD), (WALL_TIME, BUILD_WALL))
        for each in rows_of(place, builds, LTO, (metric,))
    ]
    return [
        *rows,
        *(Goal(each, BUILD_TIME) for each in rows if (each.variant, each.metric) == (DEFAULT, BUILD)),
    ]


def link_rows(place: Place, run: Run, lines: int) -> list[Row | Goal]:
    """The link by malloom's compiler; large programs have limits."""
    measured = {"seconds": run.wall_time, "MB of memory": run.peak_memory / 1e6}
    limits = {"link_time": (run.wall_time, LINK_TIME), "link_memory": (run.peak_memory, LINK_MEMORY)}
    goals = [
        against_limit(place, DEFAULT, metric, [value], limit) for metric, (value, limit) in limits.items()
    ]
    return [*number_rows(place, LINK, measured), *(goals if lines > LARGE else [])]


def time_rows(place: Place, rounds: Rounds) -> list[Row | Goal]:
    """All against link-time optimisation; and the default against the control, as only what it gains there
    is gained by its pools."""
    against_lto = [
        each for each in rows_of(place, rounds, LTO, ("cpu_time",)) if each.variant != again(CONTROL)
    ]
    of_pools = [
        *control_rows(place, rounds, CONTROL),
        *(
            measured_row(place, rounds, DEFAULT, CONTROL, "cpu_time")
            for name in rounds.runs
            if name == DEFAULT
        ),
    ]
    held = [each for each in against_lto if each.variant == DEFAULT]
    return [*against_lto, *of_pools, *(Goal(each, NO_SLOWER) for each in held)]


def share_goals(shares: Mapping[Place, float]) -> list[Goal]:
    """Whether enough programs have enough of their heaps in pools: the one that must has its share held
    against the part that is wanted."""
    if len(shares) < WANTED_PROGRAMS:
        return []
    reached = sorted(shares.values(), reverse=True)[WANTED_PROGRAMS - 1]
    place = ("heap share", f"program {WANTED_PROGRAMS} of {len(shares)}")
    return [against_limit(place, DEFAULT, "wanted_share", [WANTED_SHARE], max(reached, 1e-6))]
