"""`malloom bench placement`: the suite in small, once through, measured in `make soak`."""

from typing import Any

import pytest

from end_to_end.conftest import Measured
from malloom.layout.registry import strategy_names

pytestmark = pytest.mark.long

TITLES = [
    "Tables 5.1, 5.2",
    "Tables 5.3 to 5.8",
    "Table 5.9",
    "Table 5.10",
    "Tables 5.11, 5.12",
    "Tables 5.13, 5.14",
    "What malloom must reach",
]


BENCH = ("placement",)
MEASURED_ON = {"machine", "processor", "processors", "last_level", "system", "libc", "commit", "date"}
FIELDS = ["part", "workload", "input", "variant", "baseline", "metric", "ratio", "low", "high", "runs"]
FIELDS += ["peak_rss_ratio", "last_level", "races", "commit", "processor", "date", "unreliable"]
GOAL_FIELDS = ["part", "workload", "input", "variant", "baseline", "metric", "of", "measured", "low", "high"]
GOAL_FIELDS += ["runs", "last_level", "commit", "processor", "date", "limit", "reached"]
GOAL_FIELDS += ["within noise", "unreliable"]


def test_everything_is_measured(quick: Measured) -> None:
    assert quick.done.returncode == 0, quick.done.stderr
    assert quick.found["failures"] == []
    assert "could not be measured" not in quick.done.stdout


def test_rows_are_complete(quick: Measured) -> None:
    host = quick.found["host"]
    assert quick.found["suite"] == "placement"
    assert host.keys() >= {*MEASURED_ON, "general allocators"}
    of_all = {name: host[name] for name in ("commit", "processor", "date")}
    for goal in quick.found["goals"]:
        assert list(goal) == GOAL_FIELDS
        assert goal.items() >= of_all.items()
    for row in quick.rows():
        assert list(row) == FIELDS
        assert row.items() >= of_all.items()
        # The start-up is a difference of two times, which noise can turn round.
        assert row["ratio"] > 0 or row["metric"] == "start_up_time"


def test_only_counts_and_what_optimize_measured_have_an_interval(quick: Measured) -> None:
    for row in quick.rows():
        if row["metric"].endswith("_misses"):
            assert row["low"] == row["ratio"] == row["high"]
        elif row["variant"].startswith("optimize: "):
            assert row["low"] <= row["ratio"] <= row["high"]
        else:
            assert (row["low"], row["high"]) == (None, None), "two pairs decide nothing"
            assert row["runs"] <= 2


def test_every_strategy_and_allocator_has_a_time_and_misses(quick: Measured) -> None:
    timed = {row["variant"] for row in quick.rows(metric="cpu_time", baseline="glibc")}
    general = {
        "glibc huge",
        "mimalloc",
        "mimalloc huge",
        "mimalloc 2",
        "jemalloc",
        "jemalloc huge",
        "tcmalloc",
    }
    assert timed >= {*strategy_names(), *general, "glibc again"}
    assert {row["variant"] for row in quick.rows(metric="l1d_misses")} >= set(strategy_names())


def test_baselines_are_held_against_themselves(quick: Measured) -> None:
    controls = {row["baseline"] for row in quick.rows() if row["variant"] == f"{row['baseline']} again"}
    assert controls == {"glibc", "sequential", "fallback"}


def test_every_race_has_its_control(quick: Measured) -> None:
    """All that is neither counted, nor measured once against a limit, nor by `malloom optimize` itself."""
    raced = [row for row in quick.rows() if row["low"] is None or row["low"] != row["high"]]
    alone = {row["part"] for row in raced if not row["races"]}
    assert alone == {"planning", "programs", "example"}

    def races(rows: list[dict[str, Any]]) -> set[tuple[str, str, str]]:
        return {(row["part"], str(row["races"]), row["metric"]) for row in rows if row["races"]}

    assert races(raced) == races([row for row in raced if row["variant"].endswith(" again")])


def test_start_up_has_a_control_at_its_own_place(quick: Measured) -> None:
    rows = quick.rows(metric="start_up_time")
    assert [row["variant"] for row in rows] == ["fallback again", "large plan"]
    assert len({(row["workload"], row["input"], row["baseline"], str(row["races"])) for row in rows}) == 1


@pytest.mark.parametrize("title", TITLES)
def test_tables_have_their_own_titles(quick: Measured, title: str) -> None:
    assert title in quick.done.stdout
    assert f"### {title}" in quick.markdown


def test_every_table_says_what_it_was_measured_on(quick: Measured) -> None:
    host = quick.found["host"]
    remark = f"*commit {host['commit']}, {host['processor']}, last level "
    tables = quick.markdown.split("### ")[1:]
    measured = [text for text in tables if not text.startswith(("Measured on", "Notes"))]
    assert len(measured) >= 10
    assert [text for text in measured if remark not in text] == []


def test_goals_are_a_table_for_a_readme(quick: Measured) -> None:
    section = quick.markdown.split("### ")[2].strip()
    assert section.startswith("What malloom must reach")
    heading, _, *lines = [line for line in section.splitlines() if line.startswith("|")]
    assert heading.startswith("| workload | variant |")
    assert {line.count("|") for line in lines} == {8}
    goals = quick.found["goals"]
    words = {True: "yes", False: "NO", None: "not judged: 2 pairs"}
    expected = ["-" if goal["limit"] is None else words[goal["reached"]] for goal in goals]
    verdicts = [line.split(" | ")[-1].removesuffix(" |").split(", ")[0] for line in lines]
    assert verdicts == expected
    assert [line.split(" | ")[3] for line in lines] == [goal["metric"] for goal in goals]


def test_quick_goals_on_time_are_not_judged_and_others_are(quick: Measured) -> None:
    judged = {goal["metric"] for goal in quick.found["goals"] if goal["reached"] is not None}
    assert judged == {"peak_rss", "start_up_time", "planning_time", "planning_memory"}
    assert {goal["metric"] for goal in quick.found["goals"]} - judged == {"cpu_time", "walk_time"}
