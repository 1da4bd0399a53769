"""Windows of recording, which are opened and closed while the program runs (docs/formats.md).

A program that was started for it records nothing until a window is opened, and then to that window's profile.
"""

from __future__ import annotations

import fcntl
import mmap
import re
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.input_file import opened_ordinary
from malloom.launch.cpu_time import is_running
from malloom.launch.recording import create, remove, staging_folder
from malloom.output_file import written_whole
from malloom.settings import VARIABLE

GRACE = 0.2
"""Seconds from a window's end until what is staged is taken: a thread that was writing is done by then."""
VERSION_WORD, WINDOW_WORD = 1, 3
"""Places among the words of WindowControl: of the version, with `sampled` in its upper half, and of the
window's number."""
_HEADER = struct.Struct("<8sIIQQ")
MAGIC = b"MALLWIND"


def control_file(base: Path) -> Path:
    return base.with_name(base.name + ".windows")


def create_control(base: Path) -> None:
    """Before the program starts. Raises CommandError where it cannot be written."""
    version = formats.load("profile").newest_version
    # A new file in the place of an old one: a program that still has that mapped keeps it, and sleeps on.
    with written_whole(control_file(base)) as file:
        file.write(_HEADER.pack(MAGIC, version, 0, time.time_ns(), 0))


def is_control(path: Path) -> bool:
    """Whether it is such a file, or there is none."""
    try:
        with opened_ordinary(path) as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return not path.exists()


@dataclass
class Window:
    """One that is open: the profile that it is recorded to, and when it was opened (time.monotonic)."""

    profile: Path
    opened: float

    def events(self) -> int:
        """How many events all its processes have recorded so far."""
        return sum(map(_staged_events, staging_folder(self.profile).glob("*-*")))


class Windows:
    """Opens and closes the windows of a base. One of them at a time has it, in whatever process."""

    def __init__(self, base: Path, maximum_bytes: int) -> None:
        self.base = base
        self._maximum_bytes = maximum_bytes
        self._file, self._map = _mapped(control_file(base))
        self._words = memoryview(self._map).cast("Q")
        # Whoever had it before may have been killed.
        self._words[WINDOW_WORD] = 0
        self._number = 0
        self._open: Window | None = None

    def open(self, *, sampled: bool = False) -> Window:
        """Its profile says whether its accesses will be `sampled`. Raises CommandError where there is no room
        for one."""
        # A number that no window had, whoever opened it: the words are packed, and so the time is its source.
        number = max((time.time_ns() - self._words[2]) // 1_000_000, self._number) + 1
        profile = self.base.with_name(f"{self.base.name}.{number}")
        create(profile, force=True)
        self._words[VERSION_WORD] = self._words[VERSION_WORD] & 0xFFFFFFFF | int(sampled) << 32
        self._words[WINDOW_WORD] = self._number = number
        self._open = Window(profile, time.monotonic())
        return self._open

    def take_in(self, window: Window) -> None:
        """What ended processes have staged, while the window is open: they would fill the disk."""
        _native.recover_profile(str(window.profile), self._maximum_bytes, False)

    def close(self, window: Window) -> dict[str, int | bool]:
        """How the window's profile stands then (_native.recover_profile). Raises CommandError where it is
        lost."""
        self._words[WINDOW_WORD] = 0
        self._open = None
        time.sleep(GRACE)
        state = _native.recover_profile(str(window.profile), self._maximum_bytes, True, True)
        if problem := state.pop("problem"):
            remove(window.profile)
            raise CommandError(f"the window's profile is lost: {problem}", remedy="record again")
        return state

    def release(self) -> None:
        """Lets others have the base. An open window is closed, and what it recorded is gone."""
        self._words[WINDOW_WORD] = 0
        if self._open is not None:
            remove(self._open.profile)
        self._words.release()
        self._map.close()
        self._file.close()


def _mapped(path: Path) -> tuple[IO[bytes], mmap.mmap]:
    try:
        file = opened_ordinary(path, "r+b")
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
    if len(data) != _HEADER.size or _HEADER.unpack(data)[0] != MAGIC:
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
    return int(found["written"]) + int(found["records"])


def limit_of_process(pid: int, otherwise: int) -> int:
    """The bytes that a window of a process may have, with which it was started; `otherwise` where its
    environment does not tell any more."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return otherwise
    # Numbers come before paths.
    found = re.search(rb"(?:^|\0)" + VARIABLE.encode() + rb"=[^/\0]*?\bmax_size=(\d+)", variables)
    return int(found[1]) if found else otherwise


def base_of_process(pid: int) -> Path:
    """Where the windows of a running process are, which has their file mapped. Raises CommandError where it
    was not started for it."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_text(errors="surrogateescape").split("\n")
    except OSError as error:
        is_gone = isinstance(error, FileNotFoundError | ProcessLookupError)
        raise CommandError(
            f"process {pid} cannot be recorded: {'there is no such process' if is_gone else error.strerror}",
            remedy="look for its number" if is_gone else "be its user, or root",
        ) from None
    if not is_running(pid):
        raise CommandError(f"process {pid} cannot be recorded: it has ended", remedy="look for its number")
    named = ["/" + line.partition("/")[2] for line in lines if line.endswith(".windows")]
    # The kernel writes line ends in names so.
    paths = [Path(each) for name in named for each in (name, name.replace("\\012", "\n"))]
    base = next((path for path in paths if path.exists() and is_control(path)), None)
    if base is None:
        raise CommandError(
            f"process {pid} was not started to be recorded, and to bring a recorder into it now is not safe: "
            "it may be anywhere in its malloc",
            remedy="start it with 'malloom record --on-demand -o PLACE -- PROGRAM'",
        )
    return base.with_suffix("")
