"""How many prefetches the optimiser injects, without pools and with them (table 3)."""

import re

from malloom.bench.cases import Case
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.interval import exact
from malloom.measure.process import Command, last_words, run_measured
from malloom.measure.rows import Row, row
from malloom.measure.variants import ALL, PREFETCH

METRIC = "prefetches"
ONE = "one"
"""The baseline of a number: ratio = number / 1."""
INJECTED = re.compile(rb"^malloom: .*\bprefetches (\d+)\b", re.MULTILINE)


def prefetch_rows(bench: Bench, case: Case) -> list[Row]:
    """The numbers of one program, each from one run."""
    program = case.command(bench)
    commands = {
        name: variants.dynamic(program, pools=pools, prefetch=True, statistics=True)
        for name, pools in ((PREFETCH, False), (ALL, True))
    }
    counts = bench.counted(f"prefetches of {case}", commands, injected)
    return [row(case.place, name, ONE, METRIC, exact(float(number))) for name, number in counts.items()]


def injected(command: Command) -> int:
    """The number that the optimiser reports when the program ends."""
    run = run_measured(command)
    if run.status != 0:
        raise CommandError(f"the program failed: {last_words(run)}")
    found = INJECTED.findall(run.errors)
    if not found:
        raise CommandError("the optimiser reported no number of prefetches")
    return sum(map(int, found))
