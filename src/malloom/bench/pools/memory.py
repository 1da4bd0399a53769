"""Peak memory with pools against the larger of two general allocators'."""

from collections.abc import Sequence

from malloom.bench.dynamic.ways import POOLS
from malloom.bench.goals import Goal, against_limit
from malloom.bench.pools.allocators import GENERAL, HugePages
from malloom.bench.pools.programs import Program
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.interval import median_ratio
from malloom.measure.rows import Row, row

PEAK, ALLOWANCE = 1.10, 4 << 20
"""Of the larger peak of the general allocators, and bytes beside it."""
METRIC = "peak_memory"


def memory_rows(bench: Bench, program: Program, budget: Budget, kept: str = "") -> list[Row | Goal]:
    """One program without huge pages; `kept` is its name for the memory in use at its end, if it tells it."""
    pages = HugePages(wanted=False)
    bench.say(f"measuring the memory of {program}: {', '.join((*GENERAL, POOLS))}")
    command = program.command(bench)
    commands = {name: command.with_environment(added) for name, added in pages.environments().items()}
    rounds = run_interleaved(commands, GENERAL[0], budget, progress=bench.progress)
    told = [measured_row(program.place, rounds, POOLS, name, kept) for name in GENERAL] if kept else []
    goal = goal_of(program, rounds)
    return [*_rows(program, rounds), *told, goal.row, goal]


def _peaks(rounds: Rounds, name: str) -> Sequence[float]:
    return [float(run.peak_memory) for run in rounds.of(name)]


def _rows(program: Program, rounds: Rounds) -> list[Row]:
    ours = _peaks(rounds, POOLS)
    ratios = {name: median_ratio(ours, _peaks(rounds, name)) for name in GENERAL}
    runs = len(rounds)
    return [row(program.place, POOLS, name, METRIC, ratio, runs=runs) for name, ratio in ratios.items()]


def goal_of(program: Program, rounds: Rounds) -> Goal:
    return against_limit(program.place, POOLS, METRIC, _peaks(rounds, POOLS), allowed(rounds))


def allowed(rounds: Rounds) -> float:
    """Bytes that the peak may have."""
    return PEAK * max(rounds.peak_memory(name) for name in GENERAL) + ALLOWANCE
