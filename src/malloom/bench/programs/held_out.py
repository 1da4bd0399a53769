"""A program on an input that `malloom optimize` was not told of: in every row of its table, and as it was
left."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from malloom.bench.gathered import Gathered, without_errors
from malloom.bench.general import BEST
from malloom.bench.goals import Goal, Of
from malloom.bench.halves import with_best
from malloom.bench.numbers import ONE
from malloom.bench.programs.chosen import NOTHING, SETTING, Ways
from malloom.bench.programs.scale import TIME, Aim, Scale
from malloom.bench.steps import Bench
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import Place, Row, control_rows, measured_row, row
from malloom.measure.variants import GLIBC
from malloom.optimize.goal import Goal as OptimizeGoal
from malloom.optimize.limit import Limit
from malloom.optimize.training import Measured

KEPT = "kept"
"""What malloom leaves its user with."""
BEST_ROW = "best row"
"""The baseline that is the best of all rows of the table, malloom's among them."""
UNLIMITED = "best whatever it needs"
"""The baseline that is the best general setting without a limit of what else it needs."""
WITHOUT = "without it"
"""The baseline of a part of what is kept: all parts before it."""
FAILED = "failed"
"""The metric of how many inputs the program did not run on with what is kept."""
NOT_WORSE = 1.01
"""Of the low end against the best general setting."""
REGRETTED = 1.03
"""Of the low end against the best row."""
FINALISTS = 3
"""General settings that are in the race."""


@dataclass(frozen=True)
class Judged:
    """A race on an input, by `metric`. The best general setting is one of the variants `settings`, the best
    row one of `rows`, all of which `malloom optimize` might have kept; the best setting whatever it needs is
    one of `unlimited`. `parts` are those of what is kept: each with the variant that has it, and the one that
    has not. `kinds` say what is kept."""

    rounds: Rounds
    settings: tuple[str, ...]
    unlimited: tuple[str, ...]
    rows: tuple[str, ...]
    parts: tuple[tuple[str, str, str], ...]
    kinds: tuple[str, ...]
    metric: str

    @property
    def against_best(self) -> Rounds:
        # A general setting that is kept is one, whether or not it was likely here and needs too much memory.
        kept = (KEPT,) if self.kinds in ((SETTING,), (NOTHING,)) else ()
        named = {
            BEST: (*self.settings, *kept),
            UNLIMITED: (*self.unlimited, *kept),
            BEST_ROW: self.rows,
        }
        return with_best(self.rounds, named, self.metric)


class HeldOut(Gathered[Judged]):
    """The races so far, by program and input."""

    kind = Judged

    def as_kept(self, value: Judged) -> Judged:
        return replace(value, rounds=without_errors(value.rounds))


def held_out_rows(
    bench: Bench,
    place: Place,
    plain: Command,
    ways: Ways,
    scale: Scale,
    judged: HeldOut,
) -> list[Row | Goal]:
    """All rows in a heat; then the fastest general settings, malloom's own rows and what is kept in a race.

    What a race can be had of is gathered in `judged`."""
    metric = scale.aim.metric
    commands = {name: plain.with_environment(variables) for name, variables in ways.rows.items()}
    heat = _race(bench, f"heat, {place[1]}", {GLIBC: plain, **commands}, scale.heat, metric)
    settings = in_order(heat, [GLIBC, *ways.settings], metric)
    finalists = allowed(heat, settings, scale.aim)[:FINALISTS]
    own = [name for name in ways.own if name in heat.runs]
    unlimited = dict.fromkeys((settings[0], *finalists))
    raced = dict.fromkeys((GLIBC, *unlimited, *own))
    racing = {GLIBC: plain, **{name: each for name, each in commands.items() if name in raced}}
    racing |= {
        name: plain.with_environment(each) for name, each in {KEPT: ways.kept, **ways.with_parts}.items()
    }
    rounds = _race(bench, place[1], racing, scale.race, metric)
    rows = (*finalists, *allowed(rounds, own, scale.aim), KEPT)
    judged[place] = Judged(
        rounds, tuple(finalists), tuple(unlimited), rows, _parts(rounds, ways), ways.kinds, metric
    )
    others = [name for name in heat.runs if name not in rounds.runs]
    of_heat = [
        *control_rows(place, heat, GLIBC, metric),
        *(measured_row(place, heat, name, GLIBC, metric) for name in others),
    ]
    return [*of_heat, *_rows_of_race(place, rounds, scale.aim), *against_best_rows(place, judged[place])]


def in_order(rounds: Rounds, names: list[str], metric: str) -> list[str]:
    """Those of the names that were measured, by their medians."""
    there = [name for name in names if rounds.runs.get(name)]
    return sorted(there, key=lambda name: rounds.ratio(name, GLIBC, metric).ratio)


def allowed(rounds: Rounds, names: list[str], aim: Aim) -> list[str]:
    """Those that `malloom optimize` might choose: what it keeps has limits, and so has what that is held
    against."""
    limit, own = Limit(OptimizeGoal(aim.goal)), {"": rounds.of(GLIBC)}
    return [
        name
        for name in names
        if name == GLIBC
        or (rounds.runs.get(name) and limit.allows(name, Measured({"": rounds.of(name)}, own)))
    ]


def _race(bench: Bench, what: str, commands: Mapping[str, Command], budget: Budget, metric: str) -> Rounds:
    """A race in which what is one command under several names runs once, and has all of them afterwards."""
    first: dict[str, str] = {}
    for name, command in commands.items():
        first[name] = next(known for known in [*first.values(), name] if commands[known] == command)
    rounds = bench.race_of(what, {name: commands[name] for name in first.values()}, GLIBC, budget, metric)
    for name, twin in first.items():
        if twin in rounds.runs:
            rounds.runs[name] = rounds.runs[twin]
    return rounds


def _parts(rounds: Rounds, ways: Ways) -> tuple[tuple[str, str, str], ...]:
    """As far as all variants were measured."""
    names = [GLIBC, *ways.with_parts]
    steps = zip(ways.parts, names[1:], names, strict=False)
    return tuple(step for step in steps if step[1] in rounds.runs and step[2] in rounds.runs)


def _rows_of_race(place: Place, rounds: Rounds, aim: Aim) -> list[Row | Goal]:
    """Against the program as it is; where memory is the aim, the time of what is kept as well."""
    rows = [measured_row(place, rounds, name, GLIBC, aim.metric) for name in rounds.runs if name != GLIBC]
    if KEPT not in rounds.runs:
        return [*rows]
    time = measured_row(place, rounds, KEPT, GLIBC, TIME.metric)
    if aim is not TIME:
        rows += [*control_rows(place, rounds, GLIBC), time]
    return [*rows, Goal(time, aim.slower, Of.LOW)]


def failed(place: Place, inputs: int) -> Goal:
    """On how many inputs the program does not run as it should with what is kept: none is the goal."""
    return Goal(row(place, KEPT, ONE, FAILED, exact(float(inputs))), 0.0)


def against_best_rows(place: Place, judged: Judged) -> list[Row | Goal]:
    """What is kept against the best general setting, and against the best row: what its user must regret."""
    if KEPT not in judged.rounds.runs:
        return [failed(place, 1)]
    even, metric = judged.against_best, judged.metric
    best, unlimited, regret = (
        measured_row(place, even, KEPT, name, metric) for name in (BEST, UNLIMITED, BEST_ROW)
    )
    parts = [
        replace(measured_row(place, judged.rounds, variant, before, metric), variant=part, baseline=WITHOUT)
        for part, variant, before in judged.parts
    ]
    goals = [Goal(best, NOT_WORSE, Of.LOW), Goal(regret, REGRETTED, Of.LOW)]
    return [best, unlimited, regret, *goals, *parts]
