"""How much the suite does: everything at the sizes asked for, or a little of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from malloom.bench.splitting.chosen import PROGRAMS as CHOSEN
from malloom.bench.splitting.debian import Amount
from malloom.bench.splitting.debian_programs import MAWK, PROGRAMS, DebianProgram
from malloom.bench.splitting.link_programs import PROGRAMS as LINKED
from malloom.bench.splitting.link_programs import QUICK as QUICK_LINKS
from malloom.bench.splitting.linked_program import LinkedProgram
from malloom.bench.splitting.links import LinkAmount
from malloom.bench.splitting.programs import OLDEN, ORDERS, STRUCTURES, WALKS
from malloom.bench.splitting.reasons import PROGRAMS as HEAPS
from malloom.cache.geometry import shown_bytes
from malloom.measure.interleaved import Budget

SIZES = ("2x", "8x")
QUICK_LAST_LEVEL = 1 << 20
SIMULATED_LAST_LEVEL = 32 << 20
"""Of all the machines that are simulated."""
FEWEST = 12
"""Pairs that the goals ask for."""
CLEAN_BUILDS = 6
"""Of each of Debian's programs with each compiler: they take minutes. Fewer pairs give no interval."""
SECONDS_OF_BUILDS = 120.0
"""After which no further round of clean builds begins, of programs whose links are measured."""
SECONDS_OF_LINKS = 90.0
FEWEST_LINKS = 3
"""Of each of these programs with each compiler: large ones take a minute."""


@dataclass(frozen=True)
class SplittingScale:
    """Sizes of the heaps, and budgets. None was chosen by its result."""

    judges: bool
    last_level: int
    second_level: int
    sizes: Sequence[str]
    """Of figure 4's structures and of Olden's programs, against the last level."""
    structures: Sequence[str]
    walks: Sequence[str]
    orders: Sequence[str]
    walks_of_structures: int
    """How often each is gone through in a run."""
    llu_sizes: Sequence[str]
    olden: Sequence[str]
    counted: Sequence[str]
    """Programs whose runs are counted and simulated."""
    counted_last_level: int
    """Their heaps have twice as many bytes."""
    allocators: bool
    """Whether the general allocators are measured as well."""
    times: Budget
    debian: Sequence[DebianProgram]
    of_debian: Amount
    linked: Sequence[LinkedProgram]
    of_links: LinkAmount
    heaps: Sequence[DebianProgram]
    """Programs of which it is said why their structures have no pools."""
    chosen: Sequence[str]
    """Programs that `malloom optimize` builds."""
    seconds_of_choice: float | None
    """For its measured runs; None: as many as it takes by itself."""


def full_scale(
    sizes: Sequence[str],
    last_level: int,
    seconds: float,
    programs: Sequence[str],
    debian: Sequence[DebianProgram],
    linked: Sequence[LinkedProgram],
    heaps: Sequence[DebianProgram],
    allocators: bool,
) -> SplittingScale:
    """`seconds` are for the runs of one line of a table; slow ones have as many rounds as a goal asks for."""
    shown = shown_bytes()
    return SplittingScale(
        judges=True,
        last_level=last_level,
        second_level=shown[1] if len(shown) > 1 else 1 << 20,
        sizes=tuple(sizes) or SIZES,
        structures=STRUCTURES,
        walks=WALKS,
        orders=ORDERS,
        walks_of_structures=2,
        llu_sizes=("0.5x", "2x", "8x"),
        olden=programs or OLDEN,
        counted=(*(programs or OLDEN), "llu"),
        counted_last_level=SIMULATED_LAST_LEVEL,
        allocators=allocators,
        times=Budget(fewest=FEWEST, most=40, seconds=seconds),
        debian=debian or PROGRAMS,
        of_debian=Amount(CLEAN_BUILDS, Budget(fewest=FEWEST, most=40, seconds=seconds)),
        linked=linked or LINKED,
        of_links=LinkAmount(
            CLEAN_BUILDS,
            SECONDS_OF_BUILDS,
            Budget(fewest=FEWEST_LINKS, most=FEWEST, seconds=SECONDS_OF_LINKS),
        ),
        heaps=heaps or HEAPS,
        chosen=CHOSEN,
        seconds_of_choice=None,
    )


def quick_scale(
    sizes: Sequence[str],
    last_level: int,
    programs: Sequence[str],
    debian: Sequence[DebianProgram],
    linked: Sequence[LinkedProgram],
    heaps: Sequence[DebianProgram],
    allocators: bool,
) -> SplittingScale:
    """A little of everything, small: for the tests. Its numbers judge nothing."""
    return SplittingScale(
        judges=False,
        last_level=last_level,
        second_level=last_level // 32,
        sizes=tuple(sizes) or ("2x",),
        structures=STRUCTURES[:1],
        walks=WALKS[:2],
        orders=ORDERS[:1],
        walks_of_structures=3,
        llu_sizes=("2x",),
        olden=programs or ("tsp", "power"),
        counted=(*(programs or ("tsp",)), "llu"),
        counted_last_level=1 << 18,
        allocators=allocators,
        times=Budget(fewest=2, most=2),
        debian=debian or (MAWK,),
        of_debian=Amount(1, Budget(fewest=2, most=2), is_quick=True),
        linked=linked or QUICK_LINKS,
        of_links=LinkAmount(1, 0.0, Budget(fewest=2, most=2)),
        heaps=heaps or (MAWK,),
        chosen=("health",),
        seconds_of_choice=1.0,
    )
