"""The text form brings back every byte of a profile."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.errors import CommandError
from malloom.profile.text_form import from_text, to_text
from python.profile.chunks import FILE_HEADER, HEADER_BYTES, chunks_of, field_of, resealed
from python.profile.recorded_runs import END, HEADER, PROCESS, Run, Step, runs, write_profile


def round_trip(profile: Path) -> tuple[str, bytes]:
    text, again = profile.with_suffix(".text"), profile.with_suffix(".again")
    with text.open("wb") as output:
        to_text(profile, output)
    with text.open("rb") as source:
        from_text(source, again)
    return text.read_text(), again.read_bytes()


@given(runs, st.integers(1, 40), st.sampled_from(["plain", "zstd"]))
def test_text_brings_back_every_byte(steps: list[Step], chunk: int, codec: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = Run(steps).text(chunk).replace("codec=plain", f"codec={codec}")
        profile = write_profile(text, Path(folder) / "run.profile")
        shown, again = round_trip(profile)
        assert again == profile.read_bytes()
        assert "chunk raw" not in shown
        if codec == "plain":
            assert shown == text


@st.composite
def blocks(draw: st.DrawFn) -> tuple[int, list[str]]:
    """Executions of blocks of accesses, and markers: how many records, and their lines."""
    addresses = st.integers(2**33, 2**47)
    block = st.lists(
        st.tuples(
            st.sampled_from(["load", "store"]), st.sampled_from([1, 8, 64]), st.integers(-(2**31), 2**31 - 1)
        ),
        min_size=1,
        max_size=4,
    )
    shapes = draw(st.lists(block, min_size=1, max_size=5))
    lines, records, first_runs = [" time 3"], 1, 0
    for chosen in draw(st.lists(st.integers(0, len(shapes) - 1), min_size=1, max_size=30)):
        number = min(chosen, first_runs)  # numbers are given in the order of the first runs
        first_runs = max(first_runs, number + 1)
        bases = [draw(addresses) for _ in range(1 + number % len(shapes[number]))]
        lines.append(" ".join([f" block {number + 1}", *(f"{base:x}" for base in bases)]))
        for i, (kind, size, offset) in enumerate(shapes[number]):
            base = i % len(bases)
            lines.append(f" {kind} {bases[base] + offset:x} {size} {base}")
        if draw(st.booleans()):
            lines.append(" event 4")
        records += len(shapes[number]) + (lines[-1] == " event 4")
    return records, lines


def test_text_brings_back_the_markers_that_take_most(tmp_path: Path) -> None:
    head = "chunk accesses process=7 thread=9 sequence=0 ticket=0 records=21 codec=plain\n"
    markers = f" event 0\n event {2**56 - 1}\n" * 10
    text = HEADER + PROCESS + head + " load 10 8\n" + markers + END
    profile = write_profile(text, tmp_path / "run.profile")
    assert round_trip(profile) == (text, profile.read_bytes())


@given(blocks())
def test_text_brings_back_blocks_of_accesses(drawn: tuple[int, list[str]]) -> None:
    records, lines = drawn
    head = f"chunk accesses process=7 thread=9 sequence=0 ticket=0 records={records} codec=plain\n"
    text = HEADER + PROCESS + head + "\n".join(lines) + "\n" + END
    with tempfile.TemporaryDirectory() as folder:
        profile = write_profile(text, Path(folder) / "run.profile")
        shown, again = round_trip(profile)
        assert again == profile.read_bytes()
    # Blocks of single accesses may be what accesses alone become.
    assert shown == text or ("block" not in shown and "raw" not in shown)


def test_what_the_text_cannot_say_is_kept_as_stored(tmp_path: Path) -> None:
    profile = write_profile(HEADER + PROCESS + END, tmp_path / "run.profile")
    # An odd number of strings is no list of properties: only the bytes themselves can bring it back.
    odd = "chunk process process=7 thread=0 sequence=1 ticket=0 records=1 codec=plain\n k=v\n"
    stranger = write_profile(HEADER + odd, tmp_path / "odd.profile").read_bytes()[64:]
    payload = bytearray(stranger)
    payload[-4:] = b"k\0v\1"
    profile.write_bytes(profile.read_bytes() + bytes(payload))
    shown, again = round_trip(profile)
    assert "chunk raw" in shown
    assert again == profile.read_bytes()


def test_a_cut_profile_is_read_up_to_the_cut(tmp_path: Path) -> None:
    whole = write_profile(HEADER + PROCESS + END, tmp_path / "run.profile")
    cut = tmp_path / "cut.profile"
    cut.write_bytes(whole.read_bytes()[:-10])
    with (tmp_path / "cut.txt").open("wb") as output:
        notes = to_text(cut, output)
    assert any("cut" in note for note in notes)
    shown = [line for line in (tmp_path / "cut.txt").read_text().splitlines() if not line.startswith("#")]
    assert "\n".join(shown) + "\n" == HEADER + PROCESS


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("something else\n", "line 1: not the text form"),
        (HEADER + "chunk nonsense\n", "line 3: an unknown kind"),
        (HEADER + " 1 allocate 10\n", "line 3: a record outside"),
        (HEADER + "chunk events ticket=5 records=1\n 4 allocate 10\n", "line 4: the tickets"),
        (HEADER + "chunk events ticket=1 records=2\n 1 allocate 10\n", "another number of records"),
        (HEADER + "chunk accesses records=1\n load zz 8\n", "line 4: expected an access"),
        (HEADER + "chunk accesses records=1\n load 10 3\n", "line 4: expected an access"),
        (HEADER + "chunk accesses records=2\n load 10 8\n block 1 10\n", "outside of a block"),
        (
            HEADER + "chunk accesses records=1\n block 1 10\n load 10 8\n",
            "line 5: expected an access of a block",
        ),
        (
            HEADER + "chunk accesses records=1\n block 1 10\n load 10 8 1\n",
            "line 5: expected an access of a block",
        ),
        (
            HEADER + "chunk accesses records=1\n block 1 10\n load 1000000010 8 0\n",
            "line 5: an access too far",
        ),
        (HEADER + "chunk accesses records=1\n block 2 10\n load 10 8 0\n event 1\n", "out of order"),
        (
            HEADER
            + "chunk accesses records=9\n block 1 10\n load 10 8 0\n block 1 10\n load 18 8 0\n event 1\n",
            "a block unlike the one",
        ),
        (HEADER + "chunk accesses records=1\n block 0 10\n", "line 4: expected the number of a block"),
        (
            HEADER + "chunk accesses records=1\n block 1 10\n load 10 8 0\n load 18 8 0\n event 1\n",
            "block unlike",
        ),
        (HEADER + "chunk end\n key\n", "line 4: expected name=value"),
        ("malloom profile text 1\nprofile version=9 created=1\n", "line 2: a version"),
        ("malloom profile text 1\n", "ends before"),
    ],
)
def test_wrong_text_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    kept = tmp_path / "wrong.profile"
    kept.write_text("what was there before")
    with pytest.raises(CommandError, match=problem):
        write_profile(text, kept)
    assert kept.read_text() == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wrong.profile", "wrong.txt"]


def test_command_streams_both_ways(tmp_path: Path) -> None:
    profile = write_profile(HEADER + PROCESS + END, tmp_path / "run.profile")
    command = [sys.executable, "-m", "malloom", "profile"]
    shown = subprocess.run([*command, "to-text", profile], capture_output=True, check=True, env=os.environ)
    again = tmp_path / "again.profile"
    subprocess.run([*command, "from-text", "-", "-o", again], input=shown.stdout, check=True, env=os.environ)
    assert shown.stdout.decode() == HEADER + PROCESS + END
    assert again.read_bytes() == profile.read_bytes()


def test_a_full_disk_is_said_in_one_line(tmp_path: Path) -> None:
    profile = write_profile(HEADER + PROCESS + END, tmp_path / "run.profile")
    command = [sys.executable, "-m", "malloom", "profile", "to-text", profile, "-o", "/dev/full"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert result.returncode == 1
    assert "No space left" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_raw_chunk_is_readable_as_comments(tmp_path: Path) -> None:
    # Another level of compression gives bytes that the encoder would not, as does the client with accesses.
    many = "".join(f" {i} allocate {i * 16:x} size=8\n" for i in range(1, 400))
    head = "chunk events process=7 thread=9 sequence=0 ticket=1 records=399 codec=zstd\n"
    profile = write_profile(HEADER + PROCESS + head + many + END, tmp_path / "run.profile")
    recoded = recode_zstd(profile.read_bytes())
    profile.write_bytes(recoded)
    shown, again = round_trip(profile)
    assert again == recoded
    assert "chunk raw" in shown
    assert "\n# 399 allocate 18f0 size=8\n" in shown


def recode_zstd(profile: bytes) -> bytes:
    """The profile with its one compressed chunk compressed at another level."""
    chunks = chunks_of(profile)
    (at,) = (number for number, chunk in enumerate(chunks) if field_of(chunk, "codec") == 1)
    payload = chunks[at][HEADER_BYTES:]
    plain = subprocess.run(["zstd", "-dc"], input=payload, capture_output=True, check=True).stdout
    command = ["zstd", "-19", "-c", "--no-check", f"--stream-size={len(plain)}"]
    again = subprocess.run(command, input=plain, capture_output=True, check=True).stdout
    chunks[at] = resealed(chunks[at], again)
    return b"".join([profile[:FILE_HEADER], *chunks])
