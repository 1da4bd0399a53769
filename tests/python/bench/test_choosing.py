"""Which steps are chosen: by name, and by share."""

import pytest

from malloom.bench.choosing import chosen_steps, print_needs
from malloom.bench.steps import Step, conclusion
from malloom.errors import UsageProblem

NAMES = ("tsp 2x", "tsp 8x", "em3d 2x", "em3d 8x")
STEPS = [
    *(Step("olden", name, lambda bench: [], 480.0 if "8x" in name else 120.0) for name in NAMES),
    conclusion("olden", "goals", lambda: []),
]


def names(*patterns: str, share: str = "") -> list[str]:
    return [step.what for step in chosen_steps(STEPS, patterns, share)]


def test_without_a_choice_all_are_chosen() -> None:
    assert names() == [*NAMES, "goals"]


def test_steps_are_chosen_by_patterns_and_conclusions_stay() -> None:
    assert names("tsp *") == ["tsp 2x", "tsp 8x", "goals"]
    assert names("* 8x", "em3d 2x") == ["tsp 8x", "em3d 2x", "em3d 8x", "goals"]


def test_a_pattern_of_no_step_is_bad_use() -> None:
    for pattern in ("mst *", "goals"):
        with pytest.raises(UsageProblem, match=r"no step is called '.*'; --list names all steps"):
            names("tsp *", pattern)


@pytest.mark.parametrize("count", range(1, 8))
def test_shares_are_together_all_steps_once(count: int) -> None:
    shares = [names(share=f"{number}/{count}")[:-1] for number in range(1, count + 1)]
    assert [name for share in shares for name in share] == list(NAMES)


def test_shares_take_equally_long() -> None:
    assert names(share="1/2") == ["tsp 2x", "tsp 8x", "goals"]
    assert names("* 8x", share="2/2") == ["em3d 8x", "goals"]


@pytest.mark.parametrize("share", ["0/2", "3/2", "2", "one", "1/0", "-1/2"])
def test_what_is_no_share_is_bad_use(share: str) -> None:
    with pytest.raises(UsageProblem, match="is no share; write 2/6 for the second of six"):
        names(share=share)


def test_the_list_has_what_each_step_and_each_part_needs(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [
        Step("times", "small", lambda bench: [], 90.0, memory=5_000_000),
        Step("times", "large", lambda bench: [], 1910.0, memory=80_000_000, disk=9_000_000),
        Step("misses", "unknown", lambda bench: []),
        conclusion("times", "goals", lambda: []),
    ]
    print_needs(steps)
    lines = [line.replace("│", " ").split() for line in capsys.readouterr().out.splitlines()]
    for line in (
        "times small 90 5 MB -",
        "times large 1,910 80 MB 9 MB",
        "times all 2 steps 2,000 80 MB 9 MB",
        "misses unknown - - -",
    ):
        assert line.split() in lines
