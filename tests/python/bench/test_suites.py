"""Which suites there are, what may be chosen of them, and one that joins by its folder."""

import json
import subprocess
from pathlib import Path

import pytest

import forked
import malloom.bench
from malloom.bench import suites
from malloom.bench.suites import found_suites
from malloom.bench.ten_programs import PROGRAMS
from malloom.errors import CommandError, UsageProblem

ROOT = Path(__file__).parents[3]
FOLDER = Path(__file__).parent / "small_suite"
NAMES = (
    "bins",
    "dynamic",
    "fleets",
    "oracle",
    "pages",
    "placement",
    "pools",
    "predictions",
    "programs",
    "splitting",
    "types",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quick", [False, True])
def test_every_part_has_steps_of_its_own_name(name: str, quick: bool) -> None:
    suite = found_suites()[name]
    prepared = suite.prepare(quick=quick)
    assert set(prepared.steps) == set(suite.parts)
    for part in suite.parts:
        steps = prepared.steps_of([part])
        assert steps
        assert {step.part for step in steps} == {part}
        assert len({step.what for step in steps}) == len(steps)


@pytest.mark.parametrize("name", NAMES)
def test_what_concludes_is_of_what_is_kept_between_runs(name: str) -> None:
    suite = found_suites()[name]
    prepared = suite.prepare(quick=True)
    for part in suite.parts:
        steps = prepared.steps_of([part])
        if all(step.concludes for step in steps):
            steps = prepared.steps_of([*suite.parts])  # it concludes over the other parts
        gathered = {id(step.gathers) for step in steps if step.gathers is not None}
        conclusions = sum(step.concludes for step in steps)
        assert not conclusions or len(gathered) in (1, conclusions), f"{part}: one for all, or one each"


@pytest.mark.parametrize("name", NAMES)
def test_groups_and_tables_are_of_parts_that_there_are(name: str) -> None:
    suite = found_suites()[name]
    assert {part for parts in suite.groups.values() for part in parts} <= set(suite.parts)
    of_all_parts = ""
    assert {table.part for table in suite.prepare(quick=True).tables} <= {*suite.parts, of_all_parts}
    assert suite.groups.keys().isdisjoint(suite.parts)


@pytest.mark.parametrize("name", ["bins", "pools"])
@pytest.mark.parametrize("quick", [False, True])
def test_every_step_says_what_memory_it_needs(name: str, quick: bool) -> None:
    suite = found_suites()[name]
    steps = suite.prepare(quick=quick).steps_of(list(suite.parts))
    without = [(step.part, step.what) for step in steps if not step.concludes and not step.memory]
    assert without == []


def test_of_pools_it_is_more_with_larger_heaps_and_of_bins_with_larger_graphs() -> None:
    small, large = (
        found_suites()["pools"].prepare(quick=False, last_level=size).steps_of(["times"])[0].memory
        for size in ("32M", "64M")
    )
    assert (small, large) == (3 * (32 << 20), 3 * (64 << 20)), "half as much again as heaps of twice the size"
    steps = found_suites()["bins"].prepare(quick=False).steps_of(["figure8-paper", "figure5"])
    needs = {step.what: step.memory for step in steps if not step.concludes}
    of_cluster = {memory for what, memory in needs.items() if what.startswith("128K")}
    of_any_size = {memory for what, memory in needs.items() if what.startswith("2x")}
    assert max(of_cluster) < min(of_any_size)


def times(**chosen: object) -> list[str]:
    """The steps of the part `times` of the suite dynamic."""
    prepared = found_suites()["dynamic"].prepare(quick=False, last_level="32M", **chosen)
    return [step.what for step in prepared.steps_of(["times"])]


def test_all_are_measured_where_plans_were_learned_and_elsewhere_and_ft_at_all_sizes() -> None:
    measured = (*PROGRAMS, "mst_requests")
    at_both = [f"{program} {size}" for size in ("0.5x", "2x") for program in measured]
    assert times() == [*at_both, "ft 8x", "goals"]
    assert times(program=["mst", "em3d"], sizes="2x,0.5x") == [
        "em3d 0.5x", "mst 0.5x", "em3d 2x", "mst 2x", "goals",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "chosen", "said"),
    [
        ("pools", {"program": ["mcf"]}, "no program 'mcf'"),
        ("dynamic", {"sizes": "2x,3x"}, "no size '3x'; choose of 0.5x, 2x, 8x"),
        ("dynamic", {"program": ["mcf"]}, "no program 'mcf'"),
        ("splitting", {"program": ["mst"]}, "no program 'mst'; choose of em3d"),
        ("programs", {"goal": "disk"}, "no goal 'disk'; choose of time, memory"),
        ("dynamic", {"sizes": "1x"}, "no size '1x'"),
        ("dynamic", {"last_level": "huge"}, "is no size"),
        ("pools", {"last_level": "huge"}, "is no size"),
    ],
)
def test_what_there_is_not_is_bad_use(name: str, chosen: dict[str, object], said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        found_suites()[name].prepare(quick=False, **chosen)


def test_seconds_are_not_for_a_quick_run() -> None:
    with pytest.raises(UsageProblem, match="whatever --seconds says; leave one of them out"):
        found_suites()["dynamic"].prepare(quick=True, seconds=0.0)


def test_a_folder_joins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites, "HERE", (*suites.HERE, FOLDER))
    monkeypatch.setattr(malloom.bench, "__path__", [*malloom.bench.__path__, str(FOLDER)])
    found = found_suites()
    assert list(found) == sorted(["cycles", *NAMES])
    assert found["cycles"].chosen_parts([]) == ["cycles"]


@pytest.fixture
def further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is looked through for suites, beside malloom's own."""
    monkeypatch.setattr(suites, "HERE", (*suites.HERE, tmp_path))
    monkeypatch.setattr(malloom.bench, "__path__", [*malloom.bench.__path__, str(tmp_path)])
    return tmp_path


def add_suite(folder: Path, name: str, text: str) -> None:
    (folder / name).mkdir()
    (folder / name / "suite.py").write_text(text)


def test_a_folder_that_is_no_package_joins_too(further: Path) -> None:
    text = (FOLDER / "cycles/suite.py").read_text()
    add_suite(further, "steps_alone", text)
    assert found_suites()["steps_alone"].chosen_parts([]) == ["cycles"]


def test_folders_without_a_suite_are_passed_over(further: Path) -> None:
    (further / "inputs").mkdir()
    assert list(found_suites()) == list(NAMES)


def test_make_runs_the_suites_that_are_found() -> None:
    make = ["make", "--no-print-directory", "--eval=suites: ; @echo $(SUITES)", "suites"]
    done = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == list(found_suites())


BROKEN = {
    "import": ("import what_is_not_there", "ModuleNotFoundError: No module named 'what_is_not_there'"),
    "syntax": ("SUITE =", "SyntaxError: invalid syntax"),
    "none": ("", "has no attribute 'SUITE'"),
    "other": ("SUITE = 7", "its SUITE is no Suite"),
    "exit": ("import sys; sys.exit('no simulator\\nhere')", "SystemExit: no simulator here"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_loaded_says_why_and_leaves_the_others(further: Path, name: str) -> None:
    text, why = BROKEN[name]
    add_suite(further, f"broken_{name}", text)
    found = found_suites()
    assert set(found) == {*NAMES, f"broken_{name}"}
    assert why in found[f"broken_{name}"].summary
    with pytest.raises(CommandError, match=f"the suite 'broken_{name}' cannot be loaded: .*; fix .*suite.py"):
        found[f"broken_{name}"].prepare(quick=True)


# The whole command with one more folder of suites.
MALLOOM = """
import sys
from pathlib import Path
import malloom.bench
from malloom.bench import suites
from malloom.commands.main import execute

folder, *arguments = sys.argv[1:]
suites.HERE = (*suites.HERE, Path(folder))
malloom.bench.__path__.append(folder)
sys.exit(execute(arguments))
"""
SIMULATOR = """#!/bin/sh
case $1 in slow) cycles=400 ;; fast) cycles=100 ;; esac
shift
"$@" && echo "measure cycles $cycles" >&2
"""


def malloom_with(suites_in: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.run(MALLOOM, [suites_in, *arguments], folder)


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return malloom_with(FOLDER, folder, "bench", *arguments)


def words_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_help_names_the_suite_that_joined(tmp_path: Path) -> None:
    assert "cycles cycles of a program in a simulator" in words_of(command(tmp_path, "--help"))


def test_its_own_help_has_its_parts_and_options(tmp_path: Path) -> None:
    text = words_of(command(tmp_path, "cycles", "--help"))
    assert "Cycles of a program in a simulator." in text
    assert "cycles: cycles of a whole run" in text
    assert "--simulator FILE What executes the program and reports its cycles. [default: simulator]" in text
    assert "--quick" in text, "and those of all suites"
    assert "--against" not in text, "but not those of others"


def test_help_names_the_suite_that_cannot_be_loaded(tmp_path: Path) -> None:
    add_suite(tmp_path, "broken", "import what_is_not_there")
    text = words_of(malloom_with(tmp_path, tmp_path, "bench", "--help"))
    assert "broken cannot be loaded: ModuleNotFoundError: No module named" in text
    assert "placement Cyll's thesis" in text
    assert "bench " in words_of(malloom_with(tmp_path, tmp_path, "--help"))


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--only", "times"], ["--last-level", "32M"]])
def test_the_suite_that_cannot_be_loaded_fails_in_one_line(tmp_path: Path, arguments: list[str]) -> None:
    add_suite(tmp_path, "broken", "import what_is_not_there")
    done = malloom_with(tmp_path, tmp_path, "bench", "broken", *arguments)
    why = "ModuleNotFoundError: No module named 'what_is_not_there'"
    file = tmp_path / "broken/suite.py"
    assert done.stderr == f"malloom: the suite 'broken' cannot be loaded: {why}; fix {file}\n"
    assert (done.returncode, done.stdout) == (1, "")


@pytest.fixture
def simulator(tmp_path: Path) -> str:
    program = tmp_path / "counting"
    program.write_text(SIMULATOR)
    program.chmod(0o755)
    return str(program)


def test_it_runs_prints_and_writes(tmp_path: Path, simulator: str) -> None:
    files = ["--json", "rows.json", "--markdown", "tables.md"]
    done = command(tmp_path, "cycles", "--simulator", simulator, *files)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "rows.json").read_text())
    assert (found["suite"], found["failures"]) == ("cycles", [])
    assert [(row["variant"], row["baseline"], row["metric"], row["ratio"]) for row in found["rows"]] == [
        ("fast", "slow", "cycles", 0.25),
        ("slow again", "slow", "cycles", 1.0),
    ]
    assert all({"commit", "processor", "date", "last_level", "runs"} <= row.keys() for row in found["rows"])
    assert [goal["reached"] for goal in found["goals"]] == [True]
    for text in (done.stdout, (tmp_path / "tables.md").read_text()):
        assert "Cycles in the simulator" in text
        assert "0.250" in text
        assert "What malloom must reach" in text


def test_without_its_simulator_it_fails_in_its_step(tmp_path: Path) -> None:
    done = command(tmp_path, "cycles", "--quick", "--json", "rows.json")
    assert done.returncode == 1
    (failure,) = json.loads((tmp_path / "rows.json").read_text())["failures"]
    assert (failure["part"], failure["what"]) == ("cycles", "true nothing")
    assert "cannot run simulator" in failure["why"]
