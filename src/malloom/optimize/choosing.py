"""The one choice by the training inputs: the best setting, or a plan or build that is worth more than it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from malloom.errors import CommandError
from malloom.measure.allocators import Way
from malloom.optimize.build_forms import BuildForms
from malloom.optimize.building import Builds
from malloom.optimize.candidates import OWN_MIMALLOC, Candidate
from malloom.optimize.forms import Forms
from malloom.optimize.goal import Goal
from malloom.optimize.options import Watcher
from malloom.optimize.racing import Racing, first_of
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.sources import Sources
from malloom.optimize.training import FEWEST_ROUNDS, NO_TIME, Row, Training

T = TypeVar("T", bound=Row)

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
    """Has rows raced, and then other forms of the best."""

    racing: Racing
    sources: Sources
    watcher: Watcher
    builds: Builds = field(default_factory=Builds)

    def choose(self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]) -> Choice:
        """Raises CommandError where nothing can be run."""
        rows, late = self._in_time(settings, candidates)
        takes = f"some {self.racing.expected(len(rows)):.0f} s"
        self.watcher.step("racing", f"racing {len(rows)} settings and plans, {takes}")
        self.racing.race_first(rows)
        if not self._training.results:
            name, why = next(iter(self._training.left.items()), ("", "there is none"))
            raise CommandError(f"no plan or setting can be run, {name} because {why}")
        self._leave_out(late)
        plans = [row for row in rows if isinstance(row, Candidate)]
        there = [row for row in rows if isinstance(row, AllocatorRow)]
        plans += Forms(self.racing, self.sources, self.watcher).race(plans, there)
        builds = BuildForms(self.racing, self.builds, self.watcher).race(there)
        return self._final([*plans, *builds], there)

    def expected(self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]) -> float:
        """Seconds that the race of all rows is expected to take."""
        return self.racing.expected(len(self._in_time(settings, candidates)[0]))

    @property
    def _training(self) -> Training:
        return self.racing.training

    def _in_time(
        self, settings: Sequence[AllocatorRow], candidates: Sequence[Candidate]
    ) -> tuple[list[Row], list[Row]]:
        """The rows that are raced, and those that there is no time for: each allocator in the ways that are
        likely to win, the builds, and FEWEST_PLANS, whatever they take; then more plans and ways."""
        ways = WAYS[self.racing.limit.goal]
        quick = in_turn([row for row in settings if row.setting.way in ways[:LIKELY_WAYS]], ways)
        likely: list[Row] = [*quick, *self.builds.rows]
        others = [row for row in settings if row not in quick]
        rows: list[Row] = [*likely, *candidates, *others]
        time_for = int(RACE_SHARES * self.racing.seconds / (FEWEST_ROUNDS * self.racing.one_round))
        most = max(len(likely) + FEWEST_PLANS, time_for)
        return rows[:most], rows[most:]

    def _leave_out(self, late: Sequence[Row]) -> None:
        """Says of rows why they were not raced."""
        seconds = FEWEST_ROUNDS * len(late) * self.racing.one_round
        for row in late:
            self._training.left[row.name] = f"{NO_TIME}: together some {seconds:.0f} s; --seconds gives more"

    def _final(self, plans: Sequence[Row], settings: Sequence[AllocatorRow]) -> Choice:
        """New runs of the best few, as those that won in few runs were lucky too."""
        unlimited = self.racing.best(settings, limited=False)
        self.watcher.step("final", "racing the best anew")
        best_settings, best_plans = self._finalists(*self._narrow(settings, self._hopeful(plans, settings)))
        # What the new runs refuse is gone from all of these, so each time others come, or none is left.
        while self._has_better(settings, best_settings) or self._has_better(
            self._hopeful(plans, settings), best_plans
        ):
            best_settings, best_plans = self._finalists(settings, self._hopeful(plans, settings))
        setting, plan = first_of(self.racing.best(best_settings)), first_of(self.racing.best(best_plans))
        if setting is None and plan is None:
            setting = first_of(self.racing.ranked(best_settings))
            plan = first_of(self.racing.ranked(best_plans))
        plan = self._without_vain_places(plan, best_plans)
        choice: Row | None = setting
        if plan and (setting is None or self.racing.is_worth_more(plan, setting)):
            choice = plan
        if choice is None:
            raise CommandError("every plan and setting failed in the race", remedy="none is kept")
        others = tuple(row for row in self.racing.best(settings) if row is not setting)
        placing = self._gain_of_placing([*best_settings, *best_plans], plans)
        return Choice(choice, setting, first_of(unlimited), others, placing)

    def _hopeful(self, plans: Sequence[Row], settings: Sequence[AllocatorRow]) -> list[Row]:
        """Where time is short, only the plans that may be better than the best setting."""
        return (
            list(plans)
            if self.racing.has_time
            else self.racing.near(plans, first_of(self.racing.best(settings)))
        )

    def _gain_of_placing(self, finalists: Sequence[Row], plans: Sequence[Row]) -> float | None:
        """Of the finalists; where no layout is one, the best layout by what is known."""
        known = [row for row in plans if isinstance(row, Candidate) and row.name in self._training.results]
        layouts = [row for row in known if not row.places_nothing and self.sources.are_whole]
        if self.racing.limit.goal is not Goal.time or not any(row.has_arena for row in layouts):
            return None
        best = self.racing.best([row for row in layouts if row in finalists]) or self.racing.ranked(layouts)
        others = self.racing.best([row for row in finalists if row not in layouts and row.executable is None])
        if not best or not others:
            return None
        time, beside = (self._training.results[row.name].mean("cpu_time") for row in (best[0], others[0]))
        return time / min(beside, 1.0)

    def _without_vain_places(self, plan: Row | None, finalists: Sequence[Row]) -> Row | None:
        """The run time's own mimalloc alone, where the plan over it is worth no more; it too has run anew."""
        alone = first_of([row for row in self._alone() if row in finalists])
        if alone is None or not isinstance(plan, Candidate) or plan.strategy == OWN_MIMALLOC:
            return plan
        return plan if self.racing.is_worth_more(plan, alone) else alone

    def _alone(self) -> list[Candidate]:
        """The run time's own mimalloc, best first."""
        plans = [row for row in self.racing.rows if isinstance(row, Candidate)]
        return self.racing.best([row for row in plans if row.strategy == OWN_MIMALLOC])

    def _narrow(
        self, settings: Sequence[AllocatorRow], plans: Sequence[Row]
    ) -> tuple[list[AllocatorRow], list[Row]]:
        """Rounds of all that were not told from the best of their kind, while there are more than FINALISTS
        of these, and a third of the time is not used up."""
        close, close_plans = self.racing.close(settings, FINALISTS), self.racing.close(plans, FINALISTS)
        left, anew = self.racing.seconds / 3, True
        while max(len(close), len(close_plans)) > FINALISTS:
            names = [row.name for row in (*close, *close_plans)]
            left -= FEWEST_ROUNDS * len(names) * self.racing.one_round
            if left < 0:
                break
            self._training.run(names, FEWEST_ROUNDS, anew)
            anew = False
            close = self.racing.close(close, FINALISTS)
            close_plans = self.racing.close(close_plans, FINALISTS)
        return close or list(settings), close_plans or list(plans)

    def _finalists(
        self, settings: Sequence[AllocatorRow], plans: Sequence[Row]
    ) -> tuple[list[AllocatorRow], list[Row]]:
        """The best few by what is known, after new runs of all of them together."""
        best_settings = self.racing.best(settings)[:FINALISTS]
        best_plans = self.racing.best(plans)[:FINALISTS]
        alone = self.racing.near(self._alone()[:1], first_of(best_plans))
        best_plans += [row for row in alone if best_plans and row not in best_plans]
        if not best_settings and not best_plans:
            best_settings = self.racing.best(settings, limited=False)[:1]
            best_plans = self.racing.best(plans, limited=False)[:1]
        finalists: list[Row] = [*best_settings, *best_plans]
        if len(finalists) > 1:
            rounds = max(FINAL_ROUNDS, self.racing.rounds(len(finalists), MOST_FINAL_ROUNDS))
            return self._run_anew(best_settings, best_plans, rounds)
        return best_settings, best_plans

    def _run_anew(
        self, settings: list[AllocatorRow], plans: list[Row], rounds: int
    ) -> tuple[list[AllocatorRow], list[Row]]:
        """Those that ran to the end. Where there is no time for all of them, what was behind the best of its
        kind in each of the first FEWEST_ROUNDS does not; the run time's own mimalloc always does."""
        there: list[Row] = [*settings, *plans]
        if self.racing.has_time:
            self._training.run([row.name for row in there], rounds)
            return settings, plans
        self._training.run([row.name for row in there], FEWEST_ROUNDS)
        alone = [row for row in self._alone() if row in plans]
        # Where none may be chosen any more, the caller has others run.
        close = self.racing.close(settings, 1) or settings
        close_plans = self.racing.close(plans, 1) or plans
        close_plans = [*close_plans, *(row for row in alone if row not in close_plans)]
        there = [*close, *close_plans]
        self._training.run([row.name for row in there], rounds - FEWEST_ROUNDS, anew=False)
        return close, close_plans

    def _has_better(self, rows: Sequence[T], finalists: Sequence[T]) -> bool:
        """Whether others may be chosen where the newest runs let none of the finalists be."""
        return not self.racing.best(finalists) and bool(self.racing.best(rows))


def in_turn(rows: Sequence[AllocatorRow], ways: Sequence[Way]) -> list[AllocatorRow]:
    """One row of each allocator, in the first of the ways that it has, before the second ones of any."""
    turns: dict[str, int] = {}
    found = []
    for row in sorted(rows, key=lambda row: ways.index(row.setting.way)):
        name = row.setting.allocator.titled
        turns[name] = turns.get(name, -1) + 1
        found.append((turns[name], row))
    return [row for _, row in sorted(found, key=lambda each: each[0])]
