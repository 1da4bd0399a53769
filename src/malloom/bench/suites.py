"""The suites, by the names that `malloom bench` takes, and what a user may choose of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from malloom.bench.dynamic.paper import PROGRAMS
from malloom.bench.dynamic.scale import full_scale, quick_scale
from malloom.bench.dynamic.sizes import MEASURED
from malloom.bench.dynamic.suite import dynamic
from malloom.bench.placement.suite import placement
from malloom.bench.pools import scale as pools_scale
from malloom.bench.pools.suite import pools
from malloom.bench.suite import Suite
from malloom.cache.geometry import size_from
from malloom.errors import UsageProblem


@dataclass(frozen=True)
class Choices:
    """What the command line says of a suite; empty where it says nothing. Every suite can be quick."""

    quick: bool = False
    programs: Sequence[str] = ()
    sizes: str = ""
    last_level: str = ""
    seconds: float | None = None
    against: str = ""


@dataclass(frozen=True)
class Offered:
    """How a suite is made of what was chosen, and which of the choices it takes."""

    make: Callable[[Choices], Suite]
    takes: Sequence[str] = ()


OPTIONS = {
    "programs": "--program",
    "sizes": "--sizes",
    "last_level": "--last-level",
    "seconds": "--seconds",
    "against": "--against",
}


def suite(name: str, choices: Choices) -> Suite:
    """Raises UsageProblem for a suite or a choice that there is not."""
    if name not in SUITES:
        raise UsageProblem(f"there is no suite '{name}'", remedy=f"choose {' or '.join(SUITES)}")
    for choice, option in OPTIONS.items():
        if getattr(choices, choice) != getattr(Choices(), choice) and choice not in SUITES[name].takes:
            takers = " and ".join(each for each, offered in SUITES.items() if choice in offered.takes)
            raise UsageProblem(f"{option} is for {takers}, not for the suite {name}", remedy="leave it out")
    return SUITES[name].make(choices)


def _placement(choices: Choices) -> Suite:
    return placement(choices.quick)


def _dynamic(choices: Choices) -> Suite:
    programs = _known("program", choices.programs, PROGRAMS) or PROGRAMS
    sizes = _known("size", choices.sizes.split(",") if choices.sizes else (), MEASURED)
    last_level = size_from(choices.last_level) if choices.last_level else None
    if choices.quick and choices.seconds is not None:
        raise UsageProblem(
            "--quick takes two rounds, whatever --seconds says", remedy="leave one of them out"
        )
    if choices.quick:
        return dynamic(quick_scale(programs, sizes or None, last_level))
    seconds = {} if choices.seconds is None else {"seconds": choices.seconds}
    return dynamic(full_scale(programs, sizes or None, last_level, **seconds))


def _pools(choices: Choices) -> Suite:
    scale = pools_scale.quick_scale if choices.quick else pools_scale.full_scale
    programs = _known("program", choices.programs, PROGRAMS) or PROGRAMS
    last_level = size_from(choices.last_level) if choices.last_level else None
    return pools(scale(programs, last_level, choices.against))


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names, once each and in the order in which they are known."""
    for name in names:
        if name not in known:
            raise UsageProblem(f"the suite has no {what} '{name}'", remedy=f"choose of {', '.join(known)}")
    return [name for name in known if name in names]


SUITES: Mapping[str, Offered] = {
    "placement": Offered(_placement),
    "dynamic": Offered(_dynamic, ("programs", "sizes", "last_level", "seconds")),
    "pools": Offered(_pools, ("programs", "last_level", "against")),
}
