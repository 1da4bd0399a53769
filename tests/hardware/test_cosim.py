"""The page heap with the chunk unit and without, on what `malloom record` saw of a real program."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hardware.rtl import Fault, with_fault
from malloom.bench.pages.cosimulation import compared, write_operations
from malloom.errors import CommandError
from malloom.profile import HeapProfile
from malloom.profile.requests import requests_from_arrays
from structure.source_tree import ROOT

MALLOOM = ROOT / ".venv/bin/malloom"
BUILT = ROOT / "build/hardware"
LARGEST = 2048
FAULT = Fault("and_tree.v", "lower ? upper_first : lower_first", "upper ? upper_first : lower_first")
REQUESTS = ("finds", "frees", "loads", "stores", "statuses")
GRAPH = "digraph { " + "".join(f"n{i} -> n{i * 7 % 40}; n{i} -> n{i // 2}; " for i in range(60)) + "}"


def test_a_recorded_program_is_served_alike(tmp_path: Path) -> None:
    """Graphviz: requests of all classes, and of more than half a page."""
    profile, operations = tmp_path / "dot.profile", tmp_path / "operations"
    command = [MALLOOM, "record", "-o", profile, "--accesses", "none", "--", "dot", "-Tsvg"]
    subprocess.run(command, input=GRAPH.encode(), check=True, stdout=subprocess.DEVNULL)
    requests = HeapProfile.open(profile).requests
    write_operations(requests, operations)
    asked = compared(BUILT, operations)
    small = int(np.count_nonzero(requests.size <= LARGEST))
    assert 0 < small < len(requests)
    assert asked["finds"] == small
    assert len({int(size).bit_length() for size in requests.size if 8 < size <= LARGEST}) >= 8
    assert min(asked["frees"], asked["loads"], asked["stores"]) > 0
    assert asked["cycles"] == 1 + sum(asked[name] for name in REQUESTS)


@pytest.mark.long
def test_a_fault_of_the_unit_is_found(tmp_path: Path) -> None:
    """The unit is built with it: a find takes the second half of a full page for the first."""
    for path in ROOT.iterdir():
        if path.name not in ("hardware", "build"):
            (tmp_path / path.name).symlink_to(path)
    shutil.copytree(ROOT / "hardware", tmp_path / "hardware")
    with_fault(FAULT, tmp_path / "hardware/rtl")
    built = tmp_path / "build"
    configure = ["cmake", "-G", "Ninja", "-S", tmp_path / "hardware", "-B", built, "-DMALLOOM_TESTS=OFF"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", built], check=True, capture_output=True)
    (tmp_path / "operations").write_bytes(np.full(300, 16, "<i8").tobytes())
    with pytest.raises(CommandError, match="the unit put an object of 16 bytes at"):
        compared(built, tmp_path / "operations")


def test_lists_that_are_not_whole_are_refused(tmp_path: Path) -> None:
    for operations in ([16, -1, -1], [-1], [16, -3]):
        (tmp_path / "operations").write_bytes(np.asarray(operations, "<i8").tobytes())
        with pytest.raises(CommandError, match="no whole list of requests"):
            compared(BUILT, tmp_path / "operations")


def test_operations_are_sizes_and_complements(tmp_path: Path) -> None:
    death = np.asarray([2, 2**64 - 1, 4], np.uint64)
    requests = requests_from_arrays([8, 3000, 24], birth=np.asarray([0, 1, 3], np.uint64), death=death)
    write_operations(requests, tmp_path / "operations")
    assert np.frombuffer((tmp_path / "operations").read_bytes(), "<i8").tolist() == [8, 3000, -1, 24, -3]
