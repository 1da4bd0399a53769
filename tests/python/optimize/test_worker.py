"""Which process does the work, with real programs that start others."""

import json
import subprocess
from pathlib import Path

import pytest

from malloom.measure.process import Command, Run, run_measured
from malloom.optimize.worker import Worker, busiest, worker_of, worker_of_all

LOOP = """
#include <stdlib.h>
#include <time.h>
int main(void) {
    while (clock() < CLOCKS_PER_SEC / 5)
        free(malloc(100));
    return 0;
}
"""


def told(*processes: tuple[str, int]) -> bytes:
    lines = [
        json.dumps({"plan": "not asked for", "executable": name, "cpu_microseconds": used})
        for name, used in processes
    ]
    return "\n".join(["what the program says", *lines, "{'plan': "]).encode()


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("worker") / "loop"
    subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", program], input=LOOP, text=True, check=True)
    return program


def script(folder: Path, *lines: str | Path) -> Path:
    path = folder / "script"
    path.write_text("\n".join(["#!/bin/sh", *map(str, lines), "true", ""]))
    path.chmod(0o755)
    return path


def ran(*command: str | Path) -> tuple[Command, Run]:
    program = Command([str(each) for each in command])
    return program, run_measured(program)


def test_the_busiest_executable_is_the_worker() -> None:
    errors = told(("cc1", 600), ("as", 150), ("cc1", 200), ("gcc", 50))
    assert busiest(errors, 1e-3) == Worker("cc1", 0.8)
    assert str(Worker("cc1", 0.8)) == "cc1, which takes 80% of the CPU time of all processes"


@pytest.mark.parametrize("processes", [[], [("gcc", 400)], [("a", 40), ("b", 30)], [("", 900), ("a", 1)]])
def test_where_none_does_most_there_is_none(processes: list[tuple[str, int]]) -> None:
    assert busiest(told(*processes), 1e-3) is None


def test_a_script_s_worker_is_what_it_starts(loop: Path, tmp_path: Path) -> None:
    worker = worker_of(*ran(script(tmp_path, loop, loop)))
    assert worker is not None and worker.name == "loop"
    assert worker.share > 0.8


def test_a_program_without_children_has_none(loop: Path) -> None:
    assert worker_of(*ran(loop)) is None


def test_inputs_that_differ_have_none(loop: Path, tmp_path: Path) -> None:
    said = list[str]()
    programs = {"a": ran(script(tmp_path, loop)), "b": ran("true")}
    name, notes = worker_of_all(programs, said.append)
    assert name is None
    assert "on some inputs, not on all, loop does the work" in notes[0]
    assert said == ["looking which process does the work"]
    name, notes = worker_of_all({"a": programs["a"]}, said.append)
    assert name == "loop" and notes[0].startswith("plans are of loop, which takes ")
