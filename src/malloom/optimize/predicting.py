"""What simulation foretells of the strategies on the training inputs."""

import json
import math
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
    options += ["--run-time", str(recording.run_time)] if recording.run_time > 0 else []
    options += ["--scheduler", scheduler] if scheduler else []
    try:
        answer = stages.output_of("simulate", str(recording.profile), *options)
    except CommandError as error:
        note(f"nothing was simulated ({error})")
        return []
    rows: Ranking = json.loads(answer)["rows"]
    return rows


def predictions_of(rankings: Sequence[Ranking]) -> dict[str, float]:
    """By strategy: CPU time against that with the layout as recorded, inputs weighing alike. Only of
    strategies with a predicted time on every input."""
    times = [{row["strategy"]: row["time"] for row in ranking if row["time"]} for ranking in rankings]
    names = set.intersection(*(set(each) for each in times)) if times else set()
    return {
        name: math.exp(sum(math.log(each[name]) for each in times) / len(times)) for name in sorted(names)
    }
