"""Limits on what a recording may have more of than its baseline, and which of them are broken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction

from malloom.diff.changes import Change, Difference
from malloom.diff.summary import Numbers
from malloom.diff.text import TITLES, amount
from malloom.errors import CommandError

LIMITED = {"peak": "live_peak", "misses": "misses", "requests": "requests", "bytes": "bytes"}
"""The name of a limit's option behind --max-, and the measure that it is on."""
SAME_PROGRAM = 0.5
"""Programs of other names are taken for the same where so much of the requests is of sites of both."""
OTHER_PROGRAM = 0.1
"""And two builds for those of other programs, whatever their names, where less of the bytes of either is."""
OF_LIBRARY = "__GI_"
"""What the C library puts before the names of its functions for calls in itself: strdup is __GI___strdup."""


@dataclass(frozen=True)
class Judged:
    """A limit, held against the process or against one site."""

    limit: str
    """One of LIMITED."""
    most: float
    """New as a ratio to old."""
    old: int
    new: int
    site: Change | None
    """None: all of the process."""
    culprit: Change | None
    """Of the process: the site whose number grew most."""

    @property
    def is_broken(self) -> bool:
        # Exactly: in doubles 1.15 of 100 is less than 115.
        return self.new > self.old * Fraction(str(self.most))

    @property
    def text(self) -> str:
        """What was found, for people, without a place."""
        measure = LIMITED[self.limit]
        what = TITLES[measure]
        ratio = f"{self.new / self.old:.2f} of" if self.old else "more than"
        found = f"{what} {amount(measure, self.new)} is {ratio} the baseline's {amount(measure, self.old)}"
        return f"{found}, the limit is {self.most:g}"

    @property
    def line(self) -> str:
        """The same with its place first, as compilers have it."""
        site = self.site or self.culprit
        where = f"{site.calls[0].file}:{site.calls[0].line}: " if site and site.calls else ""
        if self.site is not None:
            return f"{where}{self.text}: {self.site.name}"
        most = f"; most of it here: {self.culprit.name}" if self.culprit else ""
        return f"{where}{self.text}, of the whole process{most}"


def check_comparable(found: Difference, limits: Mapping[str, float]) -> None:
    """Raises CommandError where a limit cannot be judged: of another program, of a part of a run."""
    old, new = found.old, found.new
    share = found.matched["requests_of_old"] or 0.0
    if old.name != new.name and share < SAME_PROGRAM:
        raise CommandError(
            f"{old.source} is of another program ({old.executable}, not {new.executable})",
            remedy="name a baseline of the same one",
        )
    _check_same_program(found)
    for side in (old, new):
        if "misses" in limits and side.totals.misses is None:
            raise CommandError(
                f"{side.source} has no accesses, so no misses",
                remedy="record with '--accesses full', or leave out --max-misses",
            )
        if "misses" in limits and not side.are_exact:
            raise CommandError(
                f"{side.source} has a part of the accesses only, so its misses are not the same each time",
                remedy="record with '--accesses full', or leave out --max-misses",
            )
        if side.is_cut:
            raise CommandError(f"{side.source}: {side.gaps[0]}", remedy="record it again")


def _check_same_program(found: Difference) -> None:
    """Raises CommandError where next to nothing was found in both, though they are not of one build."""
    old, new = found.old, found.new
    shares = [found.matched[f"bytes_of_{side}"] for side in ("old", "new")]
    known = [share for share in shares if share is not None]
    is_one_build = old.build_id == new.build_id != ""
    if is_one_build or len(known) < len(shares) or max(known) >= OTHER_PROGRAM:
        return
    parts = " and ".join(
        f"{share:.0%} of the {side} bytes" for share, side in zip(known, ("old", "new"), strict=True)
    )
    raise CommandError(
        f"{old.source} seems to be of another program: call sites found in both make {parts}",
        remedy="name one of the same program, which must not be stripped, or make one with --save alone",
    )


def judged(found: Difference, limits: Mapping[str, float], sites: list[str], least: float) -> list[Judged]:
    """Each limit against the process; where `sites` are given, against each site that one of them names.

    `sites` are patterns of the shell on a function, on FILE:LINE or on the file's name. A site with less than
    `least` of the process's number, on both sides, is left out. Raises CommandError where a pattern names
    none, or only such as are left out.
    """
    if not sites:
        return [_of_process(found, limit, most) for limit, most in limits.items()]
    named = _named(found.changes, sites)
    all_judged = [each for change in named for each in _of_site(found, change, limits, least)]
    _check_judged(sites, all_judged, least)
    return all_judged


def _of_site(
    found: Difference, change: Change, limits: Mapping[str, float], least: float
) -> Iterator[Judged]:
    for limit, most in limits.items():
        was, now = (_of(side, LIMITED[limit]) for side in (change.old, change.new))
        whole = max(_of(found.old.totals, LIMITED[limit]), _of(found.new.totals, LIMITED[limit]))
        if max(was, now) >= whole * least:
            yield Judged(limit, most, was, now, change, None)


def _check_judged(patterns: list[str], all_judged: list[Judged], least: float) -> None:
    """Raises CommandError where all that a pattern names was left out: it would seem to be kept."""
    for pattern in patterns:
        if not any(each.site is not None and _is_named(each.site, pattern) for each in all_judged):
            raise CommandError(
                f"no call site that '{pattern}' names was judged: "
                f"each has less than {100 * least:g}% of what the process has",
                remedy="judge small ones too with --site-share 0",
            )


def _of_process(found: Difference, limit: str, most: float) -> Judged:
    measure = LIMITED[limit]
    grown = max(found.changes, key=lambda each: each.difference(measure), default=None)
    culprit = grown if grown is not None and grown.difference(measure) > 0 else None
    return Judged(limit, most, _of(found.old.totals, measure), _of(found.new.totals, measure), None, culprit)


def _of(numbers: Numbers | None, measure: str) -> int:
    return (numbers.measure(measure) or 0) if numbers is not None else 0


def _named(changes: list[Change], patterns: list[str]) -> list[Change]:
    for pattern in patterns:
        if not any(_is_named(change, pattern) for change in changes):
            raise CommandError(
                f"no call site is named by '{pattern}'",
                remedy="give a function, a file or FILE:LINE, as 'malloom diff' shows them",
            )
    return [change for change in changes if any(_is_named(change, pattern) for pattern in patterns)]


def _is_named(change: Change, pattern: str) -> bool:
    names = [change.name]
    for call in change.calls:
        file = call.file.rpartition("/")[2]
        names += [call.file, file, f"{call.file}:{call.line}", f"{file}:{call.line}"]
        names += _names_of(call.function)
    return any(fnmatchcase(name, pattern) for name in names)


def _names_of(function: str) -> Iterable[str]:
    """A function's name; where it is the C library's own, also those that programs know it by."""
    if not function.startswith(OF_LIBRARY):
        return (function,)
    known = function.removeprefix(OF_LIBRARY)
    return function, known, known.lstrip("_")
