"""`malloom bench join`: what several runs of a suite have finished, as one result."""

from pathlib import Path
from typing import Annotated

import typer

from malloom.bench.joining import as_one, joined
from malloom.bench.state import read_state, write_state
from malloom.bench.suites import found_suites
from malloom.commands.bench_output import print_tables, write
from malloom.errors import UsageProblem
from malloom.output_file import check_output


def join(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="What --state named, or 'finished steps are kept in'."),
    ],
    json: Annotated[
        Path | None,
        typer.Option(
            "--json",
            "-o",
            metavar="FILE",
            help="Write the rows and goals there, as JSON.",
            show_default=False,
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write all tables there, as Markdown.", show_default=False),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep all steps there, to be joined with others later, without the names of folders; "
            "compressed where it ends in .xz.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Join what several runs of a suite have finished, also at several commits.

    The files are those in which the runs kept their steps. If a step is in several, the last file counts.
    Every row says its commit and its date, and means are computed anew over all.
    """
    for written in filter(None, (json, markdown, state)):
        for file in files:
            check_output(written, file)
    states = [read_state(file) for file in files]
    name = states[0].suite
    suite = found_suites().get(name)
    if suite is None:
        raise UsageProblem(f"there is no suite '{name}'", remedy="is it of another version of malloom?")
    prepared, findings = joined(suite, states)
    if state:
        write_state(as_one(suite, states), state)
    write(name, prepared, findings, json, markdown)
    print_tables(prepared, findings)
