"""What rows were measured on: the machine, and the commit of the sources."""

import subprocess
from pathlib import Path

from malloom.measure.host import commit_of, measured_on


def test_the_commit_is_named_and_changes_are_told(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    (tmp_path / "source").write_text("one")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Begin"]):
        subprocess.run([*git, *command], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith(commit_of(tmp_path))
    assert len(commit_of(tmp_path)) == 12
    (tmp_path / "source").write_text("two")
    assert commit_of(tmp_path).endswith(" and changes")


def test_without_history_the_commit_is_unknown(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == "unknown"
    assert commit_of(tmp_path / "nowhere") == "unknown"


def test_the_machine_is_named() -> None:
    found = measured_on(Path())
    assert found["processor"]
    assert int(found["last_level"]) >= 0


def test_the_commit_of_malloom_is_told_and_that_of_the_programs_where_it_is_another(tmp_path: Path) -> None:
    of_both = str(measured_on(tmp_path)["commit"])
    assert of_both.endswith(", programs of unknown")
    built = of_both.partition(",")[0]
    assert built == "unknown" or len(built.removesuffix(" and changes")) == 12
