"""What simulation foretells of strategies, and of which candidates that is said."""

from dataclasses import replace
from pathlib import Path

from malloom.optimize.candidates import Candidate
from malloom.optimize.predicting import foretold_of


def test_where_no_time_is_predicted_nothing_is_foretold() -> None:
    ranking = [{"strategy": "pools", "time": 0.5}, {"strategy": "size", "time": None}]
    assert foretold_of(ranking) == {"pools": ("pools", 0.5)}
    assert foretold_of([]) == {}


def test_what_is_foretold_is_of_the_plan_as_it_was_planned() -> None:
    plain = Candidate("first-use", Path("a.plan"), foretold=("first-use", 0.8))
    assert plain.predicted == replace(plain, preallocate=True).predicted == 0.8
    for changed in (
        {"huge_pages": True},
        {"small_in_pools": True},
        {"without_prefetches": True},
        {"fallback": "system"},
        {"strategy": "first-use with pools", "plan": Path("b.plan")},
    ):
        assert replace(plain, **changed).predicted is None, changed  # type: ignore[arg-type]
    assert Candidate("pools", Path("learned.plan")).predicted is None
