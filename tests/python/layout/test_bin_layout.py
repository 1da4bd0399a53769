"""Bins by the requests of a profile, their functions as machine code, and the header that has both."""

import ctypes
import mmap
import platform
from pathlib import Path

import numpy as np
import pytest

from malloom import _native
from malloom.errors import UsageProblem
from malloom.layout.bin_header import c_name, header
from malloom.layout.bin_layout import (
    LARGEST_CHUNK,
    MOST_BINS,
    TARGETS,
    BinLayout,
    Target,
    lay_out,
    target_named,
)
from malloom.layout.bin_replay import most_living_bytes
from malloom.profile.requests import Requests, requests_from_arrays


def requests_of(sizes: list[int]) -> Requests:
    return requests_from_arrays(sizes)


def random_requests(seed: int, largest: int) -> Requests:
    random = np.random.default_rng(seed)
    return requests_of(np.exp(random.uniform(0, np.log(largest), 5000)).astype(int).tolist())


@pytest.mark.parametrize(
    ("target", "size", "chunk"),
    [
        ("thumb2", 0, 16),
        ("thumb2", 12, 16),
        ("thumb2", 13, 24),
        ("riscv32", 100, 104),
        ("x86_64", 1, 32),
        ("aarch64", 24, 32),
        ("riscv64", 25, 48),
        ("riscv64", 2**63, LARGEST_CHUNK),
    ],
)
def test_chunks_are_the_heaps(target: str, size: int, chunk: int) -> None:
    assert TARGETS[target].chunk_bytes(np.array([size], dtype=np.uint64)).tolist() == [chunk]


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
@pytest.mark.parametrize("bins", [2, 16, 127, MOST_BINS])
def test_bins_are_some_that_a_heap_takes(target: Target, bins: int) -> None:
    for seed, largest in ((1, 64), (2, 4096), (3, 10**6)):
        layout = lay_out(random_requests(seed, largest), target, bins)
        assert layout.begins[0] == 0
        assert 0 < len(layout.begins) <= bins
        assert (np.diff(layout.begins.astype(np.int64)) > 0).all()
        assert (layout.begins % target.granule == 0).all()
        assert layout.counts.sum() == layout.requests == 5000, "no chunk became free"


def test_each_bin_is_as_busy_as_the_others_where_sizes_lie_evenly() -> None:
    sizes = list(range(1000, 9000, 8)) * 10
    layout = lay_out(requests_of(sizes), TARGETS["thumb2"], 64)
    busy = np.sort(layout.counts)[-40:]
    assert busy[0] > 0.7 * busy[-1], "but for those of the logarithm, which cut some in two"


def test_few_sizes_have_bins_that_end_behind_them() -> None:
    layout = lay_out(requests_of([20] * 100 + [100] * 100 + [1000] * 100), TARGETS["riscv32"], 32)
    assert {24 + 8, 104 + 8, 1008 + 8} <= set(layout.begins.tolist())


def test_what_lives_at_a_time_is_counted() -> None:
    requests = requests_from_arrays([100, 50, 70], birth=[0, 1, 3], death=[3, 4, 5])
    assert most_living_bytes(requests) == 150


def test_an_unknown_target_is_named() -> None:
    with pytest.raises(UsageProblem, match="there is no target 'avr'; choose riscv32 or thumb2 or"):
        target_named("avr")


@pytest.mark.parametrize("bins", [2, 7, 127, 700])
def test_the_code_finds_the_bins_of_the_search(bins: int) -> None:
    layout = lay_out(random_requests(bins, 20000), TARGETS[platform.machine()], bins)
    code = layout.code()
    memory = mmap.mmap(-1, len(code) + 4, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(bytes(-len(code) % 4) + code)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + -len(code) % 4
    function = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_size_t)(start)
    sizes = np.concatenate((np.arange(40000), layout.begins, layout.begins - 1, [2**31, 2**40]))[1:]
    sizes = sizes[sizes < 2**32 - 1].tolist()
    expected = np.searchsorted(layout.begins, sizes, side="right") - 1
    assert [function(size) for size in sizes] == expected.tolist()


def test_each_target_has_code_of_its_own() -> None:
    requests = random_requests(5, 20000)
    codes = {name: lay_out(requests, target).code() for name, target in TARGETS.items()}
    assert all(codes.values())
    assert len({codes[name] for name in ("thumb2", "aarch64", "riscv64", "x86_64", "riscv32")}) == 5
    assert _native.bin_code(np.zeros(1, np.uint32), np.ones(1, np.uint32), "avr") == b""


def test_names_in_a_header_are_cs() -> None:
    assert c_name(Path("out/host-bins.h")) == "host_bins"
    assert c_name(Path("9.h")) == "bins_9"
    assert c_name(Path("größe.h")) == "gr__e"


def test_a_profiles_name_ends_no_comment() -> None:
    layout = BinLayout(
        TARGETS["thumb2"], np.array([0, 16], np.uint32), np.array([1, 1], np.uint32), 2, 2, 30, 40
    )
    text = header(layout, "bins", "*/ int x; /*.profile", None)
    assert text.index("*/") > text.index("multiples of 8 bytes")
    assert "From the profile * / int x; / *.profile: 2 requests of 2 sizes" in text
