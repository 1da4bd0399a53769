"""The verdict's own figures, on the inputs that `malloom optimize` was told of, as rows."""

from malloom.bench.debian.programs import Program
from malloom.bench.goals import Goal, against_limit
from malloom.bench.kept import check_row, training_row
from malloom.bench.programs.chosen import Choice
from malloom.measure.rows import Row
from malloom.measure.variants import GLIBC

LONGEST = 600.0
"""Seconds that optimizing a program of a second may take."""


def verdict_rows(program: Program, choice: Choice) -> list[Row | Goal]:
    """Every row of its table on each training input, those that went to the check inputs on these, and how
    long it took."""
    seconds = [float(choice.answer["seconds"])]
    took = against_limit((program.name, "train and check"), "optimize", "seconds", seconds, LONGEST)
    return [*_training_rows(program, choice), *_check_rows(program, choice), took]


def _training_rows(program: Program, choice: Choice) -> list[Row]:
    return [
        training_row(program.place(choice.texts[given["input"]]), told["name"], GLIBC, given)
        for told in choice.answer["rows"]
        for given in told.get("inputs", ())
    ]


def _check_rows(program: Program, choice: Choice) -> list[Row]:
    return [
        check_row(program.place(choice.texts[told["input"]]), told["row"], GLIBC, told)
        for told in choice.answer["checks"]
    ]
