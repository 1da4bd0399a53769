"""Which strategies are worth a race: what simulation ranks first, and some whatever it says."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.launch.program import Program
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import has_flag, has_pools, places_nothing
from malloom.layout.ranking import SAMPLED_ACCESSES
from malloom.layout.registry import strategy, strategy_names
from malloom.measure import stages, variants
from malloom.optimize.recording import RecordedProfile
from malloom.profile import HeapProfile

FROM_SIMULATION = 3
"""Strategies taken from the top of the ranking."""
ALWAYS = ("first-use", "sequential", "context-groups", "pools")
"""Tried whatever the simulation says: two plain ones, and two that carry over to other inputs."""

FALLBACKS = {"mimalloc": "mimalloc", "system": "the C library"}
"""What may serve the requests without a place, for people."""

WITHOUT_ACCESSES = ("sequential", "size", "pools", "overhead-only")
"""What can be planned by requests alone."""


@dataclass(frozen=True)
class Candidate:
    """A plan in the race; `preallocate`, `fallback`, `huge_pages` and `packed` override what the plan says of
    its arena, of what serves the rest and of its pools, None follows it.

    `program` is what it is for, where that is known.
    """

    strategy: str
    """The strategy's name, or what was learned."""
    plan: Path
    preallocate: bool | None = None
    fallback: str | None = None
    huge_pages: bool | None = None
    packed: bool | None = None
    program: Program | None = None

    @property
    def name(self) -> str:
        parts = []
        if self.preallocate is not None:
            parts.append("preallocated" if self.preallocate else "not preallocated")
        if self.fallback is not None:
            parts.append(f"over {FALLBACKS[self.fallback]}")
        if self.huge_pages is not None:
            parts.append("in huge pages" if self.huge_pages else "in small pages")
        if self.packed is not None:
            parts.append("packed" if self.packed else "not packed")
        return " ".join([self.strategy, *parts])

    @property
    def environment(self) -> dict[str, str]:
        return variants.as_run(
            self.plan, self.preallocate, self.program, self.fallback, self.huge_pages, self.packed
        )

    @property
    def is_preallocated(self) -> bool:
        if self.preallocate is not None:
            return self.preallocate
        return has_flag(self.plan, "preallocate")

    @property
    def served_by(self) -> str:
        """The fallback: what serves the requests without a place or a pool."""
        return self.fallback or ("system" if has_flag(self.plan, "system_fallback") else "mimalloc")

    @property
    def is_in_huge_pages(self) -> bool:
        """Whether what the pools fill becomes huge pages."""
        return has_flag(self.plan, "huge_pages") if self.huge_pages is None else self.huge_pages

    @property
    def is_packed(self) -> bool:
        """Whether the chunks of its pools lie as tightly as they can."""
        return has_flag(self.plan, "packed") if self.packed is None else self.packed

    @property
    def flags(self) -> dict[str, bool]:
        """PlanFlags with which the plan is run as the candidate was."""
        return {
            "preallocate": self.is_preallocated,
            "system_fallback": self.served_by == "system",
            "huge_pages": self.is_in_huge_pages,
            "packed": self.is_packed,
        }

    @property
    def setup(self) -> tuple[str, tuple[bool, ...]]:
        """Equal for candidates that run alike."""
        return self.strategy, tuple(self.flags.values())

    def other_setups(self) -> list["Candidate"]:
        """The arena preallocated or not; of a plan without one, with the other fallback. What pools fill in
        huge pages or not, and as tightly as it can or not."""
        if self.has_arena:
            setups = [replace(self, preallocate=not self.is_preallocated)]
        else:
            setups = [replace(self, fallback="mimalloc" if self.served_by == "system" else "system")]
        if has_pools(self.plan):
            setups.append(replace(self, huge_pages=not self.is_in_huge_pages))
            setups.append(replace(self, packed=not self.is_packed))
        return setups

    @property
    def places_nothing(self) -> bool:
        """Whether it is the fallback alone."""
        return places_nothing(self.plan)

    @property
    def has_arena(self) -> bool:
        """Whether there is anything to preallocate."""
        return int(read_plan(self.plan).header["arena_bytes"]) > 0


def fallback_alone(plan: Path) -> Candidate:
    """The candidate that needs no recording, its plan written as named."""
    profile, alone = HeapProfile.from_arrays([]), strategy("overhead-only")
    # Of any geometry, as nothing is placed: the machine need not be measured for it.
    write_plan(make_plan(profile, alone.place(profile, geometry_from("zen5"))), plan)
    return Candidate(alone.name, plan)


def candidate_strategies(
    recording: RecordedProfile, say: Callable[[str], None], note: Callable[[str], None]
) -> list[str]:
    """Names of strategies, likely best first and the fallback alone last, from those among which a plan's
    `auto` chooses. Without recorded accesses there is nothing to simulate."""
    if recording.accesses == "none":
        return _installed(WITHOUT_ACCESSES)
    say("simulating every strategy")
    try:
        answer = stages.output_of(
            "simulate", str(recording.profile), "--auto", "--json", "--accesses", str(SAMPLED_ACCESSES)
        )
    except CommandError as error:
        note(f"nothing was simulated ({error})")
        return _installed(WITHOUT_ACCESSES)
    return chosen_from(json.loads(answer)["rows"])


def chosen_from(ranking: list[dict[str, Any]]) -> list[str]:
    """The best of a ranking, and what is tried always, in the ranking's order and without twins."""
    names = [row["strategy"] for row in without_twins(ranking)]
    best = names[:FROM_SIMULATION]
    always = [name for name in names if name in ALWAYS and name not in best]
    return [*best, *always, "overhead-only"]


def at_most(count: int, names: list[str]) -> list[str]:
    """The likeliest of the names, and the last, the fallback alone, whatever their number."""
    return names if len(names) <= count else [*names[: count - 1], names[-1]]


def without_twins(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ranking with one row of those whose counts are all equal: the same layout again.

    Of twins the one that is always tried stays, so that it is, and under the plainest name.
    """
    one_of: dict[str, dict[str, Any]] = {}
    for row in rows:
        counts = {key: value for key, value in row.items() if key != "strategy"}
        layout = json.dumps(counts, sort_keys=True)
        twin = one_of.setdefault(layout, row)
        if row["strategy"] in ALWAYS and twin["strategy"] not in ALWAYS:
            one_of[layout] = row
    return list(one_of.values())


def _installed(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in strategy_names()]
