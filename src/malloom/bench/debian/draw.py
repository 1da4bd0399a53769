"""Where all generated content comes from: one seed, the same on every machine."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from malloom.bench.inputs import below, sentence, word

Thing = TypeVar("Thing")


class Draw:
    """Draws from a seed. Random.random keeps its sequence over Python's versions; nothing else of it is used.

    Every generator draws the proportions of its content first (how deep, how many, how long), so that two
    inputs of a program differ in their shape and not only in size.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def below(self, bound: int) -> int:
        return below(self._random, bound)

    def between(self, low: int, high: int) -> int:
        """Both may be drawn."""
        return low + self.below(high - low + 1)

    def chance(self, of: float) -> bool:
        return self._random.random() < of

    def share(self, low: float, high: float) -> float:
        return low + (high - low) * self._random.random()

    def one_of(self, things: Sequence[Thing]) -> Thing:
        return things[self.below(len(things))]

    def often_first(self, things: Sequence[Thing]) -> Thing:
        """The earlier ones more often, as words are in texts."""
        return things[int(len(things) * self._random.random() ** 3)]

    def word(self) -> str:
        return word(self._random)

    def name(self) -> str:
        """A word that is an identifier in every language: none of theirs ends so."""
        return f"{self.word()}_{self.below(100)}"

    def sentence(self, words: int) -> str:
        return sentence(self._random, words)

    def vocabulary(self, size: int) -> list[str]:
        return [self.word() for _ in range(size)]
