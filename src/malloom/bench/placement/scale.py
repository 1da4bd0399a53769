"""How much the suite does: the papers' inputs and the goals', or a little of everything."""

from dataclasses import dataclass

from malloom.bench.cases import Case, OtherProgram, cover, hexapawn, traverse
from malloom.bench.real_programs import dot, jq, readme_dot, xsltproc
from malloom.measure.interleaved import Budget


@dataclass(frozen=True)
class PlacementScale:
    """Inputs and budgets. None was chosen by its result."""

    timed: list[Case]
    counted: list[Case]
    short: list[Case]
    """Those of `timed` that tables 5.11 and 5.12 are about."""
    preallocated: Case
    with_statistics: list[Case]
    large_walk: Case
    small_walk: Case
    against_peers: list[Case]
    foreign: list[tuple[Case, list[Case]]]
    """Cases, and whose plans they are run with: of another program, and of another input."""
    recorded: list[Case]
    """Whose accesses are recorded; of the first the requests alone as well."""
    recorded_program: OtherProgram
    """Whose requests are recorded."""
    planning: tuple[int, int]
    """Requests and accesses."""
    programs: list[OtherProgram]
    example: OtherProgram
    """README's."""
    optimize_seconds: float | None
    """None: as long as `malloom optimize` takes by itself."""
    table_budget: Budget
    goal_budget: Budget
    close_budget: Budget
    """For what is held against limits near 1."""
    recording_budget: Budget
    real_budget: Budget
    """For real programs in one race with the general allocators: ten settings, of which two that are the
    same must agree to 1 %."""


def full_scale() -> PlacementScale:
    """Some hour and a half, half of it of the four real programs. The accesses of cover are recorded on the
    papers' largest input, which lasts 22 ms, and on the smallest in hundreds that lasts half a second.
    """
    return PlacementScale(
        timed=[cover(100), cover(300), cover(500), hexapawn(4, 3), traverse(16, 10), traverse(20, 20)],
        counted=[cover(300), hexapawn(4, 3), traverse(16, 10)],
        short=[cover(100), hexapawn(4, 3)],
        preallocated=cover(300),
        with_statistics=[cover(300), hexapawn(4, 3)],
        large_walk=traverse(20, 20),
        small_walk=traverse(16, 10),
        against_peers=[cover(500), hexapawn(4, 3)],
        foreign=[
            (traverse(20, 20), [traverse(16, 10), hexapawn(4, 3)]),
            (traverse(18, 10), [traverse(16, 10), hexapawn(4, 3)]),
            (cover(500), [cover(300), traverse(16, 10)]),
        ],
        recorded=[traverse(20, 20), cover(500), cover(1100)],
        recorded_program=jq(20),
        planning=(10_000_000, 100_000_000),
        programs=[xsltproc(50), dot(250, 500), jq(20)],
        example=readme_dot(150, 300),
        optimize_seconds=None,
        table_budget=Budget(fewest=6, most=60, seconds=7.0),
        goal_budget=Budget(fewest=10, most=100, seconds=15.0),
        close_budget=Budget(fewest=20, most=400, seconds=25.0),
        recording_budget=Budget(fewest=6, most=20, seconds=12.0),
        real_budget=Budget(fewest=12, most=160, seconds=600.0),
    )


def quick_scale() -> PlacementScale:
    """Everything once, small: for the tests. Its numbers decide nothing."""
    few = Budget(fewest=2, most=2)
    return PlacementScale(
        timed=[cover(100), traverse(10, 4)],
        counted=[traverse(8, 1)],
        short=[cover(100)],
        preallocated=cover(100),
        with_statistics=[hexapawn(4, 3)],
        large_walk=traverse(12, 10),
        small_walk=traverse(10, 4),
        against_peers=[cover(100)],
        foreign=[(traverse(12, 10), [traverse(10, 4), cover(100)])],
        recorded=[traverse(12, 4)],
        recorded_program=jq(1),
        planning=(10_000, 100_000),
        programs=[jq(1)],
        example=readme_dot(20, 30),
        optimize_seconds=1.0,
        table_budget=few,
        goal_budget=few,
        close_budget=few,
        recording_budget=few,
        real_budget=few,
    )
