"""Profiles that were written once are read by every later malloom, to the byte.

The sample is made up by hand as text, with something of each kind of record: accesses alone and in blocks,
threads, processes, annotations, a frame in no module. When the format gets a new version, make a sample of
that version beside the old one, and never write an old one anew:

    cd tests/formats/samples
    malloom profile from-text version_1.profile.txt -o version_1.profile
    sed s/codec=plain/codec=zstd/ version_1.profile.txt |
        malloom profile from-text - -o version_1_zstd.profile
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from malloom import _native, formats
from malloom.errors import CommandError
from malloom.profile import HeapProfile

SAMPLES = Path(__file__).parent / "samples"
SAMPLE = SAMPLES / "version_1.profile"
COMPRESSED = SAMPLES / "version_1_zstd.profile"
TEXT = SAMPLES / "version_1.profile.txt"
LARGEST = 20_000
"""Bytes."""
COLUMNS = (
    "size",
    "alignment",
    "address",
    "context",
    "ordinal",
    "thread",
    "birth",
    "death",
    "friend",
    "accesses",
)


def profile_command(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "malloom", "profile", *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def test_there_is_a_sample_of_every_version() -> None:
    assert {SAMPLES / f"version_{number}.profile" for number in formats.load("profile").versions} == set(
        SAMPLES.glob("version_?.profile")
    )


def test_the_sample_has_something_of_everything() -> None:
    text = TEXT.read_text()
    for name in ("ChunkKind", "EventKind"):
        for value in formats.load("profile").enums[name]:
            assert re.search(rf"\b{value}\b", text), f"no {value}"
    for word in ("load", "store", "block", "gap", "time", "event", "alignment=", "4294967295+"):
        assert f" {word}" in text


def test_the_text_is_what_it_was() -> None:
    done = profile_command("to-text", SAMPLE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == TEXT.read_bytes()


def test_the_text_makes_the_sample_again(tmp_path: Path) -> None:
    made = tmp_path / "made.profile"
    assert profile_command("from-text", TEXT, "-o", made).returncode == 0
    assert made.read_bytes() == SAMPLE.read_bytes()


@pytest.mark.parametrize("sample", [SAMPLE, COMPRESSED], ids=lambda path: path.stem)
def test_nothing_is_wrong_with_it(sample: Path) -> None:
    assert _native.check_profile(str(sample)) == []
    assert sample.stat().st_size < LARGEST


def test_it_has_no_paths_of_a_machine() -> None:
    paths = set(re.findall(r"=(\S*/\S*)", TEXT.read_text()))
    assert paths == {"/opt/sample/program", "/opt/sample/libsample.so"}


def codecs(profile: Path) -> set[int]:
    """Those of its chunks."""
    data, at, found = profile.read_bytes(), 64, set()
    chunk = formats.dtype("profile", "ChunkHeader")
    while at < len(data):
        header = np.frombuffer(data, chunk, count=1, offset=at)[0]
        found.add(int(header["codec"]))
        at += chunk.itemsize + int(header["stored_bytes"])
    return found


def test_compressed_it_says_the_same() -> None:
    """Not compared as text: another zstd may compress it otherwise, which the text form then keeps raw."""
    assert codecs(SAMPLE) == {0} and 1 in codecs(COMPRESSED)
    for process in ("100", "102"):
        plain, compressed = (HeapProfile.open(path, process) for path in (SAMPLE, COMPRESSED))
        for column in COLUMNS:
            one, other = (getattr(each.requests, column) for each in (plain, compressed))
            np.testing.assert_array_equal(one, other)
        assert plain.contexts.depth == compressed.contexts.depth
        assert plain.access_entries == compressed.access_entries


def test_the_reader_says_what_the_sample_has() -> None:
    requests = HeapProfile.open(SAMPLE, "100").requests
    assert requests.size.tolist() == [48, 96, 4096, 24, 70000, 96]
    assert requests.birth.tolist() == [1, 2, 3, 6, 8, 10]
    assert requests.death.tolist()[:3] == [12, 9, 7]
    assert requests.context.tolist() == [1, 2, 3, 1, 4, 2]
    assert requests.thread.tolist() == [0, 0, 1, 0, 1, 0]
    assert requests.friend.tolist() == [-1, -1, -1, 0, -1, -1]
    assert requests.accesses.tolist() == [10, 1, 7, 2, 2, 1]


def test_a_newer_version_is_refused(tmp_path: Path) -> None:
    newer = formats.load("profile").newest_version + 1
    data = bytearray(SAMPLE.read_bytes())
    data[8:12] = newer.to_bytes(4, "little")
    data[56:64] = _native.checksum(np.frombuffer(bytes(data[:56]), dtype=np.uint8)).to_bytes(8, "little")
    (tmp_path / "newer.profile").write_bytes(data)
    with pytest.raises(CommandError, match=rf"written by a newer malloom \(version {newer};"):
        HeapProfile.open(tmp_path / "newer.profile")
