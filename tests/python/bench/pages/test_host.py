"""What the suite pages makes of the page heap behind programs of this machine."""

from pathlib import Path

import pytest

from malloom.bench.goals import Goal
from malloom.bench.pages import host
from malloom.bench.pages.programs import PROGRAMS, Scale

PROFILE = """version: 1
positions: line
events: Ir

ob=/lib/libmalloom.so
fl=a.cpp
fn=malloc
10 5
12 7
cob=/lib/libc.so.6
cfn=memset
calls=3 100
13 4000
14 1
ob=/usr/bin/program
fn=main
1 90
cob=/lib/libmalloom.so
cfn=malloc
calls=2 10
2 4013
totals: 103
"""


def test_instructions_are_those_of_the_library_and_not_of_what_it_calls() -> None:
    assert host.instructions_in(PROFILE, Path("/lib/libmalloom.so")) == 5 + 7 + 1
    assert host.instructions_in(PROFILE, Path("/lib/other.so")) == 0


def test_the_goal_is_of_the_mean_of_ctz() -> None:
    counted = host.Counted(
        {
            ("a", ""): {"linear": 100, "kamp": 100, "ctz": 25, "vector": 50},
            ("b", ""): {"linear": 100, "kamp": 100, "ctz": 100, "vector": 50},
        }
    )
    found = host.mean_of_counts(counted)
    (goal,) = [each for each in found if isinstance(each, Goal)]
    assert (goal.row.variant, goal.limit) == ("ctz", 0.70)
    assert goal.row.ratio == pytest.approx(0.5)
    assert host.mean_of_counts(host.Counted()) == []


def test_programs_are_told_apart_by_their_places() -> None:
    cases = host.timed_cases()
    assert len({case.place for case in cases}) == len(cases) >= 20
    assert len({step.what for step in host.count_steps(PROGRAMS, Scale.USUAL)}) == len(PROGRAMS) + 1
