"""malloom profile fields: how a recorded run used each field of each kind of object."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from malloom.commands.notes import tell_notes
from malloom.commands.simulate import CACHE_HELP
from malloom.errors import CommandError
from malloom.output_file import check_output, check_replaced


def fields(
    profile: Annotated[Path, typer.Argument(help="The profile, recorded with --accesses full or sampled.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The table to write; default: print it.", metavar="TABLE"),
    ] = None,
    cache: Annotated[str, typer.Option(help=CACHE_HELP, metavar="GEOMETRY")] = "host",
    depth: Annotated[
        int, typer.Option(help="Frames of a context: 1 is the call site alone.", min=1, max=32)
    ] = 1,
    process: Annotated[
        str | None, typer.Option(help="Process of the profile: a pid, or the end of its executable's path.")
    ] = None,
    top: Annotated[int, typer.Option(help="How many kinds of objects to print; 0: all.", min=0)] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, all kinds.")] = False,
) -> None:
    """Say of each call site's objects, by size, how each field was used.

    That is loads, stores, simulated misses of the first and the last level, and which fields are used
    together: while the line of the object that one needs is still in the first level.
    """
    from malloom.cache.geometry import geometry_from  # noqa: PLC0415  (a verb loads what it uses)
    from malloom.commands.progress import steps_shown  # noqa: PLC0415
    from malloom.fields.file import write_table  # noqa: PLC0415
    from malloom.fields.named import kind_types  # noqa: PLC0415
    from malloom.fields.show import as_object, as_text  # noqa: PLC0415
    from malloom.fields.table import field_table  # noqa: PLC0415
    from malloom.output_width import output_width  # noqa: PLC0415
    from malloom.profile import HeapProfile  # noqa: PLC0415
    from malloom.report.reasons import check_not_empty, notes_on, why_no_accesses  # noqa: PLC0415

    geometry = geometry_from(cache)
    if output is not None:
        check_output(output, profile)
        check_replaced(output, "table of fields")
    with steps_shown():
        opened = HeapProfile.open(profile, process)
        check_not_empty(opened)
        if opened.access_entries == 0:
            raise CommandError(f"{profile} tells of no fields: {why_no_accesses(opened.process)}")
        table, missing = field_table(opened, geometry, depth)
    notes = [*notes_on(opened), *geometry.notes, *missing]
    tell_notes(notes)
    text = ""
    with steps_shown(), kind_types(table) as types:
        if output is not None:
            write_table(table, output)
        if as_json:
            text = json.dumps(as_object(table, notes, types), indent=2)
        elif output is None:
            text = "\n".join(as_text(table, top, types, output_width(sys.stdout)))
    if text:
        typer.echo(text)
