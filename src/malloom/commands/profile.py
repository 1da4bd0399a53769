"""malloom profile: a profile as text and back, and as a table of fields."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from malloom.commands.fields_table import fields
from malloom.errors import CommandError
from malloom.output_file import check_output, check_replaced, written_whole


def register(app: typer.Typer) -> None:
    """Add the verb, a group of three."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Turn a profile into text, text into a profile, or a profile into a table of fields.",
    )
    group.command("to-text")(to_text)
    group.command("from-text")(from_text)
    group.command("fields")(fields)
    app.add_typer(group, name="profile", epilog="Example: malloom profile to-text run.profile")


def to_text(
    profile: Annotated[Path, typer.Argument(help="The profile to read.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to write; default stdout.")
    ] = None,
) -> None:
    """Print everything a profile holds, a line for each record."""
    from malloom.profile import text_form  # noqa: PLC0415  (a verb loads what it uses)

    if output is None:
        notes = text_form.to_text(profile, sys.stdout.buffer)
    elif output.exists() and not output.is_file() and not output.is_dir():
        with output.open("wb") as stream:  # a pipe, /dev/stdout
            notes = text_form.to_text(profile, stream)
    else:
        check_output(output, profile)
        check_replaced(output, "text of a profile")
        with written_whole(output) as file:
            notes = text_form.to_text(profile, file)
    for note in notes:
        print(f"malloom: {note}", file=sys.stderr)


def from_text(
    text: Annotated[Path, typer.Argument(help="The text to read; '-' for stdin.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The profile to write.")],
) -> None:
    """Make the profile that a text describes."""
    from malloom.profile import text_form  # noqa: PLC0415  (a verb loads what it uses)

    check_output(output, text)
    check_replaced(output, "profile")
    if str(text) == "-":
        text_form.from_text(sys.stdin.buffer, output)
        return
    try:
        file = text.open("rb")
    except OSError as error:
        raise CommandError(f"cannot read {text}: {error.strerror}") from None
    with file:
        text_form.from_text(file, output)
