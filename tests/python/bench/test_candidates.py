"""Which strategies are raced."""

from malloom.bench.candidates import without_twins


def row(strategy: str, misses: int) -> dict[str, object]:
    return {"strategy": strategy, "cycles": misses * 10, "levels": [{"name": "L1", "misses": misses}]}


def test_layouts_with_the_same_counts_are_tried_once() -> None:
    ranking = [row("first-use", 5), row("subtree", 5), row("sequential", 7), row("size", 7), row("random", 9)]
    assert [each["strategy"] for each in without_twins(ranking)] == ["first-use", "sequential", "random"]
