"""Rows of counts, and what the paper says beside them."""

import pytest

from malloom.bench.splitting import paper
from malloom.bench.splitting.counting import count_rows, machines

PLACE = ("tsp", "2x power4")


def test_counts_are_ratios_beside_the_baselines_number() -> None:
    rows = count_rows(PLACE, "l1_misses", {"lto": 200, "pool": 150, "maximal": 100})
    assert [(row.variant, row.baseline, row.ratio) for row in rows] == [
        ("lto", "one", 200),
        ("pool", "lto", 0.75),
        ("maximal", "lto", 0.5),
    ]


def test_without_any_in_the_baseline_numbers_stand_alone() -> None:
    rows = count_rows(PLACE, "prefetch_streams", {"lto": 0, "pool": 3})
    assert [(row.variant, row.baseline, row.ratio) for row in rows] == [("lto", "one", 0), ("pool", "one", 3)]


@pytest.mark.parametrize(
    ("program", "added"), [("bh", 1.1), ("em3d", 6.9), ("power", 0.3), ("tsp", 6.2), ("llu", 11)]
)
def test_the_papers_decreases_are_ratios_too(program: str, added: float) -> None:
    assert paper.ratio("instructions", program, paper.MPADS_COLUMN) == pytest.approx(1 + added / 100)
    assert paper.ratio("cycles", program, paper.MPADS_COLUMN) is None


def test_the_machines_are_those_of_table_1_and_one_of_today() -> None:
    power4, power5, zen5 = machines()
    assert [(level.size_bytes, level.ways, level.line_bytes) for level in power4.caches] == [
        (32 << 10, 2, 128),
        (1440 << 10, 8, 128),
        (32 << 20, 8, 512),
    ]
    assert [(level.ways, level.line_bytes) for level in power5.caches] == [(4, 128), (10, 128), (12, 256)]
    assert power5.caches[1].size_bytes == 1920 << 10
    assert abs(power5.caches[2].size_bytes - (32 << 20)) < 12 * 256
    assert [(tlb.sets * tlb.ways, tlb.ways) for each in (power4, power5) for tlb in each.tlbs] == [
        (1024, 4)
    ] * 2
    assert zen5.name == "zen5"
