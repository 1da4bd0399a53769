"""`malloom strategies`: what `plan --strategy` can be told."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from malloom.layout.registry import all_strategies


def register(app: typer.Typer) -> None:
    app.command(name="strategies", epilog="Example: malloom strategies --json")(strategies)


def strategies(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """List the strategies that are installed, a line each."""
    found = all_strategies()
    if as_json:
        typer.echo(json.dumps([{"name": each.name, "summary": each.summary} for each in found], indent=2))
        return
    width = max(len(each.name) for each in found)
    for each in found:
        typer.echo(f"{each.name:{width}}  {each.summary}")
