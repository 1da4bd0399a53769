"""`malloom bench`: measure a suite, print its tables, write its rows."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from malloom.bench.workloads import DEFAULT_FOLDER
from malloom.errors import CommandError, UsageProblem

if TYPE_CHECKING:
    from malloom.bench.placement.findings import Findings


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="bench", epilog="Example: malloom bench placement --quick --json rows.json")(bench)


def bench(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="What to measure: placement.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Small inputs and few runs: shows that it works, decides nothing.")
    ] = False,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the rows there, as JSON.", show_default=False)
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the goals there, as a Markdown table.", show_default=False),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART",
            help="Measure this part; may be repeated. tables (times, misses, preallocation, statistics) or "
            "goals (speed, recording, planning, programs), or one of those in brackets.",
            show_default=False,
        ),
    ] = None,
    workloads: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where 'make native' put the workloads.")
    ] = DEFAULT_FOLDER,
) -> None:
    """Measure a suite of the papers' claims on this machine.

    Runs are interleaved; a ratio below 1 is better than the baseline, and stands with its 95 % interval.
    A goal that is not reached is printed as such, and the exit status is still 0: the numbers are the result.

    Exit status: 1 where something could not be measured. All else is measured, printed and written.
    """
    if suite != "placement":
        raise UsageProblem(f"there is no suite '{suite}'", remedy="choose placement")
    from malloom.bench.placement import steps  # noqa: PLC0415  (help needs none of it)

    try:
        parts = steps.chosen_parts(only or [])
    except KeyError as unknown:
        known = ", ".join([*steps.GROUPS, *steps.PARTS])
        raise UsageProblem(f"there is no part {unknown}", remedy=f"choose of {known}") from unknown
    findings = _placement(workloads, quick, parts)
    _write(findings, json, markdown)
    if findings.failures:
        raise CommandError(
            f"{len(findings.failures)} of the suite's measurements failed",
            remedy="the last table tells which, and why",
        )


def _placement(workloads: Path, quick: bool, parts: list[str]) -> "Findings":
    from rich.console import Console  # noqa: PLC0415

    from malloom.bench.placement import suite, tables  # noqa: PLC0415

    progress = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    findings = suite.run(workloads, quick, parts, lambda line: progress.print(line, style="dim"))
    tables.print_all(Console(file=sys.stdout, width=None if sys.stdout.isatty() else 200), findings)
    return findings


def _write(findings: "Findings", json: Path | None, markdown: Path | None) -> None:
    from malloom.bench.placement.markdown import to_markdown  # noqa: PLC0415
    from malloom.bench.rows import to_json  # noqa: PLC0415

    if json is not None:
        failures = [asdict(failure) for failure in findings.failures]
        json.write_text(to_json("placement", findings.all_rows(), failures) + "\n", encoding="utf-8")
    if markdown is not None:
        markdown.write_text(to_markdown(findings.goals), encoding="utf-8")
