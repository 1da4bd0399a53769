"""Rows of races, and what stands in them for machines."""

import json
from dataclasses import asdict

import pytest

from malloom.errors import CommandError
from malloom.measure.interleaved import RaceId
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import (
    MEASURED_ON,
    control_rows,
    describe_interval,
    measured_row,
    row,
    rows_of,
    to_json,
)
from python.bench.races import rounds_of

PLACE = ("ft", "2x")
HOST = {"commit": "0123456789ab", "processor": "Zen 5", "date": "2005-06-12", "libc": "glibc 2.36"}


def test_a_measured_row_has_its_runs_and_the_peak() -> None:
    rounds = rounds_of({"glibc": 2.0, "pools": 1.0}, {"pools": 3 << 20})
    found = measured_row(PLACE, rounds, "pools", "glibc", "cpu_time")
    assert (found.place, found.ratio, found.runs, found.peak_rss_ratio) == (PLACE, 0.5, 6, 3.0)
    assert (found.low, found.high) == pytest.approx((0.5, 0.5))


def test_few_runs_leave_no_bounds() -> None:
    found = measured_row(PLACE, rounds_of({"A": 1.0, "B": 2.0}, pairs=5), "B", "A", "cpu_time")
    assert (found.ratio, found.low, found.high, found.runs) == (2.0, None, None, 5)
    assert not found.is_exact


def test_only_a_count_is_exact() -> None:
    assert row(PLACE, "A", "B", "misses", exact(0.5)).is_exact
    assert not row(PLACE, "A", "B", "cpu_time", Interval(0.5, 0.4, 0.6)).is_exact
    assert not row(PLACE, "A", "B", "cpu_time", Interval(0.5, None, None)).is_exact


def test_intervals_stand_with_their_pairs() -> None:
    measured = row(PLACE, "A", "B", "cpu_time", Interval(0.5, 0.4, 0.6), runs=6)
    assert describe_interval(measured) == "0.500 [0.400 0.600] n 6"
    few = row(PLACE, "A", "B", "cpu_time", Interval(0.5, None, None), runs=2)
    assert describe_interval(few) == "0.500 n 2"
    assert describe_interval(row(PLACE, "A", "B", "misses", exact(0.5))) == "0.500"


def test_rows_of_a_race_say_which() -> None:
    race = RaceId("ft 2x, huge pages on", "glibc")
    rounds = rounds_of({"glibc": 1.0, "pools": 1.0}, race=race)
    assert measured_row(PLACE, rounds, "pools", "glibc", "cpu_time").races == (race,)
    assert measured_row(PLACE, rounds_of({"A": 1.0}), "A", "A", "cpu_time").races == ()


def test_the_control_has_a_row_where_it_ran() -> None:
    rounds = rounds_of({"glibc": 1.0, "pools": 1.0, "glibc again": 1.02})
    (found,) = control_rows(PLACE, rounds, "glibc", "pair_time")
    assert (found.variant, found.baseline, found.metric) == ("glibc again", "glibc", "pair_time")
    assert found.ratio == pytest.approx(1.02)
    assert control_rows(PLACE, rounds, "pools") == []


def test_every_other_variant_has_a_row_for_each_metric() -> None:
    rounds = rounds_of({"glibc": 1.0, "pools": 1.0, "glibc again": 1.0})
    found = rows_of(PLACE, rounds, "glibc", ("cpu_time", "pair_time"))
    assert [(each.variant, each.metric) for each in found] == [
        ("pools", "cpu_time"),
        ("glibc again", "cpu_time"),
        ("pools", "pair_time"),
        ("glibc again", "pair_time"),
    ]
    assert rows_of(PLACE, rounds, "jemalloc", ("cpu_time",)) == []


def test_what_the_program_did_not_report_is_one_error() -> None:
    with pytest.raises(CommandError, match="no measure named cycles"):
        rows_of(PLACE, rounds_of({"A": 1.0, "B": 1.0}), "A", ("cycles",))


def test_rows_for_machines_stand_alone() -> None:
    found = json.loads(to_json("pools", HOST, [asdict(row(PLACE, "A", "B", "cpu_time", exact(0.5), runs=7))]))
    assert (found["suite"], found["host"]) == ("pools", HOST)
    (only,) = found["rows"]
    assert (only["runs"], only["last_level"], only["peak_rss_ratio"]) == (7, 0, None)


def test_what_a_row_was_measured_on_is_unknown_until_it_is_told() -> None:
    only = asdict(row(PLACE, "A", "B", "cpu_time", exact(0.5)))
    assert [only[name] for name in MEASURED_ON] == ["unknown"] * 3
