"""How much of what a program requests a kept plan serves, on each judged input: a program may never come to
where it was learned, a server least of all."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from malloom.errors import CommandError
from malloom.measure.process import Command, run_measured
from malloom.optimize.candidates import Candidate
from malloom.optimize.training import Row, command_of
from malloom.settings import with_setting

SERVED = ("matched", "grouped", "pooled")
"""What statistics count as placed: by slots, in groups and in pools."""
MOST = 2**64 - 1
"""As many as statistics can count."""


def shares_served(
    row: Row | None, commands: Mapping[str, Command], say: Callable[[str], None]
) -> dict[str, float | None]:
    """The share of requests that a plan serves, by input, in one more run of each; None where it fails, or
    where its processes tell nothing. Empty for what places nothing."""
    if not isinstance(row, Candidate) or row.places_nothing:
        return {}
    say(f"counting what {row.name} serves")
    return {given: _share(command_of(row, command)) for given, command in commands.items()}


def notes_on_served(shares: Mapping[str, float | None]) -> list[str]:
    """A note on each input on which nothing was served, or on which that is not known."""
    return [
        f"on {given} it is not known how much the plan serves: the run failed, or no process lived to tell"
        if share is None
        else f"on {given} the plan serves nothing, as the program never comes to where it was learned: "
        "what is gained or lost there comes of the heap behind it"
        for given, share in shares.items()
        if not share
    ]


def _share(command: Command) -> float | None:
    told = replace(command, environment=with_setting(dict(command.environment), "statistics", "json"))
    try:
        lines = run_measured(told).errors.splitlines()
    except CommandError:
        return None
    counts = [found for line in lines if (found := _counts(line))]
    requests = sum(each["requests"] for each in counts)
    return sum(each[name] for each in counts for name in SERVED) / requests if requests else None


def _counts(line: bytes) -> dict[str, int]:
    """Those of a process; empty where the line is something else that the program wrote, whatever that is."""
    try:
        found = json.loads(line)
        counts = {name: found[name] for name in ("requests", *SERVED)}
    except (ValueError, TypeError, KeyError, RecursionError):
        return {}
    return counts if all(type(each) is int and 0 <= each <= MOST for each in counts.values()) else {}
