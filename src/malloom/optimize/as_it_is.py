"""The program as its user runs it, before anything is measured: whether it can be, and how it ends."""

import os
from collections.abc import Mapping

from malloom.errors import CommandError
from malloom.measure.interleaved import describe_status
from malloom.measure.process import Run, good_statuses, last_words, run_measured, time_limit
from malloom.optimize.inputs import Input, Inputs
from malloom.optimize.options import Options, Watcher


def plain_runs(inputs: Inputs, options: Options, watcher: Watcher) -> dict[str, Run]:
    watcher.step("as it is", "running the program as it is")
    return {
        each.text: _plain_run(inputs, each, options) for each in dict.fromkeys((*inputs.train, *inputs.check))
    }


def _plain_run(inputs: Inputs, given: Input, options: Options) -> Run:
    """The second run of the program as it is; the first warms up, and must print the same."""
    command = inputs.command(given).limited(options.timeout)
    on = "" if inputs.is_one and not inputs.check else f" on '{given.text}'"
    first = run_measured(command)
    good = good_statuses(command)
    if os.WIFSIGNALED(first.status) and first.status not in good:
        raise CommandError(
            f"the program dies by {describe_status(first.status)} as it is{on}",
            remedy="give it arguments and input with which it ends by itself",
        )
    if options.demand_success and first.status not in good:
        said = f": {words}" if (words := last_words(first)) else ""
        raise CommandError(
            f"the program fails as it is{on}, with {describe_status(first.status)}{said}",
            remedy="give it arguments and input with which it works, or give --ignore-status",
        )
    second = run_measured(command.limited(min(options.timeout, time_limit(first))))
    if options.compare_output and (first.output_digest, first.status) != (
        second.output_digest,
        second.status,
    ):
        raise CommandError(
            f"the program prints something else each time it runs{on}, so a plan's output cannot be checked "
            "and none is kept",
            remedy="fix what makes it differ, or give --ignore-output",
        )
    return second


def exit_status(inputs: Inputs, plain: Mapping[str, Run]) -> int:
    """That of the program as it is, where it does not end well on some input; else 0."""
    ends = [
        run.status
        for run in plain.values()
        if run.status not in good_statuses(inputs.command(inputs.train[0]))
    ]
    return os.waitstatus_to_exitcode(next(iter(ends), 0))
