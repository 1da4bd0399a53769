"""What a run has learned, carried together with the places of a strategy: malloom plan --with."""

import json
import re
from pathlib import Path

# As many cells as it is told, in a list.
LIST = """
#include <stdio.h>
#include <stdlib.h>
struct cell { struct cell* next; long value; };
int main(int count, char** arguments) {
    struct cell* first = NULL;
    long sum = 0;
    for (long i = 0; i < atol(arguments[count - 1]); ++i) {
        struct cell* made = malloc(sizeof *made);
        *made = (struct cell){first, i};
        first = made;
    }
    for (struct cell* at = first; at != NULL; at = at->next) sum += at->value;
    printf("%ld\\n", sum);
    return 0;
}
"""


def done(finished) -> str:  # type: ignore[no-untyped-def]
    assert finished.returncode == 0, finished.stderr
    return str(finished.stderr)


def test_places_first_and_learned_pools_beyond_them(malloom, compile_c) -> None:  # type: ignore[no-untyped-def]
    program = compile_c(LIST)
    done(malloom("run", "--heap", "pools", "--save-plan", "learned.plan", "--", program, "1000"))
    done(malloom("record", "-o", "a.profile", "--accesses", "none", "--", program, "1000"))
    plan = ("plan", "a.profile", "-o", "a.plan", "--strategy", "sequential", "--depth", "1")
    assert " requests and 1 pool," in done(malloom(*plan, "--with", "learned.plan"))
    ran = malloom("run", "--plan", "a.plan", "--statistics", "--", program, "3000")
    assert ran.stdout == "4498500\n"
    matched, pooled = (int(re.search(rf"{word} (\d+)", done(ran))[1]) for word in ("matched", "pooled"))  # type: ignore[index]
    assert 1000 <= matched <= 1010 and 1990 <= pooled <= 2000


def test_prefetches_of_what_a_plan_placed_join_its_places(malloom, compile_c) -> None:  # type: ignore[no-untyped-def]
    program = compile_c(LIST)
    done(malloom("record", "-o", "a.profile", "--accesses", "none", "--", program, "20000"))
    done(malloom("plan", "a.profile", "-o", "a.plan", "--strategy", "sequential"))
    # Untuned, so that the machine's speed has no say in which prefetches stay.
    learning = ("run", "--dynamic", "--plan", "a.plan", "--save-plan", "both.plan", "--constant", "tune=0")
    ran = malloom(*learning, "--statistics", "--", program, "20000")
    assert ran.stdout == "199990000\n"
    placed = re.search(r"requests (\d+), matched (\d+)", done(ran))
    assert placed and int(placed[2]) >= 20000
    assert "promoted 0," in ran.stderr
    carried = malloom("run", "--plan", "both.plan", "--statistics", "--", program, "20000")
    assert carried.stdout == ran.stdout
    found = re.search(r"matched (\d+).* prefetches (\d+) of (\d+)", done(carried))
    assert found and int(found[1]) >= 20000 and int(found[3]) >= 1


def test_what_is_no_plan_of_the_program_is_refused(malloom, compile_c, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done(malloom("record", "-o", "a.profile", "--accesses", "none", "--", compile_c(LIST), "100"))
    (tmp_path / "text").write_text("something else")
    done(malloom("run", "--heap", "pools", "--save-plan", "other.plan", "--", "ls", "-l", "/"))
    for learned, reason in (
        ("text", "plan"),
        ("nowhere", "cannot be read"),
        ("other.plan", "another program"),
    ):
        refused = malloom("plan", "a.profile", "-o", "a.plan", "--strategy", "sequential", "--with", learned)
        assert refused.returncode == 1
        *notes, problem = refused.stderr.splitlines()
        assert reason in problem and all(line.startswith("note: ") for line in notes)
        assert not (tmp_path / "a.plan").exists()


def test_of_several_processes_the_one_that_learned_most_saves(malloom, compile_c, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program = compile_c(LIST)
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n{program} 20000\n{program} 3\ntrue\n")
    script.chmod(0o755)
    saving = ("run", "--heap", "pools", "--save-plan", "a.plan")
    done(malloom(*saving, "--process", program.name, "--", script))
    ran = malloom("run", "--plan", "a.plan", "--json", "--", script)
    told = [json.loads(line) for line in done(ran).splitlines()]
    pooled = [each["pooled"] for each in told if each["executable"] == program.name]
    assert [each["plan"] for each in told if each["executable"] == program.name] == ["used", "used"]
    assert 19_000 <= max(pooled) <= 20_010
    # One of another name writes nothing, and what an earlier run learned is gone.
    done(malloom(*saving, "--process", "another", "--", script))
    assert not (tmp_path / "a.plan").exists()
    refused = malloom("run", "--heap", "pools", "--process", program.name, "--", script)
    assert refused.returncode == 2 and "add --save-plan" in refused.stderr
