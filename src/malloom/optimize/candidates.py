"""Which strategies are worth a race: what simulation ranks first, and some whatever it says."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from malloom.launch.preloading import over
from malloom.layout.plan_header import (
    has_arena,
    has_flag,
    has_groups,
    has_pools,
    has_prefetches,
    places_nothing,
)
from malloom.layout.registry import strategy_names
from malloom.measure import variants
from malloom.measure.allocators import Setting
from malloom.optimize.predicting import Ranking
from malloom.optimize.settings import AllocatorRow
from malloom.settings import with_setting

FROM_SIMULATION = 3
"""Strategies taken from the top of the ranking."""
ALWAYS = ("first-use", "sequential", "context-groups", "lifetimes", "pools")
"""Tried whatever the simulation says: two plain ones, and three that carry over to other inputs."""

FALLBACKS = {"mimalloc": "mimalloc", "system": "the C library"}
"""What may serve the requests without a place, for people."""

WITHOUT_ACCESSES = ("sequential", "size", "lifetimes", "pools")
"""What can be planned by requests alone."""
BY_CONTEXT = ("pools", "context-groups", "lifetimes")
"""What several inputs can agree on. The last has not yet shown a gain, so it is the first that is left out
for time."""


BY_SIZE = "pools by size"
"""No plan's pools, but those of the sizes that the program asks for."""
OWN_MIMALLOC = "malloom's mimalloc"
"""Nothing is placed."""


@dataclass(frozen=True)
class Candidate:
    """A plan in the race; `preallocate`, `fallback`, `huge_pages`, `packed`, `pools_in_mimalloc`,
    `fallback_huge_pages` and `purge_delay` override what the plan says of its arena, of what serves the rest,
    of its pools and of the run time's own mimalloc, None follows it. `over` is another general allocator that
    serves the rest. `without_prefetches` leaves those of the plan out. With `small_in_pools` pools of their
    sizes serve the small requests of call sites that the plan does not name.
    """

    strategy: str
    """The strategy's name, or what was learned."""
    plan: Path
    preallocate: bool | None = None
    fallback: str | None = None
    huge_pages: bool | None = None
    packed: bool | None = None
    pools_in_mimalloc: bool | None = None
    fallback_huge_pages: bool | None = None
    purge_delay: int | None = None
    over: Setting | None = None
    without_prefetches: bool = False
    small_in_pools: bool = False
    foretold: tuple[str, float] | None = field(default=None, compare=False)
    """A strategy, and the CPU time that simulation foretells with its places against that as recorded."""

    executable = None

    @property
    def kind(self) -> str:
        return "setting" if self.strategy == OWN_MIMALLOC else "plan"

    @property
    def name(self) -> str:
        parts = ["without prefetches"] if self.without_prefetches else []
        parts += ["with pools of all sizes"] if self.small_in_pools and self.strategy != BY_SIZE else []
        if self.preallocate is not None:
            parts.append("preallocated" if self.preallocate else "not preallocated")
        if self.over is not None:
            parts.append(f"over {AllocatorRow(self.over).name}")
        elif self.fallback is not None:
            parts.append(f"over {FALLBACKS[self.fallback]}")
        if self.fallback_huge_pages is not None:
            behind = "" if self.strategy == OWN_MIMALLOC else " behind"
            parts.append(f"{'with' if self.fallback_huge_pages else 'without'} huge pages{behind}")
        if self.purge_delay is not None:
            parts.append("with early return" if self.purge_delay == 0 else f"purged in {self.purge_delay} ms")
        if self.huge_pages is not None:
            parts.append("in huge pages" if self.huge_pages else "in small pages")
        if self.packed is not None:
            parts.append("packed" if self.packed else "not packed")
        if self.pools_in_mimalloc is not None:
            parts.append("within mimalloc" if self.pools_in_mimalloc else "beside mimalloc")
        return " ".join([self.strategy, *parts])

    @property
    def environment(self) -> dict[str, str]:
        fallback = self.fallback if self.over is None else "system"
        made = variants.as_run(
            self.plan,
            fallback,
            self.small_in_pools or None,
            preallocate=self.preallocate,
            huge_pages=self.huge_pages,
            packed=self.packed,
            pools_in_mimalloc=self.pools_in_mimalloc,
            fallback_huge_pages=self.fallback_huge_pages,
            purge_delay=self.purge_delay,
        )
        if self.without_prefetches:
            made = with_setting(made, "prefetch", "0")
        if self.over is None:
            return made
        run_time = made["LD_PRELOAD"].partition(":")[0]
        return {**made, **over(run_time, self.over.allocator.file, self.over.variables)}

    @property
    def predicted(self) -> float | None:
        """The CPU time that simulation foretells, where it is of just this: None where something was added to
        the places, or changed that is not simulated."""
        is_plain = replace(self, preallocate=None) == Candidate(self.strategy, self.plan)
        if self.foretold is None or not is_plain or self.foretold[0] != self.strategy:
            return None
        return self.foretold[1]

    @property
    def is_preallocated(self) -> bool:
        if self.preallocate is not None:
            return self.preallocate
        return has_flag(self.plan, "preallocate")

    @property
    def served_by(self) -> str:
        """The fallback: what serves the requests without a place or a pool."""
        if self.over is not None:
            return "system"
        return self.fallback or ("system" if has_flag(self.plan, "system_fallback") else "mimalloc")

    @property
    def is_in_huge_pages(self) -> bool:
        """Whether what pools and groups fill becomes huge pages, unless that is mimalloc's."""
        return has_flag(self.plan, "huge_pages") if self.huge_pages is None else self.huge_pages

    @property
    def has_huge_fallback(self) -> bool:
        """Whether what the run time's own mimalloc serves becomes huge pages."""
        chosen = self.fallback_huge_pages
        return has_flag(self.plan, "fallback_huge_pages") if chosen is None else chosen

    @property
    def is_packed(self) -> bool:
        """Whether the chunks of its pools lie as tightly as they can."""
        return has_flag(self.plan, "packed") if self.packed is None else self.packed

    @property
    def is_in_mimalloc(self) -> bool:
        """Whether its pools are heaps of the run time's own mimalloc."""
        if self.served_by != "mimalloc" or self.small_in_pools:
            return False
        chosen = self.pools_in_mimalloc
        return has_flag(self.plan, "pools_in_mimalloc") if chosen is None else chosen

    @property
    def flags(self) -> dict[str, bool]:
        """PlanFlags with which the plan is run as the candidate was."""
        return {
            "preallocate": self.is_preallocated,
            "system_fallback": self.served_by == "system",
            "huge_pages": self.is_in_huge_pages and (not self.is_in_mimalloc or has_groups(self.plan)),
            "packed": self.is_packed and not self.is_in_mimalloc,
            "pools_in_mimalloc": self.is_in_mimalloc,
            "fallback_huge_pages": self.has_huge_fallback,
        }

    @property
    def setup(self) -> tuple[str, tuple[bool, ...], int | None, str, bool]:
        """Equal for candidates that run alike."""
        over = self.over.name if self.over else ""
        return self.strategy, tuple(self.flags.values()), self.purge_delay, over, self.small_in_pools

    def other_setups(self) -> list["Candidate"]:
        """The arena preallocated or not; of a plan without one, with the other fallback. What pools and
        groups fill in huge pages or not, pools as tightly as they can or not; what mimalloc serves in huge
        pages or not."""
        if self.has_arena:
            setups = [replace(self, preallocate=not self.is_preallocated)]
        elif self.over is None:
            other = "mimalloc" if self.served_by == "system" else "system"
            setups = [replace(self, fallback=other, pools_in_mimalloc=None)]
        else:
            setups = []
        is_pooled = (self.small_in_pools or has_pools(self.plan)) and not self.is_in_mimalloc
        if is_pooled or has_groups(self.plan):
            setups.append(replace(self, huge_pages=not self.is_in_huge_pages))
        if is_pooled:
            setups.append(replace(self, packed=not self.is_packed))
        if self.served_by == "mimalloc":
            setups.append(replace(self, fallback_huge_pages=not self.has_huge_fallback))
            setups += self._other_homes_of_pools()
        return setups

    def _other_homes_of_pools(self) -> list["Candidate"]:
        """Its pools beside mimalloc where they are within it; else within it, whose pages are then theirs, in
        huge pages and in small ones."""
        if self.small_in_pools or not has_pools(self.plan):
            return []
        if self.is_in_mimalloc:
            return [replace(self, pools_in_mimalloc=False)]
        pages = self.huge_pages if has_groups(self.plan) else None
        within = replace(self, huge_pages=pages, packed=None, pools_in_mimalloc=True)
        return [replace(within, fallback_huge_pages=huge) for huge in (True, False)]

    @property
    def places_nothing(self) -> bool:
        """Whether it is the fallback alone."""
        return places_nothing(self.plan) and not self.small_in_pools

    @property
    def has_arena(self) -> bool:
        """Whether there is anything to preallocate: places by ordinal, which are for one input."""
        return has_arena(self.plan)

    @property
    def has_prefetches(self) -> bool:
        return has_prefetches(self.plan)


def without_places(empty: Path) -> list[Candidate]:
    """The run time's own mimalloc alone, in small pages and in huge ones. `empty` is a plan that places
    nothing."""
    return [Candidate(OWN_MIMALLOC, empty, fallback_huge_pages=huge) for huge in (False, True)]


def sparing(candidates: Sequence[Candidate], empty: Path) -> list[Candidate]:
    """What saves memory, as the pools' size classes are 16 bytes apart, their chunks have no headers, and
    their empty pages go back: all small requests from pools, by their sizes alone, and beside the pools that
    were learned first; what mimalloc serves beside them goes back at once, or later. `empty` is a plan that
    places nothing."""
    pools = next((each for each in candidates if has_pools(each.plan)), None)
    by_size = Candidate(BY_SIZE, empty, packed=True, small_in_pools=True)
    early = replace(by_size, purge_delay=0)
    return [early, by_size, *([replace(pools, packed=True, small_in_pools=True)] if pools else [])]


def chosen_from(ranking: Ranking) -> list[str]:
    """The best of a ranking, and what is tried always, in the ranking's order and without twins. Where
    nothing was simulated: what can be planned without accesses."""
    if not ranking:
        return _installed(WITHOUT_ACCESSES)
    names = [row["strategy"] for row in without_twins(ranking)]
    best = names[:FROM_SIMULATION]
    always = [name for name in names if name in ALWAYS and name not in best]
    return [*best, *always]


def without_twins(rows: Ranking) -> Ranking:
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
