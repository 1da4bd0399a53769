"""Pools by the compiler's tokens against pools by call site, in the same binary."""

import subprocess
from pathlib import Path

from malloom.bench.cases import Case
from malloom.bench.gathered import Races
from malloom.bench.goals import Goal, Of
from malloom.bench.means import mean_row
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure import stages
from malloom.measure.interleaved import Budget
from malloom.measure.process import Command
from malloom.measure.rows import Row, control_rows, measured_row
from malloom.measure.variants import GLIBC, pooled

TOKENS, SITES = "pools by token", "pools by call site"
TIME = "cpu_time"
MEAN, NO_SLOWER = 1.00, 1.02
"""Of tokens against call sites: the mean, and the low end of each program."""
COMPILER = ("clang-22", "-O3", "-fsanitize=alloc-token")
LONGEST = 120.0
"""Seconds that a build may take."""


def token_rows(bench: Bench, case: Case, budget: Budget, races: Races) -> list[Row | Goal]:
    """One binary in three ways, of which the C library's allocator is the plainest."""
    plain = Command([str(_built(bench, case)), *case.arguments])
    commands = {
        SITES: plain.with_environment(pooled("--no-tokens")),
        TOKENS: plain.with_environment(pooled("--tokens")),
        GLIBC: plain,
    }
    rounds = bench.race_of(str(case), commands, SITES, budget, controls=(GLIBC,))
    races[case.place] = rounds
    if not rounds.runs.get(TOKENS):
        return []
    against = measured_row(case.place, rounds, TOKENS, SITES, TIME)
    others = [name for name in (SITES, TOKENS) if rounds.runs.get(GLIBC)]
    return [
        *(row for name in (SITES, GLIBC) for row in control_rows(case.place, rounds, name)),
        *(measured_row(case.place, rounds, name, GLIBC, TIME) for name in others),
        against,
        Goal(against, NO_SLOWER, Of.LOW),
    ]


def token_means(races: Races) -> list[Row | Goal]:
    """Over the programs that were measured."""
    found = mean_row(races, "programs", TOKENS, SITES)
    return [*found, *(Goal(each, MEAN) for each in found)]


def _built(bench: Bench, case: Case) -> Path:
    """The workload as the compiler with tokens makes it. Raises CommandError where that fails."""
    tree = bench.workloads.resolve().parents[2]
    sources = sorted((tree / "workloads" / case.workload).glob("*.c"))
    if not sources:
        raise CommandError(f"there are no sources of {case.workload} in {tree}")
    binary = bench.scratch / f"{case.workload}-with-tokens"
    if not binary.exists():
        library = stages.output_of("tokens").strip()
        line = [*COMPILER, "-I", str(tree), *map(str, sources), library, "-lm", "-o", str(binary)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=LONGEST)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CommandError(f"{COMPILER[0]} cannot be run: {error}") from None
        if done.returncode != 0:
            raise CommandError(f"{COMPILER[0]} cannot build {case.workload}: {done.stderr.strip()}")
    return binary
