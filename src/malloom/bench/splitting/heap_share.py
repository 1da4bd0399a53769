"""How much of a program's heap comes from pools that a compiler gave it, told by recordings.

A recording sees the requests of malloc's family. Those of compiled pools are none of them: what the program
requests without pools, and no longer with them, is theirs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.process import Command

LONGEST = 1800.0
"""Seconds that a recorded run may take."""


@dataclass(frozen=True)
class Requested:
    """Of malloc and its like, in one run: all bytes, and most that lived at once."""

    bytes: int
    live_peak: int


NAMED_REQUEST = re.compile(r"malloom_set_(\d+)\.")
"""A function by whose way a set's objects are requested, where the compiler was to name them."""


def requested(scratch: Path, command: Command) -> Requested:
    """Raises CommandError where the run cannot be recorded."""
    totals = _reported(scratch, command, "--top", "1")["totals"]
    return Requested(totals["bytes"], totals["live_peak"])


def bytes_of_sets(scratch: Path, command: Command) -> dict[int | None, int]:
    """What each alias set of a program requests in one run, by its number: of a program that was compiled so
    that its requests are named. None: of no set. Raises CommandError where the run cannot be recorded."""
    found: Counter[int | None] = Counter()
    for context in _reported(scratch, command, "--top", "0", "--depth", "2")["contexts"]:
        found[_set_of(frame["function"] for frame in context["frames"])] += context["bytes"]
    return dict(found)


def _set_of(functions: Iterable[str]) -> int | None:
    """A library's function that duplicates a text may stand before the set's."""
    named = (NAMED_REQUEST.match(function) for function in functions)
    return next((int(name[1]) for name in named if name), None)


def _reported(scratch: Path, command: Command, *options: str) -> Any:
    """The report on the requests of a run."""
    profile = scratch / "requests.profile"
    program = command.arguments[0]
    try:
        run = stages.record(
            command.arguments,
            profile,
            "none",
            time_limit=LONGEST,
            environment=dict(command.environment),
        )
        if run.status != 0:
            raise CommandError(f"recording {program} failed: {stages.Recorded.by(run).words}")
        return json.loads(stages.output_of("report", str(profile), "--format", "json", *options))
    finally:
        profile.unlink(missing_ok=True)


def share_of_pools(without: Requested, with_pools: Requested) -> float:
    """Of all bytes that the program requests without pools."""
    return max(1 - with_pools.bytes / without.bytes, 0.0)
