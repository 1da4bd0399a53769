"""`malloom optimize` on real programs: a verdict each, whichever way it goes."""

import json

from malloom.bench.goals import Goal
from malloom.bench.placement.real_programs import RealProgram
from malloom.bench.steps import Bench
from malloom.measure import stages, variants
from malloom.measure.interval import Interval
from malloom.measure.rows import row


def optimize_goals(bench: Bench, program: RealProgram, seconds: float) -> list[Goal]:
    """One program, optimized as a user would have it optimized. The goal is a verdict on the same output,
    whichever way it goes. Raises CommandError where there is none."""
    bench.say(f"optimizing {program.name}, {program.input}")
    arguments = program.prepare(bench.scratch)
    plan = bench.scratch / f"{program.name}.plan"
    options = ["--json", "--seconds", str(seconds), "-o", str(plan)]
    found = json.loads(stages.output_of("optimize", *options, "--", *arguments))
    for note in found["notes"]:
        bench.say(f"note: {note}")
    measured = row(
        (program.name, program.input),
        f"optimize: {found['strategy']}, {found['verdict']}",
        variants.GLIBC,
        "cpu_time",
        Interval(found["ratio"], found["low"], found["high"]),
        runs=found["runs"],
        peak=found["peak_rss_ratio"],
    )
    return [Goal(measured, limit=None)]
