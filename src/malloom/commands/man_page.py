"""A manual page in the language of man(7), from the help of a command."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import typer

from malloom import __version__
from malloom.commands.main import VERBS, app, load_verb


def page_of(verb: str | None) -> str:
    """The page of a command, or of malloom itself."""
    group = typer.main.get_command(app)
    above = group.make_context("malloom", [], resilient_parsing=True)
    command = load_verb(verb) if verb else group
    context = command.make_context(verb, [], parent=above, resilient_parsing=True) if verb else above
    name = f"malloom-{verb}" if verb else "malloom"
    summary, *more = paragraphs(command.help or "")
    lines = [
        f'.TH {escaped(name.upper())} 1 "" "malloom {escaped(__version__)}" "malloom"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(summary[0].lower() + summary[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {escaped(context.command_path)}",
        escaped(" ".join(command.collect_usage_pieces(context))),
        ".SH DESCRIPTION",
        *described([summary, *more]),
    ]
    if verb is None:
        lines += [".SH COMMANDS", *commands()]
    lines += [".SH OPTIONS", *options(command, context)]
    if command.epilog:
        lines += [".SH EXAMPLES", ".nf", *map(escaped, example_lines(command.epilog)), ".fi"]
    others = [each for each in VERBS if each != verb] if verb is None else []
    lines += [".SH SEE ALSO", see_also(["malloom"] if verb else [f"malloom-{each}" for each in others])]
    return "\n".join(lines) + "\n"


def paragraphs(text: str) -> list[str]:
    """Of a docstring, each in one line. Where lines are kept as they are, they are one paragraph each."""
    found: list[str] = []
    for part in re.split(r"\n\s*\n", textwrap.dedent(text).strip()):
        kept = part.startswith("\b")
        found += part.removeprefix("\b").strip().splitlines() if kept else [" ".join(part.split())]
    return found


def example_lines(epilog: str) -> list[str]:
    return [line for line in epilog.replace("\b", "").splitlines() if line.strip()]


def described(parts: list[str]) -> Iterator[str]:
    for part in parts:
        yield ".PP"
        yield escaped(part)


def commands() -> Iterator[str]:
    for verb in VERBS:
        yield from (
            ".TP",
            f".BR malloom\\-{escaped(verb)} (1)",
            escaped(load_verb(verb).get_short_help_str(200)),
        )


def options(command: Any, context: Any) -> Iterator[str]:
    """The arguments that have help, then the options."""
    for parameter in command.get_params(context):
        told = parameter.get_help_record(context)
        if told is not None:
            names, text = told
            yield from (".TP", f".B {escaped(names)}", escaped(" ".join(text.split())))


def see_also(names: list[str]) -> str:
    return ",\n".join(f".BR {escaped(name)} (1)" for name in names)


def escaped(text: str) -> str:
    """Text that troff prints as it is."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{safe}" if safe.startswith(".") else safe
