"""One recording: creates the profile, runs the program, takes in what its processes have staged."""

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from malloom import _native
from malloom.errors import CommandError
from malloom.file_name import native_name
from malloom.launch.child import SignalsHeld
from malloom.launch.dynamorio import launch_prefix
from malloom.launch.preloading import original_environment, preloading
from malloom.launch.program import Program
from malloom.native_files import native_file
from malloom.output_file import check_new, check_output, check_replaced
from malloom.settings import settings


class Accesses(StrEnum):
    """Which accesses are recorded beside the requests."""

    none = "none"
    annotated = "annotated"
    full = "full"
    sampled = "sampled"


@dataclass(frozen=True)
class RecordingOptions:
    """What was asked for on the command line."""

    output: Path
    accesses: Accesses
    maximum_bytes: int
    """0: no limit."""
    depth: int
    force: bool
    windows: bool = False
    """Recorded are windows that are opened while the program runs; `output` is their base then."""


@dataclass(frozen=True)
class Recorded:
    """How a recording ended."""

    wait_status: int
    processes: int
    contexts: int
    events: int
    dropped: int
    living: int
    limit_reached: bool
    write_failed: bool
    file_bytes: int


def run_recorded(program: Program, arguments: list[str], options: RecordingOptions) -> Recorded:
    """Run the program and record it. Raises CommandError before anything is written where it cannot work."""
    output = checked_output(options)
    path, command, environment = recorded_command(program, arguments, options)
    create(output, force=options.force)
    with SignalsHeld() as signals:
        try:
            child = signals.start(path, command, environment)
        except CommandError:
            remove(output)
            raise
        # What is wrong with the profile is told at the end: the program goes on, and is waited for.
        status = signals.wait(child, lambda: _take_in_quietly(output, options))
        return recorded(status, take_in(output, options, finish=True))


def _take_in_quietly(output: Path, options: RecordingOptions) -> None:
    with suppress(CommandError):
        take_in(output, options, finish=False)


def recorded_command(
    program: Program, arguments: list[str], options: RecordingOptions
) -> tuple[str, list[str], dict[str, str]]:
    """What is started to record the program: the file, its arguments, its environment."""
    environment = recording_environment(options.output.absolute(), options)
    prefix, more = access_launcher(options.accesses)
    # The launcher finds the program by its name, as execvp does, and the program sees that name.
    command = [*prefix, *arguments]
    return command[0] if prefix else program.path, command, {**environment, **more}


def checked_output(options: RecordingOptions) -> Path:
    """The profile's absolute path; raises where a profile cannot be created there."""
    output = options.output.absolute()
    check_output(output)
    native_name(output)
    staging = staging_folder(output)
    if not options.force:
        check_new(output)
        check_new(staging)
    check_replaced(output, "profile")
    return output


def staging_folder(output: Path) -> Path:
    return output.with_name(output.name + ".staging")


def remove(output: Path) -> None:
    output.unlink(missing_ok=True)
    shutil.rmtree(staging_folder(output), ignore_errors=True)


def create(output: Path, *, force: bool) -> None:
    if force:
        remove(output)
    if problem := _native.create_profile(str(output), time.time_ns()):
        raise CommandError(problem, remedy="make room, or choose another place with -o")


def recording_environment(output: Path, options: RecordingOptions) -> dict[str, str]:
    variable = settings(
        depth=str(options.depth),
        max_size=str(options.maximum_bytes),
        accesses=options.accesses.value,
        **({"windows": "1"} if options.windows else {}),
        record=str(output),
    )
    return preloading({**original_environment(), **variable}, native_file("libmalloom_record.so"))


def access_launcher(accesses: Accesses) -> tuple[list[str], dict[str, str]]:
    """What comes before the program's path, and more environment, where DynamoRIO records accesses."""
    if accesses in (Accesses.full, Accesses.sampled):
        return launch_prefix(accesses.value)
    return [], {}


def take_in(output: Path, options: RecordingOptions, *, finish: bool) -> dict[str, int | bool]:
    """Append what ended processes have staged; raises CommandError where the profile is lost."""
    state = _native.recover_profile(str(output), options.maximum_bytes, finish)
    if problem := state.pop("problem"):
        raise CommandError(f"the profile is lost: {problem}", remedy="record again")
    return state


def recorded(wait_status: int, state: dict[str, int | bool]) -> Recorded:
    return Recorded(wait_status=wait_status, **state)  # type: ignore[arg-type]
