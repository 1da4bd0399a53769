"""What a malloc and a free cost together: pools against the general allocators, with one and two threads."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench import variants
from malloom.bench.dynamic import ways
from malloom.bench.dynamic.ways import POOLS
from malloom.bench.goals import Goal
from malloom.bench.pairs import Budget, Rounds, run_interleaved
from malloom.bench.process import Command
from malloom.bench.races import measured_row
from malloom.bench.rows import Row
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case

PATTERNS = ("now", "lifo", "fifo", "random")
SIZES = (16, 32, 64, 128, 256)
PHASE = "pair_time"
TWO_THREADS = f"{POOLS}, two threads"
AGAINST_BEST, AGAINST_ONE_THREAD = 0.9, 1.0


@dataclass(frozen=True)
class Work:
    """A pattern of the workload pairs, with as many pairs of an object's size."""

    pattern: str
    bytes: int
    pairs: int

    def case(self, threads: int) -> Case:
        numbers = (str(self.bytes), str(self.pairs), str(threads))
        return Case("pairs", (self.pattern, *numbers), PHASE, f"{self.pattern} {self.bytes} bytes")


def pair_rows(
    bench: Bench, pattern: str, sizes: Sequence[int], pairs: int, budget: Budget
) -> list[Row | Goal]:
    """One pattern at all sizes. The goals are of the size that is worst in each way."""
    races = {size: _raced(bench, Work(pattern, size, pairs), budget) for size in sizes}
    rows = [each for size, rounds in races.items() for each in _rows(Work(pattern, size, pairs), rounds)]
    return [*rows, *goals_of(rows)]


def _raced(bench: Bench, work: Work, budget: Budget) -> Rounds:
    bench.say(f"measuring pairs: {work.pattern}, {work.bytes} bytes")
    one, two = (work.case(threads).command(bench.workloads) for threads in (1, 2))
    commands: dict[str, Command] = ways.commands_of(bench, one, [ways.native(), *ways.peers(), ways.pools()])
    for name, command in ways.commands_of(bench, two, [ways.pools()]).items():
        commands[f"{name}, two threads"] = command
    return run_interleaved(
        commands, variants.GLIBC, budget, PHASE, progress=bench.progress, failed=bench.failed
    )


def _rows(work: Work, rounds: Rounds) -> list[Row]:
    """Every allocator's time and that of pools, against the C library's; pools against each other allocator,
    and with two threads against one: each does half of the pairs."""
    wanted = [(name, variants.GLIBC) for name in (*variants.PEERS, POOLS)]
    wanted += [(POOLS, peer) for peer in variants.PEERS] + [(TWO_THREADS, POOLS)]
    there = [pair for pair in wanted if all(rounds.runs.get(name) for name in pair)]
    return [measured_row(work.case(1).place, rounds, name, baseline, PHASE) for name, baseline in there]


def goals_of(rows: Sequence[Row]) -> list[Goal]:
    """At each size against the best allocator, and with two threads; of either the worst size."""
    against = [_against_best(rows, given) for given in dict.fromkeys(each.input for each in rows)]
    two = [each for each in rows if each.variant == TWO_THREADS]
    held = ((against, AGAINST_BEST), (two, AGAINST_ONE_THREAD))
    return [
        Goal(max(found, key=lambda each: each.ratio), limit)
        for rows_of_size, limit in held
        if (found := [each for each in rows_of_size if each is not None])
    ]


def _against_best(rows: Sequence[Row], given: str) -> Row | None:
    """Pools against the allocator that leaves them the least advantage."""
    found = [each for each in rows if (each.variant, each.input) == (POOLS, given)]
    return max(found, key=lambda each: each.ratio, default=None)
