"""The processes of a profile, and which of them is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from malloom.errors import CommandError

Property = tuple[str, str]

MOST_DIGITS = 20
"""Of a number that a recorder writes."""


@dataclass(frozen=True)
class Process:
    """What one recorded process image is."""

    identity: int
    """As in the profile's chunk headers; grows with the start time."""
    pid: int
    parent: int
    """pid of the parent."""
    executable: str
    """Path."""
    build_id: str
    """Hexadecimal; empty where the executable has none."""
    arguments: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()
    """Everything the recorder said about it when it began, in order."""
    end: tuple[Property, ...] = ()
    """What the recorders said when they ended; empty where the recording was cut short."""
    events: int = 0
    """Allocation events."""
    access_entries: int = 0
    """Recorded accesses and markers."""
    lost_chunks: int = 0
    """Chunks that the profile lacks between others."""

    @property
    def has_end(self) -> bool:
        """Whether it said how all of its recording ended."""
        return any(name == "reason" for name, _ in self.end)

    @property
    def accesses(self) -> str:
        """Which accesses were to be recorded, as `malloom record --accesses` has it; empty where not known.

        Profiles of older recorders say it only of two modes.
        """
        values = dict(self.properties)
        older = (mode for mode in ("annotated", "sampled") if values.get(mode) == "1")
        return values.get("accesses") or next(older, "")

    @property
    def name(self) -> str:
        """File name of the executable, or the pid where that is unknown."""
        return Path(self.executable).name or f"process {self.pid}"


def process_from_record(record: dict[str, Any]) -> Process:
    """A process from what the core says about it (Recording.processes)."""
    properties: list[Property] = record["properties"]
    values = dict(properties)
    return Process(
        identity=record["identity"],
        pid=_number(values.get("pid", "0")),
        parent=_number(values.get("parent_pid", "0")),
        executable=path_on_disk(values.get("executable", "")),
        build_id=values.get("build_id", ""),
        arguments=tuple(value for key, value in properties if key == "argument"),
        properties=tuple(properties),
        end=tuple(record["end"]),
        events=record["events"],
        access_entries=record["accesses"],
        lost_chunks=record["lost_chunks"],
    )


def path_on_disk(told: str) -> str:
    """The path of a file that a recorder told. Under DynamoRIO that is how the kernel lists mappings, with
    \\012 for a newline; where only a file of the other name is there, that one is meant."""
    other = told.replace("\\012", "\n")
    return other if other != told and Path(other).exists() and not Path(told).exists() else told


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else 0


def choose_process(
    processes: Sequence[Process], wanted: str | int | None, file_notes: Sequence[str] = ()
) -> tuple[Process, str]:
    """The process that is meant, and why it was chosen (empty where there was no choice).

    `wanted` is a pid, or an executable's path or the end of it; `file_notes` are the reader's, and tell why
    there may be no process at all. Raises CommandError where none fits.
    """
    if not processes:
        if file_notes:
            raise CommandError(
                f"the profile holds no process: {'; '.join(file_notes)}", remedy="record again"
            )
        raise CommandError(
            "the profile holds no process: its recording saw none",
            remedy="ask 'malloom doctor -- PROGRAM' what kept the program from being recorded",
        )
    if wanted is None:
        return _main_process(processes)
    fitting = [process for process in processes if _fits(process, str(wanted))]
    if not fitting:
        known = ", ".join(sorted({f"{process.name} ({process.pid})" for process in processes})[:8])
        raise CommandError(f"the profile has no process '{wanted}'", remedy=f"it has {known}")
    chosen = _busiest(fitting)
    if len(fitting) == 1:
        return chosen, ""
    return chosen, f"{len(fitting)} processes are '{wanted}'; this is pid {chosen.pid}, the busiest of them"


def _main_process(processes: Sequence[Process]) -> tuple[Process, str]:
    """Of the images of the recorded command the busiest.

    The command is the executable of the first process. Where that made no request (a launcher that only execs
    others) the busiest of all is taken.
    """
    first = min(processes, key=lambda process: process.identity)
    same = [process for process in processes if process.executable == first.executable]
    chosen = _busiest(same)
    if chosen.events == 0:
        chosen = _busiest(processes)
    if len(processes) == 1:
        return chosen, ""
    rule = "which runs the program that was started" if chosen in same else "which has the most events"
    note = f"{len(processes)} processes recorded; this is {chosen.name} ({chosen.pid}), {rule}"
    return chosen, note + _busier(processes, chosen)


def _busier(processes: Sequence[Process], chosen: Process) -> str:
    """Of a note the part that names the process that did most, where that is another one."""
    most = max(processes, key=_recorded)
    if _recorded(most) <= _recorded(chosen):
        return ""
    # A program that was replaced (exec) has the pid of the next.
    name = str(most.pid) if most.pid != chosen.pid else most.executable
    return (
        f"; {most.name} ({most.pid}) has {_recorded(most):,} events and accesses, this one "
        f"{_recorded(chosen):,}: --process {name} shows it"
    )


def _recorded(process: Process) -> int:
    return process.events + process.access_entries


def _busiest(processes: Sequence[Process]) -> Process:
    """The one with the most events; of equals the earliest."""
    return max(processes, key=lambda process: (process.events, -process.identity))


def _fits(process: Process, wanted: str) -> bool:
    if wanted.isdecimal():
        return process.pid == int(wanted)
    return process.executable == wanted or process.executable.endswith("/" + wanted.lstrip("/"))
