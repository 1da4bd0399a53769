"""A report on a run whose truth is known, and the reasons where there is none."""

import io
import json
import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from malloom.errors import CommandError, UsageProblem
from malloom.profile import Module
from malloom.report.chains import chain_text
from malloom.report.debug_files import DebugInformation, find_debug_information
from malloom.report.report import FORMATS, find_format, make_report
from malloom.report.symbols import Place, Symbols
from python.profile.recorded_runs import END, HEADER, PROCESS, write_profile

EVENTS = (
    "chunk events process=7 thread=9 sequence=0 ticket=1 records=5 codec=plain\n"
    " 1 allocate 1000 size=100\n 2 allocate 2000 size=50\n 3 release 1000\n"
    " 4 allocate 1000 size=60\n 5 allocate 3000 size=500 context=3\n"
)
ACCESSES = (
    "chunk accesses process=7 thread=9 sequence=0 ticket=0 records=4 codec=plain\n"
    " event 5\n load 1000 8\n load 1008 8\n store 3000 8\n"
)
SOURCE = """
namespace shapes {
int area(int width) {
    return width *
        3;
}
}
int main(int count, char**) { return shapes::area(count); }
"""


@pytest.fixture(autouse=True)
def no_width_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some programs that start the tests say one."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return write_profile(HEADER + PROCESS + EVENTS + ACCESSES + END, tmp_path / "run.profile")


def written(profile: Path, form: str, **wanted: object) -> str:
    output = io.StringIO()
    options: dict[str, object] = {"process": None, "sort": "bytes", "top": 20} | wanted
    find_format(form).write(make_report(profile, **options), output)  # type: ignore[arg-type]
    return output.getvalue()


def test_json_says_what_happened(profile: Path) -> None:
    report = json.loads(written(profile, "json"))
    assert report["totals"] == {
        "requests": 4,
        "bytes": 710,
        "live_peak": 610,
        "to_end": 0.75,
        "accesses": 3,
        "contexts": 2,
        "threads": 1,
    }
    large, small = report["contexts"]
    assert (large["requests"], large["bytes"], large["live_peak"], large["accesses"]) == (1, 500, 500, 1)
    assert large["median_lifetime"] is None
    assert (small["requests"], small["bytes"], small["live_peak"], small["accesses"]) == (3, 210, 150, 2)
    assert (small["median_lifetime"], small["to_end"]) == (2, pytest.approx(2 / 3))
    assert [frame["offset"] for frame in small["frames"]] == [0x10, 0x90]
    assert report["process"]["executable"] == "/bin/made-up"


@pytest.mark.parametrize(("sort", "first"), [("bytes", 500), ("requests", 210), ("accesses", 210)])
def test_rows_are_sorted_and_cut(profile: Path, sort: str, first: int) -> None:
    rows = json.loads(written(profile, "json", sort=sort, top=1))["contexts"]
    assert [row["bytes"] for row in rows] == [first]


def test_text_in_a_pipe_has_neither_colours_nor_cut_names(profile: Path) -> None:
    text = written(profile, "text")
    assert "\x1b" not in text
    assert "made-up+0x10 < made-up+0x90" in text
    assert "4 requests of 710 B from 2 contexts" in text
    assert "/bin/made-up is not here" in text


def parts_of(text: str, path: Path) -> tuple[list[str], dict[str, object], dict[str, object]]:
    """The first lines of the text report on a made-up profile; its JSON, and the first context of that."""
    profile = write_profile(text, path)
    report = json.loads(written(profile, "json"))
    return written(profile, "text").splitlines(), report, report["contexts"][0]


def test_missing_accesses_are_explained(tmp_path: Path) -> None:
    lines, report, context = parts_of(HEADER + PROCESS + EVENTS + END, tmp_path / "bare.profile")
    assert "no accesses were recorded" in lines[1]
    assert any(line.endswith("75% live to the end") for line in lines)
    assert not report["complete"]
    assert (context["accesses"], context["accessed"], context["to_end"]) == (None, None, 1.0)


@pytest.mark.parametrize(
    ("property", "said"),
    [
        ("accesses=sampled", "the accesses are a sample"),
        ("accesses=annotated", "the program's source tells"),
        ("sampled=1", "the accesses are a sample"),
        ("annotated=1", "the program's source tells"),
    ],
)
def test_some_accesses_are_not_taken_for_all(tmp_path: Path, property: str, said: str) -> None:
    process = PROCESS.replace(" pid=7\n", f" pid=7\n {property}\n")
    lines, report, context = parts_of(HEADER + process + EVENTS + ACCESSES + END, tmp_path / "some.profile")
    assert said in lines[1]
    assert any(line.endswith("75% live to the end; 3 accesses") for line in lines)
    assert said in report["gaps"][0]
    assert (context["accesses"], context["accessed"], context["to_end"]) == (1, None, 1.0)


ABRUPT = END.replace("exit", "ended without exit handlers (exec, _exit or a signal)")


@pytest.mark.parametrize(
    ("mode", "said"), [("full", True), ("sampled", True), ("annotated", False), ("none", False)]
)
def test_an_abrupt_end_may_have_lost_accesses(tmp_path: Path, mode: str, said: bool) -> None:
    process = PROCESS.replace(" pid=7\n", f" pid=7\n accesses={mode}\n")
    text = HEADER + process + EVENTS + (ACCESSES if mode != "none" else "") + ABRUPT
    _, report, context = parts_of(text, tmp_path / "killed.profile")
    assert ("its last accesses may be missing" in str(report["gaps"])) == said
    assert (context["accessed"], context["to_end"]) == (None, 1.0)


@pytest.mark.parametrize(
    ("mode", "end", "said"),
    [
        ("none", END, "'malloom record --accesses full' records them"),
        ("full", ABRUPT, "(exec, _exit or a signal) before any was written"),
        ("full", END, "though they were asked for"),
        ("annotated", END, "the program's source tells of none"),
    ],
)
def test_nothing_is_advised_that_was_done(tmp_path: Path, mode: str, end: str, said: str) -> None:
    process = PROCESS.replace(" pid=7\n", f" pid=7\n accesses={mode}\n")
    lines, _, _ = parts_of(HEADER + process + EVENTS + end, tmp_path / "bare.profile")
    assert said in lines[1]
    assert ("--accesses full" in lines[1]) == (mode == "none")


@pytest.mark.parametrize("reason", ["maximum size reached", "profile could not be written", None])
def test_a_part_of_a_run_is_not_taken_for_the_whole(tmp_path: Path, reason: str | None) -> None:
    end = END.replace("exit", reason) if reason else ""
    lines, report, context = parts_of(HEADER + PROCESS + EVENTS + ACCESSES + end, tmp_path / "cut.profile")
    assert (
        f"before the program did ({reason})" in lines[1]
        if reason
        else "part of the run is missing" in lines[1]
    )
    assert "to the end" not in lines[2]
    assert len(report["gaps"]) == 1
    assert report["totals"]["to_end"] is None  # type: ignore[index]
    assert (context["accesses"], context["accessed"], context["to_end"]) == (1, None, None)


@pytest.mark.parametrize("end", [END, ABRUPT])
def test_events_that_were_dropped_are_missing_however_the_process_ended(tmp_path: Path, end: str) -> None:
    text = HEADER + PROCESS + EVENTS + ACCESSES + end + " dropped=3\n"
    lines, report, context = parts_of(text, tmp_path / "lossy.profile")
    assert "a part of the run is missing (3 events could not be recorded)" in lines[1]
    assert "to the end" not in lines[2]
    assert not report["complete"]
    assert "3 events could not be recorded" not in report["notes"]  # type: ignore[operator]
    assert report["totals"]["to_end"] is None  # type: ignore[index]
    assert (context["accesses"], context["accessed"], context["to_end"]) == (1, None, None)


def test_other_losses_are_told_beside_an_early_end(tmp_path: Path) -> None:
    events, end = EVENTS.replace("sequence=0", "sequence=1"), END.replace("exit", "maximum size reached")
    text = HEADER + PROCESS + events + end + " dropped=3\n"
    lines, report, _ = parts_of(text, tmp_path / "both.profile")
    assert "before the program did (maximum size reached)" in lines[1]
    notes = str(report["notes"])
    assert "3 events could not be recorded" in notes and "1 chunks are missing" in notes
    assert "maximum size" not in notes


def test_a_whole_profile_has_no_gaps(profile: Path) -> None:
    report = json.loads(written(profile, "json"))
    assert (report["complete"], report["gaps"]) == (True, [])


def test_shorter_contexts_are_joined(profile: Path) -> None:
    rows = json.loads(written(profile, "json", depth=1))["contexts"]
    assert [len(row["frames"]) for row in rows] == [1, 1]


def test_an_empty_report_gives_the_reason(tmp_path: Path) -> None:
    path = write_profile(HEADER + PROCESS + END, tmp_path / "empty.profile")
    with pytest.raises(CommandError, match=r"made-up \(7\) made no request: it ran to its end"):
        written(path, "text")
    allocator = PROCESS.replace("path=/bin/made-up", "path=/lib/libjemalloc.so.2")
    path = write_profile(HEADER + allocator + END, tmp_path / "own.profile")
    with pytest.raises(CommandError, match="allocator of its own"):
        written(path, "text")
    path = write_profile(HEADER, tmp_path / "nothing.profile")
    with pytest.raises(CommandError, match="no process"):
        written(path, "text")


@pytest.mark.parametrize("reason", ["maximum size reached", "profile could not be written"])
def test_an_empty_report_names_the_end_of_the_recording(tmp_path: Path, reason: str) -> None:
    path = write_profile(HEADER + PROCESS + END.replace("exit", reason), tmp_path / "short.profile")
    with pytest.raises(CommandError, match=f"ended before its requests were written: {reason}"):
        written(path, "text")


def test_an_empty_report_of_a_damaged_profile_says_so(tmp_path: Path) -> None:
    path = write_profile(HEADER + PROCESS + EVENTS + END, tmp_path / "whole.profile")
    whole = path.read_bytes()
    events = whole.index(
        b"LOOM", whole.index(b"LOOM", whole.index(b"LOOM", whole.index(b"LOOM") + 1) + 1) + 1
    )
    path.write_bytes(whole[: events + 70] + b"?" + whole[events + 71 :])
    with pytest.raises(CommandError, match="are missing: 1 chunks are corrupt and were left out; record"):
        written(path, "text")
    path.write_bytes(whole[: events + 70])
    with pytest.raises(
        CommandError, match=r"of made-up \(7\) are missing: profile is cut at byte .*; record again"
    ):
        written(path, "text")


def test_formats_that_there_are_not_are_refused_by_name() -> None:
    for name in ("", "xml", "report"):
        with pytest.raises(UsageProblem, match="use one of text, json"):
            find_format(name)
    for name in FORMATS:
        assert find_format(name).summary


@pytest.mark.parametrize("dwarf", ["-gdwarf-4", "-gdwarf-5"])
def test_frames_have_functions_files_and_lines(tmp_path: Path, dwarf: str) -> None:
    source, program = tmp_path / "shapes.cpp", tmp_path / "shapes"
    source.write_text(SOURCE)
    subprocess.run(["g++", dwarf, "-O0", "-o", program, source], check=True)
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    start = next(int(line.split()[0], 16) for line in symbols.splitlines() if "area" in line)
    reader = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], debug_root=tmp_path)
    [place] = reader.places([(0, start + 1)])[0, start + 1]
    assert (place.function, Path(place.file), place.line) == ("shapes::area(int)", source, 3)
    assert reader.notes == []


def test_debug_files_apart_are_found_by_build_id(tmp_path: Path) -> None:
    source, program = tmp_path / "shapes.cpp", tmp_path / "shapes"
    source.write_text(SOURCE)
    subprocess.run(["g++", "-g", "-O0", "-Wl,--build-id=0xabcdef01", "-o", program, source], check=True)
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    start = next(int(line.split()[0], 16) for line in symbols.splitlines() if "area" in line)
    debug = tmp_path / "debug/.build-id/ab/cdef01.debug"
    debug.parent.mkdir(parents=True)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    module = Module(str(program), "abcdef01", 0, 1 << 30, 0, 1)
    [place] = Symbols([module], tmp_path / "debug").places([(0, start + 1)])[0, start + 1]
    assert (place.function, place.line) == ("shapes::area(int)", 3)


def linked_apart(folder: Path) -> tuple[Path, Path]:
    """A stripped program without a build-id, and the file with its debug information that it links to."""
    source, program, debug = folder / "shapes.cpp", folder / "shapes", folder / "shapes.debug"
    source.write_text(SOURCE)
    subprocess.run(["g++", "-g", "-O0", "-no-pie", "-Wl,--build-id=none", "-o", program, source], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    return program, debug


@pytest.mark.parametrize("place", ["{here}", "{here}/.debug", "{root}{here}"])
def test_debug_files_apart_are_found_by_their_link(tmp_path: Path, place: str) -> None:
    program, debug = linked_apart(tmp_path)
    root = tmp_path / "root"
    folder = Path(place.format(here=tmp_path, root=root))
    folder.mkdir(parents=True, exist_ok=True)
    moved = debug.rename(folder / debug.name)
    assert find_debug_information(program, "", root) == DebugInformation(moved, lies_apart=False)
    symbols = subprocess.run(["nm", moved], capture_output=True, text=True, check=True).stdout
    start = next(int(line.split()[0], 16) for line in symbols.splitlines() if "area" in line)
    reader = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], root)
    [place_found] = reader.places([(0, start + 1)])[0, start + 1]
    assert (place_found.function, place_found.line) == ("shapes::area(int)", 3)


def test_a_link_to_another_build_s_file_is_not_followed(tmp_path: Path) -> None:
    program, debug = linked_apart(tmp_path)
    debug.write_bytes(debug.read_bytes() + b"?")
    assert find_debug_information(program, "", tmp_path) is None


def test_a_changed_file_gives_no_wrong_names(tmp_path: Path) -> None:
    source, program = tmp_path / "shapes.cpp", tmp_path / "shapes"
    source.write_text(SOURCE)
    subprocess.run(["g++", "-g", "-Wl,--build-id=0xabcdef01", "-o", program, source], check=True)
    reader = Symbols([Module(str(program), "00000000", 0, 1 << 30, 0, 1)], debug_root=tmp_path)
    assert reader.places([(0, 0x1150)])[0, 0x1150][0].function == ""
    assert "has changed since the recording" in reader.notes[0]


def test_a_stripped_file_says_why_there_are_no_names(tmp_path: Path) -> None:
    source, program = tmp_path / "shapes.cpp", tmp_path / "shapes"
    source.write_text(SOURCE)
    subprocess.run(["g++", "-s", "-o", program, source], check=True)
    reader = Symbols([Module(str(program), "", 0, 1 << 30, 0, 1)], debug_root=tmp_path)
    assert str(reader.places([(0, 0x1150)])[0, 0x1150][0]) == "shapes+0x1150"
    assert "shapes has no symbols" in reader.notes[0]


def terminal_text(profile: Path, columns: int, **environment: str) -> str:
    """The report as a terminal of that width gets it."""
    here, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (50, columns))
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    command = [sys.executable, "-m", "malloom", "report", profile]
    settings = {**plain, "TERM": "xterm", **environment}
    subprocess.run(command, stdin=terminal, stdout=terminal, check=True, env=settings)
    os.close(terminal)
    return os.read(here, 1 << 16).decode()


@pytest.mark.parametrize("columns", [80, 90, 200])
def test_numbers_are_whole_on_every_terminal(profile: Path, columns: int) -> None:
    text = terminal_text(profile, columns)
    row = next(line for line in text.splitlines() if "210 B" in line)
    assert row.split()[:9] == ["3", "210", "B", "150", "B", "2", "67%", "2", "33%"]
    lines = text.splitlines()
    chain = row if columns == 200 else lines[lines.index(row) + 1]
    assert "made-up+0x10" in chain
    assert "4 requests of 710 B from 2 contexts" in text
    assert "\x1b[" in text


@pytest.mark.parametrize("columns", [20, 40])
def test_numbers_have_lines_of_their_own_on_a_narrow_terminal(profile: Path, columns: int) -> None:
    lines = [re.sub("\x1b.*?m", "", line) for line in terminal_text(profile, columns).splitlines()]
    table = lines[lines.index("contexts") + 1 :]
    chain = next(line for line in table if line.startswith("    made-up+0x10"))
    assert " ".join(table[: table.index(chain)]).endswith(
        "requests 3, bytes 210 B, live peak 150 B, lifetime 2, to end 67%, accesses 2, accessed 33%"
    )
    numbers = [line for line in lines[1:] if not line.startswith(("    ", "note:"))]
    assert max(map(len, numbers)) <= columns


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_totals_fit_the_width_that_is_said_of_a_pipe(
    profile: Path, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = written(profile, "text").splitlines()[1:]
    assert max(len(line) for line in lines if not line.startswith("note: ")) <= columns
    assert "4 requests of 710 B from 2 contexts, 1 thread; at most 610 B" in " ".join(lines)


def test_colours_can_be_refused(profile: Path) -> None:
    assert "\x1b[33m" in terminal_text(profile, 80)
    assert "\x1b[33m" not in terminal_text(profile, 80, NO_COLOR="1")


PUSHED = "std::vector<…>::push_back<…> vector.h:77"
CHAIN = [
    Place(
        "program", 1, "std::allocator<char>::allocate(unsigned long)", "/usr/include/c++/12/new.h", 9, True
    ),
    Place(
        "program", 1, "void std::vector<char>::push_back<int>(char)", "/usr/include/c++/12/vector.h", 77, True
    ),
    Place("program", 1, "shapes::fill(int)", "/project/shapes.cpp", 1234),
    Place("program", 2, "main", "/project/main.cpp", 12),
    Place("libc.so.6", 0x1A),
]


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (
            100,
            f"{PUSHED} < shapes::fill shapes.cpp:1234 < main main.cpp:12 < ...",
        ),
        (80, f"{PUSHED} < shapes::fill shapes.cpp:1234 < ..."),
        (50, f"{PUSHED} < ..."),
        (40, "…ctor<…>::push_back<…> vector.h:77 < ..."),
        (3, "…or<…>::push_back<…> vector.h:77 < ..."),
    ],
)
def test_a_chain_has_as_many_frames_as_fit_with_whole_lines(room: int, expected: str) -> None:
    assert chain_text(CHAIN, room) == expected


def test_of_a_chain_in_a_standard_library_the_outermost_is_left() -> None:
    assert chain_text(CHAIN[:2], 80) == PUSHED
    assert chain_text(CHAIN[3:], 80) == "main main.cpp:12 < libc.so.6+0x1a"
    assert chain_text([], 80) == "?"
