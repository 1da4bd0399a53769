"""Families of tests of which `make test` has some, and `make soak` all."""

import os
from collections.abc import Iterable

import pytest

IS_SOAK = "MALLOOM_SOAK" in os.environ
"""Whether tests take as long as they like."""


def some(*kept: object, of: Iterable[object]) -> list[object]:
    """The values of a parametrized test, of which all but those kept are for `make soak`."""
    values = list(of)
    assert [each for each in kept if each not in values] == [], "what is kept is one of them"
    return [
        pytest.param(
            *(each if isinstance(each, tuple) else (each,)),
            marks=() if each in kept else pytest.mark.long,
        )
        for each in values
    ]
