"""Table 2: instructions by callgrind, misses of caches and TLBs by simulation of recorded accesses."""

from malloom.bench.cases import Case
from malloom.bench.splitting import builds
from malloom.bench.splitting.compilers import LTO
from malloom.bench.splitting.counting import COUNTED, WholeRuns, count_rows, machines
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure.rows import Row
from malloom.measure.valgrind import count_instructions

INSTRUCTIONS = "instructions"
LEVELS = {"L1": "l1_misses", "L2": "l2_misses", "L3": "l3_misses", "TLB": "tlb_misses", "TLB1": "tlb_misses"}
"""The metric of each level. Of two TLBs the first is shown."""


def instruction_rows(bench: Bench, case: Case) -> list[Row]:
    """Of a whole run."""
    commands = builds.commands(bench, case, COUNTED)
    counts = bench.counted(f"instructions of {case}", commands, count_instructions)
    if LTO not in counts:
        raise CommandError(f"the instructions of {case} could not be counted")
    return count_rows(case.place, INSTRUCTIONS, counts)


def miss_rows(bench: Bench, case: Case, runs: WholeRuns) -> list[Row]:
    """Of every machine; which one stands behind the input."""
    found = runs.of(bench, case)
    rows = []
    for machine in machines():
        place = (case.workload, f"{case.input} {machine.name}")
        for level in (*machine.caches, *machine.tlbs):
            if level.name in LEVELS:
                counts = {name: run.misses[machine.name][level.name] for name, run in found.items()}
                rows += count_rows(place, LEVELS[level.name], counts)
    return rows
