"""How much of a program's heap comes from pools that a compiler gave it, told by recordings.

A recording sees the requests of malloc's family. Those of compiled pools are none of them: what the program
requests without pools, and no longer with them, is theirs.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.process import Command, last_words

LONGEST = 1800.0
"""Seconds that a recorded run may take."""


@dataclass(frozen=True)
class Requested:
    """Of malloc and its like, in one run: all bytes, and most that lived at once."""

    bytes: int
    live_peak: int


def requested(scratch: Path, command: Command) -> Requested:
    """Raises CommandError where the run cannot be recorded."""
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
            raise CommandError(f"recording {program} failed: {last_words(run)}")
        report = json.loads(stages.output_of("report", str(profile), "--format", "json", "--top", "1"))
    finally:
        profile.unlink(missing_ok=True)
    return Requested(report["totals"]["bytes"], report["totals"]["live_peak"])


def share_of_pools(without: Requested, with_pools: Requested) -> float:
    """Of all bytes that the program requests without pools."""
    return max(1 - with_pools.bytes / without.bytes, 0.0)
