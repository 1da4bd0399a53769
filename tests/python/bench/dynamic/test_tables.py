"""The suite's tables: the paper's numbers beside today's."""

from malloom.bench.dynamic.tables import tables
from malloom.bench.findings import Findings
from malloom.bench.tables import all_shown
from malloom.measure.interval import Interval, exact
from malloom.measure.rows import Row, row

BESIDE = "(Athlon MP | Pentium 4 → today)"


def timed(program: str, variant: str, baseline: str = "glibc") -> Row:
    ratio = Interval(0.5, 0.4, 0.6)
    return row((program, "0.5x"), variant, baseline, "cpu_time", ratio, runs=6, peak=1.234)


def shown(*rows: Row, part: str = "times") -> dict[str, list[list[str]]]:
    findings = Findings()
    findings.add(part, rows)
    found = all_shown(tables(), findings)
    return {table.title: [list(table.headings), *map(list, table.rows)] for table in found}


def test_programs_are_lines_and_variants_are_columns() -> None:
    found = shown(timed("ft", "all"), timed("ft", "carried"), timed("em3d", "all"))
    assert found[f"Tables 1, 2: CPU time against native {BESIDE}"] == [
        ["program", "all", "carried"],
        ["ft 0.5x", "0.085 | 0.194 → 0.500 [0.400 0.600] n 6", "0.500 [0.400 0.600] n 6"],
        ["em3d 0.5x", "1.050 | 0.958 → 0.500 [0.400 0.600] n 6", "-"],
    ]
    assert found["Peak memory against native"][1] == ["ft 0.5x", "1.23", "1.23"]


def test_dynamorio_is_a_baseline_of_its_own() -> None:
    found = shown(timed("ft", "pool", "dynamorio"))
    assert list(found) == [f"Tables 1, 2: CPU time against DynamoRIO alone {BESIDE}"]
    (lines,) = found.values()
    assert lines[1] == ["ft 0.5x", "0.269 | 0.217 → 0.500 [0.400 0.600] n 6"]


def test_the_best_general_allocator_has_a_table() -> None:
    found = shown(timed("ft", "carried", "best"))
    assert list(found) == ["CPU time against the best general allocator"]


def test_prefetches_stand_beside_the_papers() -> None:
    counts = {"prefetch": 3.0, "all": 5.0}
    rows = [row(("ft", "0.5x"), name, "one", "prefetches", exact(count)) for name, count in counts.items()]
    (lines,) = shown(*rows, part="prefetches").values()
    assert lines == [["program", "prefetch", "all"], ["ft 0.5x", "8 → 3", "10 → 5"]]


def test_each_machine_and_level_has_its_table() -> None:
    rows = [
        row(("ft", f"8x {machine}"), "auto", "glibc", metric, exact(ratio))
        for machine, metric, ratio in (("p4", "llc_misses", 0.25), ("athlon-mp", "l1d_misses", 0.75))
    ]
    found = shown(*rows, part="misses")
    assert found["p4: last-level misses against native"][1] == ["ft 8x p4", "0.250"]
    assert found["athlon-mp: first-level misses against native"][1] == ["ft 8x athlon-mp", "0.750"]
    assert len(found) == 2
