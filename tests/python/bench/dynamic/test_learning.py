"""Plans that earlier runs leave: learners that fail alone, and the choice of what is carried."""

import re
import subprocess
from pathlib import Path

import pytest

from malloom.bench.dynamic import carried
from malloom.bench.dynamic.learning import Learner, learned, learners
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.registry import strategy
from malloom.measure.interleaved import Budget
from malloom.profile import HeapProfile

CASE = Case("tiny", ("1",), "", "0.5x")


@pytest.fixture
def failures() -> dict[str, str]:
    return {}


@pytest.fixture
def bench(tmp_path: Path, failures: dict[str, str]) -> Bench:
    """A bench with one program, which prints a line."""
    program = tmp_path / "workloads/tiny/tiny"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho tiny\n")
    program.chmod(0o755)

    def failed(what: str, error: Exception) -> None:
        failures[what] = str(error)

    return Bench(tmp_path / "workloads", tmp_path, lambda line: None, failed, lambda note: None)


def writing(name: str, text: str) -> Learner:
    def learn(bench: Bench, case: Case, plan: Path) -> str:
        plan.write_text(text)
        return f"{name} of {case.workload}"

    return Learner(name, True, learn)


def failing(bench: Bench, case: Case, plan: Path) -> str:
    raise CommandError("it learns nothing")


def test_a_learner_that_fails_leaves_the_others(bench: Bench, failures: dict[str, str]) -> None:
    wanted = [Learner("bad", True, failing), Learner("none", True, lambda *of: ""), writing("good", "plan")]
    plans = learned(bench, CASE, wanted)
    assert [(name, plan.read_text()) for name, plan in plans.items()] == [("good of tiny", "plan")]
    assert failures == {"learning by bad": "it learns nothing"}


def test_a_plan_is_learned_once(bench: Bench) -> None:
    learned(bench, CASE, [writing("good", "first")])
    (plan,) = learned(bench, CASE, [writing("good", "second")]).values()
    assert plan.read_text() == "first"


def test_only_plans_by_ordinals_stay_with_their_input() -> None:
    assert [learner.name for learner in learners() if not learner.carries_over] == ["optimize"]


def test_pools_without_prefetches_are_not_raced_twice(bench: Bench, failures: dict[str, str]) -> None:
    source = "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 100; ++i) malloc(48); return 0; }\n"
    program = bench.workloads / "tiny/tiny"
    subprocess.run(["gcc", "-O0", "-x", "c", "-", "-o", program], input=source, text=True, check=True)
    of_pools, of_both = (
        next(each for each in learners() if each.name == f"run --heap pools{then}")
        for then in ("", ", then --dynamic")
    )
    assert list(learned(bench, CASE, [of_pools, of_both])) == [of_pools.name]
    assert failures == {}
    assert len(list(bench.scratch.glob("*.plan"))) == 1


def test_nothing_is_carried_where_nothing_was_learned(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def none(seconds: float) -> list[Learner]:
        asked.append(seconds)
        return [Learner("bad", True, failing)]

    monkeypatch.setattr(carried, "learners", none)
    carrying = carried.Carrying(Budget(fewest=2, most=2), 7.0)
    middle = Case("tiny", ("2",), "", "1x")
    for chosen_on in (CASE, CASE, middle, middle):
        assert carrying.of(bench, CASE, chosen_on) == carried.NOTHING
    assert asked == [7.0, 7.0], "once for the input itself, once for others"


# With the plan a it is quickest on the input 1, with b on the input 2, where with c it takes more memory.
TWO_INPUTS = """#!/bin/sh
work=60000
megabytes=16
case "$1 $MALLOOM" in
    "1 "*a.plan*) work=1 ;;
    "2 "*b.plan*) work=5000 ;;
    "2 "*c.plan*) work=1 && megabytes=32 ;;
esac
dd if=/dev/zero bs=${megabytes}M count=1 2>&1 | wc -c >&2
while [ $work -gt 0 ]; do work=$((work-1)); done
echo done
"""


def of_pools(bench: Bench, case: Case, plan: Path) -> str:
    """Writes a plan that has something to say; its name is that of the file."""
    profile = HeapProfile.from_arrays([48] * 100)
    write_plan(make_plan(profile, strategy("pools").place(profile, geometry_from("zen5"))), plan)
    return plan.suffixes[-2].strip(".")


@pytest.fixture
def carrying(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> carried.Carrying:
    (bench.workloads / "tiny/tiny").write_text(TWO_INPUTS)
    known = [Learner(name, True, of_pools) for name in "abc"]
    monkeypatch.setattr(carried, "learners", lambda seconds: known)
    monkeypatch.setattr(carried, "ROUNDS", 3)
    return carried.Carrying(Budget(fewest=6, most=6), 0.0)


def test_plans_are_chosen_where_they_are_to_be_chosen(bench: Bench, carrying: carried.Carrying) -> None:
    middle = Case("tiny", ("2",), "", "1x")
    assert carrying.of(bench, CASE, CASE).description.partition(",")[0] == "a"
    assert carrying.of(bench, CASE, middle).description.partition(",")[0] == "b"


def test_a_plan_that_needs_much_memory_is_not_carried(bench: Bench, carrying: carried.Carrying) -> None:
    chosen = carrying.of(bench, CASE, Case("tiny", ("2",), "", "1x"))
    (note,) = chosen.notes
    assert re.fullmatch(r"left out for their peak .* own: c 1\.\d\d, c, in huge pages 1\.\d\d", note)
