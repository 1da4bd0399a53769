"""What does not fit into memory, or on the disk."""

import shutil
from pathlib import Path

import pytest

from malloom.bench import room
from malloom.bench.room import lack_of_room, memory_for

HEAP = 256 << 20
MOST = 1 << 62


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "available_memory", lambda: 4e8)


@pytest.mark.usefixtures("free")
def test_what_does_not_fit_into_memory_is_told(tmp_path: Path) -> None:
    said = "not measured: it needs 403 MB of memory, and 400 MB are free"
    assert lack_of_room(memory_for(HEAP), 0, tmp_path) == said
    assert lack_of_room(int(4e8), 0, tmp_path) == ""


def test_what_does_not_fit_on_the_disk_is_told(tmp_path: Path) -> None:
    assert f"of disk in {tmp_path.parent}, and " in lack_of_room(0, MOST, tmp_path)
    assert lack_of_room(0, shutil.disk_usage(tmp_path).free // 2, tmp_path) == ""


def test_memory_that_nobody_has_is_not_there(tmp_path: Path) -> None:
    assert lack_of_room(MOST, 0, tmp_path).startswith("not measured: it needs ")
