"""Progress of commands: on a terminal while they work, nowhere else, and gone in the end."""

import importlib
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from malloom.commands.progress import STEPS, step_of
from python.profile.recorded_runs import END, HEADER, PROCESS, write_profile

ERASED = "\x1b[2K"
CURSOR = "\x1b[?25h"
WORKING = """
import os, signal, sys, time
from malloom.commands import progress
progress.PATIENCE = 0.2
progress.STEPS["__main__.work"] = "counting leaves"
def work():
    {work}
with progress.steps_shown():
    work()
print("done")
"""
COMMAND = """
import sys
from malloom.commands import main, progress
progress.PATIENCE = 0
sys.exit(main.execute(sys.argv[1:]))
"""
EVENTS = (
    "chunk events process=7 thread=9 sequence=0 ticket=1 records=3 codec=plain\n"
    " 1 allocate 1000 size=100\n 2 allocate 2000 size=50\n 3 allocate 3000 size=500 context=3\n"
    "chunk accesses process=7 thread=9 sequence=0 ticket=0 records=4 codec=plain\n"
    " event 3\n load 1000 8\n load 1008 8\n store 3000 8\n"
)


def on_terminal(script: str, *arguments: object, **environment: str) -> tuple[int, str, str]:
    """Status, standard output, and what standard error, a terminal, was told."""
    here, terminal = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    started = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=terminal, text=True, env={**plain, "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(terminal)
    told: list[bytes] = []
    reader = threading.Thread(target=_read_all, args=(here, told))
    reader.start()
    output = started.communicate(timeout=60)[0]
    reader.join()
    os.close(here)
    return started.returncode, output, b"".join(told).decode()


def _read_all(terminal: int, told: list[bytes]) -> None:
    try:
        while part := os.read(terminal, 1 << 16):
            told.append(part)
    except OSError:  # all who wrote there have gone
        return


def is_gone(told: str) -> bool:
    """Whether the last thing that was told takes away what was shown."""
    last = told.rindex("gone")
    return ERASED in told[last:] and told.rindex(CURSOR) > last


def test_the_step_and_the_time_are_shown_and_go() -> None:
    status, output, told = on_terminal(WORKING.format(work="time.sleep(1.5)"))
    assert (status, output) == (0, "done\n")
    shown = re.sub(r"\x1b\[.*?[a-zA-Z]", "", told)
    assert re.search(r"counting leaves [━╸╺]+ 0:00:0[01] gone", shown)
    assert "expected" not in shown
    assert is_gone(told)


def test_what_is_counted_has_the_time_expected() -> None:
    work = "progress_told.simulated(50); time.sleep(0.6); progress_told.simulated(75); time.sleep(0.6)"
    script = WORKING.format(work=work).replace(
        "with progress.steps_shown():",
        "from malloom.commands.ranking_progress import shown\nwith shown(1, 100, True) as progress_told:",
    )
    status, _, told = on_terminal(script)
    shown = re.sub(r"\x1b\[.*?[a-zA-Z]", "", told)
    assert status == 0
    assert re.search(r"counting leaves [━╸╺]+ 0:00:0[01] gone", shown)
    assert re.search(r"simulating +[━╸╺]+ 0:00:0[01] gone 0:00:0\d expected", shown)
    assert "placing" not in shown
    assert is_gone(told)


READING = """
    import numpy, malloom._native
    source = malloom._native.array_accesses(numpy.zeros(40_000, "u4"), numpy.zeros(40_000, "u8"), 0, 0)
    while len(source.next_batch()[0]): time.sleep(0.25)
    time.sleep(0.5)
"""


def test_a_pass_over_accesses_has_the_time_expected() -> None:
    status, _, told = on_terminal(WORKING.format(work=READING.strip()))
    shown = re.sub(r"\x1b\[.*?[a-zA-Z]", "", told)
    assert status == 0
    assert re.search(r"counting leaves +[━╸╺]+ 0:00:0\d gone 0:00:01 expected", shown)
    # What comes after the pass is not counted.
    assert re.search(r"counting leaves [━╸╺]+ 0:00:0\d gone$", re.split(r"[\r\n]+", shown.rstrip())[-1])
    assert is_gone(told)


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)"])
def test_nothing_stays_where_it_fails_or_is_interrupted(end: str) -> None:
    status, output, told = on_terminal(WORKING.format(work=f"time.sleep(0.8); {end}"))
    assert status != 0
    assert output == ""
    assert is_gone(told)


def test_what_ends_soon_shows_nothing() -> None:
    assert on_terminal(WORKING.format(work="pass")) == (0, "done\n", "")


def test_a_terminal_that_moves_no_cursor_gets_nothing() -> None:
    assert on_terminal(WORKING.format(work="time.sleep(0.5)"), TERM="dumb") == (0, "done\n", "")


def test_logs_get_nothing_whatever_they_are_taken_for() -> None:
    environment = {**os.environ, "FORCE_COLOR": "1", "TTY_COMPATIBLE": "1", "TERM": "xterm"}
    command = [sys.executable, "-c", WORKING.format(work="time.sleep(0.5)")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")


@pytest.mark.parametrize("name", STEPS)
def test_every_step_is_a_function_that_there_is(name: str) -> None:
    module_name = name
    while (found := _imported(module_name)) is None:
        module_name = module_name.rpartition(".")[0]
    for part in name.removeprefix(module_name + ".").split("."):
        found = getattr(found, part)
    function = getattr(found, "__func__", found)
    assert isinstance(function, FunctionType)
    assert f"{function.__module__}.{function.__code__.co_qualname}" == name


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def test_the_innermost_step_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    here = f"{__name__}.test_the_innermost_step_is_found"
    assert step_of(threading.get_ident()) is None
    monkeypatch.setitem(STEPS, here, "outer")
    assert step_of(threading.get_ident()) == "outer"
    monkeypatch.setitem(STEPS, f"{here}.<locals>.inner", "inner")

    def inner() -> str | None:
        return step_of(threading.get_ident())

    assert inner() == "inner"
    assert step_of(-1) is None


COMMANDS = (
    ("report", "PROFILE", "--json"),
    ("report", "PROFILE", "--format", "csv"),
    ("report", "PROFILE", "--format", "csv", "-o", "OUT"),
    ("report", "PROFILE", "--format", "html", "-o", "OUT"),
    ("report", "PROFILE", "--format", "parquet", "-o", "OUT"),
    ("profile", "fields", "PROFILE", "--json", "--cache", "zen5"),
    ("profile", "fields", "PROFILE", "-o", "OUT", "--cache", "zen5"),
    ("diff", "PROFILE", "PROFILE", "--json"),
    ("picture", "PROFILE", "-o", "OUT"),
)


def arguments_of(command: tuple[str, ...], folder: Path) -> list[str]:
    names = {"PROFILE": folder / "run.profile", "OUT": folder / "out"}
    return [str(names.get(word, word)) for word in command]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands_show_progress_on_a_terminal_alone(command: tuple[str, ...], tmp_path: Path) -> None:
    write_profile(HEADER + PROCESS + EVENTS + END, tmp_path / "run.profile")
    arguments = arguments_of(command, tmp_path)
    status, output, told = on_terminal(COMMAND, *arguments)
    assert status == 0, told
    assert is_gone(told)
    (tmp_path / "out").unlink(missing_ok=True)
    piped = subprocess.run([sys.executable, "-c", COMMAND, *arguments], capture_output=True, check=True)
    assert piped.stdout.decode() == output
    assert not set(piped.stderr) & set(b"\r\x1b")
