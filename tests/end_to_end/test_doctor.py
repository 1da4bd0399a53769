"""`malloom doctor`: a line for each thing; the exit status says whether anything stands in the way."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

Malloom = Callable[..., subprocess.CompletedProcess[str]]
Compile = Callable[..., Path]

HELLO = '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n'


def findings(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    return {finding["subject"]: finding for finding in json.loads(done.stdout)["findings"]}


def test_nothing_stands_in_the_way_here(malloom: Malloom) -> None:
    done = malloom("doctor")
    assert done.returncode == 0, done.stdout
    assert "ok       DynamoRIO   runs a program\n" in done.stdout
    assert "ok       run time " in done.stdout


def test_latencies_are_measured_once(malloom: Malloom, tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    lines = [line for line in malloom("doctor", env=environment).stdout.splitlines() if "latencies" in line]
    assert len(lines) == 1
    kept = list((tmp_path / "cache/malloom").iterdir())
    again = malloom("doctor", env=environment).stdout
    # A machine that is too busy to be measured is a note, and is tried again.
    assert lines[0] in again if kept else lines[0].startswith("note")


def test_what_stands_in_the_way_comes_first(malloom: Malloom, compile_c: Compile) -> None:
    done = malloom("doctor", "--", compile_c(HELLO, "-static", "-g0", "-Wl,--build-id=none"))
    summary, *lines = done.stdout.splitlines()
    states = [line.split()[0] for line in lines]
    assert sorted(states, key=["problem", "note", "ok"].index) == states
    problems, notes = states.count("problem"), states.count("note")
    assert problems == 1 and notes >= 2
    assert summary == f"1 problem in the way, {notes} notes"
    assert malloom("doctor").stdout.startswith("nothing stands in the way, ")


def test_good_program(malloom: Malloom, compile_c: Compile) -> None:
    found = findings(malloom("doctor", "--json", "--", compile_c(HELLO, "-Wl,--build-id")))
    assert found["heap"]["state"] == "ok"
    assert found["build-id"]["state"] == "ok"
    assert found["debug info"]["state"] == "ok"


def test_static_program(malloom: Malloom, compile_c: Compile) -> None:
    done = malloom("doctor", "--json", "--", compile_c(HELLO, "-static"))
    assert done.returncode == 1
    assert json.loads(done.stdout)["ready"] is False
    assert "statically linked" in findings(done)["program"]["text"]


def test_program_linked_with_another_allocator(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO, "-Wl,--no-as-needed", "-l:libjemalloc.so.2")
    assert "libjemalloc.so.2" in findings(malloom("doctor", "--json", "--", program))["allocator"]["text"]


def test_language_run_time(malloom: Malloom) -> None:
    assert "CPython" in findings(malloom("doctor", "--json", "--", "/usr/bin/python3"))["language"]["text"]


def test_few_open_files(malloom: Malloom) -> None:
    done = subprocess.run(
        ["bash", "-c", 'ulimit -n 64; exec "$@"', "bash", *malloom_arguments()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "problem  open files  at most 64; try 'ulimit -n 256'" in done.stdout


def malloom_arguments() -> list[str]:
    return [str(Path(__file__).parents[2] / ".venv/bin/malloom"), "doctor"]


def test_a_folder_is_no_program(malloom: Malloom, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in (".", "folder", "./folder"):
        done = malloom("doctor", "--", name)
        assert done.stderr == f"malloom: {name} is a folder; name the program inside it\n"
        assert done.returncode == 126


def test_missing_program(malloom: Malloom) -> None:
    done = malloom("doctor", "--", "no-such-program")
    assert (done.returncode, done.stderr.count("\n")) == (127, 1)


def test_debug_information_that_reports_do_not_read(malloom: Malloom, compile_c: Compile) -> None:
    found = findings(malloom("doctor", "--json", "--", compile_c(HELLO, "-gsplit-dwarf")))["debug info"]
    assert found["state"] == "note" and "reports show functions without lines" in found["text"]


def test_debug_information_that_is_linked_to(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO)
    debug = program.with_name("program.debug")
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    assert findings(malloom("doctor", "--json", "--", program))["debug info"]["state"] == "note"
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    found = findings(malloom("doctor", "--json", "--", program))["debug info"]
    assert found["text"] == f"{debug}: reports show files and lines"


def test_names_are_printed_as_text(malloom: Malloom) -> None:
    done = malloom("doctor", "--", b"\xff\x1b[31m")
    assert "called \\xff\\x1b[31m;" in done.stderr
