"""Which suites there are, and what may be chosen of them."""

import pytest

from malloom.bench.dynamic.paper import PROGRAMS
from malloom.bench.suites import SUITES, Choices, suite
from malloom.errors import UsageProblem


@pytest.mark.parametrize("name", SUITES)
def test_every_part_has_steps_of_its_own_name(name: str) -> None:
    for quick in (False, True):
        chosen = suite(name, Choices(quick=quick))
        for part in chosen.parts:
            steps = chosen.steps_of([part])
            assert steps
            assert {step.part for step in steps} == {part}
            assert len({step.what for step in steps}) == len(steps)


def test_ft_alone_is_measured_at_all_sizes_unless_sizes_are_asked_for() -> None:
    what = [step.what for step in suite("dynamic", Choices()).steps_of(["times"])]
    assert what == [*(f"{program} 0.5x" for program in PROGRAMS), "ft 2x", "ft 8x", "goals"]
    chosen = suite("dynamic", Choices(programs=["mst", "em3d"], sizes="2x,0.5x"))
    assert [step.what for step in chosen.steps_of(["times"])] == [
        "em3d 0.5x", "mst 0.5x", "em3d 2x", "mst 2x", "goals",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "choices", "said"),
    [
        ("everything", Choices(), "no suite 'everything'; choose placement or dynamic or pools"),
        ("placement", Choices(sizes="2x"), "--sizes is for dynamic, not for the suite placement"),
        ("placement", Choices(programs=["ft"]), "--program is for dynamic and pools, not for"),
        ("dynamic", Choices(against="HEAD"), "--against is for pools, not for the suite dynamic"),
        ("pools", Choices(seconds=0.0), "--seconds is for dynamic, not for the suite pools"),
        ("pools", Choices(programs=["mcf"]), "no program 'mcf'"),
        ("dynamic", Choices(sizes="2x,3x"), "no size '3x'; choose of 0.5x, 2x, 8x"),
        ("dynamic", Choices(programs=["mcf"]), "no program 'mcf'"),
        ("dynamic", Choices(sizes="1x"), "no size '1x'"),
        ("dynamic", Choices(last_level="huge"), "is no size"),
        ("dynamic", Choices(quick=True, seconds=0.0), "whatever --seconds says; leave one of them out"),
    ],
)
def test_what_there_is_not_is_bad_use(name: str, choices: Choices, said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        suite(name, choices)
