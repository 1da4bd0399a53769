"""CPU times and peak memories of the programs in every way (tables 1 and 2), and what is held of them."""

from dataclasses import dataclass, field

from malloom.bench.dynamic import ways
from malloom.bench.dynamic.carried import Carrying
from malloom.bench.dynamic.paper import ALL, DYNAMORIO, POOL, PREFETCH
from malloom.bench.dynamic.sizes import available_memory, lack_of_room
from malloom.bench.dynamic.ways import CARRIED, SAME_INPUT, Way
from malloom.bench.goals import Goal
from malloom.bench.races import measured_row, rows_of
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds, run_interleaved
from malloom.measure.rows import Row

LARGEST_UNDER_DYNAMORIO = 1.5e9
"""Bytes of heap: larger ones are measured natively only, so that the suite ends in hours and not in days."""


@dataclass
class Measured:
    """The races so far, for what is computed over programs."""

    races: dict[Case, Rounds] = field(default_factory=dict)


@dataclass(frozen=True)
class Sized:
    """A program at one size of the heap, in bytes; what is carried was learned and chosen on the others."""

    case: Case
    size: str
    last_level: int
    heap_bytes: int
    learned_on: Case
    chosen_on: Case


def time_rows(
    bench: Bench, sized: Sized, carrying: Carrying, budget: Budget, measured: Measured
) -> list[Row | Goal]:
    """One program in every way that there is."""
    lack = lack_of_room(sized.size, sized.last_level, available_memory())
    if lack:
        bench.note(lack)
        return []
    rounds = _raced(bench, sized, carrying, budget)
    measured.races[sized.case] = rounds
    against_glibc = rows_of(sized.case.place, rounds, variants.GLIBC, ("cpu_time",))
    return [*against_glibc, *_against_others(sized.case, rounds)]


def _raced(bench: Bench, sized: Sized, carrying: Carrying, budget: Budget) -> Rounds:
    program = sized.case.command(bench.workloads)
    wanted = [ways.native(), *_native_ways(bench, sized, carrying)]
    if sized.heap_bytes <= LARGEST_UNDER_DYNAMORIO:
        wanted += ways.under_dynamorio()
    else:
        bench.note("measured natively only: under DynamoRIO it would take too long")
    commands = ways.commands_of(bench, program, wanted)
    bench.say(f"measuring {' '.join(sized.case.place)}: {', '.join(commands)}")
    return run_interleaved(commands, variants.GLIBC, budget, progress=bench.progress, failed=bench.failed)


def _native_ways(bench: Bench, sized: Sized, carrying: Carrying) -> list[Way]:
    wanted = {CARRIED: (sized.learned_on, sized.chosen_on)}
    if sized.case != sized.learned_on and sized.heap_bytes <= LARGEST_UNDER_DYNAMORIO:
        wanted[SAME_INPUT] = (sized.case, sized.case)
    found = []
    for name, (learned_on, chosen_on) in wanted.items():
        try:
            carried = carrying.of(bench, learned_on, chosen_on)
        except CommandError as error:
            bench.failed(name, error)
            continue
        where = f"learned at {learned_on.input}, chosen at {chosen_on.input}"
        bench.note(f"{name}: {'; '.join((carried.description, where, *carried.notes))}")
        found.append(ways.with_environment(name, carried.environment))
    return [*found, *ways.peers(), ways.pools()]


def _against_others(case: Case, rounds: Rounds) -> list[Row]:
    """What runs under DynamoRIO against DynamoRIO alone, and what is carried against other allocators."""
    pairs = [(name, DYNAMORIO) for name in (POOL, PREFETCH, ALL)]
    pairs += [(name, peer) for name in (CARRIED, SAME_INPUT) for peer in variants.PEERS]
    there = [pair for pair in pairs if all(rounds.runs.get(name) for name in pair)]
    return [measured_row(case.place, rounds, name, baseline, "cpu_time") for name, baseline in there]
