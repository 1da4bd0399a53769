"""A program finds as many variables when it is recorded as when it runs with the plan made of that."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND

Malloom = Callable[..., subprocess.CompletedProcess[str]]

COPIES_ITS_ENVIRONMENT = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern char** environ;
static void* request(size_t bytes) { return malloc(bytes); }
int main(int count, char** arguments) {
    int ours = 0;
    for (char** entry = environ; *entry != NULL; ++entry) {
        *(char*)request(40) = **entry;
        ours += strncmp(*entry, "DYNAMORIO", 9) == 0 || strncmp(*entry, "MALLOOM", 7) == 0;
    }
    /* Were there a variable more, each of these would meet the place of its neighbour, of another size. */
    for (int i = 0; i < 1000; ++i) *(char*)request(i % 2 ? 400 : 4000) = 1;
    if (count > 1) execl(arguments[0], arguments[0], NULL);
    printf("%d\\n", ours);
    return 0;
}
"""


@pytest.fixture(autouse=True)
def without_variables_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the program counts what is named like ours."""
    monkeypatch.delenv("MALLOOM_SOAK", raising=False)


@pytest.mark.parametrize("accesses", ["none", "full"])
def test_what_copies_its_environment_matches(
    malloom: Malloom, compile_c: Callable[..., Path], accesses: str
) -> None:
    program = compile_c(COPIES_ITS_ENVIRONMENT)
    done = malloom("record", "-o", "p", "--accesses", accesses, "--", program)
    assert done.stdout == "1\n", done.stderr
    planned = malloom("plan", "p", "-o", "plan", "--strategy", "sequential")
    assert planned.returncode == 0, planned.stderr
    run = malloom("run", "--plan", "plan", "--statistics", "--preallocate", "--", program)
    assert run.stdout == "1\n"
    counts = re.search(r"requests (\d+), matched (\d+)", run.stderr)
    assert counts is not None, run.stderr
    assert int(counts[1]) >= 1000
    assert counts[1] == counts[2]


@pytest.mark.parametrize("accesses", ["none", "full"])
def test_children_are_followed_without_variables_of_theirs(
    malloom: Malloom, compile_c: Callable[..., Path], accesses: str
) -> None:
    program = compile_c(COPIES_ITS_ENVIRONMENT)
    done = malloom("record", "-o", "p", "--accesses", accesses, "--", program, "again")
    assert done.stdout == "1\n", done.stderr
    assert "of 2 processes" in done.stderr


@pytest.mark.parametrize(
    "command", [["run"], ["run", "--dynamic"], ["record", "-o", "p", "--accesses", "none"]]
)
def test_settings_of_the_users_are_replaced_with_a_word(malloom: Malloom, command: list[str]) -> None:
    line = "malloom: the variable MALLOOM is replaced; options set what it would\n"
    environment = {**os.environ, "MALLOOM": "statistics=1"}
    assert malloom(*command, "--", "true", env=environment).stderr.startswith(line)
    assert line not in malloom(*command, "--", "true").stderr


def test_settings_of_an_outer_malloom_are_replaced_in_silence(malloom: Malloom) -> None:
    done = malloom("run", "--", COMMAND, "run", "--", "true")
    assert (done.returncode, done.stderr) == (0, "")
