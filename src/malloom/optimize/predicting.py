"""What simulation foretells of the strategies on a training input."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from malloom.errors import CommandError
from malloom.layout.ranking import SAMPLED_ACCESSES
from malloom.measure import stages
from malloom.optimize.recording import RecordedProfile

Ranking = list[dict[str, Any]]
"""Rows of `malloom simulate --json`, the best first."""


def ranking_of(
    recording: RecordedProfile,
    say: Callable[[str], None],
    note: Callable[[str], None],
    names: Sequence[str] = (),
    scheduler: str | None = None,
) -> Ranking:
    """Of the strategies of these names; where there are none, of those among which a plan's `auto` chooses.
    Empty where nothing is simulated, as without recorded accesses. With a scheduler of Dask's each strategy
    is simulated by a task."""
    if recording.accesses == "none":
        return []
    say(f"simulating {', '.join(names) or 'every strategy'}")
    options = [part for name in names for part in ("--strategy", name)] or ["--auto"]
    options += ["--json", "--accesses", str(SAMPLED_ACCESSES), *recording.chosen]
    options += ["--run-time", str(recording.run_time)] if recording.has_time else []
    options += ["--scheduler", scheduler] if scheduler else []
    try:
        answer = stages.output_of("simulate", str(recording.profile), *options)
    except CommandError as error:
        note(f"nothing was simulated ({error})")
        return []
    rows: Ranking = json.loads(answer)["rows"]
    return rows


def foretold_of(ranking: Ranking) -> dict[str, tuple[str, float]]:
    """By strategy: it, and its CPU time against that with the layout as recorded, where one is predicted."""
    return {row["strategy"]: (row["strategy"], row["time"]) for row in ranking if row["time"]}
