"""The environment in which the loader brings a library of malloom into a program."""

import os
from pathlib import Path

from malloom.errors import CommandError


def original_environment() -> dict[str, str]:
    """The environment that malloom was started with: Python may have changed LC_CTYPE since (PEP 538)."""
    entries = Path("/proc/self/environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(entry).partition("=") for entry in entries if b"=" in entry)
    # What an outer malloom has set must not reach into this run.
    return {name: value for name, _, value in pairs if not name.startswith("MALLOOM_")}


def preloading(environment: dict[str, str], library: Path) -> dict[str, str]:
    """The environment with the library first among the preloaded ones."""
    name = str(library)
    if " " in name or ":" in name:
        remedy = "install malloom in a folder without blanks and colons"
        raise CommandError(f"the loader cannot preload {name}", remedy=remedy)
    others = environment.get("LD_PRELOAD", "").replace(":", " ").split()
    return {**environment, "LD_PRELOAD": ":".join([name, *(other for other in others if other != name)])}
