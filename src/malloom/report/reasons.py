"""Why a report would be empty."""

from __future__ import annotations

from malloom.errors import CommandError
from malloom.profile import HeapProfile
from malloom.profile.notes import COMPLETE_END

CUT_SHORT = ("maximum size reached", "profile could not be written", "stopped by the program")
"""Reasons of an end that came while the program still ran, as record/stream/process_end.cpp writes them."""

OWN_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "snmalloc", "rpmalloc", "tbbmalloc", "hoard")


def check_not_empty(profile: HeapProfile) -> None:
    """Raises CommandError with the reason where the process made no request."""
    if len(profile.requests) == 0:
        raise CommandError(
            f"{profile.process.name} ({profile.process.pid}) made no request: {_reason(profile)}",
            remedy="'malloom doctor -- PROGRAM' says what stands in the way",
        )


def _reason(profile: HeapProfile) -> str:
    process = profile.process
    if profile.damage:
        return "; ".join(profile.damage)
    for module in profile.modules:
        if any(name in module.path for name in OWN_ALLOCATORS):
            return f"it brings an allocator of its own ({module.path})"
    if not process.end:
        return "it was killed or replaced (exec) before its first request"
    reason = dict(process.end).get("reason", "")
    if reason in CUT_SHORT:
        return f"the recording ended before its requests were written: {reason}"
    if reason == COMPLETE_END:
        return "it ran to its end and never called malloc or its like, unless an allocator is linked into it"
    return "it was replaced (exec) or ended before its first request, or has an allocator linked into it"


def access_note(profile: HeapProfile) -> str:
    """Why a profile has no accesses, or an empty text where it has some."""
    if profile.access_entries:
        return ""
    return "no accesses were recorded; 'malloom record --accesses full' records them"
