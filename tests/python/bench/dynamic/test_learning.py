"""Plans that earlier runs leave: learners that fail alone, and the choice of what is carried."""

import subprocess
from pathlib import Path

import pytest

from malloom.bench.dynamic import carried
from malloom.bench.dynamic.learning import Learner, learned, learners
from malloom.bench.pairs import Budget
from malloom.bench.steps import Bench
from malloom.bench.workloads import Case
from malloom.errors import CommandError

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
    larger = Case("tiny", ("2",), "", "2x")
    for case in (CASE, CASE, larger, larger):
        assert carrying.of(bench, case, CASE) == carried.NOTHING
    assert asked == [7.0, 7.0], "once for the input itself, once for others"
