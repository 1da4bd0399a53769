"""Bin functions that a machine generates for itself and runs."""

import re
import subprocess

import pytest

from structure.source_tree import ROOT

pytestmark = pytest.mark.long

BUILD = ROOT / "build/firmware"
BYTES = {"riscv_core": 120, "mps2_an385": 74, "linux_aarch64": 128, "linux_riscv64": 120}
"""Of dlmalloc's 127 bins."""


@pytest.mark.parametrize("target", BYTES)
def test_generated_functions_are_right(target: str) -> None:
    command = [ROOT / "firmware/run.sh", target, BUILD / target / "programs/run_generated"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    found = re.fullmatch(r"\d+ layouts, dlmalloc's bins in (\d+) bytes\n", done.stdout)
    assert found
    assert int(found[1]) <= BYTES[target]
