"""The environment in which the loader brings a library of malloom into a program."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from malloom.errors import CommandError
from malloom.launch import ignored_signals
from malloom.native_files import native_file
from malloom.settings import VARIABLE


def original_environment() -> dict[str, str]:
    """The environment that malloom was started with, without malloom's own settings.

    Python may have changed LC_CTYPE since (PEP 538). Settings of an outer malloom must not reach into this
    run; where a user has made them, a line says so.
    """
    entries = Path("/proc/self/environ").read_bytes().split(b"\0")
    pairs = [os.fsdecode(entry).partition("=") for entry in entries if b"=" in entry]
    environment = {name: value for name, _, value in pairs if name != ignored_signals.VARIABLE}
    if environment.pop(VARIABLE, "") and "libmalloom" not in environment.get("LD_PRELOAD", ""):
        print(f"malloom: the variable {VARIABLE} is replaced; options set what it would", file=sys.stderr)
    return environment


def preloading(environment: Mapping[str, str], library: Path | str | None) -> dict[str, str]:
    """The environment with the library, if any, first among the preloaded ones.

    A run time that an outer malloom has put there is left out.
    """
    name = str(library or "")
    if " " in name or ":" in name:
        remedy = "install malloom in a folder without blanks and colons"
        raise CommandError(f"the loader cannot preload {name}", remedy=remedy)
    mine = {"", name, str(native_file("libmalloom.so"))}
    others = environment.get("LD_PRELOAD", "").replace(":", " ").split()
    libraries = ":".join(filter(None, [name, *(other for other in others if other not in mine)]))
    if libraries:
        return {**environment, "LD_PRELOAD": libraries}
    return {key: value for key, value in environment.items() if key != "LD_PRELOAD"}


def over(run_time: Path | str, library: str, variables: Mapping[str, str]) -> dict[str, str]:
    """What puts the run time, if any, over a general allocator: `library` is its file, empty where it is the
    C library's own. A user's own preloaded libraries come after both."""
    environment = preloading(preloading(os.environ, library), run_time)
    preloaded = environment.get("LD_PRELOAD")
    return {**variables, **({"LD_PRELOAD": preloaded} if preloaded else {})}
