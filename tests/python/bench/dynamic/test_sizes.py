"""Sizes of heaps against a last-level cache, and what fits into memory."""

from pathlib import Path

from malloom.bench.dynamic.paper import PROGRAMS
from malloom.bench.dynamic.sizes import (
    LEARNED_AT,
    MADE,
    MEASURED,
    available_memory,
    heap_bytes,
    lack_of_room,
    learned_and_chosen_at,
    sized,
)
from malloom.cache.geometry import last_level_bytes

MEGABYTE = 1 << 20


def test_sizes_are_multiples_of_the_last_level() -> None:
    assert [heap_bytes(size, 32 * MEGABYTE) // MEGABYTE for size in MEASURED] == [16, 64, 256]


def test_what_is_carried_is_chosen_at_half_of_the_size_and_not_where_it_was_learned() -> None:
    for size in MEASURED:
        learned_at, chosen_at = learned_and_chosen_at(size)
        if size == LEARNED_AT:
            assert learned_at == chosen_at == size
        else:
            assert learned_at == LEARNED_AT != chosen_at
            assert 2 * heap_bytes(chosen_at, MEGABYTE) == heap_bytes(size, MEGABYTE)


def test_rows_name_the_size_and_not_the_arguments() -> None:
    small, large = (sized("ft", size, MEGABYTE) for size in ("0.5x", "8x"))
    assert (small.place, large.place) == (("ft", "0.5x"), ("ft", "8x"))
    assert int(large.arguments[0]) > 10 * int(small.arguments[0])
    assert sized("ft", "8x", MEGABYTE, "p4").input == "8x p4"


def test_every_program_of_the_paper_has_inputs() -> None:
    assert tuple(MADE) == PROGRAMS
    for program in PROGRAMS:
        assert sized(program, "0.5x", MEGABYTE).place == (program, "0.5x")


def test_what_does_not_fit_into_memory_is_told() -> None:
    assert lack_of_room("8x", 32 * MEGABYTE, 1e9) == ""
    assert "needs 403 MB of memory, and 400 MB are free" in lack_of_room("8x", 32 * MEGABYTE, 4e8)


def test_memory_is_the_machines_or_what_the_group_may_use(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 4000 kB\nMemAvailable: 3000 kB\n")
    assert available_memory(meminfo, tmp_path) == 3000 * 1024
    (tmp_path / "memory.current").write_text("500000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory(meminfo, tmp_path) == 3000 * 1024
    (tmp_path / "memory.max").write_text("2000000\n")
    assert available_memory(meminfo, tmp_path) == 1_500_000


def test_the_last_level_is_the_whole_one_of_this_machine(tmp_path: Path) -> None:
    for number, level, kind, size in (
        (0, 1, "Data", "48K"),
        (1, 1, "Instruction", "32K"),
        (2, 3, "Unified", "480M"),
    ):
        folder = tmp_path / f"cpu0/cache/index{number}"
        folder.mkdir(parents=True)
        for name, value in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(f"{value}\n")
    assert last_level_bytes(tmp_path) == 480 * MEGABYTE
