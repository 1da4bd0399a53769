"""What varies between the runs of a case: the allocator, the plan, the binary, or what executes it."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from malloom.errors import CommandError
from malloom.launch.dynamic import Optimizing, dynamic_prefix, dynamic_settings
from malloom.launch.preloading import over, preloading
from malloom.launch.program import open_program
from malloom.layout.plan_header import TUNES_FALLBACK, has_flag, says_nothing
from malloom.measure import stages
from malloom.measure.plan_setting import POOLS_HEAP, is_gone, setting_of, wants_pools
from malloom.measure.process import Command, users_environment
from malloom.native_files import native_file
from malloom.settings import VARIABLE, settings, with_setting, with_trust

GLIBC = "glibc"
POOLS = "pools"
"""Pools per call site that every run learns anew, natively: `malloom run --heap pools`."""
PAGES = "pages"
"""`malloom run --heap pages`."""
DYNAMORIO, POOL, PREFETCH, ALL = "dynamorio", "pool", "prefetch", "all"
"""DynamoRIO alone, with pools, with prefetches, with both."""


@dataclass(frozen=True)
class Variant:
    """One way to run a program: its name in rows, and what it makes of the program's command; that raises
    CommandError where it cannot be had."""

    name: str
    of: Callable[[Command], Command]


def native() -> Variant:
    """The program as its user has it."""
    return Variant(GLIBC, lambda program: program)


def with_environment(name: str, environment: Mapping[str, str]) -> Variant:
    """An allocator, or a plan, by the variables that put it under the program."""
    return Variant(name, lambda program: program.with_environment(environment))


def of_binary(name: str, binary: Path) -> Variant:
    """Another build of the program."""
    return Variant(
        name, lambda program: replace(program, arguments=[str(binary), *list(program.arguments)[1:]])
    )


def executed_by(name: str, prefix: list[str]) -> Variant:
    """The program as the argument of what executes it: a simulator, an emulator, a tool of valgrind. What it
    counts it reports as `measure NAME VALUE` on standard error."""
    return Variant(name, lambda program: replace(program, arguments=[*prefix, *program.arguments]))


def with_plan(name: str, plan: Path) -> Variant:
    """`malloom run --plan` as a user has it."""

    def planned_command(program: Command) -> Command:
        open_program(str(program.arguments[0]))  # raises where there is none
        return program.with_environment(as_run(plan))

    return Variant(name, planned_command)


def pools(name: str = POOLS, *options: str) -> Variant:
    """`malloom run --heap pools`, with further options."""
    return Variant(name, lambda program: program.with_environment(pooled(*options)))


def pages() -> Variant:
    """`malloom run --heap pages`."""
    return Variant(PAGES, lambda program: program.with_environment(_with_heap(PAGES)))


def under_dynamorio(names: tuple[str, ...] = (DYNAMORIO, POOL, PREFETCH, ALL)) -> list[Variant]:
    """The paper's columns but the first."""
    return [
        Variant(name, partial(_optimized, name in (POOL, ALL), name in (PREFETCH, ALL))) for name in names
    ]


def _optimized(pools: bool, prefetch: bool, program: Command) -> Command:
    return dynamic(program, pools=pools, prefetch=prefetch)


def fallback() -> dict[str, str]:
    """The default fallback alone, as `malloom run` has it where a plan places nothing."""
    return {**settings(heap="fallback"), **_preloaded(_run_time())}


Override = bool | int | str | None
"""What a setting of the run time is to be; None: as the plan says."""


def planned(plan: Path, small_in_pools: bool = False, **overrides: Override) -> dict[str, str]:
    """The run time with a plan, even one that places nothing. Settings that are given override the plan's
    choice."""
    chosen = {"plan": str(plan.resolve())}
    for name, value in overrides.items():
        if value is not None:
            chosen[name] = value if isinstance(value, str) else str(int(value))
    if small_in_pools:
        chosen["heap"] = POOLS_HEAP
    return {**settings(**chosen), **_preloaded(_run_time())}


def as_run(
    plan: Path,
    chosen_fallback: str | None = None,
    small_in_pools: bool | None = None,
    **overrides: Override,
) -> dict[str, str]:
    """What `malloom run --plan` makes of a plan: one that says nothing, over the C library, needs no run
    time. Raises CommandError where the allocator that the plan wants is gone, or is none."""
    in_pools = wants_pools(plan) if small_in_pools is None else small_in_pools
    tunes = any(overrides.get(name) is not None for name in TUNES_FALLBACK)
    is_needed = in_pools or tunes or not says_nothing(plan)
    if chosen_fallback is None and (setting := setting_of(plan)):
        if is_gone(setting):
            raise CommandError(f"{setting.library}, the allocator of {plan}, is gone")
        made = planned(plan, in_pools, fallback="system", **overrides) if is_needed else {}
        told = {VARIABLE: made[VARIABLE]} if made else {}
        made |= with_trust(told, setting.up_to, setting.huge_beyond)
        return {**made, **over(_run_time() if made else "", setting.library, setting.variables)}
    if is_needed:
        return planned(plan, in_pools, fallback=chosen_fallback, **overrides)
    serves_rest = chosen_fallback or ("system" if has_flag(plan, "system_fallback") else "mimalloc")
    return fallback() if serves_rest == "mimalloc" else {}


def pooled(*options: str) -> dict[str, str]:
    """The variables of `malloom run --heap pools`."""
    return _with_heap("pools", *options)


def counted() -> dict[str, str]:
    """The variables with which each process says as it ends what it was and took, as `malloom run --json`."""
    return _with_heap("fallback", "--json")


def own_mimalloc() -> dict[str, dict[str, str]]:
    """The run time's own mimalloc alone, in small pages and in huge ones, by name."""
    name = "malloom's mimalloc"
    huge = with_setting(fallback(), "fallback_huge_pages", "1")
    return {f"{name} without huge pages": fallback(), f"{name} with huge pages": huge}


def _with_heap(heap: str, *options: str) -> dict[str, str]:
    printed = stages.output_of("run", "--heap", heap, *options, "--print-environment")
    entries = (shlex.split(line)[0].partition("=") for line in printed.splitlines())
    return {name: value for name, _, value in entries}


def dynamic(program: Command, *, pools: bool, prefetch: bool, statistics: bool = False) -> Command:
    """The program as `malloom run --dynamic` has it; DynamoRIO alone where neither is wanted."""
    asked = Optimizing(pools, prefetch, statistics)
    command = replace(program, arguments=[*dynamic_prefix(asked), *program.arguments])
    chosen = dynamic_settings(asked)
    return command.with_environment({**chosen, **_preloaded(_run_time())} if chosen else {})


def _preloaded(library: str) -> dict[str, str]:
    """The library before those that the user preloads himself, as `malloom run` has it."""
    return {"LD_PRELOAD": preloading(users_environment(), library)["LD_PRELOAD"]}


def _run_time() -> str:
    return str(native_file("libmalloom.so"))
