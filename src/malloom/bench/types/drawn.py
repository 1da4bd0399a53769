"""Types that were said to be certain, drawn at random, to be held against the source by a reader."""

from collections.abc import Mapping
from random import Random

from malloom.bench.types.told import Pair, Told
from malloom.measure.rows import Place

LEAST = 4
"""Pairs of each program that are drawn, where it has so many; all others by chance among all programs."""
HEADINGS = "| # | program | type | bytes | by | call, its callers |\n|---|---|---|---|---|---|"


def drawn(told: Mapping[Place, Told], count: int, seed: int) -> list[tuple[str, Pair]]:
    """So many pairs with the names of their programs, by program; fewer where there are no more."""
    chance = Random(seed)
    first, others = [], []
    for (program, _), each in told.items():
        pairs = [(program, pair) for pair in sorted(each.pairs, key=lambda pair: (pair.calls, pair.type))]
        chance.shuffle(pairs)
        first += pairs[:LEAST]
        others += pairs[LEAST:]
    chance.shuffle(others)
    found = [*first, *others][:count]
    return sorted(found, key=lambda each: (each[0], each[1].calls, each[1].type))


def as_markdown(pairs: list[tuple[str, Pair]], among: int, seed: int) -> str:
    """A table with a line each, and what it was drawn from."""
    lines = [f"{len(pairs)} of {among} certain types with their call sites, drawn with the seed {seed}.", ""]
    lines += HEADINGS.splitlines()
    for number, (program, pair) in enumerate(pairs, 1):
        cells = (str(number), program, f"`{pair.type}`", _bytes(pair), pair.how, " < ".join(pair.calls))
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _bytes(pair: Pair) -> str:
    return "several" if pair.size is None else str(pair.size)
