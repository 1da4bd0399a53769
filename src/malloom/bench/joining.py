"""What several runs of a suite have finished, as one: each row with its commit, and means over all."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from malloom.bench.findings import Findings
from malloom.bench.running import measure
from malloom.bench.sound import unknown_part
from malloom.bench.state import VERSION, Finished, State, StepId, put_back
from malloom.bench.steps import Step
from malloom.bench.suite import Prepared, Suite
from malloom.errors import UsageProblem

SAME_MACHINE = ("processor", "processors", "last_level")
"""What must be the same of a host for its rows to stand beside others' in one table."""


def joined(suite: Suite, states: Sequence[State]) -> tuple[Prepared, Findings]:
    """The suite as the runs were asked for it, and all that they have found.

    Raises UsageProblem for runs of different suites, options or machines, and for damaged ones.
    """
    for state in states:
        if unknown := unknown_part(state, suite.parts):
            raise UsageProblem(f"a file is damaged: {unknown}")
    options = _options_of_all(suite, states)
    steps = {step.id: step for state in states for step in state.steps}
    prepared = suite.prepare(**options)
    return prepared, findings_of(prepared, steps)


def as_one(suite: Suite, states: Sequence[State]) -> State:
    """All their steps, without the options that name files and folders. Raises UsageProblem for runs of
    different suites or options."""
    steps = {step.id: step for state in states for step in state.steps}
    return State(VERSION, states[0].suite, _options_of_all(suite, states), [*steps.values()])


def _options_of_all(suite: Suite, states: Sequence[State]) -> dict[str, Any]:
    """But those that name files and folders, which lie elsewhere on every machine."""
    first, *others = states
    parameters = inspect.signature(suite.prepare).parameters
    files = {name for name, each in parameters.items() if isinstance(each.default, Path)}
    options = {name: value for name, value in first.options.items() if name in {*parameters} - files}
    for other in others:
        if other.suite != first.suite:
            raise UsageProblem(f"the files are of different suites: {first.suite}, {other.suite}")
        for name, value in options.items():
            if other.options.get(name) != value:
                told = f"{name} {value} and {other.options.get(name)}"
                raise UsageProblem(f"the files were measured with different options: {told}")
    _demand_whole(options, parameters)
    return options


def _demand_whole(options: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]) -> None:
    missing = [
        name for name, each in parameters.items() if each.default is each.empty and name not in options
    ]
    if missing:
        raise UsageProblem(
            f"the files do not say with which options they were measured: {', '.join(missing)}"
        )


def _demand_one_machine(steps: Sequence[Finished]) -> None:
    for name in SAME_MACHINE:
        values = sorted({str(step.host.get(name, "unknown")) for step in steps})
        if len(values) > 1:
            raise UsageProblem(
                f"the files were measured on different machines: {name} {' and '.join(values)}"
            )


def findings_of(prepared: Prepared, found: Mapping[StepId, Finished]) -> Findings:
    """Of the steps in the suite's order, where it has them now, and then of what concludes them. Raises
    UsageProblem for steps of different machines."""
    _demand_one_machine([*found.values()])
    findings = Findings()
    for part, make in prepared.steps.items():
        of_part = [finished for finished in found.values() if finished.part == part]
        steps = make()
        order = [step.what for step in steps]
        of_part.sort(key=lambda each: order.index(each.what) if each.what in order else len(order))
        for each in of_part:
            _take_over(findings, each, steps)
        # What concludes over all parts has one of its own.
        if of_part or all(step.concludes for step in steps):
            _conclude(findings, steps, of_part or [*found.values()])
    return findings


def _take_over(findings: Findings, finished: Finished, steps: Sequence[Step]) -> None:
    findings.take_over(finished.findings())
    findings.hosts += [finished.host] if finished.host not in findings.hosts else []
    same = [step for step in steps if step.what == finished.what]
    gathers = next((step.gathers for step in [*same, *steps] if step.gathers is not None), None)
    if gathers is not None:
        put_back(gathers, finished)


def _conclude(findings: Findings, steps: Sequence[Step], of_part: Sequence[Finished]) -> None:
    """With the last level that the part's steps were measured by."""
    last_level = next((row.last_level for step in of_part for row in step.rows), 0)
    for step in steps:
        if step.concludes:
            concluded = Findings(findings.measured_on)
            measure(step, concluded, Path(), Path(), lambda line: None, last_level=last_level)
            findings.take_over(concluded)
