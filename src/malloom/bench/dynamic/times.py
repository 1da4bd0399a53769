"""CPU times and peak memories of the programs, however they are run (tables 1 and 2)."""

from dataclasses import dataclass

from malloom.bench.cases import Case
from malloom.bench.gathered import Races
from malloom.bench.general import general_variants, row_against_best
from malloom.bench.goals import Goal
from malloom.bench.kept import optimized
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import heap_bytes, sized
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.rows import Row, control_rows, measured_row, rows_of
from malloom.measure.variants import ALL, DYNAMORIO, GLIBC, POOL, PREFETCH, Variant

LEARNED_AT = "0.5x"
"""Where the plan is learned that larger heaps run with."""
CARRIED = "carried"
"""The plan that `malloom optimize` keeps at LEARNED_AT."""
SAME_INPUT = "carried, same input"
"""The plan that `malloom optimize` keeps on the very input."""

LARGEST_UNDER_DYNAMORIO = 1.5e9
"""Bytes of heap: larger ones are measured natively only, so that the suite ends in hours and not in days."""


@dataclass(frozen=True)
class Sized:
    """A program whose heap has a size against a last-level cache of so many bytes."""

    program: str
    size: str
    last_level: int

    @property
    def case(self) -> Case:
        return sized(self.program, self.size, self.last_level)

    @property
    def learned_on(self) -> Case:
        return sized(self.program, LEARNED_AT, self.last_level)

    @property
    def bytes(self) -> int:
        return heap_bytes(self.size, self.last_level)


def time_rows(
    bench: Bench, wanted: Sized, seconds: float | None, budget: Budget, races: Races
) -> list[Row | Goal]:
    """One program in every way that there is; `seconds` are for the runs of `malloom optimize`."""
    peers = general_variants(bench)
    wanted_variants = [
        *peers,
        *_native(bench, wanted, seconds),
        variants.pools(),
        *_under_dynamorio(bench, wanted),
    ]
    rounds = bench.race(wanted.case, wanted_variants, GLIBC, budget, controls=(DYNAMORIO,))
    races[wanted.case.place] = rounds
    against_glibc = rows_of(wanted.case.place, rounds, GLIBC, ("cpu_time",))
    return [*against_glibc, *_against_others(wanted.case, rounds, [peer.name for peer in peers])]


def _native(bench: Bench, wanted: Sized, seconds: float | None) -> list[Variant]:
    """What `malloom optimize` leaves its user with, learned on the small input, and on the very one."""
    inputs = {CARRIED: wanted.learned_on}
    if wanted.case != wanted.learned_on and wanted.bytes <= LARGEST_UNDER_DYNAMORIO:
        inputs[SAME_INPUT] = wanted.case
    found = []
    for name, case in inputs.items():
        try:
            kept = optimized(bench, case, seconds)
        except CommandError as error:
            bench.failed(name, error)
            continue
        bench.note("; ".join([f"{name}: {kept.described}, learned at {case.input}", *kept.notes]))
        found.append(kept.variant(name))
    return found


def _under_dynamorio(bench: Bench, wanted: Sized) -> list[Variant]:
    if wanted.bytes <= LARGEST_UNDER_DYNAMORIO:
        return variants.under_dynamorio()
    bench.note("measured natively only: under DynamoRIO it would take too long")
    return []


def _against_others(case: Case, rounds: Rounds, peers: list[str]) -> list[Row]:
    """What runs under DynamoRIO against DynamoRIO alone, and the plans against the best general allocator."""
    optimized_there = [name for name in (POOL, PREFETCH, ALL) if rounds.runs.get(name)]
    against = optimized_there if rounds.runs.get(DYNAMORIO) else []
    rows = [measured_row(case.place, rounds, name, DYNAMORIO, "cpu_time") for name in against]
    rows += control_rows(case.place, rounds, DYNAMORIO) if against else []
    plans = [name for name in (CARRIED, SAME_INPUT) if rounds.runs.get(name)]
    return [*rows, *(row_against_best(case.place, rounds, name, peers) for name in plans)]
