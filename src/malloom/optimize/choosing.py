"""The one choice by the training inputs: the best setting, or a plan that is worth more than it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.allocators import Way
from malloom.measure.interval import Verdict, median_of
from malloom.optimize.candidates import Candidate
from malloom.optimize.learning import BESIDE, BOTH, LEARNED_POOLS, OF_ITS_PLACES, PREFETCHES
from malloom.optimize.limit import Limit, score
from malloom.optimize.options import Watcher
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.sources import Sources
from malloom.optimize.training import Row, Training

T = TypeVar("T", bound=Row)

STARTING = 0.02
"""Seconds that starting and checking a run takes on top of the program's own time."""
FEWEST_ROUNDS, MOST_ROUNDS = 3, 6
"""Of each row; fewer only where even the likeliest rows take longer than the time that there is."""
FEWEST_RACED = 12
"""Rows, however long they take."""
NO_TIME = "no time; --seconds gives more"
"""Why others are left out."""
FINAL_ROUNDS, MOST_FINAL_ROUNDS = 6, 24
"""Of the best few: the fewest with which pairs have an interval, and many of short programs."""
CLEARLY_BELOW = 0.98
"""A median that is enough for a choice, whatever its interval: twice what a baseline may differ from itself
in a table that can be relied on. What is chosen is judged anew."""
FINALISTS = 3
"""Plans, and as many settings."""
PASSED_OVER = "mimalloc 2"
"""What the run time is linked with as its own fallback, and never takes for the program's allocator."""


@dataclass(frozen=True)
class Choice:
    """`choice` goes to the check inputs beside the best setting; both are one where no plan is worth more.

    `unlimited` is what would be the best setting if memory, or time, were no matter.
    """

    choice: Row
    best_setting: AllocatorRow | None
    unlimited: AllocatorRow | None


@dataclass
class Chooser:
    """Races rows and knows what was measured of each so far."""

    training: Training
    sources: Sources
    limit: Limit
    seconds: float
    watcher: Watcher
    run_time: float
    """Seconds of one run on every training input."""
    rows: list[Row]
    """All rows that there are; other forms of plans join them."""

    def choose(self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]) -> Choice:
        """Raises CommandError where nothing can be run."""
        rows = self._affordable(settings, candidates)
        self.watcher.step("racing", f"racing {len(rows)} settings and plans")
        self._race(rows)
        if not self.training.results:
            name, why = next(iter(self.training.left.items()), ("", "there is none"))
            raise CommandError(f"no plan or setting can be run, {name} because {why}")
        plans = [row for row in rows if isinstance(row, Candidate)]
        there = [row for row in rows if isinstance(row, AllocatorRow)]
        plans += self._variants(plans, there)
        return self._final(plans, there)

    def expected(self, rows: int) -> float:
        """Seconds that so many rows take."""
        return self._rounds(rows) * rows * self._one_round

    def _affordable(
        self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]
    ) -> list[AllocatorRow | Candidate]:
        """As many rows as one round has time for: what has huge pages first, as that is best most often, then
        plans, allocators as they are, and those with early return."""
        of_way = {way: [row for row in settings if row.setting.way is way] for way in Way}
        rows: list[AllocatorRow | Candidate] = [
            *of_way[Way.huge],
            *candidates,
            *of_way[Way.plain],
            *of_way[Way.early],
        ]
        most = max(FEWEST_RACED, int(self.seconds / self._one_round))
        for row in rows[most:]:
            self.training.left[row.name] = NO_TIME
        return rows[:most]

    def _race(self, rows: Sequence[Row]) -> None:
        if rows:
            self.training.enter(rows)
            self.training.run([row.name for row in rows], self._rounds(len(rows)))

    def _rounds(self, rows: int, most: int = MOST_ROUNDS) -> int:
        """FEWEST_ROUNDS, or more where they end within a third of the time, or one where those would take
        all of it."""
        one = max(rows, 1) * self._one_round
        if FEWEST_ROUNDS * one > 2 * self.seconds:
            return 1
        return max(FEWEST_ROUNDS, min(most, int(self.seconds / 3 / one)))

    @property
    def _one_round(self) -> float:
        return self.run_time + STARTING * len(self.training.races)

    def _best(self, rows: Sequence[T], limited: bool = True) -> list[T]:
        """Those that were measured, and may be chosen, best first."""
        results = self.training.results
        there = [row for row in rows if row.name in results]
        if limited:
            there = [row for row in there if self.limit.allows(row.name, results[row.name])]
        return sorted(there, key=lambda row: score(self.limit.goal, results[row.name]))

    def _variants(self, plans: Sequence[Candidate], settings: Sequence[AllocatorRow]) -> list[Candidate]:
        """Other forms of the best plan, raced: as it can be run, joined with what was learned, and over the
        best of the allocators that serve beside the run time; then of the best of these, as two choices may
        both be worth changing."""
        best = _first(self._ranked(plans))
        if best is None or best.places_nothing:
            return []
        self.watcher.step("variants", f"racing other forms of {best.name}")
        others = [*best.other_setups(), *self._combined(best), *self._over(best, settings)]
        found = self._race_forms(others, plans)
        better = _first(self._ranked([*plans, *found]))
        if better is not None and better is not best:
            found += self._race_forms(better.other_setups(), [*plans, *found])
        return found

    def _race_forms(self, forms: Sequence[Candidate], plans: Sequence[Candidate]) -> list[Candidate]:
        """Races those that run otherwise than the plans do."""
        known = {plan.setup for plan in plans}
        new = [form for form in forms if form.setup not in known]
        self.rows += new
        self._race(new)
        return new

    def _over(self, best: Candidate, settings: Sequence[AllocatorRow]) -> list[Candidate]:
        under = _first([row for row in self._best(settings) if _serves_beside(row)])
        return [replace(best, over=under.setting, fallback=None)] if under else []

    def _combined(self, best: Candidate) -> list[Candidate]:
        """The places of a strategy together with what can be learned: first the pools beyond them and the
        prefetches that are known, then the prefetches of these very places."""
        if best.strategy in self.sources.learned.plans or len(self.sources.recordings) != 1:
            return []
        found = (self._with_learned(best), self._with_its_own(best))
        return [candidate for candidate in found if candidate]

    def _with_learned(self, best: Candidate) -> Candidate | None:
        learned = self.sources.learned.plans
        name = next((each for each in (BOTH, LEARNED_POOLS, BESIDE, PREFETCHES) if each in learned), None)
        if name is None:
            return None
        self.watcher.say(f"joining the places of {best.strategy} with {name}")
        plan = best.plan.with_name("combined.plan")
        profile = self.sources.recordings[0].profile
        try:
            stages.plan(profile, plan, best.strategy, "--with", str(learned[name]))
        except CommandError as error:
            self.training.left[f"{best.strategy} with {name}"] = str(error)
            return None
        return replace(best, strategy=f"{best.strategy} with {name}", plan=plan)

    def _with_its_own(self, best: Candidate) -> Candidate | None:
        # Where no accesses could be recorded the program does not run under DynamoRIO.
        if self.sources.learner is None or self.sources.accesses == "none" or not best.has_arena:
            return None
        found = self.sources.learner.learn_of_places(best.plan)
        self.training.left |= {f"{best.strategy} with its own": note for note in found.notes}
        if OF_ITS_PLACES not in found.plans:
            return None
        name = f"{best.strategy} with {OF_ITS_PLACES}"
        return replace(best, strategy=name, plan=found.plans[OF_ITS_PLACES])

    def _final(self, plans: Sequence[Candidate], settings: Sequence[AllocatorRow]) -> Choice:
        """New runs of the best few, as those that won in few runs were lucky too."""
        unlimited = self._best(settings, limited=False)
        best_settings, best_plans = self._best(settings)[:FINALISTS], self._best(plans)[:FINALISTS]
        if not best_settings and not best_plans:
            best_settings, best_plans = unlimited[:1], self._best(plans, limited=False)[:1]
        finalists: list[Row] = [*best_settings, *best_plans]
        if len(finalists) > 1:
            self.watcher.step("final", f"racing the best {len(finalists)} anew")
            # Without a rival there is no interval to be had.
            least = FINAL_ROUNDS if best_settings and best_plans else 1
            rounds = max(least, self._rounds(len(finalists), MOST_FINAL_ROUNDS))
            self.training.run([row.name for row in finalists], rounds)
        setting = _first(self._ranked(best_settings))
        plan = _first(self._ranked(best_plans))
        choice: Row | None = setting
        if plan and (setting is None or self._is_worth_more(plan, setting)):
            choice = plan
        if choice is None:
            raise CommandError("every plan and setting failed in the race", remedy="none is kept")
        return Choice(choice, setting, _first(unlimited))

    def _ranked(self, rows: Sequence[T]) -> list[T]:
        """By the newest runs; what needs too much only where nothing else is left."""
        return self._best(rows) or self._best(rows, limited=False)

    def _is_worth_more(self, plan: Row, setting: Row) -> bool:
        """Whether pairs say that a plan is better than the best setting: among equals the winner is a matter
        of chance, and what does not help is not wanted."""
        ratio = median_of(together_by_round(self.training, plan.name, setting.name, self.limit.goal.metrics))
        return ratio.verdict is Verdict.FASTER or ratio.ratio <= CLEARLY_BELOW


def together_by_round(training: Training, name: str, other: str, metrics: Sequence[str]) -> list[float]:
    """One row against another, a ratio for each round: the mean of the log ratios of all inputs."""
    one, two = training.results[name].runs, training.results[other].runs
    logs = [
        [
            np.log(a.metric(metric)) - np.log(b.metric(metric))
            for a, b in zip(one[each], two[each], strict=False)
        ]
        for each in one
        for metric in metrics
        if all(run.metric(metric) for run in (*one[each], *two[each]))
    ]
    rounds = min(map(len, logs), default=0)
    return [float(np.exp(np.mean([log[place] for log in logs]))) for place in range(rounds)]


def _serves_beside(row: AllocatorRow) -> bool:
    """Whether the run time can hand on requests to the allocator."""
    return row.setting.allocator.name != PASSED_OVER


def _first(rows: Sequence[T]) -> T | None:
    return next(iter(rows), None)
