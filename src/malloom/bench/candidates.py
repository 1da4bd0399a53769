"""Which strategies are worth a race: what simulation ranks first, and some whatever it says."""

import json
from collections.abc import Callable
from pathlib import Path

from malloom.bench import stages
from malloom.layout.ranking import SAMPLED_ACCESSES
from malloom.layout.registry import strategy_names

FROM_SIMULATION = 3
"""Strategies taken from the top of the ranking."""
ALWAYS = ("context-groups", "overhead-only")
"""The one carries over to other inputs, the other costs next to nothing."""

WITHOUT_ACCESSES = ("sequential", "size", *ALWAYS)


def candidate_strategies(profile: Path, accesses: str, say: Callable[[str], None]) -> list[str]:
    """Names of strategies, likely best first. Without recorded accesses there is nothing to simulate."""
    if accesses == "none":
        return [name for name in WITHOUT_ACCESSES if name in strategy_names()]
    say("simulating every strategy")
    answer = stages.output_of("simulate", str(profile), "--json", "--accesses", str(SAMPLED_ACCESSES))
    ranked = [row["strategy"] for row in json.loads(answer)["rows"]]
    best = [name for name in ranked if name not in ALWAYS][:FROM_SIMULATION]
    return [*best, *(name for name in ALWAYS if name in ranked)]
