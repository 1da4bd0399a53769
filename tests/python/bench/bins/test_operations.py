"""Operation lists, and the file in which the simulated core gets them."""

import re

import numpy as np
import pytest

from malloom.bench.bins.operations import (
    MAGIC,
    MOST_BYTES,
    MOST_SLOTS,
    Allocator,
    Function,
    OperationList,
    Options,
    Ranges,
    Rehash,
    Replay,
    Shows,
    Walk,
    to_file,
)
from structure.source_tree import ROOT

LIST = OperationList(np.asarray([0, 1, 0, 1]), np.asarray([100, 9, -100, -9]))
HEADER = ROOT / "firmware/benchmarks/bins/replay_file.h"


def words_of(content: bytes) -> list[int]:
    return np.frombuffer(content, "<u4").tolist()


def test_peaks() -> None:
    assert LIST.peak == 109
    assert LIST.chunk_peak == 104 + 16
    rounded = OperationList(np.asarray([0, 1]), np.asarray([12, 13]))
    assert rounded.chunk_peak == 16 + 24


def test_a_file_is_settings_then_operations() -> None:
    replay = Replay(
        4096,
        Allocator.PAPER,
        Ranges.OCTAVES,
        Function.BRANCHING,
        Function.GENERATED,
        Rehash.LINEAR,
        Options.COUNT_INSERTIONS | Options.BOUNDED,
        most_steps=5,
        bins=100,
        runs=10,
        rehashes=9,
        shows=Shows.BINS,
        code_offset=32,
        automatic=True,
        quick_bytes=256,
        quick_each=6,
        rehash_bins=40,
        one_in=16,
        walk=Walk.ALL_CHUNKS,
        worth_for=500,
    )
    longer = OperationList(np.asarray([3, 3]), np.asarray([7, -7]))
    words = words_of(to_file(replay, LIST, longer))
    assert words[:5] == [MAGIC, 4, 4, 2, 4]
    assert words[5:22] == [4096, 0, 1, 1, 4, 1, 17, 5, 100, 10, 9, 1, 32, 1, 256, 6, 40]
    assert words[22:26] == [16, 2, 2, 500], "a rehash comes at the end of what is learned from"
    assert words[26:] == [100, 1 << 17 | 9, 0, 1 << 17, 3 << 17 | 7, 3 << 17]


def test_a_rehash_may_come_in_the_middle_of_what_is_learned_from() -> None:
    assert words_of(to_file(Replay(64, rehash_at=1), LIST, LIST))[24] == 1


def test_without_a_list_to_learn_from_there_is_one() -> None:
    assert words_of(to_file(Replay(64), LIST))[2:5] == [4, 0, 2]


def test_the_firmware_has_as_many_words_of_settings() -> None:
    """And the same of each enumeration, in the same order."""
    text = HEADER.read_text(encoding="utf-8")
    settings = re.findall(
        r"^    \w+ \w+;", text.partition("uint32_t right_version")[2].partition("};")[0], re.M
    )
    assert len(settings) == len(words_of(to_file(Replay(64), LIST))) - len(LIST)
    for names in (Allocator, Function, Ranges, Walk):
        listed = text.partition(f"enum class {names.__name__} : uint32_t {{")[2].partition("}")[0]
        assert [name.strip() for name in listed.split(",")] == [each.name.lower() for each in names]


@pytest.mark.parametrize(("slot", "size"), [(MOST_SLOTS, 1), (0, MOST_BYTES + 1)])
def test_what_has_no_room_in_a_word_is_refused(slot: int, size: int) -> None:
    with pytest.raises(ValueError, match="have room"):
        OperationList(np.asarray([slot]), np.asarray([size]))
    OperationList(np.asarray([MOST_SLOTS - 1]), np.asarray([MOST_BYTES]))
