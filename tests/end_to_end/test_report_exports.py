"""`malloom report` for other tools: what they are given adds up to what the report itself says."""

import csv
import functools
import gzip
import io
import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from end_to_end.conftest import COMMAND, Finished, done_well

PROGRAM = """
#include <stdlib.h>
static char* text(int bytes) {
    char* made = malloc(bytes);
    made[0] = 1;
    return made;
}
int main(void) {
    for (int i = 0; i < 300; i++) free(text(10));
    free(text(1000));
    return 0;
}
"""


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    program = folder / "pro;gram"
    subprocess.run(["gcc", "-O0", "-g", "-x", "c", "-", "-o", program], input=PROGRAM, text=True, check=True)
    done_well(folder, "record", "-o", "run.profile", "--", program)
    return folder / "run.profile"


def report(profile: Path, *arguments: str) -> str:
    return done_well(profile.parent, "report", profile, *arguments).stdout


@functools.cache
def known(profile: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(report(profile, "--json", "--top", "0"))
    return found


@pytest.mark.parametrize("measure", ["bytes", "requests", "accesses"])
def test_folded_stacks_add_up(profile: Path, measure: str) -> None:
    lines = report(profile, "--format", "folded", "--sort", measure).splitlines()
    stacks = [line.rpartition(" ") for line in lines]
    assert sum(int(number) for *_, number in stacks) == known(profile)["totals"][measure]
    calls = [stack.split(";") for stack, *_ in stacks]
    assert {chain[0] for chain in calls} == {"pro:gram"}
    assert {chain[-1] for chain in calls} == {"text (<stdin>:4)"}
    assert {chain[-2] for chain in calls} == {"main (<stdin>:9)", "main (<stdin>:10)"}


def test_speedscope_has_a_profile_for_each_number(profile: Path) -> None:
    document = json.loads(report(profile, "--format", "speedscope"))
    frames, totals = document["shared"]["frames"], known(profile)["totals"]
    assert [each["name"] for each in document["profiles"]] == ["bytes", "requests", "live peak", "accesses"]
    for each in document["profiles"]:
        assert len(each["samples"]) == len(each["weights"])
        assert sum(each["weights"]) == each["endValue"]
        assert {frames[sample[-1]]["name"] for sample in each["samples"]} == {"text"}
    assert [document["profiles"][at]["endValue"] for at in (0, 1, 3)] == [
        totals["bytes"],
        totals["requests"],
        totals["accesses"],
    ]


def test_csv_has_the_numbers_of_the_report(profile: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(report(profile, "--format", "csv"))))
    contexts = known(profile)["contexts"]
    for row, context in zip(rows, contexts, strict=True):
        assert (row["hash"], int(row["requests"]), int(row["bytes"])) == (
            context["hash"],
            context["requests"],
            context["bytes"],
        )
        assert (row["function"], row["line"]) == ("text", "4")


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of an encoded message: number, and a number or bytes (protobuf.dev, Encoding)."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 2:
            length = varint()
            yield key >> 3, data[at : at + length]
            at += length
        else:
            assert key & 7 == 0
            yield key >> 3, varint()


def message(data: bytes) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def packed(data: bytes) -> list[int]:
    return [value for _, value in fields(b"".join(b"\x08" + part for part in _varints(data)))]


def _varints(data: bytes) -> Iterator[bytes]:
    start = 0
    for at, byte in enumerate(data):
        if byte < 128:
            yield data[start : at + 1]
            start = at + 1


def test_pprof_has_samples_whose_calls_have_names(profile: Path) -> None:
    command = [COMMAND, "report", profile, "--format", "pprof"]
    done = subprocess.run(command, check=True, capture_output=True)
    found = message(gzip.decompress(done.stdout))
    strings = [text.decode() for text in found[6]]
    types = [strings[message(kind)[1][0]] for kind in found[1]]
    assert types == ["alloc_objects", "alloc_space", "peak_space", "accesses"]
    samples = [message(sample) for sample in found[2]]
    values = [packed(sample[2][0]) for sample in samples]
    totals = known(profile)["totals"]
    assert [sum(column) for column in zip(*values, strict=True)][:2] == [totals["requests"], totals["bytes"]]
    functions = {message(each)[1][0]: strings[message(each)[2][0]] for each in found[5]}
    lines = {message(each)[1][0]: message(message(each)[4][0]) for each in found[4]}
    for sample in samples:
        names = [functions[lines[place][1][0]] for place in packed(sample[1][0])]
        assert names[:2] == ["text", "main"]
        assert lines[packed(sample[1][0])[0]][2] == [4]


def test_a_file_is_written_whole_and_none_is_lost(
    malloom: Callable[..., Finished], profile: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.csv"
    report(profile, "--format", "csv", "-o", str(output))
    assert output.read_bytes() == report(profile, "--format", "csv").encode()
    again = malloom("report", profile, "--format", "csv", "-o", output)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)


def test_perfetto_has_memory_over_time(profile: Path) -> None:
    document = json.loads(report(profile, "--format", "perfetto"))
    counters = [event for event in document["traceEvents"] if event["ph"] == "C"]
    living = [sum(event["args"].values()) for event in counters]
    assert max(living) == known(profile)["totals"]["live_peak"]
    assert [event["ts"] for event in counters] == sorted(event["ts"] for event in counters)
    (peak,) = (event["ts"] for event in document["traceEvents"] if event["ph"] == "i")
    assert living[[event["ts"] for event in counters].index(peak)] == max(living)
    names = {name for event in counters for name in event["args"]}
    assert names == {"text <stdin>:4", "others"}
    (name,) = (event["args"]["name"] for event in document["traceEvents"] if event["ph"] == "M")
    assert name == "pro;gram"
