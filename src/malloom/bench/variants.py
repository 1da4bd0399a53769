"""Ways to run a program: the environment that puts one allocator or one plan under it."""

from ctypes.util import find_library
from pathlib import Path

from malloom.errors import CommandError
from malloom.layout.plan_header import places_nothing
from malloom.native_files import native_file
from malloom.preloading import FALLBACK_LIBRARIES, serves_alone
from malloom.record.program import Program
from malloom.settings import settings

GLIBC = "glibc"
PEERS = ("mimalloc", "jemalloc", "tcmalloc")
PEER_LIBRARIES = {"mimalloc": "mimalloc", "jemalloc": "jemalloc", "tcmalloc": "tcmalloc_minimal"}


def peer(name: str) -> dict[str, str]:
    """One of the best general allocators, as its Debian package has it."""
    library = find_library(PEER_LIBRARIES[name])
    if library is None:
        raise CommandError(f"{name} is not installed", remedy=f"install the Debian package of {name}")
    return {"LD_PRELOAD": library}


def fallback() -> dict[str, str]:
    """The default fallback alone, as `malloom run` has it where a plan places nothing."""
    return {"LD_PRELOAD": str(FALLBACK_LIBRARIES["mimalloc"])}


def planned(plan: Path, preallocate: bool | None = None) -> dict[str, str]:
    """The run time with a plan, even one that places nothing. `preallocate` overrides the plan's choice."""
    chosen = {"plan": str(plan.resolve()), "fallback": "mimalloc"}
    if preallocate is not None:
        chosen["preallocate"] = str(int(preallocate))
    return {**settings(**chosen), "LD_PRELOAD": _run_time()}


def as_run(plan: Path, preallocate: bool | None = None, program: Program | None = None) -> dict[str, str]:
    """What `malloom run --plan` makes of a plan: one that places nothing needs no run time, if the program
    needs none."""
    alone = places_nothing(plan) and serves_alone("mimalloc", program)
    return fallback() if alone else planned(plan, preallocate)


def general_allocators() -> dict[str, dict[str, str]]:
    """The C library's allocator and its peers, by name."""
    return {GLIBC: {}, **{name: peer(name) for name in PEERS}}


def _run_time() -> str:
    return str(native_file("libmalloom.so"))
