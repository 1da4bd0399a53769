"""Tables of fields that were written once are read by every later malloom; what is damaged is refused.

Made from sample_fields.py. When the format gets a new version, make a sample of that version beside the
old one, and never write an old one anew:

    PYTHONPATH=tests python -c 'import pathlib
    from formats.sample_fields import sample_table
    from malloom.fields.file import write_table
    write_table(sample_table(), pathlib.Path("tests/formats/samples/version_1.fields"))'
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.sample_fields import SITES, sample_table
from malloom import _native, formats
from malloom.errors import CommandError
from malloom.fields.file import decoded, encoded, read_table
from malloom.layout.plan_file import read_plan
from malloom.sites.table import decode, encode

SAMPLES = Path(__file__).parent / "samples"
SAMPLE = SAMPLES / "version_1.fields"
DATA = SAMPLE.read_bytes()
SECTION = encode(SITES)


def place_of(name: str, struct: str, field: str) -> int:
    fields = formats.dtype(name, struct).fields
    assert fields is not None
    return int(fields[field][1])


def number_at(data: bytes, name: str, struct: str, field: str) -> int:
    start = place_of(name, struct, field)
    return int.from_bytes(data[start : start + 8], "little")


FIELDS_CHECKSUM = place_of("fields", "FieldsHeader", "checksum")
SITES_CHECKSUM = place_of("sites", "SitesHeader", "checksum")


def sealed(data: bytes, at: int) -> bytes:
    """The bytes with the checksum that they ought to have: damage of a kind that no checksum finds."""
    if len(data) < at + 8:
        return data
    return data[:at] + _native.word_checksum(data, at).to_bytes(8, "little") + data[at + 8 :]


def test_there_is_a_sample_of_every_version() -> None:
    versions = formats.load("fields").versions
    assert {SAMPLES / f"version_{number}.fields" for number in versions} == set(SAMPLES.glob("*.fields"))


def test_the_sample_is_read_and_made_again() -> None:
    assert _native.fields_problem(DATA) == ""
    table = read_table(SAMPLE)
    assert encoded(table) == DATA == encoded(sample_table())
    assert table.sites == SITES
    assert table.simulated == sample_table().simulated
    assert [field["offset"] for field in table.fields_of(table.kinds[0])] == [0, 16]
    assert table.pairs_of(table.kinds[0])["visits"].tolist() == [6]


def test_a_plan_with_site_keys_is_read() -> None:
    plan = read_plan(SAMPLES / "version_3_sites.plan")
    assert decode(plan.sites, "plan") == SITES
    assert read_plan(SAMPLES / "version_3.plan").sites == b""


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda data: b"", "is too short"),
        (lambda data: data[:-8], "is not as long as it says"),
        (lambda data: b"MALLPLAN" + data[8:], "is no table of fields"),
        (lambda data: data[:8] + b"\x02" + data[9:], "a version that this malloom does not read"),
        (lambda data: data[:-1] + b"\x01", "its checksum is wrong"),
    ],
)
def test_damage_is_named(tmp_path: Path, change: Callable[[bytes], bytes], problem: str) -> None:
    (tmp_path / "damaged.fields").write_bytes(change(DATA))
    with pytest.raises(CommandError, match=rf"damaged.fields: .*{problem}.*; make it again"):
        read_table(tmp_path / "damaged.fields")


def test_kinds_that_share_fields_are_refused() -> None:
    """Readers go through the fields of each kind: a short table must not take them for ever."""
    table = sample_table()
    kinds = table.kinds.copy()
    kinds[1]["first_field"], kinds[1]["fields"] = 0, 2
    assert "share fields" in _native.fields_problem(encoded(replace(table, kinds=kinds)))


@given(at=st.integers(0, len(DATA) - 1), byte=st.integers(0, 255))
def test_every_damaged_byte_is_found(at: int, byte: int) -> None:
    damaged = DATA[:at] + bytes([byte]) + DATA[at + 1 :]
    assert (_native.fields_problem(damaged) == "") == (damaged == DATA)


changes = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8)


@given(changes=changes, end=st.integers(0, len(DATA)))
def test_what_a_checksum_does_not_find_is_refused_or_read(changes: list[tuple[int, int]], end: int) -> None:
    """Both readers agree: what the compilers' takes, Python's reads to its last record."""
    damaged = bytearray(DATA)
    for at, byte in changes:
        damaged[at % len(DATA)] = byte
    section = number_at(DATA, "fields", "FieldsHeader", "sites_offset")
    inner = sealed(bytes(damaged[section : section + len(SECTION)]), SITES_CHECKSUM)
    whole = bytes(damaged[:section]) + inner + bytes(damaged[section + len(inner) :])
    data = sealed(whole[: end // 8 * 8] if end % 3 == 0 else whole, FIELDS_CHECKSUM)
    if _native.fields_problem(data):
        with pytest.raises(CommandError):
            decoded(data, "damaged")
    else:
        table = decoded(data, "damaged")
        for kind in table.kinds:
            assert len(table.fields_of(kind)) == kind["fields"]
            assert all(pair["second"] < kind["fields"] for pair in table.pairs_of(kind))
            assert table.sites.contexts[int(kind["context"])].frames is not None


@given(changes=changes)
def test_damaged_site_keys_are_refused_or_read(changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(SECTION)
    for at, byte in changes:
        damaged[at % len(SECTION)] = byte
    data = sealed(bytes(damaged), SITES_CHECKSUM)
    if _native.sites_problem(data):
        with pytest.raises(CommandError):
            decode(data, "damaged")
    else:
        assert len(decode(data, "damaged").frames) == number_at(data, "sites", "SitesHeader", "sites_count")
