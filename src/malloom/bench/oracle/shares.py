"""A race of layouts on one input, and what those that were learned on other inputs keep of what the input's
own gain."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from malloom.bench.gathered import Gathered, without_errors
from malloom.bench.general import BEST
from malloom.bench.halves import with_best
from malloom.bench.means import RESAMPLES
from malloom.measure.interleaved import Rounds
from malloom.measure.interval import COVERAGE, FEWEST_PAIRS, Interval
from malloom.optimize.data import NOTHING_TO_GAIN

ORACLE = "oracle"
"""The best layout that was learned on the very input."""
BEST_RULE = "best rule"
"""The best that was learned on other inputs."""
TIME = "cpu_time"
ALMOST_NOTHING = 0.99
"""Of the oracle in a sample of the rounds: with less to gain a share would be a number without bounds."""


@dataclass(frozen=True)
class Asked:
    """A race on the input that was asked about: the general `settings`, the layouts `own` to this input, and
    those of `rules`."""

    rounds: Rounds
    settings: tuple[str, ...]
    own: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def even(self) -> Rounds:
        """The even rounds, with the best of each kind by the odd ones."""
        named = {BEST: self.settings, ORACLE: self.own, BEST_RULE: self.rules}
        return with_best(self.rounds, {name: those for name, those in named.items() if those}, TIME)


class Oracles(Gathered[Asked]):
    """The races so far, by program and input."""

    kind = Asked

    def as_kept(self, value: Asked) -> Asked:
        return replace(value, rounds=without_errors(value.rounds))


def gain_of(asked: Asked) -> float:
    """The oracle against the best general setting; 1 where no layout was learned."""
    even = asked.even
    return even.ratio(ORACLE, BEST).ratio if ORACLE in even.runs else 1.0


def shares_of(asked: Asked) -> dict[str, Interval]:
    """The gain of each rule against the oracle's, as logarithms: 1 is all of it, below 0 a loss. Nothing
    where there is nothing to gain."""
    if gain_of(asked) > NOTHING_TO_GAIN:
        return {}
    even = asked.even
    rules = [name for name in (BEST_RULE, *asked.rules) if name in even.runs]
    return {name: _share(even, name) for name in rules}


def _share(even: Rounds, name: str) -> Interval:
    """With the percentile bootstrap's interval over the rounds, where these are enough for one."""
    times = {each: np.log(even.values(each, TIME)) for each in (name, ORACLE, BEST)}

    def share(rounds: Any) -> Any:
        own, whole = (np.median((times[each] - times[BEST])[rounds], axis=-1) for each in (name, ORACLE))
        return own / np.minimum(whole, math.log(ALMOST_NOTHING))

    found = float(share(np.arange(len(even))))
    if len(even) < FEWEST_PAIRS:
        return Interval(found, None, None)
    picks = np.random.default_rng(2026).integers(0, len(even), size=(RESAMPLES, len(even)))
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.percentile(share(picks), [tail, 100 - tail])
    return Interval(found, float(low), float(high))
