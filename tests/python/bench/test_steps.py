"""What the steps of every suite share: races of variants, and counts, in which one that fails fails alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from malloom.bench.cases import Case, OtherProgram
from malloom.bench.steps import Bench, conclusion
from malloom.errors import CommandError
from malloom.measure.interleaved import Budget, RaceId
from malloom.measure.interval import exact
from malloom.measure.process import Command
from malloom.measure.rows import row
from malloom.measure.variants import Variant, native, of_binary, with_environment

PROGRAM = OtherProgram("echo", "one", lambda _folder: ("/bin/echo", "one"))
FEW = Budget(fewest=2, most=2)


@pytest.fixture
def failures() -> dict[str, str]:
    return {}


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def bench(tmp_path: Path, failures: dict[str, str], said: list[str]) -> Bench:
    def failed(what: str, error: Exception) -> None:
        failures[what] = str(error)

    return Bench(tmp_path / "workloads", tmp_path, said.append, failed, lambda note: None)


def unavailable(_program: Command) -> Command:
    raise CommandError("it cannot be had")


def test_the_baseline_of_a_race_runs_twice(bench: Bench, said: list[str]) -> None:
    rounds = bench.race(PROGRAM, [native(), with_environment("named", {"NAME": "value"})], "glibc", FEW)
    assert {name: len(runs) for name, runs in rounds.runs.items()} == {
        "glibc": 2,
        "named": 2,
        "glibc again": 2,
    }
    assert said == ["measuring echo one: glibc, named"]


def test_a_variant_that_cannot_be_had_or_fails_leaves_the_others(
    bench: Bench, failures: dict[str, str]
) -> None:
    variants = [native(), Variant("unavailable", unavailable), of_binary("failing", Path("/bin/false"))]
    assert list(bench.race(PROGRAM, variants, "glibc", FEW).runs) == ["glibc", "glibc again"]
    assert failures["unavailable"] == "it cannot be had"
    assert failures["failing"].startswith("'failing' ended with exit status 1")


def test_without_its_baseline_there_is_no_race(bench: Bench) -> None:
    variants = [Variant("glibc", unavailable), with_environment("named", {})]
    with pytest.raises(CommandError, match="'glibc', which all is compared with, cannot be run"):
        bench.race(PROGRAM, variants, "glibc", FEW)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        ("echo one", "echo one"),
        ("echo one, huge pages on", "echo one, huge pages on"),
        ("now", "now: echo one"),
        ("", "echo one"),
    ],
)
def test_races_are_known_by_their_step_and_their_baseline(bench: Bench, step: str, name: str) -> None:
    rounds = replace(bench, step=step).race(PROGRAM, [native()], "glibc", FEW)
    assert rounds.race == RaceId(name, "glibc")


def test_a_conclusion_only_computes(bench: Bench) -> None:
    found = row(PROGRAM.place, "named", "glibc", "cpu_time", exact(0.5))
    step = conclusion("times", "goals", lambda: [found])
    assert (step.part, step.what, step.seconds, step.concludes) == ("times", "goals", 0.0, True)
    assert step.measure(bench) == [found]


def test_different_programs_that_do_the_same_can_be_raced(bench: Bench) -> None:
    commands = {"echo": Command(["/bin/echo", "one"]), "printf": Command(["printf", "one\\n"])}
    assert list(bench.race_of("printing", commands, "echo", FEW).runs) == ["echo", "printf", "echo again"]


def test_counts_are_of_those_that_can_be_counted(
    bench: Bench, failures: dict[str, str], said: list[str]
) -> None:
    def count(command: Command) -> int:
        if "NAME" in command.environment:
            raise CommandError("it has variables")
        return len(command.arguments)

    commands = bench.commands_of(PROGRAM, [native(), with_environment("named", {"NAME": "value"})])
    assert bench.counted("arguments", commands, count) == {"glibc": 2}
    assert failures == {"named": "it has variables"}
    assert said == ["counting arguments: glibc", "counting arguments: named"]


def test_a_workload_that_is_not_built_says_what_to_do(bench: Bench) -> None:
    with pytest.raises(CommandError, match=r"there is no workload .*/tiny/tiny; run 'make native'"):
        Case("tiny", ("1",), "").command(bench)


def test_a_workload_reports_its_measures_and_an_annotated_one_lies_beside_it(bench: Bench) -> None:
    folder = bench.workloads / "tiny"
    folder.mkdir(parents=True)
    for name in ("tiny", "tiny_annotated"):
        (folder / name).touch()
    case = Case("tiny", ("1", "2"), "walk_time")
    assert case.command(bench).arguments == [str(folder / "tiny"), "1", "2"]
    assert case.command(bench).environment == {"MALLOOM_PHASES": "1"}
    assert case.annotated().command(bench).arguments[0] == str(folder / "tiny_annotated")
    assert (str(case), case.is_annotated, case.annotated().is_annotated) == ("tiny 1 2", False, True)


def test_a_label_names_the_input_in_rows() -> None:
    assert Case("ft", ("1000", "5000"), "tree_time", "2x").place == ("ft", "2x")
