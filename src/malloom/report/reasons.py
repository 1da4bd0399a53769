"""Why a report would be empty, and what it cannot tell."""

from __future__ import annotations

from malloom.errors import CommandError
from malloom.profile import HeapProfile
from malloom.profile.notes import COMPLETE_END, CUT_SHORT

OWN_ALLOCATORS = ("jemalloc", "tcmalloc", "mimalloc", "snmalloc", "rpmalloc", "tbbmalloc", "hoard")


def check_not_empty(profile: HeapProfile) -> None:
    """Raises CommandError with the reason where the process made no request."""
    if len(profile.requests) == 0:
        raise CommandError(
            f"{profile.process.name} ({profile.process.pid}) made no request: {reason_of_none(profile)}",
            remedy="'malloom doctor -- PROGRAM' says what stands in the way",
        )


def reason_of_none(profile: HeapProfile) -> str:
    """Why the process has no requests."""
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


def gaps(profile: HeapProfile) -> list[str]:
    """What the profile has only a part of, in lines; empty where it is whole."""
    found = [_cut(profile)] if profile.cut else []
    chosen = dict(profile.process.properties)
    if not profile.access_entries:
        found.append("no accesses were recorded; 'malloom record --accesses full' records them")
    elif chosen.get("sampled") == "1":
        found.append("the accesses are a sample: counts are of the sample; 'record --accesses full' has all")
    elif chosen.get("annotated") == "1":
        found.append("the accesses are those that the program's source tells of, and no others")
    return found


def _cut(profile: HeapProfile) -> str:
    reason = dict(profile.process.end).get("reason")
    if reason in CUT_SHORT:
        return f"the recording ended before the program did ({reason}): all below is of the part before that"
    return f"a part of the run is missing ({profile.cut[0]}): all below is of the rest"
