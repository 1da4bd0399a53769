"""The workload factors: it finds the prime factors of numbers, in each heap the same."""

import math
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from end_to_end.conftest import COMMAND, releases_all

FACTORS = Path(__file__).parents[2] / "build/release/workloads/factors/factors"
HEAPS: dict[str, list[str | Path]] = {"glibc": [], "pools": [COMMAND, "run", "--heap", "pools", "--"]}
POWER = 2**61 - 1
"""A prime."""


def run(number: int, heap: str = "glibc") -> list[int]:
    done = subprocess.run([*HEAPS[heap], FACTORS, str(number)], capture_output=True, text=True, check=True)
    begin, _, factors = done.stdout.strip().partition(" = ")
    assert (begin, done.stderr) == (str(number), "")
    return [int(factor) for factor in factors.split(" * ")]


def is_small_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize(
    "factors",
    [[2], [59], [2] * 80, [3, 5, 7, 7, 53], [10007, 10009], [61, 61, 61], [1000003, 1000033, POWER], [POWER]],
)
def test_known_factors_are_found(heap: str, factors: list[int]) -> None:
    assert run(math.prod(factors), heap) == factors


@settings(max_examples=50)
@given(number=st.integers(2, 10**9))
def test_what_is_found_is_prime_and_has_the_product(number: int) -> None:
    found = run(number)
    assert math.prod(found) == number
    assert found == sorted(found)
    assert all(map(is_small_prime, found))


def test_every_object_is_released() -> None:
    assert releases_all(FACTORS, str(720 * 10007 * POWER))


@pytest.mark.parametrize("arguments", [[], ["0"], ["1"], ["-7"], ["12a"], ["1" * 39], ["6", "8"]])
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    done = subprocess.run([FACTORS, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: factors NUMBER ")


def test_phase_is_reported_when_asked_for() -> None:
    done = subprocess.run([FACTORS, "77", "--times"], capture_output=True, text=True, check=True)
    assert done.stdout == "77 = 7 * 11\n"
    assert done.stderr.startswith("measure factor_time ")
