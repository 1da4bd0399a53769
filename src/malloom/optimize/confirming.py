"""A kept plan measured again, on another day: its record grows by what was found."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.launch.program import open_program
from malloom.layout.plan_header import PlanHeader, check_plan
from malloom.layout.plan_record import read_record, write_with_record
from malloom.measure import variants
from malloom.measure.interleaved import describe_status
from malloom.measure.plan_program import require_program
from malloom.measure.plan_setting import described_here, setting_of
from malloom.measure.process import Command, good_statuses, run_measured, time_limit
from malloom.optimize.checking import Judged, judge, slower_on
from malloom.optimize.goal import Goal
from malloom.optimize.inputs import Inputs
from malloom.optimize.keeping import measurement, recorded_inputs, tells_inputs, wants_standard_input
from malloom.optimize.options import Options, Watcher
from malloom.printable import printable

OF_THE_RECORD = ("file_bytes", "record_offset", "record_bytes", "body_checksum", "header_checksum")
"""Fields of a plan's header that change with its record."""


@dataclass(frozen=True)
class Planned:
    """The program with the plan, as `malloom run` has it."""

    environment: Mapping[str, str]

    name = "the plan"
    kind = "plan"
    executable = None


def confirm(
    plan: Path, inputs: Inputs | None, stdin: Path | None, options: Options, watcher: Watcher
) -> dict[str, Any]:
    """What new pairs of the plan and of the program as it is say, which its record then has as well.

    The inputs are those that the plan was judged on, with `stdin` where they have no file of their own,
    unless others are given. After an interrupt it is what is known so far, if that is anything on each
    input, and the record stays. The plan's own commands are printed on standard error before they run. Raises
    CommandError where the plan has no record of them or is for another build of the program, or where it, its
    allocator or the program cannot be run.
    """
    watcher.steps = 2
    headers = PlanHeader.all_of(check_plan(plan))
    record = read_record(plan)
    if not isinstance(record.get("measured", []), list):
        raise CommandError(f"{plan}: is damaged: its record's results are no list")
    named = inputs.program[0] if inputs and not record.get("process") else None
    if inputs is None:
        if not tells_inputs(record):
            raise CommandError(
                f"{plan} does not say what it was judged on", remedy="name the program after --"
            )
        inputs = recorded_inputs(record, stdin)
        _show(plan, inputs)
    found_program = open_program(inputs.program[0])  # raises where it cannot be run
    require_program(plan, headers, named, "name the program after --")
    _require_same(plan, record, found_program.binary)
    row = Planned(variants.as_run(plan))
    watcher.step("as it is", "running the program as it is")
    commands = {each.text: _limited(inputs.command(each), options) for each in inputs.judged}
    judged = Judged()
    watcher.step("judging", f"measuring {plan}, up to {options.budget.seconds:.0f} s")
    # What a server writes has times and numbers in it.
    compares = options.compare_output and inputs.client is None
    is_interrupted = False
    try:
        judge(judged, commands, [row], options.budget, watcher.run, compares)
    except KeyboardInterrupt:
        if not judged.has(row.name) or len(judged.rounds) < len(commands):
            raise
        is_interrupted = True
    if not judged.has(row.name):
        raise CommandError(f"the program does not run as it should with {plan} ({judged.left[row.name]})")
    others = {**_other_allocator(plan), **_other_build(record, found_program.elf.build_id)}
    found = {**measurement(judged, row.name, goal_of(record)), **others}
    if not is_interrupted:
        _add(plan, headers[0], record, found)
    return {**found, "slower_on": slower_on(judged, row.name), "interrupted": is_interrupted}


def _require_same(plan: Path, record: Mapping[str, Any], binary: Path) -> None:
    """Raises CommandError where a record tells of another program, by the name of its file: a plan for any
    program, as a setting's, would have results of several in one record."""
    judged = record.get("program")
    if not isinstance(judged, list) or not judged or not isinstance(judged[0], str):
        return
    try:
        own = open_program(judged[0]).binary
    except CommandError:
        own = Path(judged[0])
    if own.resolve().name != binary.resolve().name:
        raise CommandError(
            f"{plan} was judged on {judged[0]}, and {binary.name} is another program",
            remedy="measure it with 'malloom optimize'",
        )


def _other_allocator(plan: Path) -> dict[str, str]:
    """The allocator that ran, where it is of another version or build than the plan's record names."""
    setting = setting_of(plan)
    there = described_here(setting) if setting else ""
    return {"allocator": there} if setting and there != setting.allocator else {}


def _other_build(record: Mapping[str, Any], build: str) -> dict[str, str]:
    """The build of the program that ran, where it is not the one that the plan was kept for."""
    return {"build": build} if record.get("build", build) != build else {}


def goal_of(record: Mapping[str, Any]) -> Goal:
    """What a plan was kept for, by its record, which may have been made up."""
    told = record.get("goal")
    return Goal(told) if told in list(Goal) else Goal.time


def wants_input(plan: Path) -> bool:
    """Whether the plan's own inputs need standard input. Raises CommandError where the plan is not good."""
    check_plan(plan)
    record = read_record(plan)
    return tells_inputs(record) and wants_standard_input(record)


def _add(plan: Path, header: PlanHeader, record: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Adds to the record of the very plan that was measured, which may have grown meanwhile. Raises
    CommandError where another is there."""
    now = PlanHeader.of(check_plan(plan))
    there = read_record(plan)
    is_same = _without(header.fields, OF_THE_RECORD) == _without(now.fields, OF_THE_RECORD)
    if not is_same or _without(there, ("measured",)) != _without(record, ("measured",)):
        raise CommandError(f"{plan} is another plan than the one that was measured: nothing is added to it")
    earlier = there.get("measured", [])
    write_with_record(plan, plan, {**there, "measured": [*earlier, found]})


def _without(told: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in names}


def _show(plan: Path, inputs: Inputs) -> None:
    """Says what is about to run: a plan may come from anywhere."""
    for each in inputs.judged:
        print(printable(f"{plan} has this run: {shlex.join(inputs.arguments(each))}"), file=sys.stderr)


def _limited(command: Command, options: Options) -> Command:
    """With the time that a run may take by the first one."""
    run = run_measured(command.limited(options.timeout))
    if options.demand_success and run.status not in good_statuses(command):
        raise CommandError(f"the program fails as it is, with {describe_status(run.status)}")
    return command.limited(time_limit(run))
