"""`malloom bench dynamic`: one program in small, once through every part."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from end_to_end.conftest import ROOT, Finished
from malloom.bench.dynamic.steps import PARTS

WORKLOADS = ROOT / "build/release/workloads"
TITLES = [
    "Tables 1, 2: CPU time against native",
    "Tables 1, 2: CPU time against DynamoRIO alone",
    "Peak memory against native",
    "Table 3: prefetches",
    "athlon-mp: last-level misses against native",
    "p4: first-level misses against native",
    "A malloc and a free",
    "Memory in use when all are released",
    "What malloom must reach",
]
NATIVELY = {"mimalloc", "jemalloc", "tcmalloc", "pools", "carried"}
UNDER_DYNAMORIO = {"dynamorio", "pool", "prefetch", "all"}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    """The whole suite for one program, quickly; measured once for all tests here."""
    folder = tmp_path_factory.mktemp("bench")
    command = [ROOT / ".venv/bin/malloom", "bench", "dynamic", "--quick", "--program", "ft"]
    command += ["--workloads", WORKLOADS, "--json", "rows.json", "--markdown", "tables.md"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    return done, folder


@pytest.fixture(scope="module")
def found(quick: tuple[Finished, Path]) -> dict[str, Any]:
    return dict(json.loads((quick[1] / "rows.json").read_text()))


def test_everything_is_measured(quick: tuple[Finished, Path], found: dict[str, Any]) -> None:
    assert found["failures"] == []
    assert quick[0].returncode == 0, quick[0].stderr
    assert found["suite"] == "dynamic"


def test_every_way_has_a_time_and_a_peak(found: dict[str, Any]) -> None:
    timed = [row for row in found["rows"] if (row["metric"], row["baseline"]) == ("cpu_time", "glibc")]
    of_ft = [row for row in timed if row["workload"] == "ft"]
    assert {row["variant"] for row in of_ft} == NATIVELY | UNDER_DYNAMORIO
    assert {row["input"] for row in of_ft} == {"0.5x"}
    assert all(row["peak_rss_ratio"] > 0 for row in of_ft)


def test_misses_are_counted_on_both_of_the_papers_machines(found: dict[str, Any]) -> None:
    rows = [row for row in found["rows"] if row["metric"].endswith("_misses")]
    assert {row["input"] for row in rows} == {"0.5x athlon-mp", "0.5x p4"}
    assert {row["variant"] for row in rows} == {"mimalloc", "pools", "carried"}
    assert all(row["low"] == row["ratio"] == row["high"] for row in rows)
    carried = [row["ratio"] for row in rows if (row["variant"], row["metric"]) == ("carried", "llc_misses")]
    assert max(carried) <= 1, "what does not help is not carried"


def test_prefetches_are_counted_without_pools_and_with_them(found: dict[str, Any]) -> None:
    counted = [row for row in found["rows"] if row["metric"] == "prefetches"]
    assert [row["variant"] for row in counted] == ["prefetch", "all"]


def test_every_goal_of_one_program_is_held(found: dict[str, Any]) -> None:
    held = {(goal["workload"], goal["variant"], goal["metric"]) for goal in found["goals"]}
    assert held == {
        ("ft", "carried", "cpu_time"),
        ("ft", "carried", "peak_rss"),
        ("ft", "carried", "llc_misses"),
        ("gzip", "all", "cpu_time"),
        ("sha256sum", "all", "cpu_time"),
        ("pairs", "pools", "pair_time"),
        ("pairs", "pools, two threads", "pair_time"),
        ("pairs", "pool heap", "pair_time"),
        ("pairs", "pool heap, two threads", "pair_time"),
        ("ebb", "pools", "empty_bytes"),
    }


@pytest.mark.parametrize("title", TITLES)
def test_tables_have_their_own_titles(quick: tuple[Finished, Path], title: str) -> None:
    assert title in quick[0].stdout
    assert f"### {title}" in (quick[1] / "tables.md").read_text()


def test_what_is_carried_is_told(found: dict[str, Any]) -> None:
    notes = [note["note"] for note in found["notes"] if note["part"] == "times"]
    assert len(notes) == 1
    assert notes[0].startswith("carried: ")


def test_a_size_that_does_not_fit_is_a_note(malloom, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    options = ["--only", "times", "--program", "ft", "--sizes", "8x", "--last-level", "1000G"]
    done = malloom("bench", "dynamic", *options, "--workloads", WORKLOADS, "--json", "rows.json")
    assert done.returncode == 0
    found = json.loads((tmp_path / "rows.json").read_text())
    assert found["rows"] == []
    (note,) = found["notes"]
    assert (note["part"], note["what"]) == ("times", "ft 8x")
    assert note["note"].startswith("not measured: it needs 12,884,902 MB of memory")


def test_choices_that_there_are_not_are_bad_use(malloom) -> None:  # type: ignore[no-untyped-def]
    for options in (["--program", "mcf"], ["--sizes", "3x"], ["--last-level", "huge"], ["--only", "some"]):
        done = malloom("bench", "dynamic", *options)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_help_names_every_part(malloom) -> None:  # type: ignore[no-untyped-def]
    text = " ".join(malloom("bench", "--help").stdout.split())
    assert f"dynamic: {', '.join(PARTS)}." in text
