"""The suite's tables: the thesis's numbers beside today's, and the inputs that it has numbers of."""

from malloom.bench.findings import Findings
from malloom.bench.placement import thesis
from malloom.bench.placement.scale import full_scale
from malloom.bench.placement.tables import tables
from malloom.bench.tables import Shown, all_shown
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row

PLACE = ("cover", "300 300")


def a_row(variant: str, ratio: float, baseline: str = "glibc", workload: str = "cover") -> Row:
    interval = Interval(ratio, ratio - 0.1, ratio + 0.1)
    return row((workload, PLACE[1]), variant, baseline, "cpu_time", interval, runs=6)


def shown(findings: Findings) -> dict[str, Shown]:
    return {table.title: table for table in all_shown(tables(), findings)}


def test_the_full_scale_has_the_thesis_inputs() -> None:
    timed = {case.place for case in full_scale().timed}
    assert set(thesis.TIMES) <= timed
    assert set(thesis.L1_MISSES) == {case.place for case in full_scale().counted}
    assert set(thesis.SHORT_RUNS) == {case.place for case in full_scale().short}


def test_tables_show_the_thesis_beside_today_each_under_its_title() -> None:
    findings = Findings()
    findings.add("times", [a_row("usage-depth-first", 0.5, "sequential")])
    findings.add("preallocation", [a_row("sequential", 0.7), a_row("sequential not-preallocated", 0.8)])
    findings.add("misses", [row(PLACE, "random", "sequential", "llc_misses", exact(2.5))])
    found = {title: [tuple(line) for line in table.rows] for title, table in shown(findings).items()}
    assert found == {
        "Tables 5.1, 5.2: CPU time against sequential placement (thesis → today)": [
            ("usage-depth-first", "0.950 → 0.500 [0.400 0.600] n 6")
        ],
        "Table 5.9: CPU time against the C library, preallocated or not (thesis → today)": [
            ("sequential", "0.538 → 0.700 [0.600 0.800] n 6"),
            ("sequential not-preallocated", "0.634 → 0.800 [0.700 0.900] n 6"),
        ],
        "Tables 5.3 to 5.8: last-level misses against sequential placement (thesis → today)": [
            ("random", "2.023 → 2.500")
        ],
    }


def test_annotated_programs_have_rows_in_the_columns_of_the_plain_ones() -> None:
    findings = Findings()
    annotated = a_row("friends-grouped", 0.9, "sequential", "cover_annotated")
    findings.add("times", [a_row("size", 0.9, "sequential"), annotated])
    (table,) = shown(findings).values()
    assert list(table.headings) == ["variant", "cover 300 300"]
    assert [cells[0] for cells in table.rows] == ["size", "friends-grouped, annotated"]


def test_the_control_of_a_table_comes_first() -> None:
    findings = Findings()
    findings.add("times", [a_row("size", 0.9), a_row("glibc again", 1.0)])
    table = shown(findings)["CPU time against the C library"]
    assert [cells[0] for cells in table.rows] == ["glibc again", "size"]


def test_what_the_plan_of_a_simulation_is_worth_has_a_table() -> None:
    findings = Findings()
    findings.add("speed", [a_row("auto", 1.1, "best"), a_row("auto", 0.9)])
    (table,) = shown(findings).values()
    assert table.title == "Chosen by simulation alone, against the best general allocator"
    assert list(table.rows) == [("cover 300 300", "1.100 [1.000 1.200] n 6")]
