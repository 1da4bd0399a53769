"""What `malloom optimize` keeps, from its answer. The command itself is run by the suites' own tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from malloom.bench.cases import Case, OtherProgram
from malloom.bench.kept import answer_of, optimized, optimized_on
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.registry import strategy
from malloom.measure import stages, variants
from malloom.measure.interval import Interval
from malloom.measure.process import Command
from malloom.profile import HeapProfile
from python.bench.races import bench

ECHO = Command(["/bin/echo", "one"])
PROGRAM = OtherProgram("echo", "1/2 MB document", lambda _folder: tuple(ECHO.arguments))
ANSWER = {
    "verdict": "faster",
    "ratio": 0.5,
    "low": 0.4,
    "high": 0.6,
    "pairs": 12,
    "peak_rss_ratio": 1.25,
    "strategy": "sequential",
    "notes": ["pools could not be learned"],
    "plan": "somewhere.plan",
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The command lines that were run; the answer to each is ANSWER, with a plan beside it."""
    lines: list[tuple[str, ...]] = []

    def answer(*arguments: str, environment: dict[str, str] | None = None) -> str:
        assert environment is None
        lines.append(arguments)
        profile, plan = HeapProfile.from_arrays([48] * 10), Path(arguments[arguments.index("-o") + 1])
        write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), plan)
        return json.dumps(ANSWER)

    monkeypatch.setattr(stages, "output_of", answer)
    return lines


def test_the_command_is_run_once_for_a_program_and_an_input(tmp_path: Path, asked: list[Any]) -> None:
    kept = [optimized(bench(scratch=tmp_path), PROGRAM, 7.0) for _ in range(2)]
    assert kept[0] == kept[1]
    plan = tmp_path / "optimized-echo-1-2-MB-document.plan"
    options = ("--json", "-o", str(plan), "--seconds", "7.0")
    assert asked == [("optimize", *options, "--", "/bin/echo", "one")]
    other = OtherProgram("echo", "3 MB document", PROGRAM.prepare)
    optimized(bench(scratch=tmp_path), other, 7.0)
    assert len(asked) == 2


def test_a_workload_is_learned_on_some_inputs_and_checked_on_others(tmp_path: Path, asked: list[Any]) -> None:
    program = tmp_path / "ft/ft"
    program.parent.mkdir()
    program.touch()
    small, large, other = (Case("ft", (nodes, "5"), "", f"{nodes}x") for nodes in ("1", "4", "2"))
    there = bench(workloads=tmp_path, scratch=tmp_path)
    kept = [optimized_on(there, [small, large], [other], None) for _ in range(2)]
    assert kept[0] == kept[1]
    options = ("--json", "-o", str(tmp_path / "optimized-ft-1x-4x.plan"))
    inputs = ("--train", "1 5", "--train", "4 5", "--check", "2 5")
    assert asked == [("optimize", *options, *inputs, "--", str(program.resolve()), "{}")]


@pytest.mark.usefixtures("asked")
def test_a_plan_that_is_kept_is_what_its_user_runs(tmp_path: Path) -> None:
    kept = optimized(bench(scratch=tmp_path), PROGRAM, 7.0)
    assert kept.plan is not None and kept.plan.is_file()
    assert (kept.described, kept.verdict, kept.pairs, kept.peak_ratio) == ("sequential", "faster", 12, 1.25)
    assert kept.interval == Interval(0.5, 0.4, 0.6)
    assert kept.notes == ("pools could not be learned",)
    variant = kept.variant("carried")
    assert variant.name == "carried"
    assert variant.of(ECHO).environment == variants.planned(kept.plan)


@pytest.mark.usefixtures("asked")
def test_without_a_plan_the_program_runs_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"plan": None, "verdict": "no difference", "low": None, "high": None}
    for name, value in nothing.items():
        monkeypatch.setitem(ANSWER, name, value)
    kept = optimized(bench(scratch=tmp_path), PROGRAM, 7.0)
    assert (kept.plan, kept.described) == (None, "nothing")
    assert kept.interval == Interval(0.5, None, None)
    variant = kept.variant("carried")
    assert (variant.name, variant.of(ECHO)) == ("carried", ECHO)


def test_without_a_verdict_nothing_is_kept_and_the_next_asks_again(tmp_path: Path) -> None:
    missing = OtherProgram("missing", "nothing", lambda _folder: ("/nonexistent/program",))
    for _ in range(2):
        with pytest.raises(CommandError, match=r"malloom optimize failed: malloom: .*/nonexistent/program"):
            optimized(bench(scratch=tmp_path), missing, 0.0)
    assert list(tmp_path.iterdir()) == []


def test_programs_have_what_is_told_in_their_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, str] | None] = []

    def answer(*_arguments: str, environment: dict[str, str] | None = None) -> str:
        told.append(environment)
        return json.dumps(ANSWER)

    monkeypatch.setattr(stages, "output_of", answer)
    answer_of(bench(scratch=tmp_path), "one", [], ["/bin/echo"], None, {"SOURCE_DATE_EPOCH": "0"})
    assert told == [{"SOURCE_DATE_EPOCH": "0"}]
