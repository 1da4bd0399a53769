"""What a reader of a profile has to know before believing it, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from malloom.profile.process import Process
from malloom.quantities import counted

COMPLETE_END = "exit"
"""Reason of an end after which nothing is missing."""

ABRUPT_END = "ended without exit handlers (exec, _exit or a signal)"
"""A reason in the words of record/stream/process_end.cpp: requests survive it, the last accesses may not."""

CUT_SHORT = (
    "maximum size reached",
    "profile could not be written",
    "stopped by the program",
    "the time to record was over",
)
"""Reasons of an end that came while the program still ran, as record/stream/process_end.cpp writes them."""


def notes_on(file_notes: Sequence[str], process: Process, lost: Mapping[str, int | bool]) -> list[str]:
    """Notes on a process: `file_notes` from the reader, `lost` from the resolver (Recording.read_process)."""
    return [
        *file_notes,
        *_end_notes(process),
        *_accesses_notes(process),
        *_dropped_notes(process),
        *_missing_chunks(process, lost),
        *_corrupt_accesses(lost),
        *_loss_notes(lost),
    ]


def may_lack_accesses(process: Process) -> bool:
    """Whether the process may have ended before its last accesses were written; annotated ones are events."""
    return process.accesses != "annotated" and dict(process.end).get("reason") == ABRUPT_END


def damage_notes(file_notes: Sequence[str], process: Process, lost: Mapping[str, int | bool]) -> list[str]:
    """Those of the notes that may explain why the process has no requests: a part of the file is missing."""
    return [*(() if process.has_end else file_notes), *_missing_chunks(process, lost)]


def cut_notes(file_notes: Sequence[str], process: Process, lost: Mapping[str, int | bool]) -> list[str]:
    """Those of the notes that tell that the profile lacks a part of what the process did."""
    end_is_missing = not process.has_end or dict(process.end).get("reason") in CUT_SHORT
    return [
        *damage_notes(file_notes, process, lost),
        *(_end_notes(process) if end_is_missing else ()),
        *_accesses_notes(process),
        *_dropped_notes(process),
        *_corrupt_accesses(lost),
        *_loss_notes(lost, of_requests=True),
    ]


def _end_notes(process: Process) -> Iterator[str]:
    reason = dict(process.end).get("reason")
    if reason is None:
        yield "the recording has no end: the process still runs, or the profile is cut; what is here is good"
    elif reason != COMPLETE_END:
        yield f"the end of the recording: {reason}; what is here is good"


def _accesses_notes(process: Process) -> Iterator[str]:
    """Where the recording of accesses ended before the process did."""
    if why := dict(process.end).get("accesses"):
        yield f"accesses were recorded up to a point only: {why}; requests go on after it"


def _dropped_notes(process: Process) -> Iterator[str]:
    """Of events that are missing however the process ended: requests may be among them, or releases."""
    dropped = dict(process.end).get("dropped", "0")
    if dropped != "0":
        yield f"{dropped} events could not be recorded"


def _missing_chunks(process: Process, lost: Mapping[str, int | bool]) -> Iterator[str]:
    if process.lost_chunks:
        yield f"{process.lost_chunks} chunks are missing: their requests and accesses are not counted"
    if lost["corrupt_chunks"]:
        yield f"{lost['corrupt_chunks']} chunks are corrupt and were left out"


def _corrupt_accesses(lost: Mapping[str, int | bool]) -> Iterator[str]:
    count = int(lost["corrupt_access_chunks"])
    if count:
        are = "is" if count == 1 else "are"
        yield f"{counted(count, 'chunk')} of accesses {are} corrupt: these accesses are not counted"


def _loss_notes(lost: Mapping[str, int | bool], *, of_requests: bool = False) -> Iterator[str]:
    if lost["releases_unknown"] and not of_requests:
        yield f"{lost['releases_unknown']} objects were released that no recorded request made"
    if lost["stopped"]:
        yield "the program asked for the recording to stop"
    if lost["overflowed"]:
        yield "the process made more than 4 billion requests; those beyond are left out"
