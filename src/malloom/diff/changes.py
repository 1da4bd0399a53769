"""What changed from one recording to another: site by site, and in words."""

from __future__ import annotations

from dataclasses import dataclass

from malloom.diff.matching import matched_contexts
from malloom.diff.names import Known, SitePlace, calls_of, names_of
from malloom.diff.summary import MEASURES, Numbers, Summary, check_alike

NOTABLE_RATIO = 1.1
"""A site's number changed where it is so many times the other."""
NOTABLE_SHARE = 0.01
"""And where the difference is such a part of what all sites have together."""

WORDS = {
    "live_peak": ("grew", "shrank"),
    "bytes": ("asks for more", "asks for less"),
    "requests": ("asks more often", "asks less often"),
    "lifetime": ("lives longer", "lives shorter"),
    "accesses": ("hotter", "colder"),
    "misses": ("misses more", "misses less"),
}
"""What more and less of each measure are called, in the order in which they are said."""
SORT_KEYS = ("live_peak", "bytes", "requests", "accesses", "misses")


@dataclass(frozen=True)
class Change:
    """One site: in both recordings, or in one of them."""

    name: str
    """Its calls, the innermost first."""
    calls: tuple[SitePlace, ...]
    """Those of the program's own that are known, the innermost first."""
    level: str
    """How much of its key agrees; empty where it is in one alone."""
    old: Numbers | None
    new: Numbers | None
    words: tuple[str, ...]
    """What changed notably; empty: nothing."""

    def difference(self, measure: str) -> int:
        """New less old, 0 for what is not known."""
        return (_known(self.new, measure) or 0) - (_known(self.old, measure) or 0)


@dataclass(frozen=True)
class Difference:
    """All of it."""

    old: Summary
    new: Summary
    changes: list[Change]
    """The notable ones and the others; those of the largest difference first."""
    matched: dict[str, float | None]
    """Part of the requests, and of the bytes, of either side that are of sites found in both."""
    notes: list[str]


def difference(old: Summary, new: Summary, sort: str) -> Difference:
    """Compares two summaries; `sort` is one of SORT_KEYS. Raises CommandError where they are not alike."""
    check_alike(old, new)
    pairs = matched_contexts(old.sites, new.sites, (old.name, new.name))
    there = {index for index, _ in pairs.values()}
    both: list[tuple[int | None, int | None, str]] = [
        *((index, *pairs.get(index, (None, ""))) for index in range(len(old.contexts))),
        *((None, index, "") for index in range(len(new.contexts)) if index not in there),
    ]
    known = [_known_as(old, new, ours, theirs) for ours, theirs, _ in both]
    changes = [
        _change(old, new, *each, name, calls_of(*place))
        for each, name, place in zip(both, names_of(known), known, strict=True)
    ]
    changes.sort(key=lambda each: (-abs(each.difference(sort)), each.name))
    return Difference(old, new, changes, _matched(old, new, pairs), _notes(old, new))


def _known_as(old: Summary, new: Summary, ours: int | None, theirs: int | None) -> Known:
    """The site as the new recording has it, else as the old one."""
    if theirs is not None:
        return new.sites, new.contexts[theirs]
    assert ours is not None
    return old.sites, old.contexts[ours]


def _change(
    old: Summary,
    new: Summary,
    ours: int | None,
    theirs: int | None,
    level: str,
    name: str,
    calls: tuple[SitePlace, ...],
) -> Change:
    before = old.numbers[ours] if ours is not None else None
    after = new.numbers[theirs] if theirs is not None else None
    return Change(name, calls, level, before, after, _words(before, after, old.totals, new.totals))


def _words(before: Numbers | None, after: Numbers | None, old: Numbers, new: Numbers) -> tuple[str, ...]:
    if before is None or after is None:
        return ("new",) if before is None else ("gone",)
    words = []
    for measure, (more, less) in WORDS.items():
        was, now = before.measure(measure), after.measure(measure)
        if was is None or now is None:
            continue
        if is_notable(was, now, _whole(old, new, measure)):
            words.append(more if now > was else less)
    return tuple(words)


def _whole(old: Numbers, new: Numbers, measure: str) -> int:
    """What all sites have together, on the side that has more; 0 for what does not add up."""
    return max(old.measure(measure) or 0, new.measure(measure) or 0)


def is_notable(was: int, now: int, whole: int) -> bool:
    """Whether a number of one site changed by more than what is hardly worth a look."""
    more, less = max(was, now), min(was, now)
    return more > less * NOTABLE_RATIO and more - less >= whole * NOTABLE_SHARE


def _known(numbers: Numbers | None, measure: str) -> int | None:
    return numbers.measure(measure) if numbers is not None else None


def _matched(old: Summary, new: Summary, pairs: dict[int, tuple[int, str]]) -> dict[str, float | None]:
    there = {index for index, _ in pairs.values()}
    return {
        f"{measure}_of_{side}": _share(summary.numbers, chosen, measure)
        for side, summary, chosen in (("old", old, set(pairs)), ("new", new, there))
        for measure in ("requests", "bytes")
    }


def _share(numbers: tuple[Numbers, ...], chosen: set[int], measure: str) -> float | None:
    whole = sum(each.measure(measure) or 0 for each in numbers)
    return sum(numbers[index].measure(measure) or 0 for index in chosen) / whole if whole else None


def _notes(old: Summary, new: Summary) -> list[str]:
    notes = [f"{side.source}: {gap}" for side in (old, new) for gap in side.gaps]
    if old.name != new.name:
        notes.insert(0, f"the programs have two names: {old.executable} and {new.executable}")
    elif old.arguments[1:] != new.arguments[1:]:
        notes.append("the two ran with other arguments")
    return notes


assert set(WORDS) == set(MEASURES)
