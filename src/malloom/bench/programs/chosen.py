"""What `malloom optimize` makes of a program by its training and check inputs, and every way to run the
program that the verdict's table has."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from malloom.bench.debian.programs import Input, Program, told_inputs
from malloom.bench.programs.scale import Scale
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.layout.plan_header import has_arena, has_groups, has_pools, has_prefetches, places_nothing
from malloom.layout.plan_record import PlanSetting
from malloom.measure import stages
from malloom.measure.plan_setting import setting_of, wants_pools
from malloom.measure.process import Command
from malloom.measure.variants import POOLS, own_mimalloc, pooled, with_plan
from malloom.optimize.candidates import Candidate
from malloom.optimize.parts import chain_of
from malloom.optimize.settings import AllocatorRow, allocator_rows
from malloom.optimize.training import Row

NOTHING, SETTING, LAYOUT, POOLED, PREFETCHES = "nothing", "only a setting", "a layout", "pools", "prefetches"
PLAN = "plan, not kept"
"""The plan with the best training runs, where that is not what is kept."""
KINDS = (NOTHING, SETTING, LAYOUT, POOLED, PREFETCHES)
"""What may be kept."""


@dataclass(frozen=True)
class Choice:
    """The command's answer, as its --json has it, the plan that was kept, if any, and the best of its race,
    if that is another. `texts` are the inputs by the names that the answer has for them."""

    answer: Mapping[str, Any]
    plan: Path | None
    best_plan: Path | None
    texts: Mapping[str, Input]

    @property
    def described(self) -> str:
        return str(self.answer["choice"]) if self.plan else NOTHING

    @property
    def kinds(self) -> tuple[str, ...]:
        """Those of KINDS that are kept."""
        if self.plan is None:
            return (NOTHING,)
        found = {
            LAYOUT: has_arena(self.plan) or has_groups(self.plan),
            POOLED: has_pools(self.plan) or wants_pools(self.plan),
            PREFETCHES: has_prefetches(self.plan),
        }
        return tuple(kind for kind, there in found.items() if there) or (SETTING,)


def choose(bench: Bench, program: Program, words: Mapping[Input, Sequence[str]], scale: Scale) -> Choice:
    """Runs `malloom optimize`, which is told of no held-out input. Raises CommandError where there is no
    verdict."""
    plan, best = (bench.scratch / f"{program.name}{which}.plan" for which in ("", "-best"))
    texts = told_inputs(words)
    told = [option for text, given in texts.items() for option in (f"--{given.role}", text)]
    seconds = scale.optimize_seconds
    options = ["--json", "-o", str(plan), "--best-plan", str(best), "--goal", scale.aim.goal]
    options += [] if seconds is None else ["--seconds", str(seconds)]
    bench.say(f"optimizing {program.name}")
    answer = json.loads(stages.output_of("optimize", *options, *told, "--", *program.command()))
    is_another = answer["best_plan"] and not (answer["plan"] and answer["choice"] == answer["best_plan"])
    return Choice(answer, plan if answer["plan"] else None, best if is_another else None, texts)


@dataclass(frozen=True)
class Ways:
    """The variables of each way to run a program: the general `settings` and malloom's `own` rows by name,
    and what is `kept`, of the `kinds`. `parts` are those of what is kept, as it is put together, and
    `with_parts` has the variables of each with all parts before it."""

    settings: Mapping[str, Mapping[str, str]]
    own: Mapping[str, Mapping[str, str]]
    kinds: tuple[str, ...]
    kept: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    with_parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def rows(self) -> Mapping[str, Mapping[str, str]]:
        return {**self.settings, **self.own}


def ways_of(choice: Choice, executable: str) -> tuple[Ways, list[str]]:
    """All ways to run a program with what was kept, and what is missing, for a note."""
    rows, missing = allocator_rows()
    settings = {row.name: row.environment for row in rows}
    own: dict[str, Mapping[str, str]] = {POOLS: pooled(), **own_mimalloc()}
    if choice.best_plan:
        own[PLAN] = with_plan(PLAN, choice.best_plan).of(Command([executable])).environment
    if choice.plan is None:
        return Ways(settings, own, choice.kinds), missing
    kept = with_plan("kept", choice.plan).of(Command([executable])).environment
    chain = chain_of(_row_of(choice.plan, rows))
    with_parts = {f"kept, up to {part}": row.environment for part, row in chain}
    if chain:
        with_parts[f"kept, up to {chain[-1][0]}"] = kept
    parts = tuple(part for part, _ in chain)
    return Ways(settings, own, choice.kinds, kept, parts, with_parts), missing


def _row_of(plan: Path, rows: Sequence[AllocatorRow]) -> Row:
    """A kept plan as the race had it."""
    setting = setting_of(plan)
    under = _row_with(setting, rows) if setting else None
    in_pools = wants_pools(plan)
    if places_nothing(plan) and under and not in_pools:
        return under
    return Candidate("kept", plan, over=under.setting if under else None, small_in_pools=in_pools)


def _row_with(setting: PlanSetting, rows: Sequence[AllocatorRow]) -> AllocatorRow:
    for row in rows:
        known = row.setting.allocator.described, dict(row.setting.variables)
        if known == (setting.allocator, dict(setting.variables)):
            return row
    raise CommandError(f"the allocator of the kept plan, {setting.allocator}, is not there")
