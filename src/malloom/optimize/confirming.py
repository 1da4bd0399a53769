"""A kept plan measured again, on another day: its record grows by what was found."""

import os
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.errors import CommandError
from malloom.launch.program import open_program
from malloom.layout.plan_header import check_plan
from malloom.layout.plan_record import read_record, write_with_record
from malloom.measure import variants
from malloom.measure.process import Command, run_measured, time_limit
from malloom.optimize.checking import Judged, judge
from malloom.optimize.inputs import Inputs
from malloom.optimize.keeping import measurement, recorded_inputs, tells_inputs
from malloom.optimize.options import Options, Watcher
from malloom.printable import printable


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
    unless others are given. The plan's own commands are printed on standard error before they run. Raises
    CommandError where the plan has no record of them, or where it, its allocator or the program cannot be
    run.
    """
    watcher.steps = 2
    check_plan(plan)
    record = read_record(plan)
    earlier = record.get("measured", [])
    if not isinstance(earlier, list):
        raise CommandError(f"{plan}: is damaged: its record's results are no list")
    if inputs is None:
        if not tells_inputs(record):
            raise CommandError(
                f"{plan} does not say what it was judged on", remedy="name the program after --"
            )
        inputs = recorded_inputs(record, stdin)
        _show(plan, inputs)
    open_program(inputs.program[0])  # raises where it cannot be run
    row = Planned(variants.as_run(plan))
    watcher.step("as it is", "running the program as it is")
    commands = {each.text: _limited(inputs.command(each), options) for each in inputs.judged}
    judged = Judged()
    watcher.step("judging", f"measuring {plan}, up to {options.budget.seconds:.0f} s")
    judge(judged, commands, [row], options.budget, watcher.run, options.compare_output)
    if not judged.has(row.name):
        raise CommandError(f"the program does not run as it should with {plan} ({judged.left[row.name]})")
    found = measurement(judged, row.name)
    write_with_record(plan, plan, {**record, "measured": [*earlier, found]})
    return found


def _show(plan: Path, inputs: Inputs) -> None:
    """Says what is about to run: a plan may come from anywhere."""
    for each in inputs.judged:
        print(printable(f"{plan} has this run: {shlex.join(inputs.arguments(each))}"), file=sys.stderr)


def _limited(command: Command, options: Options) -> Command:
    """With the time that a run may take by the first one."""
    run = run_measured(command.limited(options.timeout))
    if options.demand_success and run.status != 0:
        status = os.waitstatus_to_exitcode(run.status)
        raise CommandError(f"the program fails as it is, with exit status {status}")
    return command.limited(time_limit(run))
