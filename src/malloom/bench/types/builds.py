"""Programs built with debug information: from Debian's sources, and from crates."""

import shutil
from pathlib import Path

from malloom.bench.debian_sources import unpack
from malloom.bench.types.programs import OfCrate, OfDebian, Typed
from malloom.errors import CommandError
from malloom.measure.interleaved import describe_status
from malloom.measure.process import Command, last_words, run_measured

LONGEST = 1800.0
"""Seconds that a build may take."""
FLAGS = "-O2 -g"
TWO_JOBS = "-j2"


def built(program: Typed, folder: Path) -> Path:
    """The program's binary, in a folder that is made here. Raises CommandError where the sources cannot be
    had, or not built."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(program.build, OfDebian):
        _of_debian(program.build, folder)
    else:
        _of_crate(program.build, folder)
    binary = folder / program.binary
    if not binary.is_file():
        raise CommandError(f"building {program.name} made no {program.binary}")
    return binary


def _of_debian(build: OfDebian, folder: Path) -> None:
    unpack(build.package, folder)
    variables = {**build.compiler, "CFLAGS": FLAGS, "CXXFLAGS": FLAGS, "MAKEFLAGS": TWO_JOBS}
    for script in (build.configure, build.make):
        _run(["sh", "-ec", f'cd "$0"\n{script}', str(folder)], variables)


def _of_crate(build: OfCrate, folder: Path) -> None:
    """By cargo, which keeps the sources where it keeps those of all crates."""
    cargo = shutil.which("cargo")
    if cargo is None:
        raise CommandError("there is no cargo", remedy="run 'setup/packages.sh bench'")
    words = ["install", "--quiet", "--locked", TWO_JOBS, "--root", str(folder)]
    variables = {"CARGO_PROFILE_RELEASE_DEBUG": "2", "CARGO_TARGET_DIR": str(folder / "target")}
    _run([cargo, *words, "--version", f"={build.version}", build.crate], variables)


def _run(words: list[str], variables: dict[str, str]) -> None:
    run = run_measured(Command(words, variables, time_limit=LONGEST))
    if run.status != 0:
        last = words[2].splitlines()[-1] if words[0] == "sh" else " ".join(words)
        raise CommandError(f"'{last}' ended with {describe_status(run.status)}: {last_words(run)}")
