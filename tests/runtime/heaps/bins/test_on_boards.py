"""The bin heap on every target that firmware is for: what it promises, wrong calls, calls by chance. In
`make test` what is quick on the simulated core."""

import re
import subprocess

import pytest

from firmware.targets import CORE_FIRST, TARGETS
from structure.source_tree import ROOT

BUILD = ROOT / "build/firmware"
NARROW = ("riscv_core", "mps2_an385")
"""Those whose words have 32 bits."""


def numbers_of(target: str, program: str, pattern: str) -> list[int]:
    """The numbers that the program prints, after it has ended well."""
    command = [ROOT / "firmware/run.sh", target, BUILD / target / "programs" / program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    found = re.fullmatch(pattern, done.stdout)
    assert found, done.stdout
    return [int(number) for number in found.groups()]


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_what_is_promised_holds(target: str) -> None:
    pattern = (
        r"(\d+) objects, (\d+) functions generated; "
        r"127 bins in (\d+) bytes, with a table (\d+); (\d+) expectations hold\n"
    )
    objects, functions, plain, with_table, expectations = numbers_of(target, "bins_conformance", pattern)
    # With four sets of options: three ways to lay out bins, three times each, and two ways to count.
    assert functions == 4 * (3 * 3 + 2)
    assert objects > 5_000
    assert expectations > 100_000
    if target in NARROW:
        assert plain <= 128 + 127 * 8
        assert with_table <= 128 + 127 * 16


@pytest.mark.parametrize("target", CORE_FIRST)
def test_bad_input_is_refused(target: str) -> None:
    pattern = r"(\d+) wrong calls refused, (\d+) overwritten tags noticed; (\d+) expectations hold\n"
    refused, noticed, expectations = numbers_of(target, "bins_bad_input", pattern)
    assert refused > 400
    assert noticed > 300
    assert expectations > 5_000


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_calls_by_chance_leave_the_heap_whole(target: str) -> None:
    pattern = r"20 heaps, (\d+) objects, (\d+) rehashes, (\d+) functions generated; (\d+) expectations hold\n"
    objects, rehashes, functions, expectations = numbers_of(target, "bins_random_operations", pattern)
    assert objects > 3_000
    assert 50 < functions < rehashes
    assert expectations > 50_000


@pytest.mark.parametrize("target", CORE_FIRST)
def test_example(target: str) -> None:
    pattern = (
        r"(\d+) of 64 objects lie in the fast memory\n"
        r"(\d+) cycles a pair with dlmalloc's bins\n"
        r"(\d+) cycles of a rehash\n"
        r"(\d+) cycles a pair with bins and a function of its own\n"
    )
    in_fast_memory, before, rehash, after = numbers_of(target, "bins", pattern)
    assert 0 < in_fast_memory < 64
    assert 0 < before < rehash
    assert after > 0
