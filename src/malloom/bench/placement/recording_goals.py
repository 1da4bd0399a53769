"""What recording costs: whole `malloom record` commands against the program as it is."""

from malloom.bench import stages, variants
from malloom.bench.pairs import Budget, run_interleaved
from malloom.bench.placement.goals import Goal
from malloom.bench.placement.plans import Bench
from malloom.bench.process import Command
from malloom.bench.rows import row

# --accesses -> how many times the program's own CPU time recording may take.
LIMITS = {"none": 1.3, "full": 15.0, "sampled": 2.0}


def recording_goals(
    bench: Bench, place: tuple[str, str], program: Command, accesses: str, budget: Budget
) -> list[Goal]:
    """One way of recording a program. Each run writes its profile anew over the last."""
    bench.say(f"measuring the recording of {' '.join(place)}, accesses {accesses}")
    profile = bench.scratch / "overhead.profile"
    variant = f"record {accesses}"
    recording = stages.stage(
        "record", "--force", "-o", str(profile), "--accesses", accesses, "--", *program.arguments
    )
    commands = {variants.GLIBC: Command(program.arguments), variant: recording}
    rounds = run_interleaved(commands, variants.GLIBC, budget)
    measured = row(
        place,
        variant,
        variants.GLIBC,
        "cpu_time",
        rounds.ratio(variant, variants.GLIBC),
        runs=len(rounds),
        peak=rounds.peak_ratio(variant, variants.GLIBC),
    )
    return [Goal(measured, LIMITS[accesses])]
