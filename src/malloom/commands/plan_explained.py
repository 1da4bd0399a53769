"""`malloom plan --explain`: what each strategy is predicted to do, and why one is taken."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from malloom.cache.simulate import Sample
from malloom.commands import predicted_sites
from malloom.layout.ranking import RECORDED, TIE, Chosen, Ranked
from malloom.predictions.sites import SitePrediction, by_site
from malloom.predictions.time import RunTime, predicted
from malloom.profile import HeapProfile

SHOWN = 10
"""Call sites for people; machines get all."""


@dataclass(frozen=True)
class Explanation:
    """The last round in which each strategy was, the best first, and the layout as recorded in each round."""

    best: str
    rows: tuple[tuple[int, Ranked], ...]
    """Round, from 0 on, and standing."""
    recorded: tuple[Ranked, ...]
    samples: tuple[Sample, ...]
    run_time: RunTime | None
    sites: tuple[SitePrediction, ...]
    """Of the last round."""
    reason: str

    def data(self) -> dict[str, Any]:
        """For machines: ratios to the layout as recorded; None where that misses nothing."""
        return {
            "chosen": self.best,
            "reason": self.reason,
            "strategies": [
                {"strategy": each.strategy, "round": number + 1, **self._ratios(number, each)}
                for number, each in self.rows
            ],
            "sites": predicted_sites.as_data(self.sites),
        }

    def lines(self, width: int) -> Iterator[str]:
        """For people, so many columns wide: a table, the reason, and where the chosen one gains."""
        table = self._aligned("against as recorded", " misses")
        yield from table if len(table[0]) <= width else self._aligned("ratios (levels: misses)", "")
        yield from textwrap.wrap(self.reason, width, break_on_hyphens=False)
        yield from predicted_sites.as_lines(self.sites[:SHOWN], [self.best], width)

    def _aligned(self, heading: str, counted: str) -> list[str]:
        """`counted` says behind each level's name what is counted there."""
        recorded = self.recorded[0].counts
        levels = [f"{level.name}{counted}" for level in (*recorded.caches, *recorded.tlbs)]
        time = ("CPU time",) if self.run_time else ()
        table = [(heading, *time, "waiting", *levels, "pages")]
        for number, each in self.rows:
            ratios = self._ratios(number, each)
            times = (ratios["time"],) if self.run_time else ()
            numbers = (*times, ratios["waiting"], *ratios["misses"].values(), ratios["pages"])
            table.append((each.strategy, *map(predicted_sites.ratio_text, numbers)))
        first, *others = [max(map(len, column)) for column in zip(*table, strict=True)]
        return ["  ".join([name.ljust(first), *map(str.rjust, cells, others)]) for name, *cells in table]

    def _ratios(self, number: int, ranked: Ranked) -> dict[str, Any]:
        recorded = self.recorded[number]
        found = predicted(ranked, recorded, self.samples[number], self.run_time)
        return {"time": found.time, "waiting": found.waiting, **_of_counts(ranked, recorded)}


def explanation(
    chosen: Chosen, profile: HeapProfile, run_time: RunTime | None
) -> tuple[Explanation, list[str]]:
    """Of what was chosen for the profile, by context, with the layout as recorded beside it; and why names
    are lacking."""
    recorded: list[Ranked] = []
    latest: dict[str, tuple[int, Ranked]] = {}
    for number, ranked in enumerate(chosen.rounds):
        recorded.append(next(each for each in ranked if each.strategy == RECORDED))
        latest |= {each.strategy: (number, each) for each in ranked if each.strategy != RECORDED}
    first = [latest[each.strategy] for each in chosen.rounds[-1] if each.strategy != RECORDED]
    rest = [
        latest[each.strategy]
        for each in chosen.rounds[0]
        if each.strategy != RECORDED and latest[each.strategy] not in first
    ]
    sites, missing = by_site(profile, [each for _, each in first], recorded[-1])
    made = Explanation(
        chosen.best.strategy,
        (*first, *rest),
        tuple(recorded),
        chosen.samples,
        run_time,
        tuple(sites),
        _reason(chosen, recorded[-1]),
    )
    return made, missing


def _reason(chosen: Chosen, recorded: Ranked) -> str:
    """Why the best one is the best, in a sentence or two."""
    best = chosen.best
    others = [each for each in chosen.rounds[-1] if each.strategy not in (RECORDED, best.strategy)]
    told = (
        f"{best.strategy} is predicted to wait {_of(best.cycles, recorded.cycles)} of the cycles as recorded"
    )
    least = min((each.cycles for each in others), default=best.cycles)
    tied = [
        each for each in others if min(each.cycles, best.cycles) * (1 + TIE) >= max(each.cycles, best.cycles)
    ]
    if tied:
        names = ", ".join(each.strategy for each in tied)
        told += f"; within {TIE:.0%} of it are {names}, and of these it needs the fewest pages and lines"
    elif others:
        told += f", the next best {_of(least, recorded.cycles)}"
    if best.cycles >= recorded.cycles:
        told += ". No strategy is predicted to be better than what the program does now: do not expect a gain"
    return f"{told}."


def _of(cycles: float, recorded: float) -> str:
    return f"{cycles / recorded:.3f}" if recorded else "as many"


def _of_counts(ranked: Ranked, recorded: Ranked) -> dict[str, Any]:
    levels = zip(
        (*ranked.counts.caches, *ranked.counts.tlbs),
        (*recorded.counts.caches, *recorded.counts.tlbs),
        strict=True,
    )
    return {
        "misses": {level.name: _ratio(level.misses, base.misses) for level, base in levels},
        "pages": _ratio(ranked.counts.pages, recorded.counts.pages),
    }


def _ratio(count: float, base: float) -> float | None:
    return count / base if base else None
