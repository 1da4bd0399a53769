"""The options of suites whose heaps are sized by the last-level cache, and what they mean."""

from typing import Annotated

import typer

from malloom.bench.ten_programs import SIZES, known
from malloom.cache.geometry import last_level_bytes, size_from
from malloom.errors import UsageProblem

LastLevel = Annotated[
    str,
    typer.Option(
        metavar="BYTES",
        help="Size of the last-level cache, like 32M. Default: this machine's.",
        show_default=False,
    ),
]


def last_level_of(text: str, quick: bool, small: int) -> int:
    """Bytes: those that were asked for, else in a quick run the small ones, else this machine's."""
    if text:
        return size_from(text)
    return small if quick else last_level_bytes()


def sizes_of(text: str) -> list[str]:
    """Those that were asked for, in order; none where none were. Raises UsageProblem for one that there is
    not."""
    return known("size", text.split(",") if text else (), SIZES)


def refuse_seconds(quick: bool, seconds: float | None) -> None:
    """Raises UsageProblem where a quick run is to take a certain time."""
    if quick and seconds is not None:
        remedy = "leave one of them out"
        raise UsageProblem("--quick takes two rounds, whatever --seconds says", remedy=remedy)
