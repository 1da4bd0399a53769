"""Accesses of a part of a run, sampled from outside: now and then a thread is stopped, stepped through some
hundred instructions by the kernel, and let go (record/stepping)."""

from __future__ import annotations

import contextlib
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from malloom.errors import CommandError
from malloom.launch.cpu_time import cpu_seconds
from malloom.native_files import native_file

SHARE = 0.1
"""Of the program's CPU time, where no budget is said."""
SHARE_OF_BUDGET = 0.5
"""The rest is for requests and tables."""
RECORDER = "libmalloom_record.so"
YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
NANOSECONDS = 1e9
REFUSED = "the system does not let one process look into another"
REMEDY = "record as root, set kernel.yama.ptrace_scope to 0, or leave out --accesses"


@dataclass(frozen=True)
class Sampled:
    """What a window's sampling came to; `seconds` of CPU time it took here and in the program."""

    accesses: int
    bursts: int
    seconds: float
    problem: str


class Stepping:
    """Samples the accesses of one window at a time."""

    def __init__(self, maximum_bytes: int, budget: float | None) -> None:
        """Raises CommandError where it is known that the system refuses."""
        if YAMA.exists() and YAMA.read_text().strip() != "0" and os.geteuid() != 0:
            raise CommandError(f"accesses cannot be sampled: {REFUSED}", remedy=REMEDY)
        share = SHARE if budget is None else budget * SHARE_OF_BUDGET
        self._command = [str(native_file("malloom_step"))]
        self._options = [str(maximum_bytes), repr(share), "/" + RECORDER, *map(str, _offsets())]
        self._process: subprocess.Popen[str] | None = None
        self._seconds = 0.0

    def start(self, profile: Path) -> None:
        """The window with this profile is open."""
        self._process = subprocess.Popen(
            [*self._command, str(profile), *self._options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            # A terminal that stops or ends what runs in it would do so in the middle of a burst.
            start_new_session=True,
        )

    def stop(self) -> Sampled:
        """Before the window is closed."""
        assert self._process is not None
        process, self._process = self._process, None
        process.terminate()
        assert process.stdout is not None
        with process.stdout as told:
            words = told.read().split()
        seconds = 0.0
        # To end a process looks whether it has ended, and then it is waited for already.
        with contextlib.suppress(ChildProcessError):
            _, _, used = os.wait4(process.pid, 0)
            seconds = used.ru_utime + used.ru_stime
        process.returncode = 0
        accesses, bursts, stopped, refused = map(int, words) if words else (0, 0, 0, 0)
        seconds += stopped / NANOSECONDS
        self._seconds += seconds
        problem = f"{REFUSED}; {REMEDY}" if refused else "" if words else "malloom_step failed"
        return Sampled(accesses, bursts, seconds, problem)

    def seconds(self) -> float:
        """CPU time of all windows so far. Of one that is open what the program's stops take is not known yet:
        about as much as this side of them."""
        return self._seconds + (2 * cpu_seconds(self._process.pid) if self._process else 0.0)


def _offsets() -> list[int]:
    """Where the recorder counts its events, and has the process's identity, from where it is loaded on."""
    with native_file(RECORDER).open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        found = [symbols.get_symbol_by_name(f"malloom_record_{name}") for name in ("tickets", "process")]
        return [int(symbol[0]["st_value"]) for symbol in found if symbol is not None]
