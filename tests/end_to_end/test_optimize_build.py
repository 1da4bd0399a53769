"""`malloom optimize --build`: a program's builds by malloom-cc race, and what is kept builds the next one."""

import json
import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import ROOT

CC = ROOT / ".venv/bin/malloom-cc"

# Walks a list of wide objects again and again, which reads one field of eight.
WALK = """
#include <stdio.h>
#include <stdlib.h>
struct cell { struct cell* next; long value, unused[6]; };
static struct cell* make(struct cell* next, long value) {
    struct cell* made = malloc(sizeof *made);
    *made = (struct cell){next, value, {value}};
    return made;
}
int main(int count, char** words) {
    long many = atol(words[1]), sum = 0;
    struct cell* first = NULL;
    for (long i = 0; i < many; ++i) first = make(first, i);
    for (int round = 0; round < 40; ++round)
        for (struct cell* at = first; at != NULL; at = at->next) sum += at->value;
    while (first != NULL) {
        struct cell* next = first->next;
        free(first);
        first = next;
    }
    printf("%ld\\n", sum);
    return 0;
}
"""

MAKEFILE = """
walk: walk.c
\t$(CC) -O2 walk.c -o walk
clean:
\trm -f walk
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """As its user has it: built by his own compiler."""
    (tmp_path / "walk.c").write_text(WALK)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    subprocess.run(["make", "CC=gcc"], cwd=tmp_path, check=True, capture_output=True)
    return tmp_path


def test_builds_race_and_their_choice_builds_the_next_one(malloom, project: Path) -> None:  # type: ignore[no-untyped-def]
    before = (project / "walk").read_bytes()
    arguments = "--build|make clean walk CC={cc}|--train|10000|--check|15000|--runs|6|--seconds|0|--json"
    done = malloom("optimize", *arguments.split("|"), "--", "./walk", "{}", cwd=project)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    built = {row["name"]: row for row in verdict["rows"] if row["kind"] == "build"}
    names = [*built, *verdict["builds_left"]]
    for policy in ("none", "overhead-only", "pool", "hot-cold", "default", "maximal"):
        assert f"built with {policy}" in names
    assert "built with default by a profile" in names
    assert built["built with none"]["train"]["cpu_time"] > 0
    assert any(name.startswith("built with ") and " over " in name for name in built)
    assert sum(name.endswith(", mimalloc linked in") for name in built) == 1
    assert (project / "walk").read_bytes() == before
    if verdict["choice_file"] is None:
        assert verdict["kind"] != "build" or verdict["refused"]
        return
    options = ["-g", f"-fmalloom-choice={verdict['choice_file']}", "-fmalloom-remarks"]
    command = [str(CC), "-O2", *options, "walk.c", "-o", "again"]
    again = subprocess.run(command, cwd=project, check=True, capture_output=True, text=True)
    assert "1 of 1 structures of the choice" in again.stdout + again.stderr
    outputs = [subprocess.check_output([f"./{name}", "9"], cwd=project) for name in ("walk", "again")]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--build", "make"], "has no {cc} or {cxx}"),
        (["--build", "make CC={cc}", "--strategy", "size"], "goes with neither --strategy"),
    ],
)
def test_bad_use_is_told_before_anything_runs(  # type: ignore[no-untyped-def]
    malloom, project: Path, options: list[str], words: str
) -> None:
    done = malloom("optimize", *options, "--", "./walk", "9", cwd=project)
    assert done.returncode == 2
    assert words in done.stderr
