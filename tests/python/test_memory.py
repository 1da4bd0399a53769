"""How much memory there is for programs."""

from pathlib import Path

from malloom.memory import available_memory, in_megabytes


def test_memory_is_the_machines_or_what_the_group_may_use(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 4000 kB\nMemAvailable: 3000 kB\n")
    assert available_memory(meminfo, tmp_path) == 3000 * 1024
    (tmp_path / "memory.current").write_text("500000\n")
    (tmp_path / "memory.stat").write_text("anon 300000\ninactive_file 200000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory(meminfo, tmp_path) == 3000 * 1024
    (tmp_path / "memory.max").write_text("2000000\n")
    assert available_memory(meminfo, tmp_path) == 1_700_000


def test_without_proc_it_is_what_is_free(tmp_path: Path) -> None:
    assert available_memory(tmp_path / "meminfo", tmp_path) > 0


def test_bytes_are_told_in_megabytes() -> None:
    assert in_megabytes(12_884_901_888) == "12,885 MB"
