"""Every strategy's layout through the simulation: which is best for a profile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from malloom.cache.cost import F64, stall_cycles, stall_cycles_by_context
from malloom.cache.geometry import Geometry
from malloom.cache.simulate import Sample, SimulatedCounts, Simulation, sample_among
from malloom.errors import CommandError
from malloom.layout.layout import Groups, Layout, Pools
from malloom.layout.live_bytes import peak_bytes
from malloom.layout.plan import is_preallocated
from malloom.layout.strategy import Strategy
from malloom.profile import HeapProfile
from malloom.profile.survey import KEPT_ACCESSES

FIRST_ROUND = 2_000_000
"""Accesses that all strategies are simulated with: a limit of cost, seconds instead of minutes for a long
profile."""
SAMPLED_ACCESSES = KEPT_ACCESSES
"""Accesses of the finalists' round: a limit of cost, as many as are kept in memory anyway."""
FINALISTS = 4
"""A limit of cost; one more than `malloom optimize` races from the top of a ranking, which then decides by
time."""
TIE = 0.01
"""Costs closer than this are a tie, which the smaller footprint wins. A limit of what the model can tell:
ratios of costs in samples of some million accesses are off by more (docs/results/notes-cost-model.md)."""
RECORDED = "overhead-only"
"""Nothing is placed at all, so that all lies where it was recorded."""
BASELINES = frozenset({"random", RECORDED})
"""Shuffled, and nothing placed: there to be compared with."""
PLACERS = 2
"""Strategies placed at a time: a limit of memory, of which each needs its own, so not as many as there are
cores."""
HUGE_PAGE = 2 << 20
LARGE = 4_000_000
"""Requests above which `auto` leaves out SELDOM_ALONE: a limit of cost, so that it answers within minutes."""
SELDOM_ALONE = frozenset({"smart", "usage-grouped", "size", "one-per-line"})
"""By what they are, variants of strategies that stay: first-use without conflicts of the first level, the
graph of usage-depth-first in another order, sequential by size, sequential with a line each."""


@dataclass(frozen=True)
class Ranked:
    """One strategy's standing."""

    strategy: str
    counts: SimulatedCounts
    cycles: float
    """Estimated cycles spent waiting (malloom.cache.cost)."""
    arena_bytes: int
    planned: int
    """Requests that have a place."""
    huge_bytes: int = 0
    """Of the arena, those in whole parts of 2 MiB, where the plan asks for them at once: they become huge
    pages where the system makes any."""
    by_context: F64 | None = field(default=None, compare=False)
    """Of the cycles, those for the objects of each context; None where that was not asked for."""


@dataclass(frozen=True)
class RankingProgress:
    """What a long ranking tells whoever waits for it."""

    placing: Callable[[str], None]
    simulated: Callable[[int], None]


SILENT = RankingProgress(lambda name: None, lambda done: None)


def place(strategy: Strategy, profile: HeapProfile, geometry: Geometry) -> Layout:
    """A strategy's layout, checked. A strategy of someone else's that fails is reported by its name."""
    layout = strategy.place(profile, geometry)
    if len(layout.offset) != len(profile.requests):
        raise CommandError(
            f"strategy '{strategy.name}' placed {len(layout.offset)} of {len(profile.requests)} requests",
            remedy="its offset column needs one entry per request",
        )
    return layout


def rank(
    profile: HeapProfile,
    strategies: Iterable[Strategy],
    geometry: Geometry,
    *,
    sample: Sample | None = None,
    progress: RankingProgress = SILENT,
    by_context: bool = False,
) -> list[Ranked]:
    """All strategies, the best first: by cycles, and by pages and lines where those are as good as equal."""
    ranking = Ranking(profile, geometry, progress, by_context)
    ranking.enter(strategies)
    return ranking.run(sample)


def simulation_of(profile: HeapProfile, geometry: Geometry, by_context: bool = False) -> Simulation:
    """Raises CommandError where the heap is larger than can be simulated."""
    try:
        return Simulation(profile, geometry, by_context)
    except ValueError as problem:
        raise CommandError(
            f"the profile cannot be simulated: {problem}", remedy="record a smaller input"
        ) from None


class Ranking:
    """Layouts of one profile under simulation, of which PLACERS at most are held in full."""

    def __init__(
        self, profile: HeapProfile, geometry: Geometry, progress: RankingProgress, by_context: bool = False
    ) -> None:
        self._profile, self._geometry, self._progress = profile, geometry, progress
        self._simulation = simulation_of(profile, geometry, by_context)
        self._placed: dict[str, tuple[int, int, Groups | None, Pools | None]] = {}
        self._huge: dict[str, int] = {}
        self._peaks: dict[int, int] = {}

    def enter(self, strategies: Iterable[Strategy]) -> None:
        """Places and adds the strategies' layouts, in their order; PLACERS of them are placed at a time."""
        with ThreadPoolExecutor(PLACERS) as placers:
            placing: deque[tuple[Strategy, Future[Layout]]] = deque()
            for strategy in strategies:
                placing.append((strategy, placers.submit(place, strategy, self._profile, self._geometry)))
                if len(placing) == PLACERS:
                    self._add(*placing.popleft())
            while placing:
                self._add(*placing.popleft())

    def _add(self, strategy: Strategy, placed: Future[Layout]) -> None:
        self._progress.placing(strategy.name)
        layout = placed.result()
        self._placed[strategy.name] = (layout.arena_bytes, layout.planned, layout.groups, layout.pools)
        # Only a plan with slots asks for its arena at once: of all others no peak is looked for.
        is_huge = layout.has_slots and is_preallocated(layout, self._peak_of(layout))
        self._huge[strategy.name] = layout.arena_bytes // HUGE_PAGE * HUGE_PAGE if is_huge else 0
        self._simulation.add(strategy.name, layout.offset, self._huge[strategy.name])

    def _peak_of(self, layout: Layout) -> int:
        """Bytes of what it places at their peak. Most strategies place the same requests."""
        placed = layout.offset >= 0
        key = hash(placed.tobytes())
        if key not in self._peaks:
            self._peaks[key] = peak_bytes(self._profile, placed)
        return self._peaks[key]

    def layout(self, name: str) -> Layout:
        """The layout of that strategy, as it was placed."""
        arena_bytes, _, groups, pools = self._placed[name]
        return Layout(name, self._simulation.offset(name), arena_bytes, groups, pools)

    def retain(self, names: Collection[str]) -> None:
        """Goes on with these alone, from the start."""
        self._simulation.retain(names)

    def run(self, sample: Sample | None) -> list[Ranked]:
        """Simulates; the best first."""
        counted = self._simulation.run(sample, self._progress.simulated)
        return in_order([self._ranked(name, counts) for name, counts in counted.items()])

    def _ranked(self, name: str, counts: SimulatedCounts) -> Ranked:
        each = counts.by_context
        by_context = None if each is None else stall_cycles_by_context(each, self._geometry)
        # The columns that the cycles come of are let go: there are some for each strategy.
        kept = replace(counts, by_context=None)
        cycles = stall_cycles(counts, self._geometry)
        return Ranked(name, kept, cycles, *self._placed[name][:2], self._huge[name], by_context)


def in_order(ranked: list[Ranked]) -> list[Ranked]:
    """Sorts by cycles; within a tie with its best, by footprint."""
    remaining = sorted(ranked, key=lambda each: each.cycles)
    ordered: list[Ranked] = []
    while remaining:
        bound = remaining[0].cycles * (1 + TIE)
        tied = [each for each in remaining if each.cycles <= bound]
        ordered += sorted(tied, key=_preference)
        remaining = remaining[len(tied) :]
    return ordered


def _preference(each: Ranked) -> tuple[int, int, float, bool]:
    """Among ties: footprint, then cycles, then the plainest strategy."""
    return each.counts.pages, each.counts.lines, each.cycles, each.strategy != "sequential"


@dataclass(frozen=True)
class Chosen:
    """The best strategy, and the rounds by which it was found: in each all that were simulated, the best
    first. Among them may be RECORDED, which is there to be compared with and is not chosen."""

    best: Ranked
    rounds: tuple[list[Ranked], ...]
    samples: tuple[Sample, ...]
    """Of each round."""


def best_layout(
    profile: HeapProfile,
    strategies: Iterable[Strategy],
    geometry: Geometry,
    progress: RankingProgress = SILENT,
    beside: Iterable[Strategy] = (),
    by_context: bool = False,
) -> tuple[Chosen, Layout]:
    """The best strategy and its layout: all by a small sample, the best of them by a larger one. Those
    `beside` are simulated too. Raises CommandError where the profile has no accesses."""
    if profile.access_entries == 0:
        raise CommandError(
            "the profile has no accesses to choose by",
            remedy="record with --accesses full, or name a --strategy",
        )
    ranking = Ranking(profile, geometry, progress, by_context)
    chosen, others = worth_simulating(strategies, profile), list(beside)
    ranking.enter([*chosen, *others])

    def simulated(names: Sequence[str], sample: Sample) -> list[Ranked]:
        ranking.retain(names)
        return ranking.run(sample)

    named, beside_them = ([each.name for each in of] for of in (chosen, others))
    found = best_of(named, profile.reaching_entries, simulated, beside_them)
    return found, ranking.layout(found.best.strategy)


def best_of(
    names: Sequence[str],
    access_entries: int,
    simulated: Callable[[Sequence[str], Sample], list[Ranked]],
    beside: Sequence[str] = (),
) -> Chosen:
    """The best of the strategies: all by a small sample of so many accesses, the best of them by a larger
    one. `simulated` ranks those of some names by a sample."""
    samples = [sample_among(access_entries, FIRST_ROUND)]
    rounds = [simulated([*names, *beside], samples[0])]
    if access_entries > FIRST_ROUND:
        finalists = {each.strategy for each in _without(rounds[0], beside)[:FINALISTS]}
        best = [name for name in names if name in finalists]
        samples.append(sample_among(access_entries, SAMPLED_ACCESSES))
        rounds.append(simulated([*best, *beside], samples[1]))
    return Chosen(_without(rounds[-1], beside)[0], tuple(rounds), tuple(samples))


def _without(ranked: Iterable[Ranked], names: Collection[str]) -> list[Ranked]:
    """In their order among themselves: what is beside them might part those that are tied."""
    return in_order([each for each in ranked if each.strategy not in names])


def left_out(profile: HeapProfile) -> list[str]:
    """The strategies that are not asked about so many requests."""
    return sorted(SELDOM_ALONE) if len(profile.requests) > LARGE else []


def worth_simulating(strategies: Iterable[Strategy], profile: HeapProfile) -> list[Strategy]:
    """The strategies among which the best of a profile is looked for.

    Without friends the friends' strategies are sequential and size over again.
    """
    without = {*BASELINES, *left_out(profile)}
    if not (profile.requests.friend >= 0).any():
        without.update({"friends-depth-first", "friends-grouped"})
    return [strategy for strategy in strategies if strategy.name not in without]
