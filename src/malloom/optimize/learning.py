"""Plans that runs of the program learn by themselves: pools natively, prefetches under the optimiser."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from malloom.layout.layout import DEEPER_POOLS
from malloom.layout.plan_file import read_plans
from malloom.layout.plan_flags import write_with_flags
from malloom.layout.plan_header import has_flag, places_nothing
from malloom.layout.plan_merge import with_prefetches
from malloom.measure import stages
from malloom.measure.process import Command, Run, TimeLimitReached, last_words, run_measured, time_limit
from malloom.measure.service import LoadFailed

LEARNED_POOLS, BOTH, PREFETCHES = "pools", "pools and prefetches", "prefetches"
BY_SITE = "pools by call site"
"""Of a program whose compiler passes tokens, by which its pools are learned first."""
BESIDE = "pools and companions"
"""Pools with the objects of one companion beside each other."""
OF_ITS_PLACES = "prefetches of its places"
"""Found under the optimiser while a plan serves, whose places they then join."""

LONGEST_UNDER_DYNAMORIO = 60.0
"""Seconds of the program's own: under DynamoRIO it takes up to four times as long, twice."""

COUNTED = re.compile(rb"^malloom: process \d+: .*; requests (\d+), matched", re.MULTILINE)
"""The line that --statistics has each process write."""


@dataclass(frozen=True)
class Contents:
    """What a plan carries, by kind."""

    pools: int
    companions: int
    """Contexts whose objects belong beside others."""
    prefetches: int

    def __str__(self) -> str:
        counts = (
            ("pool", "pools", self.pools),
            ("companion", "companions", self.companions),
            ("prefetch", "prefetches", self.prefetches),
        )
        named = [f"{count} {one if count == 1 else more}" for one, more, count in counts if count]
        return ", ".join(named) or "nothing"


@dataclass
class Learned:
    """The plans that have something to say, and what each carries; `notes` tell what could not be learned.

    `requests` is how many the program made; None where that is not known.
    """

    plans: dict[str, Path] = field(default_factory=dict)
    contents: dict[str, Contents] = field(default_factory=dict)
    requests: int | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Learner:
    """Runs the program to learn from it, with `plain` as what its run must be like. `process` is the
    executable's that plans are for; None: the program's own."""

    program: Command
    plain: Run
    folder: Path
    say: Callable[[str], None]
    process: str | None = None
    is_busiest: bool = True
    """Whether prefetches are looked for as well: that takes two runs under DynamoRIO."""

    def learn(self) -> Learned:
        """All that can be learned of the program. What fails is noted."""
        learned = Learned()
        run = self._lesson(learned, LEARNED_POOLS, "--heap", "pools", "--statistics")
        if run and (counts := COUNTED.findall(run.errors)):
            learned.requests = sum(map(int, counts))
        if LEARNED_POOLS in learned.plans:
            self._learn_by_site(learned)
        if self.is_busiest:
            self._learn_prefetches(learned)
        combine(learned, self.folder)
        return learned

    def _learn_prefetches(self, learned: Learned) -> None:
        if self.plain.wall_time > LONGEST_UNDER_DYNAMORIO:
            learned.notes.append("no prefetches are looked for: the program runs too long for DynamoRIO")
        elif self._lesson(learned, BOTH, "--dynamic", *self._serving(learned)):
            self._lesson(learned, PREFETCHES, "--dynamic", "--no-pools")

    def _learn_by_site(self, learned: Learned) -> None:
        """Pools by call site, where the compiler's tokens said who asked; and companions, of which nothing is
        known with tokens."""
        by_site = ("--no-tokens",) if has_flag(learned.plans[LEARNED_POOLS], "by_token") else ()
        if by_site:
            self._lesson(learned, BY_SITE, "--heap", "pools", *by_site)
        self._lesson(learned, BESIDE, "--heap", "pools", "--colocate", *by_site)
        drop_twins(learned)

    def _serving(self, learned: Learned) -> tuple[str, ...]:
        """Has the pools that the next run will have serve, as strides depend on who places."""
        return ("--plan", str(learned.plans[LEARNED_POOLS])) if LEARNED_POOLS in learned.plans else ()

    def learn_of_places(self, plan: Path) -> Learned:
        """The plan with the prefetches that are found in what it places; nothing where none are."""
        learned = Learned()
        if self.plain.wall_time <= LONGEST_UNDER_DYNAMORIO:
            self._lesson(learned, OF_ITS_PLACES, "--dynamic", "--plan", str(plan))
        if not any(each.prefetches for each in learned.contents.values()):
            learned.plans.clear()
        return learned

    def _lesson(self, learned: Learned, name: str, *options: str) -> Run | None:
        """One run and the plan that it leaves, if it says anything; None where the run fails."""
        of = f" of {self.process}" if self.process else ""
        self.say(f"learning {name}{of}")
        plan = self.folder / f"learned {name}.plan"
        run = self._run(options, plan)
        problem = run if isinstance(run, str) else self._problem(run, plan)
        if problem or isinstance(run, str):
            learned.notes.append(f"{name}{of} could not be learned ({problem})")
            return None
        contents = contents_of(plan)
        self.say(f"learned {contents}")
        if not places_nothing(plan):
            learned.plans[name], learned.contents[name] = plan, contents
            if name == PREFETCHES:
                # Learned from what the C library places.
                write_with_flags(plan, plan, {"system_fallback": True})
        return run

    def _run(self, options: tuple[str, ...], plan: Path) -> Run | str:
        saving = ("--save-plan", str(plan), *(("--process", self.process) if self.process else ()))
        command = stages.stage("run", *options, *saving, "--", *self.program.arguments)
        limit = time_limit(self.plain)
        try:
            return run_measured(replace(self.program, arguments=command.arguments, time_limit=limit))
        except TimeLimitReached:
            return f"it did not end within {limit:.0f} s"
        except LoadFailed as error:
            return str(error)

    def _problem(self, run: Run, plan: Path) -> str | None:
        status, expected = (os.waitstatus_to_exitcode(each.status) for each in (run, self.plain))
        if status != expected:
            return f"exit status {status}: {last_words(run) or 'it says nothing'}"
        return None if plan.is_file() else "it left no plan"


def drop_twins(learned: Learned) -> None:
    """Leaves out what is no more than LEARNED_POOLS, whatever it is called."""
    if BESIDE in learned.plans and not learned.contents[BESIDE].companions:
        del learned.plans[BESIDE], learned.contents[BESIDE]
    if {BOTH, LEARNED_POOLS} <= learned.plans.keys() and not learned.contents[BOTH].prefetches:
        del learned.plans[BOTH], learned.contents[BOTH]


def combine(learned: Learned, folder: Path) -> None:
    """Has BOTH be the native run's pools, as it sees every call site, with the prefetches found.

    Prefetches are those of the run with pools; where it found none, those of the run without. Where there are
    none at all, or no native run, BOTH is left out, or left as it is.
    """
    if LEARNED_POOLS not in learned.plans:
        return
    found = [
        name for name in (BOTH, PREFETCHES) if name in learned.plans and learned.contents[name].prefetches
    ]
    if not found:
        learned.plans.pop(BOTH, None)
        learned.contents.pop(BOTH, None)
        return
    both = folder / "both.plan"
    with_prefetches(learned.plans[LEARNED_POOLS], learned.plans[found[0]], both)
    learned.plans[BOTH], learned.contents[BOTH] = both, contents_of(both)


def contents_of(plan: Path) -> Contents:
    """What a plan, or the several of a file, carry apart from places."""
    plans = read_plans(plan)
    contexts = np.concatenate([each.contexts for each in plans])
    pool_bytes = contexts["pool_bytes"]
    return Contents(
        pools=int(np.count_nonzero((pool_bytes != 0) & (pool_bytes != DEEPER_POOLS))),
        companions=int(np.count_nonzero(contexts["companion_place"])),
        prefetches=sum(len(each.prefetches) for each in plans),
    )
