"""Pools by the compiler's tokens against pools by call site, in the same binary and in one without tokens."""

import json
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
from malloom.measure.process import Command, run_measured
from malloom.measure.rows import Row, control_rows, measured_row
from malloom.measure.variants import GLIBC, pooled

TOKENS, SITES = "pools by token", "pools by call site"
WITHOUT = "pools, compiled without tokens"
"""What the program's user has by the compiler's usual options."""
TIME = "cpu_time"
MEAN, NO_SLOWER = 1.00, 1.02
"""Of tokens against the two others: the mean, and the low end of each program."""
COMPILER = ("clang-22", "-O3")
OPTION = "-fsanitize=alloc-token"
LONGEST = 120.0
"""Seconds that a build may take."""


def token_rows(bench: Bench, case: Case, budget: Budget, races: Races) -> list[Row | Goal]:
    """One binary in three ways, the C library's allocator being the plainest; and one without tokens."""
    plain, without = (
        Command([str(_built(bench, case, *options)), *case.arguments]) for options in ((OPTION,), ())
    )
    commands = {
        SITES: plain.with_environment(pooled("--no-tokens")),
        TOKENS: plain.with_environment(pooled("--tokens")),
        WITHOUT: without.with_environment(pooled()),
        GLIBC: plain,
    }
    bench.note(_counted(commands[TOKENS]))
    rounds = bench.race_of(str(case), commands, SITES, budget, controls=(WITHOUT, GLIBC))
    races[case.place] = rounds
    if not rounds.runs.get(TOKENS):
        return []
    others = [name for name in (SITES, WITHOUT) if rounds.runs.get(name)]
    against = [measured_row(case.place, rounds, TOKENS, name, TIME) for name in others]
    over = [name for name in (*others, TOKENS) if rounds.runs.get(GLIBC)]
    return [
        *(row for name in (SITES, WITHOUT, GLIBC) for row in control_rows(case.place, rounds, name)),
        *(measured_row(case.place, rounds, name, GLIBC, TIME) for name in over),
        *against,
        *(Goal(row, NO_SLOWER, Of.LOW) for row in against),
    ]


def _counted(command: Command) -> str:
    """How much the tokens say, in a run that is not timed."""
    run = run_measured(command.with_environment(pooled("--tokens", "--json")))
    lines = [line for line in run.errors.decode(errors="replace").splitlines() if line.startswith("{")]
    told = json.loads(lines[-1]) if lines else {}
    if not told.get("tokens"):
        raise CommandError("no request came with a token")
    return f"{told['tokens']} of {told['sites']} sites are tokens, and {told['pools']} have pools"


def token_means(races: Races) -> list[Row | Goal]:
    """Over the programs that were measured."""
    found = [mean for name in (SITES, WITHOUT) for mean in mean_row(races, "programs", TOKENS, name)]
    return [*found, *(Goal(each, MEAN) for each in found)]


def _built(bench: Bench, case: Case, *options: str) -> Path:
    """The workload as the compiler makes it. Raises CommandError where that fails."""
    tree = bench.workloads.resolve().parents[2]
    sources = sorted((tree / "workloads" / case.workload).glob("*.c"))
    if not sources:
        raise CommandError(f"there are no sources of {case.workload} in {tree}")
    binary = bench.scratch / f"{case.workload}{''.join(options)}"
    if not binary.exists():
        library = stages.output_of("tokens").strip()
        line = [*COMPILER, *options, "-I", str(tree), *map(str, sources), library, "-lm", "-o", str(binary)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=LONGEST)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CommandError(f"{COMPILER[0]} cannot be run: {error}") from None
        if done.returncode != 0:
            raise CommandError(f"{COMPILER[0]} cannot build {case.workload}: {done.stderr.strip()}")
    return binary
