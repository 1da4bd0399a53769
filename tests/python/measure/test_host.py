"""What rows were measured on: the machine, and the commit of the sources."""

import subprocess
from pathlib import Path

import pytest

from malloom.measure.host import commit_of, host_takes_free_memory, measured_on
from structure.source_tree import ROOT


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A folder with a commit."""
    git = ["git", "-C", str(tmp_path), "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
    (tmp_path / "source").write_text("one")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Begin"]):
        subprocess.run([*git, *command], check=True)
    return tmp_path


def test_the_commit_is_named_and_changes_are_told(history: Path) -> None:
    command = ["git", "-C", str(history), "rev-parse", "HEAD"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.startswith(commit_of(history))
    assert len(commit_of(history)) == 12
    (history / "source").write_text("two")
    assert commit_of(history).endswith(" and changes")


def test_without_history_the_commit_is_unknown(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == "unknown"
    assert commit_of(tmp_path / "nowhere") == "unknown"


def test_the_machine_is_named() -> None:
    found = measured_on(Path())
    assert found["processor"]
    assert found["last_level"] == last_level_of_lscpu()


def last_level_of_lscpu() -> int:
    """Bytes of the outermost cache for data; 0 where lscpu knows none."""
    command = ["lscpu", "--bytes", "--caches=LEVEL,TYPE,ONE-SIZE"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in said.splitlines()[1:]]
    sizes = {int(level): int(size) for level, kind, size in rows if kind != "Instruction"}
    return sizes[max(sizes)] if sizes else 0


def test_the_commit_of_malloom_is_told_and_that_of_the_programs_where_it_is_another(history: Path) -> None:
    built, _, programs = str(measured_on(history)["commit"]).partition(", programs of ")
    assert programs == commit_of(history)
    has_history = commit_of(ROOT) != "unknown"
    assert is_commit(built.removesuffix(" and changes")) if has_history else built == "unknown"


def is_commit(name: str) -> bool:
    """Whether the history of malloom's sources has a commit of that name."""
    command = ["git", "-C", str(ROOT), "cat-file", "-e", f"{name}^{{commit}}"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("device", "features", "takes"),
    [
        ("0x0005", "01100101", True),
        ("0x0005", "00000100", True),
        ("0x0005", "01000001", False),
        ("0x0002", "01100101", False),
        ("0x0005", "011", False),
        ("none", "01100101", False),
    ],
)
def test_a_host_may_take_free_memory(device: str, features: str, takes: bool, tmp_path: Path) -> None:
    folder = tmp_path / "virtio0"
    folder.mkdir()
    (folder / "device").write_text(f"{device}\n")
    (folder / "features").write_text(f"{features}\n")
    assert host_takes_free_memory(tmp_path) is takes


def test_a_machine_without_devices_keeps_its_memory(tmp_path: Path) -> None:
    (tmp_path / "virtio0").mkdir()
    assert not host_takes_free_memory(tmp_path)
    assert not host_takes_free_memory(tmp_path / "nowhere")
