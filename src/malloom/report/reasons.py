"""Why a report would be empty, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from malloom.errors import CommandError
from malloom.profile import HeapProfile, Process
from malloom.profile.notes import ABRUPT_END, COMPLETE_END, CUT_SHORT, may_lack_accesses

OWN_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "snmalloc", "rpmalloc", "tbbmalloc", "hoard")


def check_not_empty(profile: HeapProfile) -> None:
    """Raises CommandError with the reason where the profile has no request of the process."""
    if len(profile.requests):
        return
    name = f"{profile.process.name} ({profile.process.pid})"
    if profile.damage:
        raise CommandError(
            f"the requests of {name} are missing: {'; '.join(profile.damage)}", remedy="record again"
        )
    raise CommandError(
        f"{name} made no request: {reason_of_none(profile)}",
        remedy="'malloom doctor -- PROGRAM' says what stands in the way",
    )


def reason_of_none(profile: HeapProfile) -> str:
    """Why the process has no requests, where the profile is not damaged."""
    process = profile.process
    for module in profile.modules:
        if any(name in module.path for name in OWN_ALLOCATORS):
            return f"it brings an allocator of its own ({module.path})"
    if not process.has_end:
        return "it was killed or replaced (exec) before its first request"
    reason = dict(process.end).get("reason", "")
    if reason in CUT_SHORT:
        return f"the recording ended before its requests were written: {reason}"
    if reason == COMPLETE_END:
        return "it ran to its end and never called malloc or its like, unless an allocator is linked into it"
    return "it was replaced (exec) or ended before its first request, or has an allocator linked into it"


def notes_on(profile: HeapProfile) -> list[str]:
    """What a reader has to know, gaps first, in lines."""
    return [*gaps(profile), *other_notes(profile)]


def other_notes(profile: HeapProfile) -> list[str]:
    """The profile's notes without the one that its gaps say already."""
    return [note for note in profile.notes if note != _main_cut(profile)]


def gaps(profile: HeapProfile) -> list[str]:
    """What the profile has only a part of, in lines; empty where it is whole."""
    return [*([_cut(profile)] if profile.cut else []), *_access_gaps(profile)]


def _access_gaps(profile: HeapProfile) -> Iterator[str]:
    process = profile.process
    if not profile.access_entries:
        yield why_no_accesses(process)
    elif process.accesses == "sampled":
        yield "the accesses are a sample: counts are of the sample; 'record --accesses full' has all"
    elif process.accesses == "annotated":
        yield "the accesses are those that the program's source tells of, and no others"
    if profile.access_entries and may_lack_accesses(process):
        yield f"the process {ABRUPT_END}: its last accesses may be missing"


def why_no_accesses(process: Process) -> str:
    """Why the process has none, and what would record them."""
    if process.accesses == "annotated":
        return "no accesses were recorded: the program's source tells of none (calls of malloom.h)"
    if process.accesses not in ("full", "sampled"):
        return "no accesses were recorded; 'malloom record --accesses full' records them"
    if may_lack_accesses(process):
        return f"no accesses were recorded: the process {ABRUPT_END} before any was written"
    return "no accesses were recorded, though they were asked for; 'malloom doctor' tries the recorder"


def _cut(profile: HeapProfile) -> str:
    reason = dict(profile.process.end).get("reason")
    if reason in CUT_SHORT:
        return f"the recording ended before the program did ({reason}): what follows is of the time before"
    return f"a part of the run is missing ({_main_cut(profile)}): what follows is of the rest"


def _main_cut(profile: HeapProfile) -> str:
    """Of the notes on missing parts the one that the gaps say: that on the early end, or else the first."""
    reason = dict(profile.process.end).get("reason", "")
    early = (note for note in profile.cut if reason in CUT_SHORT and reason in note)
    return next(early, next(iter(profile.cut), ""))
