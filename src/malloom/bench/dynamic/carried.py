"""What the native run carries: the best of the learned plans where it is faster than none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from malloom.bench.dynamic.learning import learned, learners
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.launch.program import open_program
from malloom.layout.plan_header import has_flag, has_pools, header_fields
from malloom.measure import variants
from malloom.measure.interleaved import Budget, Race
from malloom.measure.interval import Verdict
from malloom.optimize.memory_limit import MemoryLimit
from malloom.optimize.selection import fastest_by_halving, measure_winner, rounds_per_stage
from malloom.settings import with_setting

ROUNDS = 6
"""Rounds of each stage of choosing: short runs differ by 5 % from time to time."""
LONGEST_STAGES = 300.0
"""Seconds that the stages may take together before there are fewer rounds: long runs differ less."""


@dataclass(frozen=True)
class Carried:
    """A plan's environment, or none, and where the plan came from."""

    description: str
    environment: Mapping[str, str]
    notes: tuple[str, ...] = ()


NOTHING = Carried("nothing, as the program is best as it is", {})


@dataclass
class Carrying:
    """Chooses plans before the timing, each choice once.

    Where the choice is made on another input than the learning, only what carries over is in it.
    """

    budget: Budget
    optimize_seconds: float
    _chosen: dict[tuple[Case, Case], Carried] = field(default_factory=dict)

    def of(self, bench: Bench, learned_on: Case, chosen_on: Case) -> Carried:
        """Raises CommandError where not even the program itself can be measured."""
        key = (learned_on, chosen_on)
        if key not in self._chosen:
            known = learners(self.optimize_seconds)
            wanted = [each for each in known if each.carries_over or chosen_on == learned_on]
            plans = learned(bench, learned_on, wanted)
            self._chosen[key] = self._fastest(bench, chosen_on, plans)
        return self._chosen[key]

    def _fastest(self, bench: Bench, case: Case, plans: Mapping[str, Path]) -> Carried:
        """The fastest plan within the limit of memory, if it is measured to be faster than no plan."""
        program = case.command(bench.workloads)
        found = open_program(str(program.arguments[0]))
        environments = {name: variants.as_run(plan, program=found) for name, plan in plans.items()}
        environments |= _without_prefetches(plans) | _in_huge_pages(plans)
        commands = {name: program.with_environment(added) for name, added in environments.items()}
        bench.say(f"choosing what {' '.join(case.place)} carries: {', '.join(commands)}")
        race = Race({variants.GLIBC: program, **commands}, bench.progress, demand_success=True)
        for name, error in race.warm_up(variants.GLIBC).items():
            bench.failed(f"carried by {name}", error)
        running = [name for name in race.commands if name != variants.GLIBC]
        if not running:
            return NOTHING
        best, limit = _fastest_within_memory(race, running)
        measure_winner(race, best, variants.GLIBC, self.budget)
        notes = limit.notes(best, race.rounds)
        if race.rounds.ratio(best, variants.GLIBC).verdict is not Verdict.FASTER:
            return replace(NOTHING, notes=notes)
        return Carried(best, environments[best], notes)


def _fastest_within_memory(race: Race, running: Sequence[str]) -> tuple[str, MemoryLimit]:
    race.run([variants.GLIBC])
    (plain,) = race.rounds.of(variants.GLIBC)
    limit = MemoryLimit(plain.peak_memory)
    rounds = rounds_per_stage(plain.wall_time, 2 * len(running), LONGEST_STAGES)
    return fastest_by_halving(race, running, min(ROUNDS, rounds), limit), limit


def _without_prefetches(plans: Mapping[str, Path]) -> dict[str, dict[str, str]]:
    """The plans that have prefetches and something else, run with that alone."""
    found = {}
    for name, plan in plans.items():
        fields = header_fields(plan)
        others = (fields[f"{what}_count"] for what in ("slots", "groups", "pools"))
        if fields["prefetches_count"] and any(others):
            found[f"{name}, without prefetches"] = with_setting(variants.planned(plan), "prefetch", "0")
    return found


def _in_huge_pages(plans: Mapping[str, Path]) -> dict[str, dict[str, str]]:
    """The plans that have pools, with what these fill in huge pages, where they do not say so themselves."""
    return {
        f"{name}, in huge pages": variants.planned(plan, huge_pages=True)
        for name, plan in plans.items()
        if has_pools(plan) and not has_flag(plan, "huge_pages")
    }
