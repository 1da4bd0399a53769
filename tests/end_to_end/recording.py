"""What tests of recording look at in a profile."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from malloom import _native
from malloom.profile import HeapProfile

ROOT = Path(__file__).parents[2]
COMMAND = ROOT / ".venv/bin/malloom"
NEVER = 2**64 - 1


@dataclass(frozen=True)
class Request:
    """One request as a test names it."""

    size: int
    alignment: int
    lives: bool


def requests_of(profile: Path, process: str | int | None = None) -> list[Request]:
    """The requests of one process in time order."""
    requests = HeapProfile.open(profile, process).requests
    columns = (requests.size, requests.alignment, requests.death == np.uint64(NEVER))
    return [
        Request(int(size), int(alignment), bool(lives))
        for size, alignment, lives in zip(*columns, strict=True)
    ]


def processes_of(profile: Path) -> list[dict[str, object]]:
    return list(_native.Recording(str(profile)).processes())


def assert_sound(profile: Path) -> None:
    """Every invariant holds, and nothing is left of the staging."""
    assert _native.check_profile(str(profile)) == []
    assert not profile.with_name(profile.name + ".staging").exists()
