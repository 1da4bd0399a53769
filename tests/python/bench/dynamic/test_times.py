"""What is measured of a program at a size."""

from malloom.bench.dynamic.times import LEARNED_AT, Sized

MEBIBYTE = 1 << 20


def test_plans_are_learned_on_the_small_input_of_the_same_program() -> None:
    large, small = Sized("ft", "8x", MEBIBYTE), Sized("ft", LEARNED_AT, MEBIBYTE)
    assert large.learned_on == small.learned_on == small.case
    assert large.case.place == ("ft", "8x")
    assert large.bytes == 16 * small.bytes
