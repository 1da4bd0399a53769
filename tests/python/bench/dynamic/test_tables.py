"""The suite's tables: the paper's numbers beside today's."""

from malloom.bench.dynamic.tables import shown_tables
from malloom.bench.findings import Findings, Note
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row


def timed(program: str, variant: str, baseline: str = "glibc") -> Row:
    ratio = Interval(0.5, 0.4, 0.6)
    return row((program, "0.5x"), variant, baseline, "cpu_time", ratio, runs=6, peak=1.234)


def tables_of(*rows: Row, part: str = "times") -> dict[str, list[list[str]]]:
    findings = Findings()
    findings.add(part, rows)
    return {table.title: [list(table.headings), *map(list, table.rows)] for table in shown_tables(findings)}


def test_programs_are_lines_and_ways_are_columns() -> None:
    tables = tables_of(timed("ft", "all"), timed("ft", "carried"), timed("em3d", "all"))
    title = next(title for title in tables if title.startswith("Tables 1, 2: CPU time against native"))
    assert tables[title] == [
        ["program", "all", "carried"],
        ["ft 0.5x", "0.085 | 0.194 → 0.500 [0.400 0.600] n 6", "0.500 [0.400 0.600] n 6"],
        ["em3d 0.5x", "1.050 | 0.958 → 0.500 [0.400 0.600] n 6", "-"],
    ]
    assert tables["Peak memory against native"][1] == ["ft 0.5x", "1.23", "1.23"]


def test_dynamorio_is_a_baseline_of_its_own() -> None:
    tables = tables_of(timed("ft", "pool", "dynamorio"))
    (title,) = (title for title in tables if "against DynamoRIO alone" in title)
    assert tables[title][1] == ["ft 0.5x", "0.269 | 0.217 → 0.500 [0.400 0.600] n 6"]


def test_each_machine_and_level_has_its_table() -> None:
    rows = [
        row(("ft", f"8x {machine}"), "carried", "glibc", metric, exact(ratio))
        for machine, metric, ratio in (("p4", "llc_misses", 0.25), ("athlon-mp", "l1d_misses", 0.75))
    ]
    tables = tables_of(*rows, part="misses")
    assert tables["p4: last-level misses against native"][1] == ["ft 8x p4", "0.250"]
    assert tables["athlon-mp: first-level misses against native"][1] == ["ft 8x athlon-mp", "0.750"]
    assert len(tables) == 2


def test_notes_are_shown() -> None:
    findings = Findings(notes=[Note("times", "ft 8x", "not measured: it needs more memory")])
    (table,) = shown_tables(findings)
    assert list(table.rows) == [("times", "ft 8x", "not measured: it needs more memory")]
