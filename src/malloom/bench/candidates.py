"""Which strategies are worth a race: what simulation ranks first, and some whatever it says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
    rows = json.loads(answer)["rows"]
    others = without_twins([row for row in rows if row["strategy"] not in ALWAYS])
    always = [row for row in rows if row["strategy"] in ALWAYS]
    return [row["strategy"] for row in [*others[:FROM_SIMULATION], *always]]


def without_twins(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ranking without rows whose counts all equal those of an earlier one: the same layout again."""
    first_of: dict[str, dict[str, Any]] = {}
    for row in rows:
        counts = {key: value for key, value in row.items() if key != "strategy"}
        first_of.setdefault(json.dumps(counts, sort_keys=True), row)
    return list(first_of.values())
