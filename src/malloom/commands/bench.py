"""`malloom bench`: measure a suite, print its tables, write its rows."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.bench.workloads import DEFAULT_FOLDER
from malloom.errors import CommandError, UsageProblem
from malloom.output_file import check_output, written_whole

if TYPE_CHECKING:
    from malloom.bench.findings import Findings
    from malloom.bench.suite import Suite
    from malloom.measure.interleaved import Progress


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="bench", epilog="Example: malloom bench placement --quick --json rows.json")(bench)


def bench(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="What to measure: placement, dynamic or pools.")
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Small inputs and few runs: shows that it works, decides nothing.")
    ] = False,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the rows and goals there, as JSON.", show_default=False),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the goals and all tables there, as Markdown.", show_default=False
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            "--part",
            metavar="PART",
            help="Measure this part; may be repeated. placement: tables (times, misses, preallocation, "
            "statistics) or goals (speed, recording, planning, programs), or one of those in brackets; "
            "dynamic: times, quiet, prefetches, misses, pairs, memory. "
            "pools: before, before-pairs, memory, times, pairs, code, checks, dynamorio.",
            show_default=False,
        ),
    ] = None,
    program: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="dynamic, pools: measure this of the ten programs; may be repeated. Default: all ten.",
            show_default=False,
        ),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            metavar="SIZES",
            help="dynamic: sizes of the heaps against the last-level cache, of 0.5x,2x,8x. Default: 0.5x, "
            "and all three of ft.",
            show_default=False,
        ),
    ] = "",
    last_level: Annotated[
        str,
        typer.Option(
            metavar="BYTES",
            help="dynamic: size of the last-level cache, like 32M. Default: this machine's. pools: half of "
            "what the ten programs' heaps have. Default: 32M.",
            show_default=False,
        ),
    ] = "",
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="dynamic: time for the runs of each program at a size; three of each are timed however long "
            "they take. Default: 120.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            metavar="COMMIT",
            help="pools: the former commit to compare with, which is built once. Default: 69039a1.",
            show_default=False,
        ),
    ] = "",
    workloads: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where 'make native' put the workloads.")
    ] = DEFAULT_FOLDER,
) -> None:
    """Measure a suite of the papers' claims on this machine.

    Runs are interleaved; a ratio below 1 is better than the baseline, and stands with its 95 % interval.
    A goal that is not reached is printed as such, and the exit status is still 0: the numbers are the result.

    Exit status: 1 where something could not be measured. All else is measured, printed and written. SIGINT,
    SIGTERM and SIGHUP end it early, with 128 and the signal's number; what there is by then is kept as well.
    """
    from malloom.bench import suites  # noqa: PLC0415  (help needs none of it)

    chosen = suites.suite(suite, suites.Choices(quick, program or (), sizes, last_level, seconds, against))
    parts = chosen_parts(chosen, only or [])
    for written in filter(None, (json, markdown)):
        check_output(written)
    findings = measured(chosen, parts, workloads)
    # Before printing: a terminal that is gone takes none of it along.
    write(chosen, findings, json, markdown)
    print_tables(chosen, findings)
    if findings.ended_by:
        raise findings.ended_by
    if findings.failures:
        raise CommandError(
            f"{len(findings.failures)} of the suite's measurements failed",
            remedy="the last table tells which, and why",
        )


def chosen_parts(suite: "Suite", names: list[str]) -> list[str]:
    """The parts to measure; raises UsageProblem for one that the suite has not."""
    try:
        return suite.chosen_parts(names)
    except KeyError as unknown:
        known = ", ".join([*suite.groups, *suite.parts])
        problem = f"the suite {suite.name} has no part {unknown}"
        raise UsageProblem(problem, remedy=f"choose of {known}") from unknown


def measured(suite: "Suite", parts: list[str], workloads: Path) -> "Findings":
    """Measures the parts."""
    from malloom.bench.suite import run  # noqa: PLC0415
    from malloom.measure.signals import ended_in_order  # noqa: PLC0415

    with ended_in_order(), shown() as (say, progress):
        return run(suite.steps_of(parts), workloads, say, progress)


def print_tables(suite: "Suite", findings: "Findings") -> None:
    """All that the findings can fill, on standard output."""
    from rich.console import Console  # noqa: PLC0415

    from malloom.bench.tables import print_all  # noqa: PLC0415

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 240)
    print_all(console, suite.tables_of(findings))


@contextmanager
def shown() -> Iterator[tuple[Callable[[str], None], "Progress"]]:
    """Lines on standard error as the suite goes on; at a terminal also the run that it is at."""
    from rich.console import Console  # noqa: PLC0415

    from malloom.measure.interleaved import no_progress  # noqa: PLC0415

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def say(line: str) -> None:
        console.print(line, style="dim")

    if not console.is_terminal:
        yield say, no_progress
        return
    with console.status("") as status:

        def say_and_wait(line: str) -> None:
            say(line)
            status.update("")

        yield say_and_wait, lambda name, number: status.update(f"run {number} of {name}")


def write(suite: "Suite", findings: "Findings", json: Path | None, markdown: Path | None) -> None:
    """Rows, goals and failures for machines, tables for documents, where they are wanted."""
    from malloom.bench.markdown import to_markdown  # noqa: PLC0415
    from malloom.measure.rows import to_json  # noqa: PLC0415

    if json is not None:
        goals = [goal.as_data() for goal in findings.goals]
        failures = [asdict(failure) for failure in findings.failures]
        notes = [asdict(note) for note in findings.notes]
        data = to_json(suite.name, findings.host, findings.all_rows(), goals, failures, notes)
        _write_text(json, data + "\n")
    if markdown is not None:
        _write_text(markdown, to_markdown(suite.tables_of(findings)))


def _write_text(path: Path, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())
