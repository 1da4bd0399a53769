"""What holds over all programs."""

from dataclasses import replace

import pytest

from malloom.bench.goals import Goal
from malloom.bench.programs.held_out import HeldOut, Judged
from malloom.bench.programs.scale import TIME
from malloom.bench.programs.summary import summary
from malloom.measure.interleaved import RaceId
from malloom.measure.rows import Row
from python.bench.races import rounds_of

NAMES = ("glibc", "jemalloc")


def judged(
    program: str, given: str, kept: float, kinds: tuple[str, ...], pairs: int = 6
) -> tuple[tuple[str, str], Judged]:
    """What is kept is made of one part; where nothing is, of none."""
    race = RaceId(f"{program}: held-out {given}", "glibc")
    rounds = rounds_of(
        {"glibc": 1.0, "glibc again": 1.0, "jemalloc": 0.9, "kept": kept}, pairs=pairs, race=race
    )
    parts = () if kinds == ("nothing",) else (("allocator", "kept", "glibc"),)
    return (program, f"held-out {given}"), Judged(
        rounds, NAMES, NAMES, (*NAMES, "kept"), parts, kinds, "cpu_time"
    )


FOUND = HeldOut(
    [
        judged("dot", "small", 0.8, ("pools", "prefetches")),
        judged("dot", "large", 0.8, ("pools", "prefetches")),
        judged("jq", "small", 1.0, ("nothing",)),
    ]
)


def rows_of(found: HeldOut) -> list[Row]:
    return [each for each in summary(found, TIME) if isinstance(each, Row)]


def mean(variant: str, baseline: str) -> Row:
    [found] = [
        each
        for each in rows_of(FOUND)
        if each.workload == "geometric mean" and (each.variant, each.baseline) == (variant, baseline)
    ]
    return found


def test_the_inputs_of_a_program_together_count_as_much_as_those_of_another() -> None:
    assert mean("kept", "glibc").ratio == pytest.approx(0.8**0.5)
    assert mean("kept", "glibc").input == "2 programs"


def test_the_gain_is_against_the_best_general_setting() -> None:
    assert mean("kept", "best").ratio == pytest.approx((0.8 / 0.9 * 1.0 / 0.9) ** 0.5)
    assert mean("best", "glibc").ratio == pytest.approx(0.9)


def test_what_the_user_regrets_is_against_the_best_row() -> None:
    assert mean("kept", "best row").ratio == pytest.approx((1.0 * 1.0 / 0.9) ** 0.5)


def test_the_goals_are_on_means() -> None:
    found = [each for each in summary(FOUND, TIME) if isinstance(each, Goal)]
    goals = {each.row.baseline: each.limit for each in found if each.metric != "peak_rss"}
    assert goals == {"best": 0.95, "best row": 1.01, "one": 0.0}


def test_the_most_memory_is_of_one_input_against_the_best_setting() -> None:
    place, lean = judged("dot", "small", 0.8, ("pools",))
    large, greedy = judged("jq", "large", 0.8, ("pools",))
    runs = greedy.rounds.runs
    runs["kept"] = [replace(run, peak_memory=run.peak_memory * 2) for run in runs["kept"]]
    found = summary(HeldOut({place: lean, large: greedy}), TIME)
    [goal] = [each for each in found if isinstance(each, Goal) and each.metric == "peak_rss"]
    assert (goal.row.workload, goal.row.baseline, goal.value) == ("jq", "best", 2.0)
    assert goal.limit == 1.10 and goal.reached is False


def test_a_program_that_kept_pools_and_prefetches_counts_in_both() -> None:
    counts = {each.variant: each.ratio for each in rows_of(FOUND) if each.metric == "programs"}
    assert counts == {"nothing": 1, "only a setting": 0, "a layout": 0, "pools": 1, "prefetches": 1}


def test_parts_are_of_a_programs_inputs_together() -> None:
    parts = {
        (each.workload, each.variant): each.ratio for each in rows_of(FOUND) if each.baseline == "without it"
    }
    assert parts == {("dot", "allocator"): pytest.approx(0.8), ("jq", "nothing"): 1.0}


def test_nothing_is_said_of_nothing() -> None:
    assert summary(HeldOut(), TIME) == []
    [(place, race)] = [judged("jq", "small", 1.0, ("nothing",))]
    del race.rounds.runs["kept"]
    [goal] = summary(HeldOut({place: race}), TIME)
    assert isinstance(goal, Goal) and goal.reached is False


def test_inputs_on_which_what_was_kept_fails_are_counted() -> None:
    def failed(found: HeldOut) -> list[tuple[float | None, bool | None]]:
        goals = [each for each in summary(found, TIME) if isinstance(each, Goal)]
        return [(each.value, each.reached) for each in goals if each.metric == "failed"]

    place, race = judged("git", "small", 0.8, ("pools",))
    del race.rounds.runs["kept"]
    assert failed(FOUND) == [(0, True)]
    assert failed(HeldOut({**FOUND, place: race})) == [(1, False)]
