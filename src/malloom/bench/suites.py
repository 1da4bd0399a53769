"""The suites, by the names that `malloom bench` takes, and what a user may choose of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from malloom.bench.dynamic.paper import PROGRAMS
from malloom.bench.dynamic.scale import full_scale, quick_scale
from malloom.bench.dynamic.sizes import MEASURED
from malloom.bench.dynamic.suite import dynamic
from malloom.bench.placement.suite import placement
from malloom.bench.suite import Suite
from malloom.cache.geometry import size_from
from malloom.errors import UsageProblem


@dataclass(frozen=True)
class Choices:
    """What the command line says of a suite; empty where it says nothing."""

    quick: bool = False
    programs: Sequence[str] = ()
    sizes: str = ""
    last_level: str = ""
    seconds: float | None = None


def suite(name: str, choices: Choices) -> Suite:
    """Raises UsageProblem for a suite or a choice that there is not."""
    if name not in SUITES:
        raise UsageProblem(f"there is no suite '{name}'", remedy=f"choose {' or '.join(SUITES)}")
    return SUITES[name](choices)


def _placement(choices: Choices) -> Suite:
    if choices.programs or choices.sizes or choices.last_level or choices.seconds is not None:
        raise UsageProblem(
            "--program, --sizes, --last-level and --seconds are for the suite dynamic",
            remedy="leave them out",
        )
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


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names, once each and in the order in which they are known."""
    for name in names:
        if name not in known:
            raise UsageProblem(f"the suite has no {what} '{name}'", remedy=f"choose of {', '.join(known)}")
    return [name for name in known if name in names]


SUITES: Mapping[str, Callable[[Choices], Suite]] = {"placement": _placement, "dynamic": _dynamic}
