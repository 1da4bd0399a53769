"""All strategies that are installed, ours and others', through the entry-point group `malloom.strategies`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from malloom.errors import CommandError, UsageProblem
from malloom.layout.strategy import Strategy

GROUP = "malloom.strategies"
AUTO = "auto"
"""Not a strategy: the best of all, by simulation."""


@cache
def _found() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def strategy_names() -> list[str]:
    """Every strategy's name, in the order of the alphabet."""
    if not _found():
        raise CommandError("no strategy is installed", remedy="run 'make build'")
    return sorted(_found())


def strategy(name: str) -> Strategy:
    """The strategy of that name. Raises UsageProblem where there is none, CommandError where it does not
    load."""
    if name not in _found():
        raise UsageProblem(f"there is no strategy '{name}'", remedy="'malloom strategies' lists them")
    entry = _found()[name]
    try:
        found: Strategy = entry.load()()
    except Exception as error:
        raise CommandError(
            f"strategy '{name}' does not load ({type(error).__name__}: {error})",
            remedy=f"fix or remove {entry.value}",
        ) from error
    _check(name, found)
    return found


def _check(name: str, found: object) -> None:
    for attribute in ("name", "summary", "place"):
        if not hasattr(found, attribute):
            raise CommandError(
                f"strategy '{name}' has no {attribute}",
                remedy="see docs/guide/strategies.md for what it needs",
            )
    if getattr(found, "name", "") != name or len(name.encode()) > 31:
        raise CommandError(
            f"strategy '{name}' has another name inside, or one above 31 bytes",
            remedy="give it one short name",
        )


def all_strategies() -> list[Strategy]:
    """Every strategy, in the order of the alphabet."""
    return [strategy(name) for name in strategy_names()]
