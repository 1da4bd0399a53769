"""What a malloc and a free cost together: pools against the general allocators, with one and two threads."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.ways import POOLS
from malloom.bench.goals import Goal
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.process import Command
from malloom.measure.rows import Row

PATTERNS = ("now", "lifo", "fifo", "random")
SIZES = (16, 32, 64, 128, 256)
PHASE = "pair_time"
POOL_HEAP = "pool heap"
"""The heap called directly, as by a compiler that knows the pool of each call."""
OURS = (POOLS, POOL_HEAP)
ON_TWO_THREADS = {name: f"{name}, two threads" for name in OURS}
AGAINST_BEST, AGAINST_ONE_THREAD = 0.9, 1.0


@dataclass(frozen=True)
class Work:
    """A pattern of the workload pairs, with as many pairs of an object's size."""

    pattern: str
    bytes: int
    pairs: int

    def case(self, threads: int = 1, workload: str = "pairs") -> Case:
        numbers = (str(self.bytes), str(self.pairs), str(threads))
        return Case(workload, (self.pattern, *numbers), PHASE, f"{self.pattern} {self.bytes} bytes")


def pair_rows(
    bench: Bench, pattern: str, sizes: Sequence[int], pairs: int, budget: Budget
) -> list[Row | Goal]:
    """One pattern at all sizes. The goals are of the size that is worst in each way."""
    races = {size: _raced(bench, Work(pattern, size, pairs), budget) for size in sizes}
    rows = [each for size, rounds in races.items() for each in _rows(Work(pattern, size, pairs), rounds)]
    return [*rows, *goals_of(rows)]


def _raced(bench: Bench, work: Work, budget: Budget) -> Rounds:
    bench.say(f"measuring pairs: {work.pattern}, {work.bytes} bytes")
    general = ways.commands_of(bench, work.case().command(bench.workloads), [ways.native(), *ways.peers()])
    commands = {**general, **_ours(bench, work, 1)}
    for name, command in _ours(bench, work, 2).items():
        commands[ON_TWO_THREADS[name]] = command
    return run_interleaved(
        commands, variants.GLIBC, budget, PHASE, progress=bench.progress, failed=bench.failed
    )


def _ours(bench: Bench, work: Work, threads: int) -> dict[str, Command]:
    """The unmodified program with pools, and the one that calls the pool heap."""
    through_malloc = work.case(threads).command(bench.workloads)
    directly = work.case(threads, "pool_pairs").command(bench.workloads)
    return {**ways.commands_of(bench, through_malloc, [ways.pools()]), POOL_HEAP: directly}


def _rows(work: Work, rounds: Rounds) -> list[Row]:
    """Every allocator's time and ours, against the C library's; ours against each other allocator, and with
    two threads against one: each does half of the pairs."""
    wanted = [(name, variants.GLIBC) for name in (*variants.PEERS, *OURS)]
    for name in OURS:
        wanted += [*((name, peer) for peer in variants.PEERS), (ON_TWO_THREADS[name], name)]
    there = [pair for pair in wanted if all(rounds.runs.get(name) for name in pair)]
    return [measured_row(work.case().place, rounds, name, baseline, PHASE) for name, baseline in there]


def goals_of(rows: Sequence[Row]) -> list[Goal]:
    """At each size against the best allocator, and with two threads; of either the worst size."""
    return [goal for name in OURS for goal in _goals_of(name, rows)]


def _goals_of(name: str, rows: Sequence[Row]) -> list[Goal]:
    inputs = dict.fromkeys(each.input for each in rows)
    against = [_against_best([each for each in rows if each.input == given], name) for given in inputs]
    two = [each for each in rows if each.variant == ON_TWO_THREADS[name]]
    held = ((against, AGAINST_BEST), (two, AGAINST_ONE_THREAD))
    return [
        Goal(max(found, key=lambda each: each.ratio), limit)
        for rows_of_size, limit in held
        if (found := [each for each in rows_of_size if each is not None])
    ]


def _against_best(rows: Sequence[Row], name: str) -> Row | None:
    """Against the allocator that leaves it the least advantage."""
    found = [each for each in rows if each.variant == name]
    return max(found, key=lambda each: each.ratio, default=None)
