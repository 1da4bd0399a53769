"""Geometries by name and spelled out."""

from pathlib import Path

import pytest

from malloom.cache.geometry import NAMED, geometry_from, host
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


def test_a_socket_s_cache_seen_by_a_small_guest_counts_by_its_share(tmp_path: Path) -> None:
    write_cpu(tmp_path, 2, [described("1", "Data", "48K", "12"), described("3", "Unified", "491520K", "16")])
    assert host(tmp_path).caches[-1].size_bytes == 8 << 20


def test_a_machine_without_description_is_bad_use(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="give --cache a name"):
        host(tmp_path)
