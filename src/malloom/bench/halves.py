"""The best of many, without luck: chosen in the odd rounds of a race, and held against in the even ones."""

from collections.abc import Mapping, Sequence

from malloom.bench.general import best_of
from malloom.measure.interleaved import Rounds


def with_best(rounds: Rounds, named: Mapping[str, Sequence[str]], metric: str) -> Rounds:
    """The even rounds of a race; beside its variants, under each further name, what was best of some of them
    in the odd rounds. Who chooses and compares in the same runs compares with what was lucky in them.

    Raises CommandError where none of them was measured.
    """
    odd, even = (
        Rounds({name: runs[first::2] for name, runs in rounds.runs.items()}, rounds.race) for first in (0, 1)
    )
    chosen = {called: best_of(odd, names, metric) for called, names in named.items()}
    return Rounds({**even.runs, **{called: even.runs[best] for called, best in chosen.items()}}, even.race)
