"""Geometries by name and spelled out."""

from pathlib import Path

import pytest

from malloom.cache.calibration import Calibration
from malloom.cache.geometry import (
    HIDDEN_SHARE,
    NAMED,
    geometry_from,
    host,
    last_level_bytes,
    shown_bytes,
    zen5,
)
from malloom.errors import UsageProblem


@pytest.mark.parametrize("name", NAMED)
def test_named_ones_have_caches_and_tlbs(name: str) -> None:
    geometry = geometry_from(name)
    assert geometry.name == name and len(geometry.caches) >= 2 and geometry.tlbs
    sizes = [level.size_bytes for level in geometry.caches]
    assert sizes == sorted(sizes)


def test_p4_is_the_thesis_s() -> None:
    first, second = geometry_from("p4").caches
    assert (first.size_bytes, first.ways, first.line_bytes) == (8192, 4, 64)
    assert (second.size_bytes, second.ways, second.line_bytes) == (524288, 8, 64)


def test_spelled_out() -> None:
    geometry = geometry_from("L1:48K:12:64,L2:2M:16:64,L3:30M:15:64,TLB1:64:4:4096,TLB2:1024:8:2M,tree-plru")
    assert [level.sets for level in geometry.caches] == [64, 2048, 32768]
    assert [level.sets for level in geometry.tlbs] == [16, 128]
    assert geometry.tlbs[1].line_bytes == 2 << 20 and geometry.replacement == "tree-plru"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "zen6",
        "L1",
        "L1:48K:12",
        "L1:48Q:12:64",
        "L1:48K:0:64",
        "L1:100:3:64",
        "L1:48K:12:60",
        "TLB:64:4:4096",
        "L1:48K:48:64,tree-plru",
        "L1:48K:12:64,TLB:65:4:4096",
        "L1:48K:12:64,TLB:64:4:64",
    ],
)
def test_what_is_no_geometry_is_bad_use(text: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        geometry_from(text)
    assert "\n" not in str(problem.value) and problem.value.status == 2


def write_cpu(folder: Path, cpus: int, caches: list[dict[str, str]]) -> None:
    for cpu in range(cpus):
        (folder / f"cpu{cpu}").mkdir(parents=True)
    for index, cache in enumerate(caches):
        place = folder / "cpu0" / "cache" / f"index{index}"
        place.mkdir(parents=True)
        for name, text in cache.items():
            (place / name).write_text(text + "\n")


def described(level: str, kind: str, size: str, ways: str) -> dict[str, str]:
    return {
        "level": level,
        "type": kind,
        "size": size,
        "ways_of_associativity": ways,
        "coherency_line_size": "64",
    }


def test_host_reads_sysfs_and_leaves_instruction_caches_out(tmp_path: Path) -> None:
    write_cpu(
        tmp_path,
        8,
        [
            described("1", "Data", "48K", "12"),
            described("1", "Instruction", "32K", "8"),
            described("2", "Unified", "1024K", "16"),
            described("3", "Unified", "32768K", "16"),
        ],
    )
    assert [(level.name, level.size_bytes) for level in host(tmp_path).caches] == [
        ("L1", 48 << 10),
        ("L2", 1 << 20),
        ("L3", 32 << 20),
    ]


GUEST = [
    described("1", "Data", "48K", "12"),
    described("2", "Unified", "2048K", "16"),
    described("3", "Unified", "491520K", "16"),
]
"""A socket's cache seen by a small guest."""
CALIBRATION = Calibration((11.0, 125.0), 600.0, 57.0, 0.02, 50 << 20, 480 << 20, 0.4)


def test_a_cache_whose_size_the_kernel_does_not_say_is_left_out(tmp_path: Path) -> None:
    sizeless = {"level": "2", "type": "Unified", "coherency_line_size": "64"}
    lineless = {"level": "3", "type": "Unified", "size": "4096K"}
    write_cpu(tmp_path, 1, [described("1", "Data", "48K", "12"), sizeless, lineless])
    assert [level.name for level in host(tmp_path).caches] == ["L1"]
    assert shown_bytes(tmp_path) == [48 << 10]


def test_a_calibrated_host_has_its_own_latencies_and_last_level(tmp_path: Path) -> None:
    write_cpu(tmp_path, 2, GUEST)
    found = CALIBRATION
    geometry = host(tmp_path, found)
    assert [level.latency for level in geometry.caches] == [0, 11, 125]
    assert (geometry.memory_latency, geometry.walk_latency, geometry.hidden_share) == (600, 50, 0.02)
    assert geometry.caches[-1].size_bytes == 50 << 20 and geometry.notes == ()
    assert geometry.cycle_nanoseconds == 0.4
    assert last_level_bytes(tmp_path) == 480 << 20


def test_where_memory_was_not_reached_it_is_as_far_away_as_published(tmp_path: Path) -> None:
    write_cpu(tmp_path, 2, GUEST)
    found = Calibration((11.0, 125.0), None, 57.0, 0.02, 50 << 20, 480 << 20, 0.4)
    assert host(tmp_path, found).memory_latency == 125 + 300


def test_the_system_gives_huge_pages_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_cpu(tmp_path, 2, GUEST)
    found = CALIBRATION
    for setting, has in (("always", True), ("madvise", True), ("never", False), ("", False)):
        monkeypatch.setattr("malloom.cache.geometry.chosen_huge_pages", lambda given=setting: given)
        assert host(tmp_path, found).has_huge_pages is host(tmp_path, "unknown").has_huge_pages is has
    assert zen5().has_huge_pages and not geometry_from("p4").has_huge_pages


def test_a_host_that_could_not_be_measured_is_taken_for_a_published_machine(tmp_path: Path) -> None:
    write_cpu(tmp_path, 2, GUEST)
    geometry = host(tmp_path, "too noisy")
    assert [level.latency for level in geometry.caches] == [level.latency for level in zen5().caches]
    assert geometry.caches[-1].size_bytes == 32 << 20 and geometry.hidden_share == HIDDEN_SHARE
    assert len(geometry.notes) == 1 and "too noisy" in geometry.notes[0]


@pytest.mark.parametrize("name", ["zen5", "p4", "athlon-mp", "L1:48K:12:64,TLB:64:4:4096"])
def test_geometries_but_the_host_s_ask_nothing_of_the_machine(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("malloom.cache.geometry._CPU", Path("nowhere"))
    monkeypatch.setattr("malloom.cache.geometry.calibration_of_host", None)
    assert geometry_from(name).hidden_share == HIDDEN_SHARE


def test_a_machine_without_description_is_bad_use(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="give --cache a name"):
        host(tmp_path)


def test_the_last_level_is_the_whole_one_of_this_machine(tmp_path: Path) -> None:
    write_cpu(tmp_path, 1, GUEST)
    assert last_level_bytes(tmp_path) == 480 << 20
