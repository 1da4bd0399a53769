"""What is measured of a program at a size, and what does not fit into memory."""

from malloom.bench.dynamic.times import LEARNED_AT, Sized
from malloom.bench.room import ROOM, lack_of_room

MEBIBYTE = 1 << 20


def test_what_does_not_fit_into_memory_is_told() -> None:
    heap = 256 * MEBIBYTE
    assert lack_of_room(heap, 1e9) == ""
    assert lack_of_room(heap, ROOM * heap) == ""
    assert lack_of_room(heap, 4e8) == "not measured: it needs 403 MB of memory, and 400 MB are free"


def test_plans_are_learned_on_the_small_input_of_the_same_program() -> None:
    large, small = Sized("ft", "8x", MEBIBYTE), Sized("ft", LEARNED_AT, MEBIBYTE)
    assert large.learned_on == small.learned_on == small.case
    assert large.case.place == ("ft", "8x")
    assert large.bytes == 16 * small.bytes
