"""Which processes do the work, with real programs that start others."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from malloom.measure.process import Command, Run, run_measured
from malloom.optimize.worker import Worker, busiest, described, used_by, workers_of, workers_of_all

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


def test_the_busiest_executables_are_the_workers() -> None:
    errors = told(("cc1", 600), ("as", 150), ("cc1", 200), ("gcc", 50))
    workers = busiest(used_by(errors), 1e-3)
    assert workers == (Worker("cc1", 0.8), Worker("as", 0.15))
    assert described(workers) == "cc1 and as, which take 80% and 15% of the CPU time of all processes"
    assert described(workers[:1]) == "cc1, which takes 80% of the CPU time of all processes"


def test_they_are_few_and_together_do_most() -> None:
    errors = told(*((name, 200) for name in "abcde"))
    assert [worker.name for worker in busiest(used_by(errors), 1e-3)] == ["a", "b", "c"]
    assert busiest(used_by(told(("a", 200), ("b", 250))), 1e-3) == ()


@pytest.mark.parametrize("processes", [[], [("gcc", 400)], [("a", 40), ("b", 30)], [("", 900), ("a", 1)]])
def test_where_none_does_most_there_is_none(processes: list[tuple[str, int]]) -> None:
    assert busiest(used_by(told(*processes)), 1e-3) == ()


def test_a_script_s_workers_are_what_it_starts(loop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copy(loop, other)
    (worker,) = workers_of(*ran(script(tmp_path, loop, loop)), print)
    assert worker.name == "loop" and worker.share > 0.8
    assert {worker.name for worker in workers_of(*ran(script(tmp_path, loop, other)), print)} == {
        "loop",
        "other",
    }


def test_a_program_without_children_has_none(loop: Path) -> None:
    assert workers_of(*ran(loop), print) == (Worker("loop", 1.0),)
    assert workers_of_all({"a": ran(loop)}, print) == ((), [])


def test_work_that_no_run_shows_is_told_of(loop: Path, tmp_path: Path) -> None:
    source = tmp_path / "ignoring.c"
    source.write_text(
        "#include <signal.h>\n#include <unistd.h>\n"
        "int main(int count, char** words) {\n"
        "    (void)count;\n    signal(SIGCHLD, SIG_IGN);\n"
        "    if (fork() == 0) execv(words[1], words + 1);\n"
        "    usleep(600000);\n    return 0;\n}\n"
    )
    ignoring = tmp_path / "ignoring"
    subprocess.run(["gcc", "-O1", source, "-o", ignoring], check=True)
    notes = list[str]()
    workers_of(*ran(ignoring, loop), notes.append)
    assert len(notes) == 1 and "0.2 s of CPU time are of processes that nobody waited for" in notes[0]


def test_plans_are_of_those_that_work_on_every_input(loop: Path, tmp_path: Path) -> None:
    said = list[str]()
    other, folder = tmp_path / "other", tmp_path / "both"
    shutil.copy(loop, other)
    folder.mkdir()
    programs = {"a": ran(script(tmp_path, loop)), "b": ran("true"), "c": ran(script(folder, loop, other))}
    names, notes = workers_of_all({name: programs[name] for name in "ab"}, said.append)
    assert (names, len(notes)) == ((), 1)
    assert "plans are of the program itself: on some inputs, not on all, loop does the work" in notes[0]
    assert said == ["looking which process does the work"]
    names, notes = workers_of_all({"a": programs["a"]}, said.append)
    assert names == ("loop",) and notes[0].startswith("plans are of loop, which takes ")
    names, notes = workers_of_all({name: programs[name] for name in "ac"}, said.append)
    assert names == ("loop",)
    assert notes[1] == "on some inputs, not on all, other does much of the work too, without a plan"
