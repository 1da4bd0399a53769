"""What a layout could gain of a program on one input, and what layouts that were learned on others keep of
it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.general import BEST
from malloom.bench.goals import LIMIT, Goal, Of
from malloom.bench.numbers import ONE, number_rows
from malloom.bench.oracle.layouts import (
    ORDINAL,
    RULES,
    SAME,
    kept_in,
    of_this_input,
    raced,
    rule_of,
    settings_in,
    with_both_homes,
)
from malloom.bench.oracle.shares import BEST_RULE, ORACLE, TIME, Asked, Oracles, gain_of, shares_of
from malloom.bench.oracle.subjects import Named, Subject
from malloom.bench.oracle.waiting import waiting_of
from malloom.bench.steps import Bench, Found
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.interval import Interval, exact
from malloom.measure.process import Command
from malloom.measure.rows import Place, Row, control_rows, measured_row, row
from malloom.measure.variants import GLIBC, with_plan

SHARE, WAITS = "share of the oracle", "share of the time that waits"
"""Metrics."""
LOST = "share of the oracle that is lost"
MUCH_TO_GAIN = 0.90
"""Of the oracle against the best general setting: up to it MOST_LOST is the goal."""
MOST_LOST = 0.4
FINALISTS = 3
"""General settings in the race."""


@dataclass(frozen=True)
class Scale:
    """`seconds` are for each of the two races in which `malloom optimize` learns; `race` is of what these
    leave."""

    seconds: float
    race: Budget
    judges: bool


def subject_rows(bench: Bench, named: Named, scale: Scale, gathered: Oracles) -> Found:
    """Learns on the input itself and on the two others, then races what both left."""
    subject = named.made(bench)
    called = subject.place[0]
    waits: dict[str, float] = {}
    with raced(bench, subject.asked, scale.seconds, of_this_input) as found:
        own = kept_in(bench.scratch, called, found.plans)
        settings = settings_in(bench.scratch, called, found.settings[:FINALISTS])
        try:
            waits = waiting_of(found.recordings)
        except CommandError as error:
            bench.note(f"nothing is told of waiting ({error})")
    with raced(bench, subject.training, scale.seconds, rule_of) as found:
        rules = kept_in(bench.scratch, called, with_both_homes(found.plans))
    rounds = _race(bench, subject, settings, {**own, **rules}, scale.race)
    there = [name for name in rounds.runs if rounds.runs[name]]
    gathered[subject.place] = Asked(
        rounds,
        (GLIBC, *_those_of(settings, there)),
        _those_of((ORDINAL, SAME), there),
        _those_of(RULES, there),
    )
    return rows_of_race(subject.place, gathered[subject.place], waits, scale.judges)


def _race(
    bench: Bench,
    subject: Subject,
    settings: Mapping[str, Mapping[str, str]],
    plans: Mapping[str, Path],
    budget: Budget,
) -> Rounds:
    plain = subject.asked.command(subject.asked.train[0])
    commands: dict[str, Command] = {GLIBC: plain}
    commands |= {name: plain.with_environment(variables) for name, variables in settings.items()}
    commands |= {name: with_plan(name, plan).of(plain) for name, plan in plans.items()}
    return bench.race_of(subject.place[1], commands, GLIBC, budget)


def _those_of(names: Iterable[str], there: list[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in there)


def rows_of_race(place: Place, asked: Asked, waits: Mapping[str, float], judges: bool) -> list[Row | Goal]:
    """All against the program as it is, the layouts against the best general setting, and the shares."""
    rounds, even = asked.rounds, asked.even
    layouts = [name for name in (ORACLE, BEST_RULE, *asked.own, *asked.rules) if name in even.runs]
    found: list[Row | Goal] = [
        *control_rows(place, rounds, GLIBC),
        *(measured_row(place, rounds, name, GLIBC, TIME) for name in rounds.runs if name != GLIBC),
        *(measured_row(place, even, name, BEST, TIME) for name in layouts),
        *number_rows(place, WAITS, waits),
    ]
    found += [
        row(place, name, ONE, SHARE, share, runs=len(even), races=rounds.races)
        for name, share in shares_of(asked).items()
    ]
    return [*found, _goal(place, asked)] if judges and gain_of(asked) <= MUCH_TO_GAIN else found


def _goal(place: Place, asked: Asked) -> Goal:
    """Of the share that is lost, at its low end; without any rule all of it is."""
    share = shares_of(asked).get(BEST_RULE, exact(0.0))
    low, high = (None if end is None else 1 - end for end in (share.high, share.low))
    lost, runs = Interval(1 - share.ratio, low, high), len(asked.even)
    told = row(place, BEST_RULE, LIMIT, LOST, lost, runs=runs, races=asked.rounds.races)
    return Goal(told, MOST_LOST, Of.LOW)
