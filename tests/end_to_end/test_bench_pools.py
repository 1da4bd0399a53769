"""`malloom bench pools`: its cheapest part in small, once through."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from end_to_end.conftest import ROOT, Finished
from malloom.bench.pools.steps import PARTS

WORKLOADS = ROOT / "build/release/workloads"


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    """Pairs by the pool heap called directly."""
    folder = tmp_path_factory.mktemp("bench")
    command = [ROOT / ".venv/bin/malloom", "bench", "pools", "--quick", "--part", "pairs"]
    command += ["--workloads", WORKLOADS, "--json", "rows.json", "--markdown", "tables.md"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    return done, folder


@pytest.fixture(scope="module")
def found(quick: tuple[Finished, Path]) -> dict[str, Any]:
    return dict(json.loads((quick[1] / "rows.json").read_text()))


def test_everything_is_measured(quick: tuple[Finished, Path], found: dict[str, Any]) -> None:
    assert found["failures"] == []
    assert quick[0].returncode == 0, quick[0].stderr
    assert found["suite"] == "pools"


def test_every_pattern_is_held_against_the_best(found: dict[str, Any]) -> None:
    held = {(goal["workload"], goal["input"], goal["baseline"], goal["limit"]) for goal in found["goals"]}
    limits = {"now": 1.0, "lifo": 1.05, "fifo": 1.0, "random": 1.0}
    assert held == {("pairs", f"{name} 64 bytes", "best", limit) for name, limit in limits.items()}
    assert {row["baseline"] for row in found["rows"]} == {"glibc", "mimalloc", "jemalloc", "tcmalloc", "best"}


def test_tables_say_what_they_were_measured_on_and_that_they_judge_nothing(
    quick: tuple[Finished, Path],
) -> None:
    text = (quick[1] / "tables.md").read_text()
    for said in ("| commit |", "| processor |", "| last level |", "| what it judges | nothing: --quick"):
        assert said in text
    assert "] n 2 |" in text


def test_help_names_every_part(malloom) -> None:  # type: ignore[no-untyped-def]
    text = " ".join(malloom("bench", "--help").stdout.split())
    assert f"pools: {', '.join(PARTS)}." in text
