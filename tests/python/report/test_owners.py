"""Whose an object is said to be."""

import numpy as np
import pytest

from malloom.profile import HeapProfile
from malloom.report import owners
from malloom.report.owners import OTHERS, owners_of
from malloom.report.symbols import Place

CHAINS = {
    "alone": ["push a.c:5", "main a.c:9"],
    "recursive": ["push a.c:5", "push a.c:6", "push a.c:6", "main a.c:9"],
    "a copy": ["push.constprop.0 a.c:5", "push a.c:7", "main a.c:9", "_start -:0"],
    "another line": ["push a.c:6", "main a.c:9"],
}


def place(text: str) -> Place:
    function, where = text.split()
    file, line = where.split(":")
    return Place("program", 0, function, file, int(line))


class Named:
    """Stands for Symbols: frame n has the place that is n-th of all."""

    notes = ("a note",)

    def __init__(self, modules: object) -> None:
        self._all = [place(text) for chain in CHAINS.values() for text in chain]

    def places(self, frames: object) -> dict[tuple[int, int], list[Place]]:
        return {(0, at): [each] for at, each in enumerate(self._all)}


class Chains:
    """Stands for Contexts."""

    def __len__(self) -> int:
        return len(CHAINS)

    def frames(self, context: int) -> list[tuple[int, int]]:
        lengths = [len(chain) for chain in CHAINS.values()]
        begin = sum(lengths[:context])
        return [(0, at) for at in range(begin, begin + lengths[context])]


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> HeapProfile:
    monkeypatch.setattr(owners, "Symbols", Named)
    made = HeapProfile.from_arrays([10, 20, 30, 1000], context=[0, 1, 2, 3])
    made.contexts = Chains()  # type: ignore[assignment]
    return made


def test_recursion_and_copies_are_one_owner(profile: HeapProfile) -> None:
    found = owners_of(profile)
    assert found.names == ["push a.c:6 < main a.c:9", "push a.c:5 < main a.c:9"]
    assert found.bytes == [1000, 60]
    assert found.of_request.tolist() == [1, 1, 1, 0]
    assert list(found.notes) == ["a note"]


def test_the_smallest_are_others(profile: HeapProfile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owners, "MOST_OWNERS", 1)
    found = owners_of(profile)
    assert found.names == ["push a.c:6 < main a.c:9", OTHERS]
    assert found.bytes == [1000, 60]
    assert np.array_equal(found.of_request, [1, 1, 1, 0])
