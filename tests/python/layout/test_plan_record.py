"""What a plan says of the allocator under it, and of what was measured."""

from pathlib import Path

import numpy as np
import pytest

from malloom import _native, formats
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_header import check_plan
from malloom.layout.plan_record import read_record, write_with_record
from malloom.layout.registry import strategy
from malloom.profile import HeapProfile

SETTING = {"allocator": "other 1.0", "library": "", "variables": {"MALLOC_CONF": "thp:always"}}


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    profile, path = HeapProfile.from_arrays([48] * 10), tmp_path / "a.plan"
    write_plan(make_plan(profile, strategy("sequential").place(profile, geometry_from("zen5"))), path)
    return path


def test_a_plan_without_a_record_says_nothing(plan: Path) -> None:
    assert read_record(plan) == {}


def test_a_record_is_read_again_and_replaced_and_the_plan_stays(plan: Path) -> None:
    was = read_plan(plan)
    for record in ({"setting": SETTING, "measured": ["x" * 1000]}, {"measured": [1]}, {"setting": SETTING}):
        write_with_record(plan, plan, record)
        check_plan(plan)
        assert read_record(plan) == record
    now = read_plan(plan)
    assert now.slots.tolist() == was.slots.tolist() and now.contexts.tolist() == was.contexts.tolist()
    write_with_record(plan, plan, {})
    assert read_record(plan) == {} and read_plan(plan).header["record_bytes"] == 0


def test_a_damaged_record_is_told_in_one_line(plan: Path) -> None:
    write_with_record(plan, plan, {"setting": SETTING})
    data = plan.read_bytes()
    plan.write_bytes(data[:-1] + b"!")
    with pytest.raises(CommandError, match="is damaged"):
        read_record(plan)


def change_header(plan: Path, fields: dict[str, int], body: bytes = b"") -> None:
    """The plan with `body` after it and other fields, and with checksums that hold."""
    data = plan.read_bytes() + body
    dtype = formats.dtype("plan", "PlanHeader")
    header, rest = np.frombuffer(data, dtype=dtype, count=1).copy(), data[dtype.itemsize :]
    for name, value in {**fields, "file_bytes": len(data)}.items():
        header[name] = value
    header["body_checksum"] = _native.checksum(np.frombuffer(rest, dtype=np.uint8))
    header["header_checksum"] = _native.checksum(np.frombuffer(header.tobytes()[:-8], dtype=np.uint8))
    plan.write_bytes(header.tobytes() + rest)


@pytest.mark.parametrize(
    "fields",
    [
        {"record_offset": 2**63},
        {"record_offset": 2**64 - 8},
        {"record_bytes": 2**64 - 1},
        {"record_bytes": 2**40},
    ],
)
def test_a_record_that_lies_outside_the_plan_is_refused(plan: Path, fields: dict[str, int]) -> None:
    write_with_record(plan, plan, {"setting": SETTING})
    change_header(plan, fields)
    with pytest.raises(CommandError, match="its record makes no sense"):
        read_record(plan)
    with pytest.raises(CommandError, match="a section lies outside the file"):
        check_plan(plan)


@pytest.mark.parametrize(
    "record",
    [
        *(b"[1]", b"{", b"\xff\xfe", b'{"pairs": NaN}', b'{"pairs": -Infinity}', b'{"pairs": 1e999}'),
        b'{"setting":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    ],
)
def test_a_record_that_is_no_object_is_refused(plan: Path, record: bytes) -> None:
    offset = (plan.stat().st_size + 7) // 8 * 8
    body = bytes(offset - plan.stat().st_size) + record
    change_header(plan, {"record_offset": offset, "record_bytes": len(record)}, body)
    check_plan(plan)
    with pytest.raises(CommandError, match="its record makes no sense"):
        read_record(plan)


def test_a_record_that_could_not_be_read_again_is_not_written(plan: Path) -> None:
    was = plan.read_bytes()
    for record in ({"measured": [float("inf")]}, {"measured": "x" * (17 << 20)}):
        with pytest.raises(CommandError, match="the plan's record"):
            write_with_record(plan, plan, record)
    assert plan.read_bytes() == was
