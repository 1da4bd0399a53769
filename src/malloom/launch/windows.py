"""Windows of recording, which are opened and closed while the program runs (docs/formats.md).

A program that was started for it records nothing until a window is opened, and then to that window's profile.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.launch.recording import create, remove, staging_folder
from malloom.settings import VARIABLE

GRACE = 0.2
"""Seconds from a window's end until what is staged is taken: a thread that was writing is done by then."""
WINDOW_WORD = 3
"""Place of the window's number among the words of WindowControl."""
_HEADER = struct.Struct("<8sIIQQ")


def control_file(base: Path) -> Path:
    return base.with_name(base.name + ".windows")


def create_control(base: Path) -> None:
    """Before the program starts. Raises CommandError where it cannot be written."""
    version = formats.load("profile").newest_version
    data = _HEADER.pack(b"MALLWIND", version, 0, time.time_ns(), 0)
    try:
        control_file(base).write_bytes(data)
    except OSError as error:
        raise CommandError(f"cannot write {control_file(base)}: {error.strerror}") from None


@dataclass
class Window:
    """One that is open: the profile that it is recorded to, and when it was opened (time.monotonic)."""

    profile: Path
    opened: float

    def events(self) -> int:
        """How many events all its processes have recorded so far."""
        return sum(map(_staged_events, staging_folder(self.profile).glob("*-*")))

    def bytes(self) -> int:
        """Of its profile so far."""
        return self.profile.stat().st_size


class Windows:
    """Opens and closes the windows of a base. One of them at a time has it, in whatever process."""

    def __init__(self, base: Path, maximum_bytes: int) -> None:
        self.base = base
        self._maximum_bytes = maximum_bytes
        self._file, self._map = _mapped(control_file(base))
        self._words = memoryview(self._map).cast("Q")

    def open(self) -> Window:
        """Raises CommandError where there is no room for a profile."""
        # A number that no window had, whoever opened it: the words are packed, and so the time is its source.
        number = (time.time_ns() - self._words[2]) // 1_000_000 + 1
        profile = self.base.with_name(f"{self.base.name}.{number}")
        create(profile, force=True)
        self._words[WINDOW_WORD] = number
        return Window(profile, time.monotonic())

    def close(self, window: Window) -> dict[str, int | bool]:
        """How the window's profile stands then (_native.recover_profile). Raises CommandError where it is
        lost."""
        self._words[WINDOW_WORD] = 0
        time.sleep(GRACE)
        state = _native.recover_profile(str(window.profile), self._maximum_bytes, True, True)
        if problem := state.pop("problem"):
            remove(window.profile)
            raise CommandError(f"the window's profile is lost: {problem}", remedy="record again")
        return state

    def release(self) -> None:
        """Lets others have the base. An open window is closed, and what it recorded is gone."""
        self._words[WINDOW_WORD] = 0
        self._words.release()
        self._map.close()
        self._file.close()


def _mapped(path: Path) -> tuple[IO[bytes], mmap.mmap]:
    try:
        file = path.open("r+b")
    except OSError as error:
        raise CommandError(f"cannot open {path}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise CommandError(
            "another 'malloom record' opens windows of this program", remedy="wait until it has ended"
        ) from None
    data = file.read(_HEADER.size)
    if len(data) != _HEADER.size or _HEADER.unpack(data)[0] != b"MALLWIND":
        file.close()
        raise CommandError(f"{path} is damaged", remedy="start the program again")
    return file, mmap.mmap(file.fileno(), _HEADER.size)


def _staged_events(path: Path) -> int:
    """Of a file in which a process or thread stages: those of its chunks so far, and what waits there."""
    stage = formats.dtype("profile", "StagingHeader")
    process = formats.dtype("profile", "ProcessStagingHeader")
    try:
        with path.open("rb") as file:
            if path.name.endswith("-process"):
                head = np.frombuffer(file.read(process.itemsize), dtype=process)
                file.seek(process.itemsize + int(head["capacity"][0]))
            found = np.frombuffer(file.read(stage.itemsize), dtype=stage)[0]
    except (OSError, ValueError, IndexError):
        return 0
    return int(found["sequence"]) * int(found["capacity"]) + int(found["records"])


def base_of_process(pid: int) -> Path:
    """Where the windows of a running process are. Raises CommandError where it was not started for it."""
    try:
        entries = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError as error:
        reason = "there is no such process" if isinstance(error, FileNotFoundError) else error.strerror
        raise CommandError(f"process {pid} cannot be recorded: {reason}") from None
    value = next((entry for entry in entries if entry.startswith(VARIABLE.encode() + b"=")), b"")
    # The path comes last (malloom.settings), and may have commas.
    others, _, path = os.fsdecode(value.partition(b"=")[2]).partition("record=/")
    base = Path(f"/{path}")
    if "windows=1" not in others.split(",") or not path or not control_file(base).exists():
        raise CommandError(
            f"process {pid} was not started to be recorded, and to bring a recorder into it now is not safe: "
            "it may be anywhere in its malloc",
            remedy="start it with 'malloom record --on-demand -o PLACE -- PROGRAM'",
        )
    return base
