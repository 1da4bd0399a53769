"""What malloom must reach, over the programs that were measured."""

from collections.abc import Mapping

from malloom.bench.dynamic.times import CARRIED, SAME_INPUT
from malloom.bench.gathered import Races
from malloom.bench.general import BEST, best_of
from malloom.bench.goals import Goal, Of
from malloom.bench.means import mean_row, mean_row_against
from malloom.bench.ten_programs import FEW_REQUESTS, PROGRAMS
from malloom.errors import CommandError
from malloom.measure.interleaved import Rounds, again
from malloom.measure.rows import Place, Row, measured_row
from malloom.measure.variants import ALL, DYNAMORIO, GLIBC, POOL, POOLS, PREFETCH

OURS = (CARRIED, SAME_INPUT, POOLS, DYNAMORIO, POOL, PREFETCH, ALL)
"""All that is not a general allocator."""
CARRIED_MEAN, PEERS_MEAN, DYNAMIC_MEAN = 0.85, 0.92, 0.85
NO_SLOWER, PEAK = 1.01, 1.15
FT_LIMITS = {("ft", "2x"): 0.6, ("ft", "8x"): 0.6}


def time_goals(races: Races) -> list[Row | Goal]:
    """The goals on time and memory. Means are of each size at which several of the ten programs were
    measured."""
    by_size: dict[str, dict[Place, Rounds]] = {}
    for place, rounds in ((place, rounds) for place, rounds in races.items() if place[0] in PROGRAMS):
        by_size.setdefault(place[1], {})[place] = rounds
    means = [goal for size, found in by_size.items() if len(found) > 1 for goal in _mean_goals(size, found)]
    return [*means, *(goal for place, rounds in races.items() for goal in _program_goals(place, rounds))]


def best_general(rounds: Rounds) -> str | None:
    """The fastest setting of a general allocator; None where none was measured."""
    names = [name for name in rounds.runs if name not in (*OURS, *map(again, (GLIBC, DYNAMORIO)))]
    try:
        return best_of(rounds, names)
    except CommandError:
        return None


def _mean_goals(size: str, races: Mapping[Place, Rounds]) -> list[Goal]:
    of = f"programs at {size}"
    against_best = [(rounds, best_general(rounds)) for rounds in races.values()]
    goals = []
    for name in (CARRIED, SAME_INPUT):
        goals += [Goal(row, CARRIED_MEAN) for row in mean_row(races, of, name, GLIBC)]
        goals += [Goal(row, PEERS_MEAN) for row in mean_row_against(against_best, of, name, BEST)]
    return [*goals, *(Goal(row, DYNAMIC_MEAN) for row in mean_row(races, of, ALL, DYNAMORIO))]


def _program_goals(place: Place, rounds: Rounds) -> list[Goal]:
    goals: list[Goal] = []
    for name in (each for each in (CARRIED, SAME_INPUT) if rounds.runs.get(each)):
        carried = measured_row(place, rounds, name, GLIBC, "cpu_time")
        goals += [Goal(carried, FT_LIMITS.get(place, NO_SLOWER)), Goal(carried, PEAK, Of.PEAK)]
    if place[0] in FEW_REQUESTS and rounds.runs.get(ALL) and rounds.runs.get(DYNAMORIO):
        goals.append(Goal(measured_row(place, rounds, ALL, DYNAMORIO, "cpu_time"), NO_SLOWER))
    return goals
