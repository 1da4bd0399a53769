"""What is kept, at other sizes than the learned one: which inputs, and what is held."""

from pathlib import Path
from typing import Any

import pytest

from malloom.bench.dynamic import other_sizes
from malloom.bench.dynamic.other_sizes import (
    CHECKED_ON,
    HELD_AT,
    RACED_AT,
    TRAINED_ON,
    Learned,
    other_size_means,
    other_size_rows,
)
from malloom.bench.gathered import Races
from malloom.bench.goals import Goal, Of
from malloom.bench.kept import Kept
from malloom.bench.steps import Bench
from malloom.bench.ten_programs import BESIDE_THE_TEN, PROGRAMS, heap_bytes
from malloom.measure.interleaved import Budget, Rounds
from malloom.measure.interval import Interval
from malloom.measure.rows import Row
from malloom.measure.variants import Variant, native
from python.bench.races import bench, rounds_of

MEBIBYTE = 1 << 20
INPUTS = [f"{size} learned near 0.5x" for size in RACED_AT]


def measured(
    monkeypatch: pytest.MonkeyPatch, times: dict[str, float], plan: Path | None = Path("a.plan")
) -> tuple[list[Row | Goal], Races]:
    """What is found of ft where the races are run in no time."""
    kept = Kept(plan, "pools", "faster", Interval(0.5, 0.4, 0.6), 12, 1.0, ())
    monkeypatch.setattr(other_sizes, "optimized_on", lambda *_: kept)
    monkeypatch.setattr(other_sizes, "general_variants", lambda _: [native(), Variant("fast", native().of)])

    def raced(_: Bench, case: object, variants: list[Variant], *rest: object) -> Rounds:
        names = {each.name for each in variants} | {"glibc again"}
        return rounds_of({name: times[name] for name in times if name in names}, {"kept": 2 * MEBIBYTE})

    monkeypatch.setattr(Bench, "race", raced)
    races = Races()
    return list(other_size_rows(bench(), Learned("ft", MEBIBYTE), None, Budget(), races)), races


@pytest.mark.parametrize("last_level", [MEBIBYTE, 32 * MEBIBYTE])
@pytest.mark.parametrize("program", [*PROGRAMS, *BESIDE_THE_TEN])
def test_inputs_that_the_command_is_told_of_are_different_ones(program: str, last_level: int) -> None:
    told = [Learned(program, last_level).at(size).arguments for size in (*TRAINED_ON, CHECKED_ON)]
    assert len(set(told)) == len(told)


def test_sizes_are_a_quarter_to_sixteen_times_the_learned_one() -> None:
    learned = heap_bytes("0.5x", MEBIBYTE)
    assert [heap_bytes(size, MEBIBYTE) / learned for size in RACED_AT] == [0.25, 1, 4, 16]
    smaller, larger = (heap_bytes(size, MEBIBYTE) for size in TRAINED_ON)
    assert smaller < learned < larger == pytest.approx(2 * smaller, rel=0.01)
    assert not {*RACED_AT} & {*TRAINED_ON, CHECKED_ON}


@pytest.mark.parametrize(("ratio", "reached"), [(0.8, True), (1.01, True), (1.02, False)])
def test_the_low_end_is_held_at_every_size(
    monkeypatch: pytest.MonkeyPatch, ratio: float, reached: bool
) -> None:
    found, races = measured(monkeypatch, {"glibc": 1.0, "glibc again": 1.0, "kept": ratio})
    goals = [each for each in found if isinstance(each, Goal)]
    assert [(goal.row.place, goal.limit, goal.of) for goal in goals] == [
        (("ft", given), 1.01, Of.LOW) for given in INPUTS
    ]
    # The runs' times go up and down alike, so that the pairs' ratios are all the same.
    assert {goal.reached for goal in goals} == {reached}
    rows = [each for each in found if isinstance(each, Row) and each.variant == "kept"]
    assert [(each.input, each.peak_rss_ratio) for each in rows] == [(given, 2.0) for given in INPUTS]
    assert list(races) == [("ft", given) for given in INPUTS]


def test_what_is_kept_is_held_against_the_best_general_setting_too(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"glibc": 1.0, "glibc again": 1.0, "fast": 0.5, "kept": 0.4}
    found, races = measured(monkeypatch, times)
    goals = [each for each in found if isinstance(each, Goal) and each.row.baseline == "best"]
    assert [goal.row.input.split()[0] for goal in goals] == [*HELD_AT]
    assert [(goal.row.ratio, goal.limit, goal.of) for goal in goals] == [(0.8, 1.01, Of.LOW)] * 2
    means = {each.baseline: each for each in other_size_means(races) if isinstance(each, Row)}
    assert means["best"].input == "1 programs at 0.5x and 2x learned near 0.5x"
    assert means["best"].ratio == pytest.approx(0.8)


def test_the_program_as_it_is_is_held_against_the_best_where_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, races = measured(monkeypatch, {"glibc": 1.0, "glibc again": 1.0, "fast": 0.5}, plan=None)
    kept = [each for each in found if isinstance(each, Row) and each.variant == "kept"]
    assert {(each.baseline, each.ratio) for each in kept} == {("glibc", 1.0), ("best", 2.0)}
    assert len(kept) == len(INPUTS) + len(HELD_AT) and len(races) == len(HELD_AT)
    (mean,) = (each for each in other_size_means(races) if isinstance(each, Row))
    assert (mean.baseline, mean.ratio) == ("best", pytest.approx(2.0))


def test_where_nothing_is_kept_nothing_is_raced_and_nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_sizes, "HELD_AT", ())
    found, races = measured(monkeypatch, {}, plan=None)
    assert [(each.input, each.ratio, each.peak_rss_ratio) for each in found if isinstance(each, Row)] == [
        (given, 1.0, 1.0) for given in INPUTS
    ]
    assert not [each for each in found if isinstance(each, Goal)]
    assert not races


def test_what_does_not_run_with_it_has_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = measured(monkeypatch, {"glibc": 1.0, "glibc again": 1.0})
    assert {each.variant for each in found if isinstance(each, Row)} == {"glibc again"}
    assert not [each for each in found if isinstance(each, Goal)]


def test_means_are_of_the_ten_at_each_size() -> None:
    races: Any = Races()
    for program, ratio in (("ft", 0.5), ("mst", 2.0), ("mst_requests", 0.1)):
        for given in INPUTS[:2]:
            races[program, given] = rounds_of({"glibc": 1.0, "kept": ratio})
    races["art", INPUTS[2]] = rounds_of({"glibc": 1.0, "kept": 1.0})
    means = [each for each in other_size_means(races) if isinstance(each, Row)]
    assert [mean.input for mean in means] == [f"2 programs at {given}" for given in INPUTS[:2]]
    assert [mean.ratio for mean in means] == pytest.approx([1.0, 1.0])
