"""The ways to run a program that the suite compares, each an object that can fail alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from malloom.bench.dynamic.paper import ALL, DYNAMORIO, POOL, PREFETCH
from malloom.bench.steps import Bench
from malloom.errors import CommandError
from malloom.measure import variants
from malloom.measure.process import Command

POOLS = "pools"
"""Pools per call site that every run learns anew, natively: `malloom run --heap pools`."""
CARRIED = "carried"
"""A plan that carries over from a smaller input."""
SAME_INPUT = "carried, same input"
"""A plan that runs on the very input have left behind."""


@dataclass(frozen=True)
class Way:
    """A name, and what it makes of a program's command; that raises CommandError where it cannot be had."""

    name: str
    command: Callable[[Command], Command]


def native() -> Way:
    """The C library's allocator: the baseline."""
    return Way(variants.GLIBC, lambda program: program)


def peers() -> list[Way]:
    """The best general allocators."""
    return [Way(name, partial(_with_peer, name)) for name in variants.PEERS]


def _with_peer(name: str, program: Command) -> Command:
    return program.with_environment(variants.peer(name))


def pools() -> Way:
    return Way(POOLS, lambda program: program.with_environment(variants.pooled()))


def under_dynamorio() -> list[Way]:
    """The paper's columns but the first: DynamoRIO alone, with pools, with prefetches, with both."""
    wanted = {DYNAMORIO: (False, False), POOL: (True, False), PREFETCH: (False, True), ALL: (True, True)}
    return [Way(name, partial(_optimized, *parts)) for name, parts in wanted.items()]


def _optimized(pools: bool, prefetch: bool, program: Command) -> Command:
    return variants.dynamic(program, pools=pools, prefetch=prefetch)


def with_environment(name: str, environment: Mapping[str, str]) -> Way:
    return Way(name, lambda program: program.with_environment(environment))


def commands_of(bench: Bench, program: Command, ways: Sequence[Way]) -> dict[str, Command]:
    """The command of every way that there is; `bench.failed` is told of the others."""
    commands = {}
    for way in ways:
        try:
            commands[way.name] = way.command(program)
        except CommandError as error:
            bench.failed(way.name, error)
    return commands
