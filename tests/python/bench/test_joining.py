"""What several runs have finished, joined: every row with its commit, and means over all."""

import json
import lzma
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import forked
from malloom.bench.findings import Findings
from malloom.bench.joining import findings_of
from malloom.bench.numbers import number_rows
from malloom.bench.state import finished
from malloom.bench.steps import Step, conclusion
from malloom.bench.suite import Prepared
from python.bench.test_resuming import FOLDER, MEAN, NAMES, Suites
from python.bench.test_suites import MALLOOM

OTHER = {"commit": "0123456789ab", "date": "2005-06-12"}


@pytest.fixture
def suites(tmp_path: Path) -> Suites:
    return Suites(tmp_path)


def part(suites: Suites, name: str, pattern: str, **changed: str) -> None:
    """Measures the steps into a file of that name, as if on what was changed."""
    suites.run("--step", pattern)
    suites.change_state(**changed)
    (suites.folder / "state.json").rename(suites.folder / name)


def join(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return forked.run(MALLOOM, [FOLDER, "bench", "join", *options], folder)


def nonsense(state: dict[str, Any]) -> dict[str, Any]:
    return {**state, "steps": [{**step, "part": "nonsense"} for step in state["steps"]]}


def rows_of(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    found = json.loads((folder / "joined.json").read_text())["rows"]
    return {(row["workload"], row["input"]): row for row in found if row["variant"] == "fast"}


def test_rows_keep_their_commits_and_means_are_over_all(suites: Suites) -> None:
    part(suites, "two.json", "walk t*", **OTHER)
    part(suites, "one.json", "walk [of]*")
    done = join(suites.folder, "two.json", "one.json", "-o", "joined.json", "--markdown", "joined.md")
    assert done.returncode == 0, done.stderr
    rows = rows_of(suites.folder)
    assert list(rows) == [*(("walk", name) for name in NAMES), MEAN]
    ours = rows["walk", "one"]["commit"]
    assert [row["commit"] for row in rows.values()] == [
        ours, OTHER["commit"], OTHER["commit"], ours, f"{ours} and {OTHER['commit']}",
    ]  # fmt: skip
    assert rows["walk", "two"]["date"] == OTHER["date"]
    tables = (suites.folder / "joined.md").read_text()
    assert "| program | slow again | fast | commit |" in tables
    assert "| 0123456789ab, 2005-06-12 |" in tables
    assert "Walks" in done.stdout


def test_steps_are_kept_in_one_file_that_is_joined_again(suites: Suites) -> None:
    part(suites, "two.json", "walk t*", **OTHER)
    part(suites, "one.json", "walk [of]*")
    assert join(suites.folder, "two.json", "one.json", "-o", "joined.json").returncode == 0
    before = rows_of(suites.folder)
    for kept in ("all.json.xz", "all.json"):
        assert join(suites.folder, "two.json", "one.json", "--state", kept).returncode == 0
        assert join(suites.folder, kept, "-o", "joined.json").returncode == 0
        assert rows_of(suites.folder) == before
    text = (suites.folder / "all.json").read_text()
    assert "workloads" in json.loads((suites.folder / "one.json").read_text())["options"]
    assert "workloads" not in json.loads(text)["options"]
    packed = (suites.folder / "all.json.xz").read_bytes()
    assert lzma.decompress(packed) == text.encode()
    for damaged in (packed[:-20], b"", b"text"):
        (suites.folder / "all.json.xz").write_bytes(damaged)
        done = join(suites.folder, "all.json.xz")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_of_a_step_in_several_files_the_last_counts(suites: Suites) -> None:
    part(suites, "old.json", "walk *", **OTHER)
    part(suites, "new.json", "walk two")
    assert join(suites.folder, "old.json", "new.json", "-o", "joined.json").returncode == 0
    rows = rows_of(suites.folder)
    assert len(rows) == len(NAMES) + 1
    assert rows["walk", "two"]["commit"] != OTHER["commit"]
    assert {rows["walk", name]["commit"] for name in ("one", "three", "four")} == {OTHER["commit"]}


def test_what_does_not_belong_together_is_bad_use(suites: Suites) -> None:
    part(suites, "ours.json", "walk one")
    part(suites, "theirs.json", "walk two", processor="Zen 9")
    done = join(suites.folder, "ours.json", "theirs.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("malloom: the files were measured on different machines: processor ")
    suites.run("--seconds", "3", "--step", "walk two")
    done = join(suites.folder, "ours.json", "state.json")
    assert done.stderr == "malloom: the files were measured with different options: seconds 1.0 and 3.0\n"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (
            lambda state: {**state, "options": {}},
            "do not say with which options they were measured: quick, log",
        ),
        pytest.param(
            lambda state: {**state, "suite": "bins"},
            "a file is damaged: the suite bins has no part 'walks'",
            marks=pytest.mark.long,
        ),
        pytest.param(
            lambda state: {**state, "suite": "runs"}, "there is no suite 'runs'", marks=pytest.mark.long
        ),
        (nonsense, "a file is damaged: the suite walks has no part 'nonsense'"),
    ],
)
def test_what_no_run_of_the_suite_keeps_is_bad_use(
    suites: Suites, damage: Callable[[dict[str, Any]], dict[str, Any]], said: str
) -> None:
    suites.run("--step", "walk one")
    suites.write_state(damage(suites.state()))
    done = join(suites.folder, "state.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and said in done.stderr


def test_a_file_that_was_changed_is_bad_use(suites: Suites) -> None:
    suites.run("--step", "walk one")
    state = suites.state()
    state["steps"][0]["rows"][0]["workload"] = "nonsense"
    (suites.folder / "state.json").write_text(json.dumps(state))
    done = join(suites.folder, "state.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "malloom: state.json is damaged: it differs from what was written\n"


def test_what_is_no_state_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text('{"suite": "walks", "rows": []}')
    done = join(tmp_path, "rows.json")
    assert (done.returncode, done.stderr) == (2, "malloom: rows.json is damaged, or no state of a suite\n")
    assert (
        join(tmp_path, "nowhere.json").stderr
        == "malloom: cannot read nowhere.json: No such file or directory\n"
    )


def test_what_concludes_over_all_parts_is_concluded_too() -> None:
    step = Step("walks", "one", lambda _bench: [])
    means = number_rows(("mean", "all"), "walks", {"one": 1.0})
    prepared = Prepared(
        {"walks": lambda: [step], "all": lambda: [conclusion("all", "means", lambda: means)]}, []
    )
    done = finished(step, Findings({"processor": "x"}, [("walks", means[0])]), 1.0, [])
    found = findings_of(prepared, {("walks", "one"): done})
    assert [part for part, _ in found.rows] == ["walks", "all"]
