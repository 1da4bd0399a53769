"""Ways to run a program: the environment that puts one allocator or one plan under it."""

import shlex
from ctypes.util import find_library
from dataclasses import replace
from pathlib import Path

from malloom.errors import CommandError
from malloom.launch.dynamic import Optimizing, dynamic_prefix, dynamic_settings
from malloom.launch.preloading import FALLBACK_LIBRARIES, serves_alone
from malloom.launch.program import Program
from malloom.layout.plan_header import has_flag, places_nothing
from malloom.measure import stages
from malloom.measure.process import Command
from malloom.native_files import native_file
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


def planned(
    plan: Path,
    preallocate: bool | None = None,
    fallback: str | None = None,
    huge_pages: bool | None = None,
    packed: bool | None = None,
) -> dict[str, str]:
    """The run time with a plan, even one that places nothing. What is given overrides the plan's choice."""
    chosen = {"plan": str(plan.resolve())}
    if preallocate is not None:
        chosen["preallocate"] = str(int(preallocate))
    if huge_pages is not None:
        chosen["huge_pages"] = str(int(huge_pages))
    if packed is not None:
        chosen["packed"] = str(int(packed))
    if fallback is not None:
        chosen["fallback"] = fallback
    return {**settings(**chosen), "LD_PRELOAD": _run_time()}


def as_run(
    plan: Path,
    preallocate: bool | None = None,
    program: Program | None = None,
    chosen_fallback: str | None = None,
    huge_pages: bool | None = None,
    packed: bool | None = None,
) -> dict[str, str]:
    """What `malloom run --plan` makes of a plan: one that places nothing needs no run time, if the program
    needs none."""
    general = chosen_fallback or ("system" if has_flag(plan, "system_fallback") else "mimalloc")
    if not places_nothing(plan) or not serves_alone(general, program):
        return planned(plan, preallocate, chosen_fallback, huge_pages, packed)
    return fallback() if general == "mimalloc" else {}


def pooled(*options: str) -> dict[str, str]:
    """Pools per call site that the run learns by itself, as `malloom run --heap pools` has them."""
    printed = stages.output_of("run", "--heap", "pools", *options, "--print-environment")
    entries = (shlex.split(line)[0].partition("=") for line in printed.splitlines())
    return {name: value for name, _, value in entries}


def dynamic(program: Command, *, pools: bool, prefetch: bool, statistics: bool = False) -> Command:
    """The program as `malloom run --dynamic` has it; DynamoRIO alone where neither is wanted."""
    asked = Optimizing(pools, prefetch, statistics)
    command = replace(program, arguments=[*dynamic_prefix(asked), *program.arguments])
    chosen = dynamic_settings(asked)
    return command.with_environment({**chosen, "LD_PRELOAD": _run_time()} if chosen else {})


def general_allocators() -> dict[str, dict[str, str]]:
    """The C library's allocator and its peers, by name."""
    return {GLIBC: {}, **{name: peer(name) for name in PEERS}}


def _run_time() -> str:
    return str(native_file("libmalloom.so"))
