"""Ways to run a program: the environment that puts one allocator or one plan under it."""

from ctypes.util import find_library
from pathlib import Path

from malloom.errors import CommandError
from malloom.native_files import native_file

GLIBC = "glibc"
PEERS = ("mimalloc", "jemalloc", "tcmalloc")
PEER_LIBRARIES = {"mimalloc": "mimalloc", "jemalloc": "jemalloc", "tcmalloc": "tcmalloc_minimal"}


def peer(name: str) -> dict[str, str]:
    """One of the best general allocators, as its Debian package has it."""
    library = find_library(PEER_LIBRARIES[name])
    if library is None:
        raise CommandError(f"{name} is not installed", remedy=f"install the Debian package of {name}")
    return {"LD_PRELOAD": library}


def fallback(general: str = "mimalloc") -> dict[str, str]:
    """The run time without a plan: every request goes to the fallback."""
    return {"LD_PRELOAD": _run_time(), "MALLOOM_HEAP": "fallback", "MALLOOM_FALLBACK": general}


def planned(plan: Path, general: str = "mimalloc", preallocate: bool | None = None) -> dict[str, str]:
    """The run time with a plan. `preallocate` overrides the plan's own choice."""
    chosen = {"LD_PRELOAD": _run_time(), "MALLOOM_PLAN": str(plan.resolve()), "MALLOOM_FALLBACK": general}
    if preallocate is not None:
        chosen["MALLOOM_PREALLOCATE"] = str(int(preallocate))
    return chosen


def general_allocators() -> dict[str, dict[str, str]]:
    """The C library's allocator and its peers, by name."""
    return {GLIBC: {}, **{name: peer(name) for name in PEERS}}


def _run_time() -> str:
    return str(native_file("libmalloom.so"))
