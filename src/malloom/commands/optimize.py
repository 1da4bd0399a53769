"""`malloom optimize`: all the way from a program to a plan that makes it faster, or to none."""

import json
import os
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from malloom.errors import UsageProblem
from malloom.launch.program import open_program, require_reachable
from malloom.optimize.memory_limit import MOST_MEMORY
from malloom.output_file import check_output, check_replaced

if TYPE_CHECKING:
    from malloom.optimize.options import Watcher
    from malloom.optimize.verdict import Outcome

FEWEST_FOR_A_VERDICT = 10
"""With fewer, one run that something else disturbed can undo a clear verdict."""
MOST_PAIRS = 200
"""Of programs that run for milliseconds; others reach the time first."""
PRECISE = 0.015
"""Width of the interval that a verdict is measured to, where the time allows."""
MOST_RUNS = 10_000
"""Pairs that a user can ask for."""

ACCESSES = ("full", "sampled", "annotated", "none")


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(
        name="optimize",
        context_settings={"allow_interspersed_args": False},
        epilog="Example: malloom optimize -- xsltproc report.xsl orders.xml",
    )(optimize)


def optimize(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM [ARGS]...", help="The program and its arguments, after --."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="PLAN", help="Where a faster plan is kept; default: ./PROGRAM.plan."
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            min=6,
            max=MOST_RUNS,
            metavar="N",
            help="Pairs of runs for the verdict; default: until it is precise.",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(
            min=0, help="Time for the measured runs; ten pairs are measured however long they take."
        ),
    ] = 60.0,
    accesses: Annotated[
        str | None,
        typer.Option(help="full, sampled, annotated or none; default: full, or sampled for long programs."),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="Try this one only; default: the best of the simulation.")
    ] = None,
    most_memory: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="RATIO",
            help="Most peak memory a plan may need, as a ratio to the program's own (2 MiB more is always "
            "allowed). Plans above it are left out if another one is within.",
        ),
    ] = MOST_MEMORY,
    ignore_output: Annotated[
        bool, typer.Option("--ignore-output", help="Do not compare what the program prints with and without.")
    ] = False,
    ignore_status: Annotated[
        bool,
        typer.Option("--ignore-status", help="Go on where the program's exit status is another than 0."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Learn from runs of a program, race plans against the unchanged program, and report a verdict.

    The program runs many times. What it prints is compared, not shown. Its standard input, where that is
    no terminal, is read to its end first and given to each run anew. The plan is kept only where the verdict
    is 'faster'.

    Exit status: 0 where there is a verdict, whichever it is.
    """
    if not command:
        raise UsageProblem(
            "no program is given", remedy="name it after --, as in 'malloom optimize -- ls -l'"
        )
    check_names(accesses, strategy)
    place = output or Path(f"{Path(command[0]).name}.plan")
    check_output(place)
    check_replaced(place, "plan")
    require_reachable(open_program(command[0]))
    from malloom.measure.interleaved import Budget  # noqa: PLC0415
    from malloom.measure.signals import ended_in_order  # noqa: PLC0415
    from malloom.optimize import verdict  # noqa: PLC0415  (measuring needs NumPy, help does not)
    from malloom.optimize.options import Options  # noqa: PLC0415

    fewest, most = (FEWEST_FOR_A_VERDICT, MOST_PAIRS) if runs is None else (runs, runs)
    budget = Budget(fewest, most, seconds, PRECISE)
    options = Options(place, accesses, strategy, budget, not ignore_output, not ignore_status, most_memory)
    with ended_in_order(), repeatable_input() as stdin, watching() as watcher:
        outcome = verdict.optimize(command, stdin, options, watcher)
    print(json.dumps(as_data(outcome, command), indent=1) if as_json else as_text(outcome, command))


def check_names(accesses: str | None, strategy: str | None) -> None:
    """Raises UsageProblem for accesses or a strategy that do not exist, before anything runs."""
    if accesses is not None and accesses not in ACCESSES:
        raise UsageProblem(
            f"there are no accesses '{accesses}'", remedy=f"choose one of {', '.join(ACCESSES)}"
        )
    if strategy is not None:
        from malloom.layout import registry  # noqa: PLC0415

        registry.strategy(strategy)


@contextmanager
def repeatable_input() -> Iterator[Path | None]:
    """A file that holds the standard input, for every run to read from its start.

    None where that is a terminal or another device, or closed: the runs then read nothing.
    """
    if sys.stdin is None or stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode):
        yield None
        return
    with tempfile.NamedTemporaryFile(prefix="malloom-input-") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        copy.flush()
        yield Path(copy.name)


@contextmanager
def watching() -> Iterator["Watcher"]:
    """Progress on standard error: a line that changes at a terminal, a line per stage elsewhere."""
    from rich.console import Console  # noqa: PLC0415

    from malloom.measure.interleaved import no_progress  # noqa: PLC0415
    from malloom.optimize.options import Watcher  # noqa: PLC0415

    console = Console(stderr=True, highlight=False, markup=False)
    if not console.is_terminal:
        yield Watcher(console.print, no_progress)
        return
    with console.status("") as status:
        stage = ""

        def show_stage(text: str) -> None:
            nonlocal stage
            stage = text
            status.update(text)

        yield Watcher(show_stage, lambda name, number: status.update(f"{stage} [{name}, run {number}]"))


def as_data(outcome: "Outcome", command: list[str]) -> dict[str, Any]:
    """The verdict for machines. Times are CPU time of the whole process."""
    return {
        "program": command,
        "verdict": outcome.verdict.value,
        "metric": "cpu_time",
        "ratio": outcome.interval.ratio,
        "low": outcome.interval.low,
        "high": outcome.interval.high,
        "runs": outcome.runs,
        "peak_rss_ratio": outcome.peak_ratio,
        "without_plan": measured(outcome, 0),
        "with_plan": measured(outcome, 1),
        "strategy": outcome.strategy,
        "preallocated": outcome.preallocated,
        "fallback": outcome.fallback,
        "carries": asdict(outcome.carries),
        "learned": {name: asdict(contents) for name, contents in outcome.learned.items()},
        "candidates": list(outcome.candidates),
        "accesses": outcome.accesses,
        "notes": list(outcome.notes),
        "left_for_memory": outcome.left_for_memory,
        "exit_status": outcome.exit_status,
        "output": "identical" if outcome.output_compared else "not compared",
        "plan": str(outcome.plan) if outcome.plan else None,
    }


def measured(outcome: "Outcome", which: int) -> dict[str, float]:
    """Medians without the plan (0) or with it (1)."""
    return {
        "cpu_time_seconds": outcome.cpu_times[which],
        "peak_memory_bytes": outcome.peak_memories[which],
    }


def as_text(outcome: "Outcome", command: list[str]) -> str:
    """The verdict for people."""
    from malloom.optimize.candidates import FALLBACKS  # noqa: PLC0415

    interval = outcome.interval
    output = "output identical" if outcome.output_compared else "output not compared"
    way = f"strategy {outcome.strategy}{', preallocated' if outcome.preallocated else ''}"
    if outcome.strategy == "overhead-only":
        way = "the fallback alone (mimalloc), nothing placed"
    elif any(asdict(outcome.carries).values()):
        way += f" ({outcome.carries}; the rest served by {FALLBACKS[outcome.fallback]})"
    lines = [
        *(f"note: {note}" for note in outcome.notes),
        f"{outcome.verdict}: {interval.ratio:.3f} of the CPU time [{interval.low:.3f} {interval.high:.3f}], "
        f"{outcome.peak_ratio:.2f} of the peak memory",
        f"{way}, {outcome.runs} pairs of runs, {output}",
    ]
    if outcome.exit_status != 0:
        lines.append(f"the program ended with exit status {outcome.exit_status}, with and without")
    if outcome.plan:
        run = f"malloom run --plan {shlex.quote(str(outcome.plan))} -- {shlex.join(command)}"
        lines.append(f"the plan is kept as {outcome.plan}; use it with: {run}")
    else:
        lines.append("no plan is kept: none was measurably faster than the program as it is")
    return "\n".join(lines)
