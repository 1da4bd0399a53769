"""What a reader is told to look at first."""

from dataclasses import replace

import numpy as np
import pytest

from malloom.page.advice import MOST, advice_on
from malloom.page.gains import Gains
from malloom.page.sites import PageSite

PLAIN = PageSite("push a.c:5", [0], 100, 1000, 500, 0, 900, 0.0, 1.0, 1000, 1000, 0, 0, 0, None)
OTHER = replace(PLAIN, name="pop a.c:9", requests=10_000, bytes=100_000, at_peak=10_000)


def told(site: PageSite, *others: PageSite) -> list[str]:
    return [advice.text for advice in advice_on([site, *others], "run.profile") if site.name in advice.text]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"exposed": 500, "misses": 500},
            "100% of the misses that no prefetcher hides are on objects of push a.c:5",
        ),
        ({"at_peak": 5000}, "33% of the memory at the peak is of push a.c:5"),
        ({"accessed": 0.25, "bytes": 50_000}, "75% of the objects of push a.c:5 are never used"),
        ({"lifetime": 1, "requests": 5000}, "33% of the requests are of push a.c:5, and hardly live"),
        ({"to_end": 0.5, "bytes": 50_000}, "push a.c:5 keeps 50% of its bytes to the end"),
    ],
)
def test_each_rule_speaks_where_it_holds(changes: dict[str, float], text: str) -> None:
    assert told(PLAIN, OTHER) == []
    assert told(replace(PLAIN, **changes), OTHER) == [text]


def test_what_is_not_known_gives_no_advice() -> None:
    unknown = dict.fromkeys(
        ("accessed", "loads", "stores", "first_misses", "misses", "exposed", "to_end", "lifetime")
    )
    assert told(replace(PLAIN, bytes=10**6, requests=10**5, **unknown), OTHER) == []


def test_what_placing_gains_is_told_with_the_program_to_try() -> None:
    sites = [replace(PLAIN, gain=0.2), replace(OTHER, gain=0.1)]
    gains = Gains("first-use", 0.3, np.array([0.2, 0.1]), "zen5")
    (found,) = [each for each in advice_on(sites, "run.profile", gains, "walk 9") if "placing" in each.text]
    assert found.text == "placing by first-use is predicted to save 30% of the waiting for heap objects"
    assert found.evidence.startswith("20% on objects of push a.c:5, with the caches of zen5; ")
    assert found.command == "malloom optimize -- walk 9"
    elsewhere = advice_on(sites, "run.profile", gains, cache="zen5")
    assert any(each.command == "malloom simulate run.profile --cache zen5 --sites 10" for each in elsewhere)
    little = Gains("first-use", 0.05, np.array([0.05, 0.0]), "zen5")
    assert not any("placing" in each.text for each in advice_on(sites, "run.profile", little, "walk 9"))


def test_misses_among_many_uses_are_no_matter() -> None:
    assert told(replace(PLAIN, exposed=90), OTHER) == []


def test_sites_of_one_name_are_one() -> None:
    parts = [replace(PLAIN, at_peak=600, frames=[number]) for number in range(9)]
    assert told(parts[0], *parts[1:], OTHER) == ["35% of the memory at the peak is of push a.c:5"]


def test_the_heaviest_comes_first_and_there_are_not_many() -> None:
    sites = [replace(PLAIN, name=f"f{at} a.c:{at}", at_peak=at, exposed=at * 100) for at in range(1, 9)]
    weights = [advice.weight for advice in advice_on(sites, "run.profile")]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) <= MOST


def test_a_command_can_be_pasted() -> None:
    assert advice_on([replace(PLAIN, at_peak=9)], "a b'.profile")[0].command.startswith(
        "malloom report 'a b'\"'\"'.profile'"
    )
