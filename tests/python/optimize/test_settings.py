"""Which settings race."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from malloom.measure.allocators import KNOWN, Allocator, Version
from malloom.optimize import settings


def test_of_two_allocators_of_one_version_the_first_races(monkeypatch: pytest.MonkeyPatch) -> None:
    known = next(each for each in KNOWN if each.name == "jemalloc")
    both = [
        Allocator(known, f"libjemalloc.so.{build}", Version("5.3.1", build), f"/lib/{build}/libjemalloc.so")
        for build in ("a package", "built here")
    ]

    def installed(_: Iterable[Path]) -> tuple[list[Allocator], list[str]]:
        return both, []

    monkeypatch.setattr(settings, "installed", installed)
    rows, notes = settings.allocator_rows()
    assert {row.setting.allocator.version.build for row in rows} == {"a package"}
    assert len({row.name for row in rows}) == len(rows)
    assert notes == [
        "not in the race: jemalloc 5.3.1 (built here), as jemalloc 5.3.1 (a package) is",
    ]
