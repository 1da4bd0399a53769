"""What a layout could gain of a program on one input, and what layouts that were learned on others keep of
it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from malloom.bench.gathered import Gathered, without_errors
from malloom.bench.general import BEST
from malloom.bench.goals import Goal, against_limit
from malloom.bench.halves import with_best
from malloom.bench.numbers import number_rows
from malloom.bench.oracle.layouts import (
    ORDINAL,
    RULES,
    SAME,
    kept_in,
    of_this_input,
    raced,
    rule_of,
    with_both_homes,
)
from malloom.bench.oracle.subjects import Named, Subject
from malloom.bench.oracle.waiting import waiting_of
from malloom.bench.steps import Bench, Found
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.process import Command
from malloom.measure.rows import Place, Row, control_rows, measured_row
from malloom.measure.variants import GLIBC, with_plan
from malloom.optimize.data import NOTHING_TO_GAIN
from malloom.optimize.settings import AllocatorRow

ORACLE = "oracle"
"""The best layout that was learned on the very input."""
BEST_RULE = "best rule"
"""The best that was learned on other inputs."""
SHARE, WAITS = "share of the oracle", "share of the time that waits"
"""Metrics."""
LOST = "share of the oracle that is lost"
TIME = "cpu_time"
MUCH_TO_GAIN = 0.90
"""Of the oracle against the best general setting: up to it MOST_LOST is the goal. Above NOTHING_TO_GAIN there
is no gain to have a share of."""
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


@dataclass(frozen=True)
class Asked:
    """A race on the input that was asked about: the general `settings`, the layouts `own` to this input, and
    those of `rules`."""

    rounds: Rounds
    settings: tuple[str, ...]
    own: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def even(self) -> Rounds:
        """The even rounds, with the best of each kind by the odd ones."""
        named = {BEST: self.settings, ORACLE: self.own, BEST_RULE: self.rules}
        return with_best(self.rounds, {name: those for name, those in named.items() if those}, TIME)


class Oracles(Gathered[Asked]):
    """The races so far, by program and input."""

    kind = Asked

    def as_kept(self, value: Asked) -> Asked:
        return replace(value, rounds=without_errors(value.rounds))


def subject_rows(bench: Bench, named: Named, scale: Scale, gathered: Oracles) -> Found:
    """Learns on the input itself and on the two others, then races what both left."""
    subject = named.made(bench)
    called = subject.place[0]
    waits: dict[str, float] = {}
    with raced(bench, subject.asked, scale.seconds, of_this_input) as found:
        own, settings = kept_in(bench.scratch, called, found.plans), found.settings[:FINALISTS]
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
        (GLIBC, *_those_of((row.name for row in settings), there)),
        _those_of((ORDINAL, SAME), there),
        _those_of(RULES, there),
    )
    return rows_of_race(subject.place, gathered[subject.place], waits, scale.judges)


def _race(
    bench: Bench,
    subject: Subject,
    settings: Iterable[AllocatorRow],
    plans: Mapping[str, Path],
    budget: Budget,
) -> Rounds:
    plain = subject.asked.command(subject.asked.train[0])
    commands: dict[str, Command] = {GLIBC: plain}
    commands |= {row.name: plain.with_environment(row.environment) for row in settings}
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
    shares = shares_of(asked)
    found += number_rows(place, SHARE, shares)
    if judges and BEST_RULE in shares and gain_of(asked) <= MUCH_TO_GAIN:
        lost = [1 - shares[BEST_RULE]]
        found.append(against_limit(place, BEST_RULE, LOST, lost, MOST_LOST, rounds.races))
    return found


def gain_of(asked: Asked) -> float:
    """The oracle against the best general setting; 1 where no layout was learned."""
    even = asked.even
    return even.ratio(ORACLE, BEST).ratio if ORACLE in even.runs else 1.0


def shares_of(asked: Asked) -> dict[str, float]:
    """The gain of each rule against the oracle's, as logarithms: 1 is all of it, below 0 a loss. Nothing
    where there is nothing to gain."""
    whole = gain_of(asked)
    if whole > NOTHING_TO_GAIN:
        return {}
    even = asked.even
    rules = [name for name in (BEST_RULE, *asked.rules) if name in even.runs]
    return {name: math.log(even.ratio(name, BEST).ratio) / math.log(whole) for name in rules}
