"""What stands in tables of a verdict on builds."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from malloom.bench.goals import Goal
from malloom.bench.splitting.chosen import (
    CHECKED_ON,
    DEBIAN,
    FIXED,
    KEPT,
    PROGRAMS,
    TRAINED_ON,
    CheckRuns,
    Chosen,
    _check_rows,
    _check_runs,
    _training_rows,
    build_of,
    chosen,
    mean_rows,
)
from malloom.bench.splitting.debian_builds import Tree
from malloom.measure.rows import Row
from structure.source_tree import ROOT

LAST_LEVEL = 32 << 20
WORKLOADS = ROOT / "build/release/workloads"


def runs(*seconds: float) -> dict[str, list[float]]:
    return {"cpu_time": list(seconds), "peak_memory": [2.0 * second for second in seconds]}


def answer(wanted: Chosen, choice_file: str | None) -> dict[str, Any]:
    train, check = ((" ".join(case.arguments) for case in cases) for cases in (wanted.train, wanted.check))
    interval = {"ratio": 0.8, "low": 0.7, "high": 0.9}
    judged = {"cpu_time": interval, "runs": runs(0.8, 0.8), "as_it_is": runs(1.0, 1.0)}
    inputs = [{"input": text, "runs": runs(0.9, 0.9), "as_it_is": runs(1.0, 1.0)} for text in train]
    return {
        "choice": "built with pool",
        "plan": None,
        "choice_file": choice_file,
        "rival": "jemalloc with huge pages",
        "best_setting": "jemalloc with huge pages",
        "rows": [{"name": "built with pool", "inputs": inputs}, {"name": "built with default"}],
        "checks": [
            {"input": text, "row": name, **judged}
            for text in check
            for name in ("built with pool", "jemalloc with huge pages")
        ],
    }


def test_a_build_of_debians_tells_make_other_compilers(tmp_path: Path) -> None:
    """Make takes what it is told over what configure has written, in each of several calls."""
    kept, tree = tmp_path / "configured", tmp_path / "tree of it"
    kept.mkdir()
    (kept / "Makefile").write_text(
        "CC = none\nall:\n\t@echo $(CC) $(LEVEL) > made\nagain: all\n\t@echo $(CC) >> made\n"
    )
    program = replace(DEBIAN[0], make="make all && make again")
    text = build_of(Tree(program, tree, {"CC": "not this", "LEVEL": "-O 2", "MAKEFLAGS": "-j2"}), kept)
    subprocess.run(["sh", "-c", text.replace("{cc}", "ours").replace("{cxx}", "ours++")], check=True)
    assert (tree / "made").read_text().split() == ["ours", "-O", "2", "ours"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_inputs_are_all_different(program: str) -> None:
    wanted = chosen(program, LAST_LEVEL)
    cases = [*wanted.train, *wanted.check]
    assert (len(wanted.train), len(wanted.check)) == (len(TRAINED_ON), len(CHECKED_ON))
    assert len({case.arguments for case in cases}) == len(cases)
    assert len({case.place for case in cases}) == len(cases)


@pytest.mark.parametrize("program", FIXED)
def test_programs_take_inputs_of_their_own(program: str) -> None:
    """The largest: some have a limit."""
    largest = chosen(program, LAST_LEVEL).check[-1]
    done = subprocess.run(
        [WORKLOADS / program / program, *largest.arguments], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_heaps_end_where_a_race_would_take_hours() -> None:
    assert chosen("em3d", 480 << 20) == chosen("em3d", LAST_LEVEL)


def test_what_is_kept_and_the_best_setting_are_rows_on_each_check_input() -> None:
    wanted = chosen("power", LAST_LEVEL)
    found = _check_rows(wanted, answer(wanted, str(Path("power.choice"))))
    rows = [each for each in found if isinstance(each, Row)]
    assert [(row.input, row.variant) for row in rows] == [
        ("12", "kept"),
        ("12", "best setting"),
        ("24", "kept"),
        ("24", "best setting"),
    ]
    assert (rows[0].ratio, rows[0].low, rows[0].peak_rss_ratio, rows[0].runs) == (0.8, 0.7, 0.8, 2)
    assert [(each.row.variant, each.value) for each in found if isinstance(each, Goal)] == [(KEPT, 0.7)] * 2


def test_where_nothing_is_kept_the_program_runs_as_it_is() -> None:
    wanted = chosen("power", LAST_LEVEL)
    found = _check_rows(wanted, answer(wanted, None))
    rows = [each for each in found if isinstance(each, Row)]
    assert [row.variant for row in rows] == ["kept", "best setting"] * 2
    assert (rows[0].ratio, rows[0].low, rows[0].peak_rss_ratio) == (1.0, 1.0, 1.0)


def test_means_are_of_programs_however_many_inputs_they_have() -> None:
    gathered = CheckRuns()
    for name, choice_file in (("power", "power.choice"), ("bh", None)):
        wanted = chosen(name, LAST_LEVEL)
        gathered |= _check_runs(wanted, answer(wanted, choice_file))
    del gathered["bh", "6000 5"]
    rows = {(row.variant, row.baseline): row for row in mean_rows(gathered)}
    assert {row.input for row in rows.values()} == {"2 programs"}
    # Where nothing is kept the program runs as it is.
    assert rows[KEPT, "lto"].ratio == pytest.approx(0.8**0.5)
    assert rows["best setting", "lto"].ratio == pytest.approx(0.8)
    assert rows[KEPT, "best setting"].ratio == pytest.approx(0.8**-0.5)


def test_an_input_on_which_something_did_not_run_is_in_no_mean() -> None:
    wanted = chosen("power", LAST_LEVEL)
    told = answer(wanted, "power.choice")
    told["checks"] = [
        each for each in told["checks"] if (each["input"], each["row"]) != ("12", "built with pool")
    ]
    assert list(_check_runs(wanted, told)) == [("power", "24")]


def test_builds_have_a_row_on_each_training_input() -> None:
    wanted = chosen("bisort", LAST_LEVEL)
    rows = _training_rows(wanted, answer(wanted, None))
    assert [(row.input, row.variant, row.low) for row in rows] == [
        ("131072", "pool", None),
        ("524288", "pool", None),
    ]
    assert [row.ratio for row in rows] == pytest.approx([0.9, 0.9])
