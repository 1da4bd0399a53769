"""How many prefetches the optimiser injects, without pools and with them (table 3)."""

import re

from malloom.bench.dynamic.paper import ALL, PREFETCH
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.interval import exact
from malloom.measure.process import Command, last_words, run_measured
from malloom.measure.rows import Row, row

METRIC = "prefetches"
ONE = "one"
"""The baseline of a number: ratio = number / 1."""
INJECTED = re.compile(rb"^malloom: .*\bprefetches (\d+)\b", re.MULTILINE)


def prefetch_rows(bench: Bench, case: Case) -> list[Row]:
    """The numbers of one program, each from one run."""
    program = case.command(bench.workloads)
    rows = []
    for way, pools in ((PREFETCH, False), (ALL, True)):
        bench.say(f"counting prefetches of {' '.join(case.place)}: {way}")
        try:
            number = injected(variants.dynamic(program, pools=pools, prefetch=True, statistics=True))
            rows.append(row(case.place, way, ONE, METRIC, exact(float(number))))
        except CommandError as error:
            bench.failed(way, error)
    return rows


def injected(command: Command) -> int:
    """The number that the optimiser reports when the program ends."""
    run = run_measured(command)
    if run.status != 0:
        raise CommandError(f"the program failed: {last_words(run)}")
    found = INJECTED.findall(run.errors)
    if not found:
        raise CommandError("the optimiser reported no number of prefetches")
    return sum(map(int, found))
