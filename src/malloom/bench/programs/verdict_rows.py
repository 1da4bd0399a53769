"""The verdict's own figures, on the inputs that `malloom optimize` was told of, as rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from malloom.bench.goals import Goal, against_limit
from malloom.bench.programs.chosen import Choice
from malloom.bench.programs.programs import Program
from malloom.measure.interval import Interval, median_ratio
from malloom.measure.rows import Row, row
from malloom.measure.variants import GLIBC

TIME = "cpu_time"
LONGEST = 600.0
"""Seconds that optimizing a program of a second may take."""


def verdict_rows(program: Program, choice: Choice) -> list[Row | Goal]:
    """Every row of its table on each training input, those that went to the check inputs on these, and how
    long it took."""
    seconds = [float(choice.answer["seconds"])]
    took = against_limit((program.name, "train and check"), "optimize", "seconds", seconds, LONGEST)
    return [*_training_rows(program, choice), *_check_rows(program, choice), took]


def _training_rows(program: Program, choice: Choice) -> list[Row]:
    found = []
    for told in choice.answer["rows"]:
        for given in told.get("inputs", ()):
            ratio = median_ratio(given["runs"][TIME], given["as_it_is"][TIME])
            place = program.place(choice.texts[given["input"]])
            found.append(_row(place, told["name"], given, Interval(ratio.ratio, None, None)))
    return found


def _check_rows(program: Program, choice: Choice) -> list[Row]:
    return [
        _row(program.place(choice.texts[told["input"]]), told["row"], told, Interval(**told[TIME]))
        for told in choice.answer["checks"]
    ]


def _row(place: tuple[str, str], name: str, told: Mapping[str, Any], interval: Interval) -> Row:
    peaks = [float(np.median(told[runs]["peak_memory"])) for runs in ("runs", "as_it_is")]
    count = len(told["runs"][TIME])
    return row(place, name, GLIBC, TIME, interval, runs=count, peak=peaks[0] / peaks[1])
