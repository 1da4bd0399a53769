"""`malloom man`: the manual pages, made from the help of the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from malloom.errors import CommandError, UsageProblem
from malloom.output_file import written_whole


def register(app: typer.Typer) -> None:
    app.command(name="man", epilog="Example: malloom man -o ~/.local/share/man")(man)


def man(
    command: Annotated[
        str | None, typer.Argument(metavar="[COMMAND]", help="Whose page; left out: that of malloom itself.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Write the pages of all commands there, as 'man' looks for them: FOLDER/man1/malloom.1 and "
            "so on.",
        ),
    ] = None,
) -> None:
    """Print a manual page, or write all of them.

    'malloom man record | man -l -' shows one. Pages that were written to a folder that 'man' knows, such as
    ~/.local/share/man, are shown by 'man malloom' and 'man malloom-record'.
    """
    from malloom.commands.main import VERBS  # noqa: PLC0415  (which has this one)
    from malloom.commands.man_page import page_of  # noqa: PLC0415

    if command is not None and command not in VERBS:
        raise UsageProblem(f"there is no command '{command}'", remedy="'malloom --help' lists them")
    if output is None:
        typer.echo(page_of(command), nl=False)
        return
    if command is not None:
        raise UsageProblem("-o writes the pages of all commands", remedy="leave out one of the two")
    folder = output / "man1"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refusal:
        raise CommandError(
            f"cannot create {folder}: {refusal.strerror}", remedy="choose another folder"
        ) from None
    for verb in (None, *VERBS):
        with written_whole(folder / f"{'-'.join(['malloom', verb] if verb else ['malloom'])}.1") as file:
            file.write(page_of(verb).encode())
    typer.echo(f"wrote {len(VERBS) + 1} pages to {folder}")
