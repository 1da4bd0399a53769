"""`malloom bench`: measure a suite, print its tables, write its rows."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from malloom.bench.workloads import DEFAULT_FOLDER
from malloom.errors import UsageProblem


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
    workloads: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where 'make native' put the workloads.")
    ] = DEFAULT_FOLDER,
) -> None:
    """Measure a suite of the papers' claims on this machine.

    Runs are interleaved; a ratio below 1 is better than the baseline, and stands with its 95 % interval.
    A goal that is not reached is printed as FAIL, and the exit status is still 0: the numbers are the result.
    """
    suites = {"placement": _placement}
    if suite not in suites:
        raise UsageProblem(f"there is no suite '{suite}'", remedy=f"choose one of: {', '.join(suites)}")
    suites[suite](workloads, quick, json)


def _say() -> Callable[[str], None]:
    from rich.console import Console  # noqa: PLC0415

    console = Console(stderr=True)
    return lambda line: console.print(line, style="dim", highlight=False)


def _placement(workloads: Path, quick: bool, json: Path | None) -> None:
    from rich.console import Console  # noqa: PLC0415

    from malloom.bench.placement import suite, tables  # noqa: PLC0415
    from malloom.bench.rows import to_json  # noqa: PLC0415

    rows, goals = suite.run(workloads, quick, _say())
    tables.print_all(Console(file=sys.stdout, width=None if sys.stdout.isatty() else 200), rows, goals)
    if json is not None:
        goal_rows = list(dict.fromkeys(goal.row for goal in goals))
        json.write_text(to_json("placement", [*rows, *goal_rows]) + "\n", encoding="utf-8")
