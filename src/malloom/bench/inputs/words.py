"""Words and numbers that look like data, from a generator whose sequence is fixed."""

from random import Random

SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ner",
    "tos",
    "ui",
    "ver",
    "za",
    "bel",
    "dan",
    "fro",
    "gil",
    "hum",
    "jas",
    "quo",
    "ri",
)
SEED = 2004


def generator() -> Random:
    """Random.random and getrandbits keep their sequence over Python's versions; use nothing else of it."""
    return Random(SEED)


def below(random: Random, bound: int) -> int:
    return int(random.random() * bound)


def word(random: Random) -> str:
    return "".join(SYLLABLES[below(random, len(SYLLABLES))] for _ in range(1 + below(random, 4)))


def sentence(random: Random, words: int) -> str:
    return " ".join(word(random) for _ in range(words))
