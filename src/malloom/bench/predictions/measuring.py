"""A program with every layout of it: what was predicted of each, and what it takes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from malloom.bench.debian.programs import INPUTS, Program, Role
from malloom.bench.goals import LIMIT, Goal
from malloom.bench.numbers import number_rows
from malloom.bench.predictions.agreement import Judged, Predictions, correlation, mean_error, spread
from malloom.bench.steps import Bench, Found
from malloom.errors import CommandError
from malloom.layout.ranking import RECORDED, SAMPLED_ACCESSES
from malloom.measure import stages, variants
from malloom.measure.interleaved import Budget
from malloom.measure.interval import exact
from malloom.measure.process import Command, run_measured
from malloom.measure.rows import Place, Row, control_rows, row, rows_of
from malloom.optimize.candidates import without_twins

PREDICTED, WAITING = "predicted CPU time", "predicted waiting"
"""Metrics."""
CORRELATION, DISAGREEMENT, SPREAD, ERROR = (
    "rank correlation",
    "1 - rank correlation",
    "slowest against fastest",
    "predicted against measured",
)
TIME = "cpu_time"
WIDE = 1.05
"""Of the slowest against the fastest: where layouts differ by less there is no order to foretell."""
LEAST_CORRELATION = 0.7
PROGRAMS = "programs"


def program_rows(bench: Bench, program: Program, budget: Budget, judged: Predictions) -> Found:
    """Predicts and measures on the first training input, which the layouts are made for."""
    given = next(each for each in INPUTS if each.role is Role.TRAIN)
    bench.say(f"making the input of {program.name}")
    plain = Command(program.command_line(program.prepared(given, bench.scratch)))
    place = program.place(given)
    profile = _recorded(bench, program, plain)
    ranking = _ranking(bench, profile, run_measured(plain).cpu_time)
    plans = _plans(bench, profile, [each["strategy"] for each in ranking])
    placed = {name: plain.with_environment(variants.planned(plan)) for name, plan in plans.items()}
    rounds = bench.race_of(place[1], placed, RECORDED, budget)
    if not any(rounds.runs.get(each["strategy"]) for each in ranking):
        raise CommandError("the program runs as it should with no layout")
    times = {each["strategy"]: each["time"] for each in ranking if each["strategy"] in rounds.runs}
    judged[place] = Judged(rounds, RECORDED, times)
    waiting = {each["strategy"]: each["waiting"] for each in ranking if each["strategy"] in rounds.runs}
    return [
        *control_rows(place, rounds, RECORDED),
        *rows_of(place, rounds, RECORDED, (TIME,)),
        *number_rows(place, PREDICTED, times),
        *number_rows(place, WAITING, {name: ratio for name, ratio in waiting.items() if ratio is not None}),
        *_agreement(place, judged[place]),
    ]


def summary(judged: Predictions) -> list[Row | Goal]:
    """Over the programs whose layouts differ enough, with the goal, and over those whose layouts do so beyond
    noise; nothing where there are none."""
    apart = {place: spread(each) for place, each in judged.items()}
    wide = [judged[place] for place, found in apart.items() if found.ratio > WIDE]
    certain = [judged[place] for place, found in apart.items() if found.low is not None and found.low > WIDE]
    of = f"of {len(judged)} {PROGRAMS}, whose layouts differ by over 5 %"
    found: list[Row | Goal] = []
    if wide:
        place = ("mean", f"{len(wide)} {of}")
        (mean,) = _correlations(place, wide)
        found += [mean, _goal(mean)]
    if certain:
        found += _correlations(("mean", f"{len(certain)} {of} beyond noise"), certain)
    return found


def _agreement(place: Place, judged: Judged) -> list[Row]:
    runs, races = len(judged.rounds), judged.rounds.races
    numbers = {SPREAD: spread(judged), ERROR: exact(mean_error(judged))}
    beside = [
        row(place, name, LIMIT, CORRELATION, number, runs=runs, races=races)
        for name, number in numbers.items()
    ]
    return [*_correlations(place, [judged]), *beside]


def _correlations(place: Place, races: Sequence[Judged]) -> list[Row]:
    fewest = min(len(each.rounds) for each in races)
    behind = tuple(race for each in races for race in each.rounds.races)
    return [row(place, CORRELATION, LIMIT, CORRELATION, correlation(races), runs=fewest, races=behind)]


def _goal(found: Row) -> Goal:
    """A goal is a number that is small enough: here what is lacking to 1."""
    low = None if found.high is None else 1 - found.high
    high = None if found.low is None else 1 - found.low
    named = replace(found, variant=DISAGREEMENT, metric=DISAGREEMENT)
    return Goal(replace(named, ratio=1 - found.ratio, low=low, high=high), 1 - LEAST_CORRELATION)


def _recorded(bench: Bench, program: Program, plain: Command) -> Path:
    profile = bench.scratch / f"{program.name}.profile"
    bench.say(f"recording {program.name}")
    run = stages.record(plain.arguments, profile, "full")
    if run.status != 0:
        raise CommandError(f"recording {program.name} failed: {stages.Recorded.by(run).words}")
    return profile


def _ranking(bench: Bench, profile: Path, seconds: float) -> list[dict[str, Any]]:
    """The strategies among which a plan's `auto` chooses, once each layout."""
    bench.say("simulating every strategy")
    options = ["--auto", "--json", "--accesses", str(SAMPLED_ACCESSES), "--run-time", str(seconds)]
    rows = without_twins(json.loads(stages.output_of("simulate", str(profile), *options))["rows"])
    if any(each["time"] is None for each in rows):
        raise CommandError("no time is predicted: not every access was recorded")
    return rows


def _plans(bench: Bench, profile: Path, names: Sequence[str]) -> dict[str, Path]:
    plans = {name: profile.with_name(f"{profile.stem}-{name}.plan") for name in (RECORDED, *names)}
    bench.say(f"planning {len(plans)} strategies")
    for name, problem in stages.plan_each({profile: plans}).items():
        bench.failed(name, CommandError(problem))
        del plans[name]
    return plans
