"""One measured run of a real program."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure.process import (
    KEPT_OF_ERRORS,
    Command,
    TimeLimitReached,
    ended,
    last_line,
    last_words,
    run_measured,
)

MIB = 1 << 20


def python(source: str, **environment: str) -> Command:
    return Command([sys.executable, "-S", "-c", source], environment)


def test_memory_of_this_process_is_not_counted() -> None:
    held = bytearray(os.urandom(1 << 16)) * (256 * MIB // (1 << 16))
    run = run_measured(Command(["true"]))
    assert len(held) == 256 * MIB
    assert run.peak_memory < 8 * MIB


def test_memory_of_the_program_is_counted() -> None:
    small = run_measured(python("pass"))
    large = run_measured(python(f"bytearray({64 * MIB})"))
    assert 60 * MIB < large.peak_memory - small.peak_memory < 70 * MIB


def memory_touched() -> int:
    """Bytes that processes of this machine have touched since it began."""
    counters = dict(line.split() for line in Path("/proc/vmstat").read_text().splitlines())
    pages = int(counters["pgfault"]) + 512 * int(counters.get("thp_fault_alloc", 0))
    return pages * os.sysconf("SC_PAGESIZE")


def test_memory_is_made_ready_and_not_counted() -> None:
    before = memory_touched()
    run = run_measured(Command(["true"]), ready=512 * MIB)
    assert memory_touched() - before > 500 * MIB
    assert run.peak_memory < 8 * MIB
    assert run.cpu_time < 0.05


def test_memory_that_cannot_be_made_ready_is_left() -> None:
    assert run_measured(Command(["true"]), ready=1 << 60).status == 0


def test_mean_memory_is_that_over_the_time() -> None:
    held = f"held = bytearray({64 * MIB})"
    run = run_measured(python(f"import time\n{held}\ntime.sleep(0.2)\ndel held\ntime.sleep(0.2)"))
    assert 15 * MIB < run.mean_memory < 60 * MIB < run.peak_memory
    assert run.metric("mean_memory") == run.mean_memory


def test_what_ends_at_once_has_its_peak_as_mean() -> None:
    run = run_measured(Command(["true"]))
    assert 0 < run.mean_memory <= run.peak_memory


def test_processor_time_counts_and_sleep_does_not() -> None:
    busy = run_measured(python("import time\nwhile time.process_time() < 0.3: pass"))
    idle = run_measured(python("import time; time.sleep(0.3)"))
    assert 0.3 <= busy.cpu_time < 0.6
    assert idle.cpu_time < 0.2
    assert idle.wall_time >= 0.3


def test_children_are_counted() -> None:
    source = "import time\nwhile time.process_time() < 0.2: pass"
    run = run_measured(python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {source!r}])"))
    assert run.cpu_time >= 0.2


def test_variables_reach_the_program_and_replace_inherited_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOOM_TEST_NAME", "inherited")
    expected = run_measured(Command(["sh", "-c", "echo given"]))
    seen = run_measured(Command(["sh", "-c", "echo $MALLOOM_TEST_NAME"], {"MALLOOM_TEST_NAME": "given"}))
    assert seen.output_digest == expected.output_digest


def test_measures_are_read_from_standard_error() -> None:
    run = run_measured(Command(["sh", "-c", "echo noise >&2; echo measure walk_time 0.250000000 >&2"]))
    assert run.measures == {"walk_time": 0.25}
    assert run.metric("walk_time") == 0.25
    with pytest.raises(CommandError, match="no measure named search_time"):
        run.metric("search_time")


def test_several_measures_are_told_apart_and_former_words_are_known() -> None:
    """Builds of former commits say `phase` of times and `resident` of bytes."""
    lines = ["measure cycles 1.5e6", "measure gain -4", "phase walk_time 0.5", "resident full_bytes 4096"]
    others = ["measured x 1", " measure y 2", "measure z 3 s", "measure w 1.2.3", "phase two ..."]
    run = run_measured(Command(["sh", "-c", 'printf "%s\\n" "$@" >&2', "sh", *lines, *others]))
    assert run.measures == {"cycles": 1.5e6, "gain": -4.0, "walk_time": 0.5, "full_bytes": 4096.0}


def test_what_is_printed_on_standard_output_is_no_measure() -> None:
    assert run_measured(Command(["echo", "measure cycles 123"])).measures == {}


def test_the_last_of_several_values_counts() -> None:
    run = run_measured(Command(["sh", "-c", "for n in 1 2 3; do echo measure cycles $n >&2; done"]))
    assert run.measures == {"cycles": 3.0}


def test_cpu_time_needs_no_report() -> None:
    run = run_measured(Command(["true"]))
    assert run.metric("cpu_time") == run.user_time + run.system_time


def test_status_is_the_programs() -> None:
    assert os.waitstatus_to_exitcode(run_measured(Command(["sh", "-c", "exit 3"])).status) == 3
    assert os.waitstatus_to_exitcode(run_measured(Command(["sh", "-c", "kill -9 $$"])).status) == -9


def test_standard_input_is_given_anew_to_every_run(tmp_path: Path) -> None:
    text = tmp_path / "input"
    text.write_text("some words\n")
    command = Command(["cat"], stdin=text)
    assert run_measured(command).output_digest == run_measured(command).output_digest
    assert run_measured(command).output_digest != run_measured(Command(["cat"])).output_digest


def test_no_such_program_is_one_clear_error() -> None:
    with pytest.raises(CommandError, match="cannot run /nonexistent/program: No such file or directory"):
        run_measured(Command(["/nonexistent/program"]))


def test_what_is_not_measured_leaves_its_status_and_its_words() -> None:
    script = "echo one; echo two; echo $NAME >&2; echo last >&2; exit 3"
    with ended(Command(["sh", "-c", script], {"NAME": "value"})) as run:
        assert run.status == 3
        assert (run.output.read(), run.errors.read()) == ("one\ntwo\n", "value\nlast\n")
    with ended(Command(["sh", "-c", "kill -9 $$"])) as run:
        assert run.status == -9


def test_what_executes_a_command_comes_before_it() -> None:
    with ended(Command(["echo", "one"]), ["env", "-i"]) as run:
        assert (run.status, last_line(run.output.read())) == (0, "one")


def test_what_is_no_text_is_read_all_the_same() -> None:
    with ended(Command(["printf", r"a\377b\n"])) as run:
        assert run.output.read() == "a\ufffdb\n"


def test_what_is_not_measured_has_no_input_and_a_time_limit() -> None:
    with ended(Command(["cat"])) as run:
        assert (run.status, run.output.read()) == (0, "")
    message = "'sleep 100' did not end within 1 s"
    with (
        pytest.raises(TimeLimitReached, match=message),
        ended(Command(["sleep", "100"], time_limit=1), ["env"]),
    ):
        pass


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_a_run_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 300 & echo $! $$ > {pids}; wait"
    began = time.monotonic()
    with pytest.raises(TimeLimitReached, match=r"'sh -c .*' did not end within 5 s"):
        run_measured(Command(["sh", "-c", script], time_limit=5))
    assert time.monotonic() - began < 100
    deadline = time.monotonic() + 100
    while any(alive(int(pid)) for pid in pids.read_text().split()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert [pid for pid in pids.read_text().split() if alive(int(pid))] == []


def test_what_a_run_leaves_behind_in_a_session_of_its_own_is_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    left = f"setsid sh -c 'echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 300' &"
    waits = f"{left} until [ -e {pid} ]; do sleep 0.01; done"
    assert run_measured(Command(["sh", "-c", waits])).status == 0
    assert not alive(int(pid.read_text()))
    pid.unlink()
    with pytest.raises(TimeLimitReached):
        run_measured(Command(["sh", "-c", f"{waits}; sleep 300"], time_limit=2))
    assert not alive(int(pid.read_text()))


def test_what_a_program_sends_to_its_group_is_for_itself() -> None:
    run = run_measured(Command(["sh", "-c", "trap '' TERM; kill 0; exit 4"]))
    assert os.waitstatus_to_exitcode(run.status) == 4


def test_the_time_of_what_nobody_waited_for_counts() -> None:
    burn = "import time\nwhile time.process_time() < 0.1: pass"
    run = run_measured(Command(["sh", "-c", '(setsid "$0" -S -c "$1" &)', sys.executable, burn]))
    assert run.cpu_time > 0.08


def test_the_end_of_long_errors_is_kept_and_all_of_it_is_read() -> None:
    script = "echo measure early 1 >&2; yes words | head -c 999996 >&2; echo last >&2"
    run = run_measured(Command(["sh", "-c", script]))
    assert run.measures == {"early": 1.0}
    assert (len(run.errors), last_words(run)) == (KEPT_OF_ERRORS, "last")
    assert len(run_measured(Command(["sh", "-c", script]), kept_of_errors=None).errors) > 999996


def test_the_time_limit_stays_with_the_command() -> None:
    assert Command(["true"]).limited(3).with_environment({"A": "B"}).time_limit == 3


def test_a_program_does_not_outlive_who_measures_it(tmp_path: Path) -> None:
    began = tmp_path / "began"
    program = Command(["sh", "-c", f"echo $$ >{began}.new; mv {began}.new {began}; sleep 600; true"])
    source = f"from malloom.measure.process import Command, run_measured; run_measured({program!r})"
    with subprocess.Popen([sys.executable, "-c", source]) as measuring:
        wait_for(began.exists)
        measuring.kill()
    number = int(began.read_text())
    wait_for(lambda: not is_running(number))


def wait_for(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.02)


def is_running(number: int) -> bool:
    """Whether it is there, and no zombie that nobody has waited for yet."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False
