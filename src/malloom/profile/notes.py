"""What a reader of a profile has to know before believing it, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from malloom.profile.process import Process

COMPLETE_ENDS = ("exit", "exec")
"""Reasons of an end after which nothing is missing."""


def notes_on(file_notes: Sequence[str], process: Process, lost: Mapping[str, int | bool]) -> list[str]:
    """Notes on a process: `file_notes` from the reader, `lost` from the resolver (Recording.read_process)."""
    return [*file_notes, *_end_notes(process), *_loss_notes(process, lost)]


def _end_notes(process: Process) -> Iterator[str]:
    reason = dict(process.end).get("reason", "")
    if not process.end:
        yield "the recording of the process has no end: it was killed, or still runs; what is here is good"
    elif reason not in COMPLETE_ENDS:
        yield f"the recording ended before the process did: {reason}"


def _loss_notes(process: Process, lost: Mapping[str, int | bool]) -> Iterator[str]:
    if process.lost_chunks:
        yield f"{process.lost_chunks} chunks are missing: their requests and accesses are not counted"
    if lost["corrupt_chunks"]:
        yield f"{lost['corrupt_chunks']} chunks are corrupt and were left out"
    if lost["releases_unknown"]:
        yield f"{lost['releases_unknown']} objects were released that no recorded request made"
    if lost["stopped"]:
        yield "the program asked for the recording to stop"
    if lost["overflowed"]:
        yield "the process made more than 4 billion requests; those beyond are left out"
