"""What `malloom optimize` leaves its user with: the one chooser, for every suite."""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from malloom.bench.cases import Case, Runnable
from malloom.bench.steps import Bench
from malloom.measure import stages
from malloom.measure.interval import Interval, exact, median_ratio
from malloom.measure.rows import Place, Row, row
from malloom.measure.variants import Variant, native, with_plan
from malloom.optimize.inputs import PLACEHOLDER

TIME = "cpu_time"


@dataclass(frozen=True)
class Kept:
    """Its verdict on a program with an input, and the plan that it has kept, if any."""

    plan: Path | None
    strategy: str
    verdict: str
    interval: Interval
    pairs: int
    peak_ratio: float
    notes: tuple[str, ...]

    @property
    def described(self) -> str:
        return self.strategy if self.plan else "nothing"

    def variant(self, name: str) -> Variant:
        """The program as its user then runs it: with the plan, or as it is."""
        return with_plan(name, self.plan) if self.plan else Variant(name, native().of)


def optimized(bench: Bench, program: Runnable, seconds: float | None) -> Kept:
    """`malloom optimize` on a program, once a suite; `seconds` are for its measured runs, None for as many
    as it takes by itself.

    Raises CommandError where there is no verdict.
    """
    arguments = map(str, program.command(bench).arguments)
    return _asked_for(bench, program.place, [], arguments, seconds)


def optimized_on(bench: Bench, train: Sequence[Case], check: Sequence[Case], seconds: float | None) -> Kept:
    """The same of a workload that is learned on some inputs, and checked on others.

    Raises CommandError where there is no verdict.
    """
    program = str(train[0].command(bench).arguments[0])
    named = [train[0].workload, *(case.input for case in train)]
    return _asked_for(bench, named, told_inputs(train, check), [program, PLACEHOLDER], seconds)


def told_inputs(train: Sequence[Case], check: Sequence[Case]) -> list[str]:
    """The options that tell `malloom optimize` of the inputs."""
    told = [("--train", case) for case in train] + [("--check", case) for case in check]
    return [word for option, case in told for word in (option, shlex.join(case.arguments))]


def _asked_for(
    bench: Bench, named: Sequence[str], inputs: Sequence[str], command: Iterable[str], seconds: float | None
) -> Kept:
    name = "-".join(named).replace(" ", "-").replace("/", "-")
    plan = bench.scratch / f"optimized-{name}.plan"
    return _kept(answer_of(bench, name, ["-o", str(plan), *inputs], command, seconds), plan)


def answer_of(
    bench: Bench,
    name: str,
    options: Sequence[str],
    command: Iterable[str],
    seconds: float | None,
    environment: dict[str, str] | None = None,
) -> dict[str, Any]:
    """The verdict of `malloom optimize` as data, asked for once a suite under the name; `environment` is
    added to that of the program.

    Raises CommandError where there is none.
    """
    answer = bench.scratch / f"optimized-{name}.json"
    if not answer.exists():
        bench.say(f"optimizing {name}")
        timed = [] if seconds is None else ["--seconds", str(seconds)]
        told = ["optimize", "--json", *options, *timed, "--", *command]
        said = stages.output_of(*told, environment=environment)
        answer.write_text(said, encoding="utf-8")
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def training_row(place: Place, name: str, baseline: str, given: Mapping[str, Any]) -> Row:
    """Of a row's `inputs` in such an answer: the median, as there are too few runs for an interval."""
    ratio = median_ratio(given["runs"][TIME], given["as_it_is"][TIME])
    return _told_row(place, name, baseline, given, Interval(ratio.ratio, None, None))


def check_row(place: Place, name: str, baseline: str, told: Mapping[str, Any]) -> Row:
    """Of its `checks`."""
    return _told_row(place, name, baseline, told, Interval(**told[TIME]))


def unchanged_row(place: Place, name: str, baseline: str) -> Row:
    """Where nothing is kept, the program stays what it was."""
    return row(place, name, baseline, TIME, exact(1.0), peak=1.0)


def _told_row(place: Place, name: str, baseline: str, told: Mapping[str, Any], interval: Interval) -> Row:
    peaks = [float(np.median(told[runs]["peak_memory"])) for runs in ("runs", "as_it_is")]
    count = len(told["runs"][TIME])
    return row(place, name, baseline, TIME, interval, runs=count, peak=peaks[0] / peaks[1])


def _kept(answer: dict[str, Any], plan: Path) -> Kept:
    return Kept(
        plan=plan if answer["plan"] else None,
        strategy=answer["strategy"],
        verdict=answer["verdict"],
        interval=Interval(answer["ratio"], answer["low"], answer["high"]),
        pairs=answer["pairs"],
        peak_ratio=answer["peak_rss_ratio"],
        notes=tuple(answer["notes"]),
    )
