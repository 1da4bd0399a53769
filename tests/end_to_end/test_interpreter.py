"""The workload interpreter: its scripts compute what small models in Python do, in each heap the same."""

import subprocess
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, releases_all

INTERPRETER = Path(__file__).parents[2] / "build/release/workloads/interpreter/interpreter"
HEAPS: dict[str, list[str | Path]] = {"glibc": [], "pools": [COMMAND, "run", "--heap", "pools", "--"]}


def fibonacci(rounds: int) -> int:
    return rounds if rounds < 2 else fibonacci(rounds - 1) + fibonacci(rounds - 2)


def middle_of_sorted(rounds: int) -> int:
    middles = 0
    for seed in range(1, rounds + 1):
        numbers = [seed]
        while len(numbers) < 100_000:
            numbers.append((numbers[-1] * 1103515245 + 12345) % 2**31)
        middles += sorted(numbers)[50_000]
    return middles


def letters_of_words(rounds: int) -> int:
    """A word of four letters for each decimal place of the seed, and a number."""
    letters = 0
    for seed in range(1, rounds + 1):
        for count in range(20_000, 0, -1):
            letters += (4 * len(str(seed)) if seed else 0) + len(str(count))
            seed = (seed * 75 + 74) % 65537  # noqa: PLW2901  (each tree goes through seeds of its own)
    return letters


def prime(place: int) -> int:
    found: list[int] = []
    number = 2
    while len(found) < place:
        if all(number % smaller for smaller in found):
            found.append(number)
        number += 1
    return found[-1]


SCRIPTS = {
    "fibonacci": (fibonacci, [1, 2, 17]),
    "sort": (middle_of_sorted, [1, 2]),
    "words": (letters_of_words, [1, 3]),
    "streams": (prime, [1, 2, 60]),
}
LONG = ("sort", 2)
CASES = [
    pytest.param(script, rounds, marks=pytest.mark.long if (script, rounds) == LONG else ())
    for script, (_, all_rounds) in SCRIPTS.items()
    for rounds in all_rounds
]


@pytest.mark.parametrize("heap", HEAPS)
@pytest.mark.parametrize(("script", "rounds"), CASES)
def test_scripts_compute_what_they_say(heap: str, script: str, rounds: int) -> None:
    command = [*HEAPS[heap], INTERPRETER, script, str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    model = SCRIPTS[script][0]
    assert (done.stdout, done.stderr) == (f"{script} of {rounds}: {model(rounds)}\n", "")


@pytest.mark.parametrize(("script", "rounds"), [("fibonacci", 9), ("streams", 20)])
def test_every_value_is_released_and_none_too_early(script: str, rounds: int) -> None:
    assert releases_all(INTERPRETER, script, str(rounds))


def test_all_is_made_at_one_call_site() -> None:
    code = subprocess.run(["objdump", "-d", INTERPRETER], capture_output=True, text=True, check=True).stdout
    assert code.count("<malloc@plt>\n") == 1


def test_phase_is_reported_when_asked_for() -> None:
    command: list[str | Path] = [INTERPRETER, "fibonacci", "5", "--times"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "fibonacci of 5: 5\n"
    assert done.stderr.startswith("measure run_time ")


@pytest.mark.parametrize("arguments", [[], ["sort"], ["sort", "0"], ["nothing", "1"], ["sort", "1", "1"]])
def test_bad_arguments_are_refused(arguments: list[str]) -> None:
    done = subprocess.run([INTERPRETER, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: interpreter ")
