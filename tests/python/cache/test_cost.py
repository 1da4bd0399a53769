"""What misses cost follows the geometry alone."""

from dataclasses import replace

from malloom.cache.cost import stall_cycles, translation_cycles
from malloom.cache.geometry import geometry_from
from malloom.cache.simulate import LevelCounts, SimulatedCounts

P4 = replace(geometry_from("p4"), hidden_share=0.5)


def counts(first: tuple[int, int], second: tuple[int, int], tlb: int = 0) -> SimulatedCounts:
    levels = LevelCounts("L1", 1000, *first), LevelCounts("L2", first[0], *second)
    return SimulatedCounts(levels, (LevelCounts("TLB", 1000, tlb, 0),), 0, 0)


def test_a_miss_costs_the_latency_of_where_the_data_is() -> None:
    assert stall_cycles(counts((1, 0), (0, 0)), P4) == 18
    assert stall_cycles(counts((1, 0), (1, 0)), P4) == 300


def test_a_hidden_miss_costs_its_share() -> None:
    assert stall_cycles(counts((1, 1), (1, 1)), P4) == 150


def test_a_page_walk_costs_its_latency() -> None:
    assert stall_cycles(counts((0, 0), (0, 0), tlb=2), P4) == 100


def test_translations_are_told_apart_from_data() -> None:
    found = counts((1, 0), (1, 0), tlb=2)
    assert (stall_cycles(found, P4), translation_cycles(found, P4)) == (400, 100)
