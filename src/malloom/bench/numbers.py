"""Numbers that are compared with nothing, as rows."""

from collections.abc import Mapping

from malloom.measure.interval import exact
from malloom.measure.rows import Place, Row, row

ONE = "one"
"""The baseline of a number: ratio = number / 1."""


def number_rows(place: Place, metric: str, numbers: Mapping[str, float]) -> list[Row]:
    """A row for each, under its name."""
    return [row(place, name, ONE, metric, exact(float(number))) for name, number in numbers.items()]
