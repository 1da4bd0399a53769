"""`malloom merge`: tables of many hosts and builds become one."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from malloom.errors import UsageProblem
from malloom.output_file import check_new, check_output, check_replaced
from malloom.printable import printable


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(name="merge", epilog="Example: malloom merge tables/ -o web.fleet")(merge)


def merge(
    tables: Annotated[
        list[str],
        typer.Argument(
            help="Folders of tables, tables, patterns of them, or such in a store, as s3://bucket/folder.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The fleet to write.", metavar="FLEET", show_default=False)
    ],
    weight: Annotated[
        str, typer.Option(help="cpu: each second of CPU time counts alike; host: each host does.")
    ] = "cpu",
    program: Annotated[
        str | None,
        typer.Option(help="Of tables of several programs the one: its name, or the end of its path."),
    ] = None,
    build: Annotated[
        list[str] | None,
        typer.Option(help="Only tables of builds whose build-id begins so; again for further ones."),
    ] = None,
    certain: Annotated[
        bool, typer.Option("--certain", help="Take only call sites whose own function has the same text.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing fleet.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Say what was merged as one JSON object.")] = False,
) -> None:
    """Merge tables of many hosts, made by 'malloom record --tables' or 'malloom report --format parquet'.

    Call sites of one build are found in another by keys that survive a rebuild. What is not found, and which
    builds disagree in the size of objects, is said.
    """
    from malloom.fleet.merge import Wanted  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.fleet.merge import merge as merged  # noqa: PLC0415
    from malloom.fleet.shown import build_lines, of_hosts  # noqa: PLC0415
    from malloom.fleet.weights import WEIGHTS  # noqa: PLC0415
    from malloom.sites.keys import CERTAIN, LEVELS  # noqa: PLC0415

    if weight not in WEIGHTS:
        raise UsageProblem(f"there is no weight '{weight}'", remedy=f"use one of {', '.join(WEIGHTS)}")
    check_output(output)
    if not force:
        check_new(output)
    check_replaced(output, "table of a host")
    levels = [level for level in LEVELS if level in CERTAIN] if certain else list(LEVELS)
    origin = merged(tables, output, Wanted(weight, program, build or (), levels))
    if as_json:
        print(json.dumps({"fleet": str(output), **asdict(origin)}, indent=2))
        return
    print(f"{printable(str(output))}: {of_hosts(origin)}")
    for note in origin.notes:
        print(f"note: {printable(note)}")
    for line in build_lines(origin):
        print(line)
