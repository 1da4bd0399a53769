"""The one choice by the training inputs: the best setting, or a plan or build that is worth more than it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from malloom.errors import CommandError
from malloom.layout.plan_header import has_flag
from malloom.measure import stages
from malloom.measure.allocators import Way
from malloom.measure.interval import Verdict, median_of
from malloom.optimize.building import EARLY, MIMALLOC, WITH_POOLS, Build, Builds
from malloom.optimize.candidates import OWN_MIMALLOC, Candidate
from malloom.optimize.goal import Goal
from malloom.optimize.learning import BESIDE, BOTH, BY_SITE, LEARNED_POOLS, OF_ITS_PLACES, PREFETCHES
from malloom.optimize.limit import Limit, score
from malloom.optimize.narrowing import contenders, together_by_round
from malloom.optimize.options import Watcher
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.sources import Sources
from malloom.optimize.training import NO_TIME, Row, Training

T = TypeVar("T", bound=Row)

STARTING = 0.02
"""Seconds that starting and checking a run takes on top of the program's own time."""
FEWEST_ROUNDS, MOST_ROUNDS = 3, 6
"""Of each row. With fewer than three the first run, a cold one, would count."""
FEWEST_PLANS = 6
"""That are raced however long they take."""
RACE_SHARES = 3
"""How many times the seconds for choosing the first race may take, where FEWEST_ROUNDS need that."""
LIKELY_WAYS = 2
"""Of WAYS: every allocator is raced in them, however long that takes."""
WAYS = {
    Goal.time: (Way.huge, Way.plain, Way.early),
    Goal.memory: (Way.early, Way.plain, Way.huge),
}
"""By what is wanted, the likeliest to be best first."""
FINAL_ROUNDS, MOST_FINAL_ROUNDS = 6, 24
"""Of the best few: the fewest with which pairs have an interval, and many of short programs."""
CLEARLY_BELOW = 0.98
"""A median that is enough for a choice, whatever its interval: twice what a baseline may differ from itself
in a table that can be relied on. What is chosen is judged anew."""
MOST_MIXED = 8
"""Structures that are tried by another policy one by one."""
FINALISTS = 3
"""Plans and builds, and as many settings."""


@dataclass(frozen=True)
class Choice:
    """`choice` goes to the check inputs beside the best setting; both are one where nothing is worth more.

    `unlimited` is what would be the best setting if memory, or time, were no matter. `others` are the
    settings that may be chosen, best first, for where the best does not run on a check input. `placing` is
    the CPU time of the best layout for the very input against that of the best that places nothing, or None.
    """

    choice: Row
    best_setting: AllocatorRow | None
    unlimited: AllocatorRow | None
    others: tuple[AllocatorRow, ...] = ()
    placing: float | None = None

    @property
    def rivals(self) -> tuple[AllocatorRow, ...]:
        """The settings that the choice must beat one of: the first that runs. None where it is a setting."""
        if self.best_setting is None or self.choice.name == self.best_setting.name:
            return ()
        return (self.best_setting, *self.others)


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
    """All rows that there are; other forms of plans and builds join them."""
    builds: Builds = field(default_factory=Builds)

    def choose(self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]) -> Choice:
        """Raises CommandError where nothing can be run."""
        rows, late = self._in_time(settings, candidates)
        takes = f"some {self.expected(len(rows)):.0f} s"
        self.watcher.step("racing", f"racing {len(rows)} settings and plans, {takes}")
        self._race(rows)
        if not self.training.results:
            name, why = next(iter(self.training.left.items()), ("", "there is none"))
            raise CommandError(f"no plan or setting can be run, {name} because {why}")
        self._leave_out(late)
        plans = [row for row in rows if isinstance(row, Candidate)]
        there = [row for row in rows if isinstance(row, AllocatorRow)]
        plans += self._variants(plans, there)
        self._mix()
        self._link_otherwise()
        kept = [row for row in self.builds.rows if row.may_be_kept]
        return self._final([*plans, *kept, *self._builds_over(kept, there)], there)

    def racing(self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]) -> float:
        """Seconds that the race of all rows is expected to take."""
        return self.expected(len(self._in_time(settings, candidates)[0]))

    def expected(self, rows: int) -> float:
        """Seconds that so many rows take."""
        return self._rounds(rows) * rows * self._one_round

    def _in_time(
        self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]
    ) -> tuple[list[Row], list[Row]]:
        """The rows that are raced, and those that there is no time for: each allocator in the ways that are
        likely to win, the builds, and FEWEST_PLANS, whatever they take; then more plans and ways."""
        ways = WAYS[self.limit.goal]
        quick = in_turn([row for row in settings if row.setting.way in ways[:LIKELY_WAYS]], ways)
        likely: list[Row] = [*quick, *self.builds.rows]
        others = [row for row in settings if row not in quick]
        rows: list[Row] = [*likely, *candidates, *others]
        time_for = int(RACE_SHARES * self.seconds / (FEWEST_ROUNDS * self._one_round))
        most = max(len(likely) + FEWEST_PLANS, time_for)
        return rows[:most], rows[most:]

    def _leave_out(self, late: Sequence[Row]) -> None:
        """Says of rows why they were not raced."""
        seconds = FEWEST_ROUNDS * len(late) * self._one_round
        for row in late:
            self.training.left[row.name] = f"{NO_TIME}: together some {seconds:.0f} s; --seconds gives more"

    def _race(self, rows: Sequence[Row]) -> None:
        if rows:
            self.training.enter(rows)
            self.training.run([row.name for row in rows], self._rounds(len(rows)))

    def _rounds(self, rows: int, most: int = MOST_ROUNDS) -> int:
        """FEWEST_ROUNDS, or more where they end within a third of the time."""
        one = max(rows, 1) * self._one_round
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
        best = _first(self._ranked([plan for plan in plans if not plan.places_nothing]))
        if best is None:
            return []
        self.watcher.step("variants", f"racing other forms of {best.name}")
        others = [*best.other_setups(), *self._combined(best), *self._over(best, settings)]
        found = self._race_forms(others, plans)
        better = _first(self._ranked([best, *found]))
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

    def _mix(self) -> None:
        """Races the best build with one structure after the other by the next best policy; then with all of
        these where several help, as no policy is best for every structure."""
        pooled = [row for row in self._best(self.builds.rows) if row.structures and row.policy in WITH_POOLS]
        best = _first(pooled)
        other = _first([row for row in pooled if row.policy != pooled[0].policy])
        if best is None or other is None or not self._is_mixable(best):
            return
        self.watcher.say(f"trying {other.policy} for one structure of {best.name} after the other")
        helps = self._raced_beside(best, [{each: other.policy} for each in range(len(best.structures or ()))])
        if len(helps) > 1:
            together = {number: policy for each in helps for number, policy in each.items()}
            self._raced_beside(best, [together])

    def _is_mixable(self, best: Build) -> bool:
        """Whether it has several structures, and there is time to build it for each."""
        count = len(best.structures or ())
        seconds = self.builds.builder.seconds if self.builds.builder else 0.0
        return 2 <= count <= MOST_MIXED and count * seconds <= self.seconds

    def _raced_beside(self, best: Build, mixtures: Sequence[dict[int, str]]) -> list[dict[int, str]]:
        """Races the best build with other policies, and says which of these are worth more than itself."""
        made = [(policies, self.builds.mixed(best, policies)) for policies in mixtures]
        self.training.left |= self.builds.left
        there = [(policies, build) for policies, build in made if build]
        new = [build for _, build in there]
        self.rows += new
        self.training.enter(new)
        names = [best.name, *(build.name for build in new)]
        self.training.run(names, max(FINAL_ROUNDS, self._rounds(len(names))))
        results = self.training.results
        return [
            policies
            for policies, build in there
            if {build.name, best.name} <= results.keys() and self._is_worth_more(build, best)
        ]

    def _link_otherwise(self) -> None:
        """Races the best build with mimalloc linked in, as what it does not pool need not be the C library's;
        and the best then, where it has pools, with pools that ask for huge pages early."""
        if best := self._best_to_keep():
            self._race_linked(replace(best, fallback=MIMALLOC))
        if (best := self._best_to_keep()) and best.policy in WITH_POOLS:
            self._race_linked(replace(best, huge=EARLY))

    def _best_to_keep(self) -> Build | None:
        return _first([row for row in self._best(self.builds.rows) if row.may_be_kept])

    def _race_linked(self, build: Build) -> None:
        linked = self.builds.linked(build) if self.builds.builder else None
        self.training.left |= self.builds.left
        if linked:
            self.rows.append(linked)
            self._race([linked])

    def _builds_over(self, builds: Sequence[Build], settings: Sequence[AllocatorRow]) -> list[Build]:
        """The best build over the best setting, raced: what it does not pool comes from there. A malloc that
        is linked in would come before it."""
        best = _first(self._best([row for row in builds if not row.fallback]))
        under = _first(self._best(settings))
        if best is None or under is None:
            return []
        over = replace(best, over=under.setting)
        self.rows.append(over)
        self._race([over])
        return [over]

    def _over(self, best: Candidate, settings: Sequence[AllocatorRow]) -> list[Candidate]:
        under = _first(self._best(settings))
        if under is None:
            return []
        return [replace(best, over=under.setting, fallback=None, pools_in_mimalloc=None)]

    def _combined(self, best: Candidate) -> list[Candidate]:
        """The places of a strategy together with what can be learned: first the pools beyond them and the
        prefetches that are known, then the prefetches of these very places."""
        has_learned = best.small_in_pools or best.strategy in self.sources.learned.plans
        if has_learned or len(self.sources.recordings) != 1 or len(self.sources.processes) > 1:
            return []
        found = (self._with_learned(best), self._with_its_own(best))
        return [candidate for candidate in found if candidate]

    def _with_learned(self, best: Candidate) -> Candidate | None:
        learned = self.sources.learned.plans
        there = [each for each in (BOTH, LEARNED_POOLS, BY_SITE, BESIDE, PREFETCHES) if each in learned]
        name = next((each for each in there if not has_flag(learned[each], "by_token")), None)
        if name is None:
            return None
        self.watcher.say(f"joining the places of {best.strategy} with {name}")
        plan = best.plan.with_name("combined.plan")
        recording = self.sources.recordings[0]
        try:
            options = ("--with", str(learned[name]), *recording.chosen)
            stages.plan(recording.profile, plan, best.strategy, *options)
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

    def _final(self, plans: Sequence[Row], settings: Sequence[AllocatorRow]) -> Choice:
        """New runs of the best few, as those that won in few runs were lucky too."""
        unlimited = self._best(settings, limited=False)
        self.watcher.step("final", "racing the best anew")
        best_settings, best_plans = self._finalists(*self._narrow(settings, plans))
        # What the new runs refuse is gone from all of these, so each time others come, or none is left.
        while self._has_better(settings, best_settings) or self._has_better(plans, best_plans):
            best_settings, best_plans = self._finalists(settings, plans)
        setting, plan = _first(self._best(best_settings)), _first(self._best(best_plans))
        if setting is None and plan is None:
            setting, plan = _first(self._ranked(best_settings)), _first(self._ranked(best_plans))
        plan = self._without_vain_places(plan, best_plans)
        choice: Row | None = setting
        if plan and (setting is None or self._is_worth_more(plan, setting)):
            choice = plan
        if choice is None:
            raise CommandError("every plan and setting failed in the race", remedy="none is kept")
        others = tuple(row for row in self._best(settings) if row is not setting)
        placing = self._gain_of_placing([*best_settings, *best_plans], plans)
        return Choice(choice, setting, _first(unlimited), others, placing)

    def _gain_of_placing(self, finalists: Sequence[Row], plans: Sequence[Row]) -> float | None:
        """Of the finalists; where no layout is one, the best layout by what is known."""
        known = [row for row in plans if isinstance(row, Candidate) and row.name in self.training.results]
        layouts = [row for row in known if not row.places_nothing and self.sources.are_whole]
        if self.limit.goal is not Goal.time or not any(row.has_arena for row in layouts):
            return None
        best = self._best([row for row in layouts if row in finalists]) or self._ranked(layouts)
        others = self._best([row for row in finalists if row not in layouts and row.executable is None])
        if not best or not others:
            return None
        time, beside = (self.training.results[row.name].mean("cpu_time") for row in (best[0], others[0]))
        return time / min(beside, 1.0)

    def _without_vain_places(self, plan: Row | None, finalists: Sequence[Row]) -> Row | None:
        """The run time's own mimalloc alone, where the plan over it is worth no more; it too has run anew."""
        alone = _first([row for row in self._alone() if row in finalists])
        if alone is None or not isinstance(plan, Candidate) or plan.strategy == OWN_MIMALLOC:
            return plan
        return plan if self._is_worth_more(plan, alone) else alone

    def _alone(self) -> list[Candidate]:
        """The run time's own mimalloc, best first."""
        plans = [row for row in self.rows if isinstance(row, Candidate)]
        return self._best([row for row in plans if row.strategy == OWN_MIMALLOC])

    def _narrow(
        self, settings: Sequence[AllocatorRow], plans: Sequence[Row]
    ) -> tuple[list[AllocatorRow], list[Row]]:
        """Rounds of all that were not told from the best of their kind, while there are more than FINALISTS
        of these, and a third of the time is not used up."""
        close, close_plans = self._close(settings), self._close(plans)
        left, anew = self.seconds / 3, True
        while max(len(close), len(close_plans)) > FINALISTS:
            names = [row.name for row in (*close, *close_plans)]
            left -= FEWEST_ROUNDS * len(names) * self._one_round
            if left < 0:
                break
            self.training.run(names, FEWEST_ROUNDS, anew)
            anew = False
            close, close_plans = self._close(close), self._close(close_plans)
        return close or list(settings), close_plans or list(plans)

    def _close(self, rows: Sequence[T]) -> list[T]:
        return contenders(self.training, self._best(rows), self.limit.goal.metrics, FINALISTS)

    def _finalists(
        self, settings: Sequence[AllocatorRow], plans: Sequence[Row]
    ) -> tuple[list[AllocatorRow], list[Row]]:
        """The best few by what is known, after new runs of all of them together."""
        best_settings, best_plans = self._best(settings)[:FINALISTS], self._best(plans)[:FINALISTS]
        best_plans += [row for row in self._alone()[:1] if best_plans and row not in best_plans]
        if not best_settings and not best_plans:
            best_settings = self._best(settings, limited=False)[:1]
            best_plans = self._best(plans, limited=False)[:1]
        finalists: list[Row] = [*best_settings, *best_plans]
        if len(finalists) > 1:
            # Without a rival there is no interval to be had.
            least = FINAL_ROUNDS if best_settings and best_plans else FEWEST_ROUNDS
            rounds = max(least, self._rounds(len(finalists), MOST_FINAL_ROUNDS))
            self.training.run([row.name for row in finalists], rounds)
        return best_settings, best_plans

    def _has_better(self, rows: Sequence[T], finalists: Sequence[T]) -> bool:
        """Whether others may be chosen where the newest runs let none of the finalists be."""
        return not self._best(finalists) and bool(self._best(rows))

    def _ranked(self, rows: Sequence[T]) -> list[T]:
        """By the newest runs; what needs too much only where nothing else is left."""
        return self._best(rows) or self._best(rows, limited=False)

    def _is_worth_more(self, plan: Row, setting: Row) -> bool:
        """Whether pairs say that a plan or build is better than the other row: among equals the winner is a
        matter of chance, and what does not help is not wanted."""
        ratio = median_of(together_by_round(self.training, plan.name, setting.name, self.limit.goal.metrics))
        return ratio.verdict is Verdict.FASTER or ratio.ratio <= CLEARLY_BELOW


def in_turn(rows: Sequence[AllocatorRow], ways: Sequence[Way]) -> list[AllocatorRow]:
    """One row of each allocator, in the first of the ways that it has, before the second ones of any."""
    turns: dict[str, int] = {}
    found = []
    for row in sorted(rows, key=lambda row: ways.index(row.setting.way)):
        name = row.setting.allocator.titled
        turns[name] = turns.get(name, -1) + 1
        found.append((turns[name], row))
    return [row for _, row in sorted(found, key=lambda each: each[0])]


def _first(rows: Sequence[T]) -> T | None:
    return next(iter(rows), None)
