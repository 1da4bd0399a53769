"""What a plan serves on other inputs, with a real program of two phases: it comes to the second by an input
alone."""

import subprocess
from pathlib import Path

import pytest

from malloom.measure import stages
from malloom.measure.process import Command, run_measured
from malloom.measure.service import Client
from malloom.optimize.candidates import OWN_MIMALLOC, Candidate
from malloom.optimize.keeping import write_empty
from malloom.optimize.reach import notes_on_served, shares_served

PHASES = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <netinet/in.h>
static volatile int ended;
static void end(int number) { (void)number; ended = 1; }
static void work(int wanted) { for (int i = 0; i < wanted; ++i) *(char*)memset(malloc(48), i, 48) += 1; }
static void serve(int wanted) {
    struct sigaction action = {.sa_handler = end};
    sigaction(SIGTERM, &action, NULL);
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (listen(listening, 5) != 0) exit(3);
    work(wanted);
    while (!ended) pause();
}
int main(int count, char** arguments) {
    int wanted = atoi(arguments[1]);
    for (int i = 0; i < 2000; ++i) free(malloc(100000));
    if (count > 2) serve(wanted); else work(wanted);
    fprintf(stderr, "{\\"requests\\": 7}\\n[1]\\n");
    return 0;
}
"""


@pytest.fixture(scope="module")
def phases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("program") / "phases"
    subprocess.run(["gcc", "-O0", "-x", "c", "-", "-o", program], check=True, input=PHASES.encode())
    return program


@pytest.fixture(scope="module")
def plan(phases: Path) -> Path:
    """Of the second phase alone: no pool has room for the requests of the first."""
    place = phases.with_suffix(".plan")
    learning = stages.stage("run", "--heap", "pools", "--save-plan", str(place), "--", str(phases), "50000")
    assert run_measured(learning).status == 0
    return place


def test_the_share_is_of_all_requests_by_input(phases: Path, plan: Path) -> None:
    inputs = {given: Command([str(phases), given]) for given in ("50000", "0")}
    said: list[str] = []
    shares = shares_served(Candidate("pools", plan), inputs, said.append)
    assert said == ["counting what pools serves"]
    assert 0.9 < (shares["50000"] or 0) < 1.0
    assert shares["0"] == 0.0
    (note,) = notes_on_served(shares)
    assert note.startswith("on 0 the plan serves nothing")


def test_a_server_is_asked_to_end_and_then_tells(phases: Path, plan: Path) -> None:
    server = Command([str(phases), "0", "serve"], client=Client(("true",)))
    assert shares_served(Candidate("pools", plan), {"idle": server}, print) == {"idle": 0.0}
    failing = Command([str(phases), "0", "serve"], client=Client(("false",)))
    assert shares_served(Candidate("pools", plan), {"idle": failing}, print) == {"idle": None}


@pytest.mark.parametrize("count", ["1e999", "1" + "0" * 400, "-1", "true", '"7"', "null", "[" * 50_000])
def test_what_a_program_writes_is_not_taken_for_statistics(
    phases: Path, plan: Path, tmp_path: Path, count: str
) -> None:
    line = tmp_path / "line"
    line.write_text(f'{{"requests": {count}, "matched": 0, "grouped": 0, "pooled": 7}}\n')
    command = Command(["sh", "-c", f'"{phases}" 50000; cat "{line}" >&2'])
    share = shares_served(Candidate("pools", plan), {"loud": command}, print)["loud"]
    assert share is not None and 0.9 < share < 1.0


def test_nothing_is_said_of_what_tells_nothing(phases: Path, plan: Path, tmp_path: Path) -> None:
    killed = Command(["sh", "-c", "kill -9 $$"])
    assert shares_served(Candidate("pools", plan), {"killed": killed}, print) == {"killed": None}
    (note,) = notes_on_served({"killed": None})
    assert note.startswith("on killed it is not known")
    empty = tmp_path / "empty.plan"
    write_empty(empty)
    assert shares_served(Candidate(OWN_MIMALLOC, empty), {"0": Command([str(phases), "0"])}, print) == {}
    assert shares_served(None, {"0": Command([str(phases), "0"])}, print) == {}
