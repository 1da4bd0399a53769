"""What the page of a verdict says in its heading."""

from typing import Any

import pytest

from malloom.page.verdict import headline

FOUND = {"verdict": "faster", "metric": "cpu_time", "plan": "a.plan", "choice_file": None}


@pytest.mark.parametrize(
    ("changes", "heading"),
    [
        ({}, "faster"),
        ({"plan": None, "choice_file": "a.choice"}, "faster"),
        ({"plan": None}, "faster, and nothing is kept"),
        ({"metric": "memory"}, "less memory"),
        ({"metric": "memory", "verdict": "slower", "plan": None}, "more memory, and nothing is kept"),
        ({"verdict": "not distinguishable", "plan": None}, "not distinguishable, and nothing is kept"),
        ({"verdict": None, "plan": None}, "no verdict, and nothing is kept"),
    ],
)
def test_the_heading_says_whether_anything_is_kept(changes: dict[str, Any], heading: str) -> None:
    assert headline({**FOUND, **changes}) == heading
