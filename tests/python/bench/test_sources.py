"""What is raced where a program can be recorded, and where it makes too many requests."""

import subprocess
from pathlib import Path

import pytest

from malloom.bench import recording
from malloom.bench.learning import POOLS
from malloom.bench.pairs import Budget, no_progress
from malloom.bench.process import Command, run_measured
from malloom.bench.sources import FEWEST_PLANNED, Sources, candidates_of, sources_of
from malloom.bench.wishes import Watcher, Wishes

SOURCE = """
#include <stdlib.h>
int main(void) {
    void* volatile kept[1000];
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(48);
    for (int i = 0; i < 1000; ++i) free(kept[i]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Command:
    path = tmp_path_factory.mktemp("program") / "program"
    subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", path], input=SOURCE, text=True, check=True)
    return Command([str(path)])


def sources(
    program: Command, folder: Path, *, accesses: str | None = None, strategy: str | None = None
) -> Sources:
    wishes = Wishes(folder / "kept", accesses, strategy, Budget(), compare_output=True, demand_success=True)
    return sources_of(
        program, run_measured(program), folder, wishes, Watcher(lambda stage: None, no_progress)
    )


def raced(found: Sources, most: int, strategy: str | None = None) -> list[str]:
    candidates, _ = candidates_of(found, strategy, most, Watcher(lambda stage: None, no_progress))
    return [candidate.name for candidate in candidates]


def test_what_was_learned_is_raced_beside_strategies(program: Command, tmp_path: Path) -> None:
    found = sources(program, tmp_path, accesses="none")
    assert found.is_recorded and POOLS in found.learned.plans
    learned = list(found.learned.plans)
    assert raced(found, 20) == [*learned, "sequential", "size", "overhead-only"]
    assert raced(found, 1) == [*learned, "sequential", "overhead-only"][: len(learned) + FEWEST_PLANNED]


def test_a_program_of_many_requests_is_not_recorded(
    program: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MOST_REQUESTS", 900)
    found = sources(program, tmp_path)
    assert not found.is_recorded and not found.recording.profile.exists()
    assert found.recording.notes == (
        f"the program is not recorded: it makes {found.learned.requests} requests, too many to place each",
    )
    assert raced(found, 20) == [*found.learned.plans, "overhead-only"]
    assert sources(program, tmp_path, accesses="none").is_recorded


def test_where_a_strategy_is_asked_for_nothing_is_learned(program: Command, tmp_path: Path) -> None:
    found = sources(program, tmp_path, strategy="sequential")
    assert found.learned.plans == {} and found.is_recorded
    assert raced(found, 20, "sequential") == ["sequential"]
