"""Servers under load: real ones, in a few lines of Python's."""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from malloom.measure.process import Command, run_measured
from malloom.measure.service import Client, LoadFailed, figures_in

SERVER = """
import signal, socket, sys, time
def end(*_): print("ended"); sys.exit({status})
print("measure errors 0", file=sys.stderr, flush=True)
signal.signal(signal.SIGTERM, {handler})
with socket.socket(socket.AF_UNIX) as server:
    server.bind(sys.argv[1])
    time.sleep({wait})
    server.listen()
    while True:
        connection, _ = server.accept()
        deadline = time.process_time() + 0.2
        while time.process_time() < deadline: pass
        connection.sendall(b"answer")
        connection.close()
"""
CLIENT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    assert client.recv(10) == b"answer"
print("latency average = 2.5 ms")
print("measure retries 4")
sys.exit({status})
"""


def served(
    place: Path,
    *,
    handler: str = "end",
    status: int = 0,
    wait: float = 0.0,
    client: str = "",
    ready: str = "",
) -> Command:
    socket = str(place / "socket")
    server = SERVER.format(handler=handler, status=status, wait=wait)
    loads = client or CLIENT.format(status=0)
    tried = (sys.executable, "-c", ready, socket) if ready else ()
    arguments = [sys.executable, "-c", server, socket]
    return Command(arguments, client=Client((sys.executable, "-c", loads, socket), tried), time_limit=30)


def test_a_server_is_loaded_and_ends_and_only_its_own_time_counts(tmp_path: Path) -> None:
    run = run_measured(served(tmp_path, wait=0.3))
    assert run.status == 0
    assert 0.2 <= run.cpu_time < 2
    assert run.measures == {"mean latency": 2.5, "retries": 4.0}, "and nothing that the server says of itself"
    assert run.wall_time < 25


def test_a_server_that_is_ended_by_the_signal_says_so(tmp_path: Path) -> None:
    run = run_measured(served(tmp_path, handler="signal.SIG_DFL"))
    assert os.WTERMSIG(run.status) == signal.SIGTERM


def test_the_load_begins_when_the_server_is_ready(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    ready = f"import sys; file = open({str(tries)!r}, 'a'); file.write('x'); sys.exit(file.tell() < 3)"
    assert run_measured(served(tmp_path, ready=ready)).status == 0
    assert tries.read_text() == "xxx"


@pytest.mark.parametrize(
    ("client", "why"),
    [
        (CLIENT.format(status=3), "the client ended with exit status 3: it says nothing"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "the client ended with exit status -9"),
        ("import time; time.sleep(60)", "the client did not end within 1 s"),
    ],
)
def test_a_client_that_fails_is_told_of_and_nothing_is_left(tmp_path: Path, client: str, why: str) -> None:
    command = served(tmp_path, client=client)
    limit = 1 if "sleep" in client else 30
    with pytest.raises(LoadFailed, match=why):
        run_measured(command.limited(limit))
    time.sleep(0.1)
    marks = str(tmp_path).encode()
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if marks in read(path)]
    assert left == []


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_server_that_does_not_stop_or_never_listens_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("malloom.measure.service.STOPPING", 0.5)
    monkeypatch.setattr("malloom.measure.service.STARTING", 0.5)
    with pytest.raises(LoadFailed, match="did not end within 0 s of SIGTERM"):
        run_measured(served(tmp_path, handler="signal.SIG_IGN"))
    (tmp_path / "socket").unlink()
    with pytest.raises(LoadFailed, match="no process of the server listened"):
        run_measured(served(tmp_path, wait=20))
    with pytest.raises(LoadFailed, match="the server ended before it listened"):
        run_measured(Command(["true"], client=Client(("true",))))


def test_a_server_whose_client_fails_is_asked_to_end_and_can_begin_again(tmp_path: Path) -> None:
    command = served(tmp_path, client=CLIENT.format(status=3))
    server = [*command.arguments]
    server[2] = server[2].replace("def end(*_):", "import os\ndef end(*_): os.unlink(sys.argv[1]);")
    for _ in range(2):
        with pytest.raises(LoadFailed, match="the client ended with exit status 3"):
            run_measured(replace(command, arguments=server))
        assert not (tmp_path / "socket").exists()


def test_what_a_server_said_is_told_where_it_ends_too_soon(tmp_path: Path) -> None:
    (tmp_path / "socket").touch()
    with pytest.raises(LoadFailed, match=r"ended before it listened.*; the server's last words: .*in use"):
        run_measured(served(tmp_path))


def test_figures_of_known_clients_are_read() -> None:
    short = "PING: 100.0 requests per second, p50=0.5 msec\nSET: 90.0 requests per second, p50=2.0 msec\n"
    assert figures_in(short) == {"p50 latency": pytest.approx(1.0)}
    long = (
        "  latency summary (msec):\n          avg       min       p50       p95       p99       max\n"
        "        0.300     0.100     0.250     0.500     1.500     2.500\n"
    )
    assert figures_in(long) == {
        "mean latency": pytest.approx(0.3),
        "p50 latency": pytest.approx(0.25),
        "p95 latency": pytest.approx(0.5),
        "p99 latency": pytest.approx(1.5),
    }
    assert figures_in("measure nothing 0\nno figures\n") == {}
    assert figures_in("measure p99 8.5e-05\nmeasure p50 1E+2\n") == {
        "p99": pytest.approx(8.5e-05),
        "p50": pytest.approx(100.0),
    }


def test_who_asks_whether_the_server_is_ready_must_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("malloom.measure.service.STARTING", 1.0)
    with pytest.raises(LoadFailed, match="the server was not ready within 1 s"):
        run_measured(served(tmp_path, ready="import time; time.sleep(60)"))
    (tmp_path / "socket").unlink()
    command = served(tmp_path)
    assert command.client is not None
    unknown = replace(command, client=replace(command.client, ready=("/nowhere/ready",)))
    with pytest.raises(LoadFailed, match="cannot run /nowhere/ready: No such file"):
        run_measured(unknown)


def test_what_server_and_client_have_started_ends_with_them(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    left = f"import subprocess; subprocess.Popen(['sleep', '77', {str(mark)!r}])"
    client = CLIENT.format(status=0).replace("import socket, sys", f"import socket, sys\n{left}")
    command = served(tmp_path, client=client)
    server = [*command.arguments]
    server[2] = f"{left}\n{server[2]}"
    assert run_measured(replace(command, arguments=server)).status == 0
    time.sleep(0.1)
    there = [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(mark).encode() in read(path)]
    assert there == []
