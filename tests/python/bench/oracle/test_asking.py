"""How much there is to gain, and what rules keep of it, by races with times made by hand."""

import math
from dataclasses import replace

import pytest

from malloom.bench.goals import Goal, Of
from malloom.bench.oracle.asking import LOST, MOST_LOST, SHARE, WAITS, rows_of_race
from malloom.bench.oracle.layouts import ORDINAL, POOLS, SAME, WITHIN
from malloom.bench.oracle.shares import BEST_RULE, ORACLE, Asked, Oracles, gain_of, shares_of
from malloom.bench.oracle.suite import summary
from malloom.measure.interleaved import RaceId
from malloom.measure.rows import Row
from python.bench.races import rounds_of

PLACE = ("xsltproc", "check 14400 orders")
RACE = RaceId("xsltproc: check 14400 orders", "glibc")
TIMES = {
    "glibc": 1.0,
    "glibc again": 1.0,
    "jemalloc": 0.8,
    "mimalloc": 0.9,
    ORDINAL: 0.512,
    SAME: 0.7,
    POOLS: 0.64,
    WITHIN: 0.88,
}


def asked(**times: float) -> Asked:
    """The race with other times for some."""
    named = {"pools": POOLS, "ordinal": ORDINAL, "same": SAME, "within": WITHIN}
    changed = {named[name]: time for name, time in times.items()}
    rounds = rounds_of({**TIMES, **changed}, pairs=6, race=RACE)
    return Asked(rounds, ("glibc", "jemalloc", "mimalloc"), (ORDINAL, SAME), (POOLS, WITHIN))


def found(race: Asked, metric: str, baseline: str = "one") -> dict[str, float]:
    rows = [each for each in rows_of_race(PLACE, race, {}, judges=True) if isinstance(each, Row)]
    return {row.variant: row.ratio for row in rows if (row.metric, row.baseline) == (metric, baseline)}


def test_layouts_stand_against_the_best_general_setting() -> None:
    against = found(asked(), "cpu_time", "best")
    assert against[ORDINAL] == against[ORACLE] == pytest.approx(0.64)
    assert against[POOLS] == against[BEST_RULE] == pytest.approx(0.8)
    assert against[WITHIN] == pytest.approx(1.1)


def test_the_best_that_was_learned_on_the_very_input_is_the_oracle() -> None:
    assert gain_of(asked(same=0.4)) == pytest.approx(0.5)


def test_a_share_is_of_logarithms() -> None:
    shares = found(asked(), SHARE)
    assert shares[POOLS] == shares[BEST_RULE] == pytest.approx(0.5)
    assert shares[WITHIN] < 0


def test_of_no_gain_there_is_no_share() -> None:
    assert shares_of(asked(ordinal=0.79, same=0.8)) == {}
    assert shares_of(asked(ordinal=0.77, same=0.8)) != {}


def test_where_much_is_to_gain_most_of_it_is_the_goal() -> None:
    def goals(race: Asked, judges: bool = True) -> list[Goal]:
        return [each for each in rows_of_race(PLACE, race, {}, judges) if isinstance(each, Goal)]

    [lost] = goals(asked())
    assert (lost.row.variant, lost.metric) == (BEST_RULE, LOST)
    assert (lost.limit, lost.of) == (MOST_LOST, Of.LOW)
    assert lost.row.ratio == pytest.approx(0.5)
    [kept] = goals(asked(pools=0.56))
    assert kept.row.ratio == pytest.approx(1 - math.log(0.7) / math.log(0.64))
    assert goals(asked(ordinal=0.75, same=0.78, pools=0.75)) == goals(asked(), judges=False) == []


def test_a_share_has_an_interval_and_an_end_of_it_is_judged() -> None:
    twelve = [rounds_of({**TIMES}, pairs=6, race=RACE).runs for _ in range(3)]
    runs = {name: [run for part in twelve for run in part[name]] for name in TIMES}
    many = replace(asked(), rounds=replace(asked().rounds, runs=runs))
    share = shares_of(many)[POOLS]
    assert [share.low, share.ratio, share.high] == pytest.approx([0.5] * 3), "all pairs are alike"
    [lost] = [each for each in rows_of_race(PLACE, many, {}, judges=True) if isinstance(each, Goal)]
    assert lost.reached is False and lost.value == pytest.approx(0.5)


def test_without_a_rule_all_is_lost() -> None:
    alone = replace(asked(), rules=())
    [lost] = [each for each in rows_of_race(PLACE, alone, {}, judges=True) if isinstance(each, Goal)]
    assert lost.row.ratio == 1 and lost.reached is False


def test_what_waits_stands_beside() -> None:
    rows = [
        each
        for each in rows_of_race(PLACE, asked(), {"for heap objects": 0.3}, True)
        if isinstance(each, Row)
    ]
    [waits] = [row for row in rows if row.metric == WAITS]
    assert (waits.variant, waits.ratio) == ("for heap objects", 0.3)


def test_without_any_layout_the_settings_are_told_all_the_same() -> None:
    rounds = rounds_of({name: TIMES[name] for name in ("glibc", "jemalloc")}, race=RACE)
    alone = Asked(rounds, ("glibc", "jemalloc"), (), ())
    assert gain_of(alone) == 1
    rows = [each for each in rows_of_race(PLACE, alone, {}, judges=True) if isinstance(each, Row)]
    assert {(row.variant, row.baseline) for row in rows} == {("jemalloc", "glibc")}


def test_the_summary_counts_how_much_there_is_to_gain() -> None:
    three = Oracles(
        {
            PLACE: asked(),
            ("dot", "check 1200 nodes"): asked(ordinal=0.75, same=0.78, pools=0.75),
            ("jq", "check 5600 packages"): asked(ordinal=0.8, same=0.9),
        }
    )
    rows = [each for each in summary(three) if isinstance(each, Row)]
    counts = [row.ratio for row in rows if row.metric == "programs"]
    assert counts == [1, 1, 1]
    [mean] = [row for row in rows if row.workload == "geometric mean" and row.variant == ORACLE]
    assert mean.ratio == pytest.approx((0.64 * 0.75 / 0.8 * 1.0) ** (1 / 3))
    assert summary(Oracles()) == []


def test_what_is_gathered_comes_back_as_it_was() -> None:
    kept, back = Oracles({PLACE: asked()}), Oracles()
    back.put_back(PLACE, kept.data_of(PLACE))
    assert gain_of(back[PLACE]) == gain_of(kept[PLACE])
