"""What malloom must reach, over the programs that were measured."""

from malloom.bench.dynamic.means import geometric_mean
from malloom.bench.dynamic.paper import ALL, DYNAMORIO, FEW_REQUESTS
from malloom.bench.dynamic.times import Measured
from malloom.bench.dynamic.ways import CARRIED, SAME_INPUT
from malloom.bench.goals import Goal, Of
from malloom.bench.races import measured_row
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.measure import variants
from malloom.measure.interleaved import Rounds
from malloom.measure.rows import Row, row

MEAN = "geometric mean"
BEST_PEER = "best allocator"
"""The baseline of a mean over programs, in each the best of mimalloc, jemalloc and tcmalloc."""

CARRIED_MEAN, PEERS_MEAN, DYNAMIC_MEAN = 0.85, 0.92, 0.85
NO_SLOWER, PEAK = 1.01, 1.15
FT_LIMITS = {("ft", "2x"): 0.6, ("ft", "8x"): 0.6}


def time_goals(bench: Bench, measured: Measured) -> list[Row | Goal]:
    """The goals on time and memory. Means are of each size at which several programs were measured."""
    del bench
    by_size: dict[str, dict[Case, Rounds]] = {}
    for case, rounds in measured.races.items():
        by_size.setdefault(case.input, {})[case] = rounds
    means = [goal for races in by_size.values() if len(races) > 1 for goal in _mean_goals(races)]
    each = [goal for case, rounds in measured.races.items() for goal in _program_goals(case, rounds)]
    return [*means, *each]


def best_peer(rounds: Rounds) -> str | None:
    """The fastest of the other general allocators; None where none was measured."""
    there = [peer for peer in variants.PEERS if rounds.runs.get(peer)]
    return min(there, key=lambda peer: rounds.ratio(peer, variants.GLIBC).ratio, default=None)


def _mean_goals(races: dict[Case, Rounds]) -> list[Goal]:
    carried = [
        goal
        for name in (CARRIED, SAME_INPUT)
        for baseline, limit in ((variants.GLIBC, CARRIED_MEAN), (BEST_PEER, PEERS_MEAN))
        for goal in _mean_goal(races, name, baseline, limit)
    ]
    return [*carried, *_mean_goal(races, ALL, DYNAMORIO, DYNAMIC_MEAN)]


def _mean_goal(races: dict[Case, Rounds], variant: str, baseline: str, limit: float) -> list[Goal]:
    """None where the variant was measured in no program."""
    found = []
    for rounds in races.values():
        against = best_peer(rounds) if baseline == BEST_PEER else baseline
        if against and rounds.runs.get(variant) and rounds.runs.get(against):
            found.append((rounds, against))
    if not found:
        return []
    ratios = [rounds.pair_ratios(variant, against) for rounds, against in found]
    size = next(iter(races)).input
    place = (MEAN, f"{size}, {len(found)} programs")
    fewest = min(len(rounds) for rounds, _ in found)
    measured = row(place, variant, baseline, "cpu_time", geometric_mean(ratios), runs=fewest)
    return [Goal(measured, limit)]


def _program_goals(case: Case, rounds: Rounds) -> list[Goal]:
    goals: list[Goal] = []
    for name in (each for each in (CARRIED, SAME_INPUT) if rounds.runs.get(each)):
        carried = measured_row(case.place, rounds, name, variants.GLIBC, "cpu_time")
        goals += [Goal(carried, FT_LIMITS.get(case.place, NO_SLOWER)), Goal(carried, PEAK, Of.PEAK)]
    if case.workload in FEW_REQUESTS and rounds.runs.get(ALL) and rounds.runs.get(DYNAMORIO):
        goals.append(Goal(measured_row(case.place, rounds, ALL, DYNAMORIO, "cpu_time"), NO_SLOWER))
    return goals
