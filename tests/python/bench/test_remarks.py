"""What is said below a table: the machine, baselines that differ from themselves, and what ran only once."""

from dataclasses import replace

from malloom.bench.findings import Findings
from malloom.bench.goals import against_limit
from malloom.bench.remarks import remarks_on
from malloom.measure.host import Host
from malloom.measure.interleaved import RaceId
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row

HOST: Host = {"commit": "0123456789ab", "processor": "Zen 5", "date": "2005-06-12", "last_level": 32 << 20}


def a_row(variant: str, ratio: float = 0.9, program: str = "ft", baseline: str = "glibc") -> Row:
    interval, races = Interval(ratio, ratio - 0.1, ratio + 0.1), (RaceId(f"{program} 2x", "glibc"),)
    return row((program, "2x"), variant, baseline, "cpu_time", interval, runs=6, races=races)


def remarks(*rows: Row, last_level: int = 1 << 20) -> list[str]:
    findings = Findings(HOST)
    findings.add("times", rows, last_level)
    return remarks_on(findings.rows, findings)


def test_what_was_measured_on_is_told() -> None:
    (remark,) = remarks(a_row("pools"), a_row("glibc again", 1.005))
    assert remark == "commit 0123456789ab, Zen 5, last level 1 MiB, 2005-06-12"


def test_without_rows_there_is_nothing_to_remark_on() -> None:
    assert remarks_on([], Findings(HOST)) == []


def test_the_last_level_of_most_inputs_is_told_and_where_it_is_another() -> None:
    findings = Findings(HOST)
    findings.add("times", [a_row("pools"), a_row("all")], 32 << 20)
    findings.add("misses", [a_row("auto", program="mst")], 512 << 10)
    findings.add("misses", [a_row("auto", program="art"), a_row("auto", program="em3d")], 256 << 10)
    told, *_ = remarks_on(findings.rows, findings)
    assert "last level 32 MiB but 0.25 MiB for art 2x, em3d 2x and 0.5 MiB for mst 2x," in told
    assert "last level" not in remarks(a_row("pools"), last_level=0)[0]


def test_a_baseline_that_differs_from_itself_is_named_with_its_interval_and_race() -> None:
    dynamorio = a_row("dynamorio again", 1.03, baseline="dynamorio")
    strayed = [a_row("glibc again", 1.02), a_row("glibc again", 0.97, "mst"), dynamorio]
    (_, said) = remarks(a_row("pools"), *strayed)
    assert said == (
        "UNRELIABLE: glibc against itself is 1.020 [0.920 1.120] n 6 in ft 2x, 0.970 [0.870 1.070] n 6 in "
        "mst 2x; dynamorio against itself is 1.030 [0.930 1.130] n 6 in ft 2x"
    )


def test_the_race_of_a_control_is_named_where_its_place_has_two() -> None:
    race = RaceId("ft 2x, huge pages on", "glibc huge")
    quiet = a_row("glibc again", 1.0)
    strayed = replace(a_row("glibc huge again", 1.02, baseline="glibc huge"), races=(race,))
    (_, said) = remarks(quiet, strayed)
    assert said == (
        "UNRELIABLE: glibc huge against itself is 1.020 [0.920 1.120] n 6 in ft 2x, huge pages on"
    )


def test_the_metric_of_a_control_is_named_where_there_are_several() -> None:
    strayed, other = a_row("glibc again", 1.02), replace(a_row("pools"), metric="pair_time")
    (_, said, _) = remarks(a_row("pools"), strayed, other)
    assert said == "UNRELIABLE: glibc against itself is 1.020 [0.920 1.120] n 6 in ft 2x (cpu_time)"


def test_a_difference_from_itself_is_told_against_the_limit() -> None:
    race = (RaceId("start-up: traverse 1 1", "fallback"),)
    place, milliseconds = ("traverse", "1 1"), [1e-4] * 6
    control, goal = (
        against_limit(place, name, "start_up_time", milliseconds, 2e-3, race)
        for name in ("fallback again", "large plan")
    )
    (_, said) = remarks(control.row, goal.row)
    assert said.startswith("UNRELIABLE: fallback against itself is 0.050")
    assert said.endswith(" of the limit in start-up: traverse 1 1")


def test_a_baseline_without_a_control_of_its_own_says_whose_stands_for_it() -> None:
    against = [a_row("pool heap", baseline=name) for name in ("mimalloc", "best", "glibc")]
    (_, said) = remarks(*against, a_row("glibc again", 1.0))
    assert said == (
        "without a control of its own: best, mimalloc; glibc against itself, of the same races, stands for it"
    )


def test_what_has_no_control_at_all_is_told() -> None:
    (_, said) = remarks(a_row("pools"), a_row("pools", program="art"), a_row("glibc again", 1.0))
    assert said == "no baseline ran twice for art 2x"


def test_counts_and_limits_need_no_control_and_no_interval() -> None:
    count = row(("ft", "2x"), "auto", "glibc", "llc_misses", exact(0.5))
    limit = against_limit(("profile", "large"), "auto", "planning_time", [1.0], 60.0).row
    assert len(remarks(count, limit)) == 1


def test_few_pairs_are_remarked_on() -> None:
    few = replace(a_row("pools"), low=None, high=None, runs=2)
    (_, said) = remarks(few, a_row("glibc again", 1.0))
    assert said == "fewer than 6 pairs give no interval, and decide nothing"
