"""Strategies ranked by tasks: each places and simulates one strategy, where the profile can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from malloom.cache.geometry import Geometry
from malloom.cache.simulate import Sample
from malloom.cluster.files import Opened
from malloom.cluster.tasks import Tasks, Told, silent
from malloom.errors import CommandError
from malloom.layout.ranking import Ranked, in_order, rank, worth_simulating
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile
from malloom.report.reasons import check_not_empty, notes_on, why_no_accesses

_opened = Opened()
_one_at_a_time = Lock()
"""A profile is not thread-safe, and a worker may have several threads."""


@dataclass(frozen=True)
class Asked:
    """A process of a profile, and strategies to choose from."""

    profile: str
    process: str | None
    names: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """What is to be known of a profile before it is simulated."""

    notes: tuple[str, ...]
    access_entries: int
    has_all_accesses: bool
    worth: tuple[str, ...]
    """Of the strategies those among which the best is looked for."""


@dataclass(frozen=True)
class Simulated:
    """A strategy to be placed and simulated."""

    profile: str
    process: str | None
    strategy: str
    geometry: Geometry
    sample: Sample
    by_context: bool


def facts_of(asked: Asked) -> Facts:
    """Raises CommandError where the profile cannot be simulated."""
    with _one_at_a_time:
        profile = _opened.profile(asked.profile, asked.process)
        check_simulatable(profile, asked.profile)
        worth = worth_simulating([strategy(name) for name in asked.names], profile)
        names = tuple(each.name for each in worth)
        return Facts(tuple(notes_on(profile)), profile.reaching_entries, profile.has_all_accesses, names)


def check_simulatable(profile: HeapProfile, name: str) -> None:
    """Raises CommandError with the reason where it is not."""
    check_not_empty(profile)
    if profile.access_entries == 0:
        raise CommandError(f"{name} cannot be simulated: {why_no_accesses(profile.process)}")


def simulated(task: Simulated) -> Ranked:
    """The strategy's standing."""
    with _one_at_a_time:
        profile = _opened.profile(task.profile, task.process)
        chosen = [strategy(task.strategy)]
        return rank(profile, chosen, task.geometry, sample=task.sample, by_context=task.by_context)[0]


@dataclass(frozen=True)
class RemoteRanking:
    """Ranks strategies of a profile by tasks."""

    tasks: Tasks
    profile: str
    process: str | None
    geometry: Geometry
    by_context: bool = False

    def facts(self, names: Sequence[str]) -> Facts:
        asked = Asked(self.profile, self.process, tuple(names))
        return self.tasks.run(facts_of, [asked])[0]

    def rank(self, names: Sequence[str], sample: Sample, told: Told = silent) -> list[Ranked]:
        """The best first, as malloom.layout.ranking.rank has it. `told` is told how many are done."""
        of = self.profile, self.process
        work = [Simulated(*of, name, self.geometry, sample, self.by_context) for name in names]
        return in_order(self.tasks.run(simulated, work, told))
