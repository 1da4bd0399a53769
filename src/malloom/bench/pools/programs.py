"""The programs that the suite runs, each with one input."""

from collections.abc import Sequence

from malloom.bench.cases import Case, OtherProgram, Runnable, cover, hexapawn, traverse
from malloom.bench.real_programs import cc1, dot, jq, python3, xsltproc
from malloom.bench.ten_programs import sized

START_UP = OtherProgram("start-up", "true", lambda _folder: ("/bin/true",))
"""A program that does nothing: all that it costs is its start and its end."""


def the_ten(names: Sequence[str], size: str, last_level: int) -> list[Case]:
    """The ten programs with a heap of that size."""
    return [sized(name, size, last_level) for name in names]


def few_live() -> list[Runnable]:
    """Programs whose pools bring nothing: what they make is soon released, or walked in the order of making,
    or made at one call site."""
    runs = {"fibonacci": 32, "sort": 1, "words": 4, "streams": 2500}
    return [
        Case("factors", ("100000000000880000000001887",), "factor_time"),
        Case("list_walk", ("100000", "2000"), "walk_time"),
        Case("list_walk", ("1000000", "60"), "walk_time"),
        *(Case("interpreter", (script, str(rounds)), "run_time") for script, rounds in runs.items()),
    ]


def few_live_small() -> list[Runnable]:
    return [Case("factors", ("77",), "factor_time"), Case("interpreter", ("sort", "1"), "run_time")]


def real() -> list[Runnable]:
    """Programs from Debian, as they are, with inputs for a second or two."""
    return [cc1(150), python3(40), xsltproc(20), jq(20), dot(150, 300)]


def real_small() -> list[Runnable]:
    return [cc1(20), python3(1)]


def others() -> list[Runnable]:
    """The tree's other programs, whose memory counts too."""
    released = Case("release_all", (str(64 << 20),), "empty_bytes")
    return [traverse(18, 4), cover(300), hexapawn(4, 3), released]
