"""Races of a case's binaries and of the general allocators: what the parts with times share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from malloom.bench.cases import Case
from malloom.bench.general import allocator_settings, best_of, finalists, row_against_best
from malloom.bench.goals import Goal
from malloom.bench.splitting import builds
from malloom.bench.splitting.compilers import BASELINE, EXPECTING, LTO, OURS, VARIANTS
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds, again
from malloom.measure.process import Command
from malloom.measure.rows import Row, control_rows, measured_row, rows_of
from malloom.measure.variants import GLIBC

CONTROLS = (BASELINE, LTO)
HEAT = Budget(fewest=3, most=3)
"""Of all general allocators: those that may be the fastest come into the race."""
FINALISTS = 3
"""How many of them at most."""


@dataclass(frozen=True)
class Raced:
    """The race, and what came of the allocators that are not in it."""

    rounds: Rounds
    others: Sequence[Row]


def race(
    bench: Bench,
    case: Case,
    budget: Budget,
    *,
    baseline: str,
    metric: str,
    allocators: bool,
    variants: Sequence[str] = VARIANTS,
) -> Raced:
    """The variants of the case, and the binary of clang -O3 -flto with the fastest general allocators: of
    nine settings, those that are clearly slower need not run twelve times."""
    commands = builds.commands(bench, case, variants)
    others: list[Row] = []
    if allocators and LTO in commands:
        with_allocators = _with_allocators(bench, commands[LTO])
        heat = bench.race_of(
            f"allocators of {case}", {LTO: commands[LTO], **with_allocators}, LTO, HEAT, metric
        )
        fastest = finalists(heat, with_allocators, metric, FINALISTS)
        commands |= {name: with_allocators[name] for name in fastest}
        rows = rows_of(case.place, heat, LTO, (metric,))
        others = [row for row in rows if row.variant not in (*fastest, again(LTO))]
    rounds = bench.race_of(str(case), commands, baseline, budget, metric, controls=CONTROLS)
    return Raced(rounds, others)


def _with_allocators(bench: Bench, command: Command) -> Mapping[str, Command]:
    others = [each for name, each in allocator_settings(bench).items() if name != GLIBC]
    return {each.name: command.with_environment(each.environment) for each in others}


def rows_against(case: Case, rounds: Rounds, baseline: str, metric: str) -> list[Row]:
    """All variants against the baseline, which stands against itself as well."""
    elsewhere = [again(name) for name in CONTROLS if name != baseline]
    rows = rows_of(case.place, rounds, baseline, (metric,))
    return [row for row in rows if row.variant not in elsewhere]


def ours_against_lto(case: Case, rounds: Rounds, metric: str) -> list[Row]:
    if not rounds.runs.get(LTO):
        return []
    rows = [measured_row(case.place, rounds, name, LTO, metric) for name in _ours(rounds)]
    return [*rows, *control_rows(case.place, rounds, LTO, metric)]


def ours_against_best(case: Case, rounds: Rounds, metric: str) -> list[Row]:
    """Against the fastest of the compilers and of the general allocators."""
    others = _others(rounds)
    return [row_against_best(case.place, rounds, name, others, metric) for name in _ours(rounds)]


def best_other(rounds: Rounds, metric: str) -> str:
    """The fastest of the compilers and of the general allocators."""
    return best_of(rounds, _others(rounds), metric)


def _others(rounds: Rounds) -> list[str]:
    return [name for name in rounds.runs if name not in (*OURS, EXPECTING, *map(again, CONTROLS))]


def _ours(rounds: Rounds) -> list[str]:
    return [name for name in (*OURS, EXPECTING) if rounds.runs.get(name)]


def goal_against_better(
    case: Case, rounds: Rounds, variant: str, names: Sequence[str], metric: str, limit: float
) -> list[Goal]:
    """A variant against the faster of those named; none where it was not measured."""
    there = [name for name in names if rounds.runs.get(name)]
    if not rounds.runs.get(variant) or not there:
        return []
    row = measured_row(case.place, rounds, variant, best_of(rounds, there, metric), metric)
    return [Goal(replace(row, baseline=f"better of {', '.join(names)}"), limit)]
