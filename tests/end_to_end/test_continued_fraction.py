"""The workload continued_fraction: what it finds are factors, and it finds them where there are some."""

import math
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

PROGRAM = Path(__file__).parents[2] / "build/release/workloads/continued_fraction/continued_fraction"
NO_FACTORS = "has no factors that were found"


def run(number: int) -> str:
    return subprocess.run([PROGRAM, str(number)], capture_output=True, text=True, check=True).stdout.strip()


def factors_of(number: int) -> list[int]:
    """The two that are printed, and the number before them."""
    said, _, factors = run(number).partition(" = ")
    assert said == str(number)
    return [int(factor) for factor in factors.split(" * ")]


def is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


@pytest.mark.parametrize(
    "factors",
    [
        [2, 2],
        [251, 251],
        [257, 257],
        [10007, 10009],
        [1000003, 1000003],
        [1000003, 1000033],
        [30167887, 58118933],
        [1000000007, 1000000009],
        [4084399427, 15702382853],
        [38346349051, 90276909623],
    ],
)
def test_two_primes_are_found(factors: list[int]) -> None:
    assert factors_of(math.prod(factors)) == factors


@settings(max_examples=100)
@given(number=st.integers(2, 10**8))
def test_what_is_found_has_the_product(number: int) -> None:
    if is_prime(number):
        assert run(number) == f"{number} {NO_FACTORS}"
        return
    smaller, larger = factors_of(number)
    assert smaller * larger == number
    assert 1 < smaller <= larger


@settings(max_examples=30)
@given(a=st.integers(257, 10**7), b=st.integers(257, 10**7))
def test_larger_products_are_found(a: int, b: int) -> None:
    smaller, larger = factors_of(a * b)
    assert smaller * larger == a * b
    assert 1 < smaller <= larger


@pytest.mark.parametrize("number", [2, 3, 257, 1000003])
def test_a_prime_has_no_factors(number: int) -> None:
    assert run(number) == f"{number} {NO_FACTORS}"
