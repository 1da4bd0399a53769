"""A malloc and its free: what is held of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from malloom.bench.dynamic import malloc_free
from malloom.bench.dynamic.malloc_free import ON_TWO_THREADS, OURS, goals_of, malloc_free_rows
from malloom.bench.dynamic.tables import tables
from malloom.bench.findings import Findings
from malloom.bench.malloc_free import POOL_HEAP
from malloom.measure.interleaved import Budget, RaceId, again
from malloom.measure.interval import Interval
from malloom.measure.rows import Row, row
from malloom.measure.variants import native
from python.bench.races import rounds_of


def timed(size: int, variant: str, baseline: str, ratio: float) -> Row:
    interval = Interval(ratio, ratio - 0.01, ratio + 0.01)
    return row(("pairs", f"now {size} bytes"), variant, baseline, "pair_time", interval)


def test_the_best_allocator_at_the_worst_size_is_held() -> None:
    rows = [
        timed(16, "pools", "best", 0.8),
        timed(256, "pools", "best", 0.95),
        timed(16, "pools", "glibc", 2),
    ]
    (goal,) = goals_of(rows)
    assert (goal.row.input, goal.row.baseline, goal.value) == ("now 256 bytes", "best", 0.95)
    assert (goal.limit, goal.reached) == (0.9, False)


def test_two_threads_are_held_against_one() -> None:
    rows = [
        timed(size, ON_TWO_THREADS["pools"], "pools", ratio)
        for size, ratio in ((16, 0.98), (64, 1.05), (256, 0.99))
    ]
    (goal,) = goals_of(rows)
    assert (goal.row.input, goal.limit, goal.reached) == ("now 64 bytes", 1.0, False)


def test_the_heap_called_directly_is_held_apart() -> None:
    rows = [timed(16, name, "best", ratio) for name, ratio in (("pools", 0.97), (POOL_HEAP, 0.7))]
    assert [(goal.row.variant, goal.reached) for goal in goals_of(rows)] == [
        ("pools", False),
        (POOL_HEAP, True),
    ]


def test_other_allocators_are_not_held() -> None:
    assert goals_of([timed(16, "mimalloc", "glibc", 2.0)]) == []


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    """One whose races were run in no time, with the controls that they are asked for."""
    monkeypatch.setattr(malloc_free, "general_variants", lambda _bench: [native()])
    monkeypatch.setattr(malloc_free, "_ours", lambda *_: dict.fromkeys(OURS))

    def race_of(what: str, commands: Any, baseline: str, *_: Any, controls: Any) -> Any:
        names = [*commands, *map(again, (baseline, *controls))]
        return rounds_of(dict.fromkeys(names, 1.0), pairs=5, race=RaceId(what, baseline))

    return SimpleNamespace(race_of=race_of, commands_of=lambda *_: {"glibc": None})


def test_every_table_has_a_control_of_its_own_but_for_the_best_allocator(bench: Any) -> None:
    findings = Findings()
    findings.add("malloc-free", malloc_free_rows(bench, "now", [16], 1000, Budget()))
    shown = [table.shown(findings) for table in tables() if table.part == "malloc-free"]
    lines = {table.title: (list(table.headings), list(table.remarks[1:-1])) for table in shown if table.rows}
    stands_in = "without a control of its own: best; glibc against itself, of the same races, stands for it"
    assert lines == {
        "A malloc and a free: CPU time against native": (
            ["program", "glibc again", "pools", "pool heap"], []
        ),
        "A malloc and a free: CPU time against the best general allocator": (
            ["program", "pools", "pool heap"], [stands_in]
        ),
        **{
            f"{name}: two threads against one": (
                ["program", f"{name} again", ON_TWO_THREADS[name]], []
            )
            for name in OURS
        },
    }  # fmt: skip
