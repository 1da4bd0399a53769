"""One thing that was looked at."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How much a finding matters."""

    good = "ok"
    note = "note"
    """Works, and is worth knowing."""
    problem = "problem"
    """Stands in the way."""


@dataclass(frozen=True)
class Finding:
    """`remedy` is empty where there is nothing to do."""

    subject: str
    state: State
    text: str
    remedy: str = ""


def good(subject: str, text: str) -> Finding:
    return Finding(subject, State.good, text)


def note(subject: str, text: str, remedy: str = "") -> Finding:
    return Finding(subject, State.note, text, remedy)


def problem(subject: str, text: str, remedy: str) -> Finding:
    return Finding(subject, State.problem, text, remedy)
