"""Whatever a table of fields holds, the plugin warns of it or goes by it, and the program is right.

A table's own checksums find damage; so most of these have the checksums that they ought to have.
"""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler import compiling, recordings
from compiler.recordings import MadeField, MadeKind
from malloom import _native, formats
from some import IS_SOAK

SOURCE = recordings.PROGRAMS / "often_and_seldom.c"
SITE = recordings.key(SOURCE, "struct item* made = MAKE;", "make", "static struct item* make(")
FIELDS = [MadeField(offset, 8, 41_000 - 500 * offset, 40_000, 1000) for offset in range(0, 64, 8)]
KIND = MadeKind(64, 1000, 41_000, FIELDS, {(a, b): 1000 for b in range(8) for a in range(b)}, 41_000, 41_000)
ARRAYS = MadeKind(640, 10, 41_000, FIELDS[:2], {(0, 1): 5}, 100, 90, 80)
DATA = recordings.made_table([(SITE, [KIND, ARRAYS])])


@dataclass
class Plugin:
    """The pass alone, on the bitcode of a program."""

    folder: Path
    bitcode: Path

    def run(self, data: bytes) -> subprocess.CompletedProcess[str]:
        table = self.folder / "made.fields"
        table.write_bytes(data)
        command = [
            f"opt-{compiling.LLVM}",
            f"-load={compiling.PLUGIN}",
            f"-load-pass-plugin={compiling.PLUGIN}",
        ]
        command += ["-passes=lto<O2>,verify", f"-malloom-profile={table}", "-malloom-print-proofs"]
        command += [str(self.bitcode), "-disable-output"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        return done


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Plugin:
    folder = tmp_path_factory.mktemp("plugin")
    return Plugin(folder, compiling.compile_object(SOURCE, "-O2", folder / "bitcode.o"))


def place_of(name: str, struct: str, field: str) -> int:
    fields = formats.dtype(name, struct).fields
    assert fields is not None
    return int(fields[field][1])


SECTION = int.from_bytes(DATA[place_of("fields", "FieldsHeader", "sites_offset") :][:8], "little")
SECTION_BYTES = int.from_bytes(DATA[place_of("fields", "FieldsHeader", "sites_bytes") :][:8], "little")


def sealed(data: bytes, at: int) -> bytes:
    """With the checksum that the bytes ought to have."""
    checksum: int = _native.word_checksum(data, at)
    return data[:at] + checksum.to_bytes(8, "little") + data[at + 8 :]


def all_sealed(data: bytes) -> bytes:
    section = sealed(data[SECTION : SECTION + SECTION_BYTES], place_of("sites", "SitesHeader", "checksum"))
    whole = data[:SECTION] + section + data[SECTION + SECTION_BYTES :]
    return sealed(whole, place_of("fields", "FieldsHeader", "checksum"))


def test_the_whole_table_is_used(plugin: Plugin) -> None:
    assert all_sealed(DATA) == DATA
    said = plugin.run(DATA).stderr
    assert "by the profile" in said
    assert "warning" not in said


words = st.sampled_from([0, 1, 63, 64, 2**31, 2**32 - 1, 2**63, 2**64 - 1])


@settings(max_examples=settings().max_examples if IS_SOAK else 30)
@given(changes=st.lists(st.tuples(st.integers(224 // 8, len(DATA) // 8 - 1), words), min_size=1, max_size=6))
def test_what_checksums_do_not_find_is_refused_or_used(
    plugin: Plugin, changes: list[tuple[int, int]]
) -> None:
    damaged = bytearray(DATA)
    for place, word in changes:
        damaged[place * 8 : place * 8 + 8] = word.to_bytes(8, "little")
    data = all_sealed(bytes(damaged))
    said = plugin.run(data).stderr
    problem = _native.fields_problem(data)
    if problem:
        assert f"made.fields {problem}; structures are chosen as without it" in said
    assert "decision: 64 bytes," in said


@pytest.mark.parametrize("size", [0, 1, 223, 224, len(DATA) - 8, len(DATA) - 1])
def test_a_cut_table_is_warned_of(plugin: Plugin, size: int) -> None:
    said = plugin.run(DATA[:size]).stderr
    assert "warning: malloom: the profile " in said
    assert "by the profile" not in said


def test_another_version_of_the_format_is_warned_of(plugin: Plugin) -> None:
    version = place_of("fields", "FieldsHeader", "version")
    later = all_sealed(DATA[:version] + b"\x02" + DATA[version + 1 :])
    assert "has a version that this malloom does not read" in plugin.run(later).stderr


@pytest.mark.parametrize("word", [0, 1, 2**32 - 1, 2**64 - 1])
def test_programs_are_right_whatever_the_counts(plugin: Plugin, tmp_path: Path, word: int) -> None:
    """Every word of the kinds, fields and pairs: the layout may be another one, the program is the same."""
    begin = int.from_bytes(DATA[place_of("fields", "FieldsHeader", "fields_offset") :][:8], "little")
    damaged = bytearray(DATA)
    for place in range(begin + 8, begin + 56 * 10, 56):
        damaged[place : place + 48] = word.to_bytes(8, "little") * 6
    (tmp_path / "made.fields").write_bytes(all_sealed(bytes(damaged)))
    plain = compiling.run(compiling.compile_plainly(SOURCE, "-O2", tmp_path / "plain"))
    for policy in ("default", "hot-cold"):
        linked = recordings.link(SOURCE, plugin.bitcode, tmp_path / "made.fields", policy, tmp_path / policy)
        assert compiling.run(linked.program) == plain
