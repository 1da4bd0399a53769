"""Which of a suite's steps are measured, and what they need."""

import re
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import groupby

from malloom.bench.steps import Step
from malloom.errors import UsageProblem
from malloom.memory import in_megabytes

SHARE = re.compile(r"([1-9]\d*)/([1-9]\d*)")


def chosen_steps(steps: Sequence[Step], patterns: Sequence[str], share: str) -> list[Step]:
    """Those whose names match one of the patterns, of these a share, and all that conclude.

    Raises UsageProblem for a pattern that matches none, and for what is no share.
    """
    for pattern in patterns:
        if not any(fnmatchcase(step.what, pattern) for step in steps if not step.concludes):
            raise UsageProblem(f"no step is called '{pattern}'", remedy="--list names all steps")
    wanted = {
        id(step)
        for step in steps
        if not patterns or any(fnmatchcase(step.what, pattern) for pattern in patterns)
    }
    measuring = [step for step in steps if not step.concludes and id(step) in wanted]
    mine = {id(step) for step in (_share_of(measuring, share) if share else measuring)}
    return [step for step in steps if step.concludes or id(step) in mine]


def _share_of(steps: Sequence[Step], share: str) -> list[Step]:
    """The Nth of M runs of steps, which are thought to take equally long."""
    found = SHARE.fullmatch(share)
    number, count = (int(found[1]), int(found[2])) if found else (1, 0)
    if number > count:
        raise UsageProblem(f"'{share}' is no share", remedy="write 2/6 for the second of six")
    whole = sum(_seconds(step) for step in steps)
    chosen, before = [], 0.0
    for step in steps:
        middle = before + _seconds(step) / 2
        if int(middle / whole * count) == number - 1:
            chosen.append(step)
        before += _seconds(step)
    return chosen


def _seconds(step: Step) -> float:
    return step.seconds or 1.0


def print_needs(steps: Sequence[Step]) -> None:
    """A table of the steps on standard output, with the sums of each part."""
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table("part", "step", "seconds", "memory", "disk")
    for part, of_it in groupby((step for step in steps if not step.concludes), lambda step: step.part):
        found = list(of_it)
        for step in found:
            table.add_row(part, step.what, *_needs([step]))
        table.add_row(part, f"all {len(found)} steps", *_needs(found), end_section=True)
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 240).print(table)


def _needs(steps: Sequence[Step]) -> tuple[str, str, str]:
    """Seconds of all together; steps come one after the other, so memory and disk are the largest's."""
    seconds = sum(step.seconds for step in steps)
    sizes = (max(step.memory for step in steps), max(step.disk for step in steps))
    memory, disk = (in_megabytes(size) if size else "-" for size in sizes)
    return (f"{seconds:,.0f}" if seconds else "-"), memory, disk
