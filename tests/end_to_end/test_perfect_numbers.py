"""The workload perfect_numbers: its script finds what a model finds, and expressions have Python's values."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

PROGRAM = Path(__file__).parents[2] / "build/release/workloads/perfect_numbers/perfect_numbers"


def run(limit: int, *script: str) -> str:
    command = [PROGRAM, str(limit), *script]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def divisors(number: int) -> list[int]:
    return [divisor for divisor in range(1, number) if number % divisor == 0]


@pytest.mark.parametrize("limit", [1, 5, 6, 7, 28, 500, 1000])
def test_perfect_numbers_are_found(limit: int) -> None:
    perfect = [number for number in range(2, limit + 1) if sum(divisors(number)) == number]
    letters = sum(len(" ".join(map(str, divisors(number)))) for number in range(2, limit + 1))
    assert run(limit) == f"{' '.join(['perfect', *map(str, perfect)])} letters {letters}\n"


NUMBERS = st.integers(0, 1000).map(lambda number: (str(number), number))


def joined(operands: st.SearchStrategy[tuple[str, int]]) -> st.SearchStrategy[tuple[str, int]]:
    """Expressions of others as scripts write them, in brackets, with their values."""
    operators = {"+": int.__add__, "-": int.__sub__, "<": int.__lt__, "<=": int.__le__, "==": int.__eq__}

    def join(a: tuple[str, int], operator: str, b: tuple[str, int]) -> tuple[str, int]:
        return f"({a[0]} {operator} {b[0]})", int(operators[operator](a[1], b[1]))

    return st.builds(join, operands, st.sampled_from(list(operators)), operands)


@given(expression=st.recursive(NUMBERS, joined, max_leaves=20))
def test_expressions_are_computed(expression: tuple[str, int]) -> None:
    text, value = expression
    assert run(1, f"print {text};") == f"{value}\n"


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("print 2 + 3 * 4;", "14"),
        ("print 7 / 2 . 7 % 4;", "33"),
        ('print "7 apples" + 1;', "8"),
        ("print 2147483647 + 1;", "-2147483648"),
        ('print first("one two three") . others("one two three");', "onetwo three"),
        ('print first("") . length(others("one"));', "0"),
        ('print ("a" ne "b") . ("a" ne "a");', "10"),
        ('a = 1; b = a; a .= a . 2; print a . " " . b . " " . (a + 1);', "112 1 113"),
        ("n = 0; while (n < limit) { n = n + 1; } print n;", "9"),
        ("if (0) { print 1; } if (1) { print 2; }", "2"),
    ],
)
def test_scripts_do_what_they_say(script: str, printed: str) -> None:
    assert run(9, script) == f"{printed}\n"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print 1", 'has a fault before ""'),
        ("a = ;", 'has a fault before ";"'),
        ('print "a;', 'has a fault before "a;"'),
        ("while (1) { print 1;", 'has a fault before ""'),
        ("print 1; }", 'has a fault before " }"'),
        ("print a;", "uses a variable that is not set: a"),
        ("a .= 1;", "uses a variable that is not set: a"),
        ("print odd(1);", "uses a function that is not there: odd"),
        ("print 1 / 0;", "divides by 0"),
        ('print 1 % "";', "divides by 0"),
    ],
)
def test_faults_of_scripts_are_said(script: str, message: str) -> None:
    done = subprocess.run([PROGRAM, "1", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"the script {message}\n")
