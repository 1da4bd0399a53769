"""The workload sentences: it finds as many readings as a plain recogniser that counts in a table."""

import subprocess
from collections import Counter
from functools import reduce
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "build/release/workloads/sentences/sentences"

RULES = [
    ("clause", "noun_phrase", "verb_phrase"),
    ("clause", "clause", "joined_clause"),
    ("joined_clause", "conjunction", "clause"),
    ("noun_phrase", "article", "noun"),
    ("noun_phrase", "noun_phrase", "preposition_phrase"),
    ("noun_phrase", "noun_phrase", "joined_noun_phrase"),
    ("joined_noun_phrase", "conjunction", "noun_phrase"),
    ("noun", "adjective", "noun"),
    ("verb_phrase", "verb", "noun_phrase"),
    ("verb_phrase", "verb_phrase", "preposition_phrase"),
    ("preposition_phrase", "preposition", "noun_phrase"),
]
"""What is made of which two."""


def lines_of(*arguments: int | str) -> list[str]:
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def readings_as_clause(senses: list[list[str]]) -> int:
    """Of a sentence whose words have these categories; by Cocke, Younger and Kasami's method."""
    words = len(senses)
    counts = {(at, at + 1): Counter(categories) for at, categories in enumerate(senses)}
    for length in range(2, words + 1):
        for begin in range(words - length + 1):
            end = begin + length
            found: Counter[str] = Counter()
            for middle in range(begin + 1, end):
                left, right = counts[begin, middle], counts[middle, end]
                for whole, first, second in RULES:
                    found[whole] += left[first] * right[second]
            counts[begin, end] = found
    return counts[0, words]["clause"]


@pytest.mark.parametrize(("count", "nouns", "seed"), [(15, 300, 1), (15, 10, 2), (15, 1, 3)])
def test_readings_are_those_of_a_plain_recogniser(count: int, nouns: int, seed: int) -> None:
    lines = lines_of(count, nouns, seed, "text")
    words = {line.split()[1]: line.split()[2:] for line in lines if line.startswith("word ")}
    sentences = [line.split(": ") for line in lines if ": " in line]
    assert len(sentences) == count
    readings = []
    for printed, sentence in sentences:
        readings.append(readings_as_clause([words[word] for word in sentence.split()]) % 2**32)
        assert int(printed) == readings[-1] > 0
    assert max(readings) > 100
    check_sum = reduce(
        lambda sum_so_far, count: (sum_so_far ^ count) * 16777619 % 2**32, readings, 2166136261
    )
    total = sum(len(sentence.split()) for _, sentence in sentences)
    said = f"sentences {count} words {total} parses {sum(readings) % 2**32} sum {check_sum:08x}"
    assert lines[-1] == said
    assert lines_of(count, nouns, seed) == [said]


def test_words_have_one_place_each_and_some_have_two_senses() -> None:
    words = [line.split() for line in lines_of(1, 300, 1, "text") if line.startswith("word ")]
    texts = [word[1] for word in words]
    assert texts == sorted(set(texts))
    assert {len(word) - 2 for word in words} == {1, 2}
