"""A server under load: a client loads it once it listens, and when the client has ended the server is asked
to end as well."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from malloom.errors import CommandError

STARTING = 60.0
"""Seconds that a server may take until it listens; under a recorder it takes longer than by itself."""
STOPPING = 60.0
"""Seconds that it may take to end after SIGTERM."""
STOPPING_EARLY = 5.0
"""The same where its load has failed."""
PAUSE = 0.02
"""Seconds between two looks at whether it listens."""
LISTENING_TCP, LISTENING_UNIX = "0A", 0x10000
"""How /proc/net shows sockets that listen: a state, and a flag."""
NUMBER = r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
LATENCIES = (
    (re.compile(rf"requests per second, p50={NUMBER} msec"), ("p50 latency",)),
    (
        re.compile(
            rf"^\s+avg\s+min\s+p50\s+p95\s+p99\s+max\s*\n\s+{NUMBER}\s+\S+\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s",
            re.M,
        ),
        ("mean latency", "p50 latency", "p95 latency", "p99 latency"),
    ),
    (re.compile(rf"^latency average = {NUMBER} ms", re.M), ("mean latency",)),
)
"""What clients that are known print in milliseconds: redis-benchmark, in short and at length, and pgbench."""
REPORTED = re.compile(rf"^measure (\w+) {NUMBER}\s*$", re.M)
"""What any client may say: a figure of which less is better."""


class LoadFailed(CommandError):
    """The server did not listen, its client failed, or the server did not stop."""


@dataclass(frozen=True)
class Client:
    """A command that loads a server; its end is the end of the load. It begins once a process of the server
    listens, and where there is a command `ready` once that succeeds."""

    arguments: tuple[str, ...]
    ready: tuple[str, ...] = ()


@dataclass(frozen=True)
class Load:
    """What came of it: seconds from the client's beginning to its end, and figures that it printed, of which
    less is better, by name."""

    seconds: float
    figures: Mapping[str, float]


def load(server: subprocess.Popen[bytes], client: Client, limit: float) -> Load:
    """Loads a server that leads a session of its own, and asks it to end. Raises LoadFailed where something
    is not as it should be, also after `limit` seconds of the load."""
    listening = _listening(server)
    try:
        _await_ready(server, client)
        loaded = _loaded(client, limit)
    except BaseException:
        # As it would be asked in the end: what it leaves when it is killed may stop the next one.
        with suppress(LoadFailed):
            _stop(server, listening, STOPPING_EARLY)
        raise
    _stop(server, listening, STOPPING)
    return loaded


def _loaded(client: Client, limit: float) -> Load:
    """Runs the client to its end."""
    began = time.monotonic()
    try:
        done = _run(client.arguments, limit)
    except subprocess.TimeoutExpired:
        raise LoadFailed(f"the client did not end within {limit:.0f} s") from None
    except OSError as error:
        raise LoadFailed(f"cannot run the client {client.arguments[0]}: {error.strerror}") from None
    seconds = time.monotonic() - began
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise LoadFailed(f"the client ended with exit status {done.returncode}: {words or 'it says nothing'}")
    return Load(seconds, figures_in(done.stdout.decode(errors="replace")))


def _run(arguments: Sequence[str], limit: float) -> subprocess.CompletedProcess[bytes]:
    """Runs a command to its end, and ends what it has started with it. Raises OSError where it cannot be
    started, and TimeoutExpired."""
    with subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=limit)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def figures_in(text: str) -> dict[str, float]:
    """The figures in what a client printed; of one that it prints several times, the geometric mean."""
    found: dict[str, list[float]] = {}
    for pattern, names in LATENCIES:
        for match in pattern.finditer(text):
            for name, value in zip(names, match.groups(), strict=True):
                found.setdefault(name, []).append(float(value))
    for name, value in REPORTED.findall(text):
        found.setdefault(name, []).append(float(value))
    return {name: float(np.exp(np.mean(np.log(values)))) for name, values in found.items() if min(values) > 0}


def _listening(server: subprocess.Popen[bytes]) -> int:
    """The process of the server that listens: its oldest, where several do."""
    give_up = time.monotonic() + STARTING
    while time.monotonic() < give_up:
        if server.poll() is not None:
            raise LoadFailed(
                "the server ended before it listened",
                remedy="have it stay in the foreground, and be one that can be started anew at once",
            )
        if found := next(_listeners(server.pid), None):
            return found
        time.sleep(PAUSE)
    raise LoadFailed(f"no process of the server listened within {STARTING:.0f} s")


def _await_ready(server: subprocess.Popen[bytes], client: Client) -> None:
    """Asks until the answer is yes; an answer that does not come is none."""
    give_up = time.monotonic() + STARTING
    while client.ready:
        try:
            if _run(client.ready, max(give_up - time.monotonic(), PAUSE)).returncode == 0:
                return
        except subprocess.TimeoutExpired:
            pass
        except OSError as error:
            raise LoadFailed(f"cannot run {client.ready[0]}: {error.strerror}") from None
        if server.poll() is not None:
            raise LoadFailed("the server ended before it was ready")
        if time.monotonic() >= give_up:
            raise LoadFailed(f"the server was not ready within {STARTING:.0f} s, as {client.ready[0]} says")
        time.sleep(PAUSE)


def _stop(server: subprocess.Popen[bytes], listening: int, seconds: float) -> None:
    with suppress(ProcessLookupError):
        os.kill(listening, signal.SIGTERM)
    try:
        server.wait(seconds)
    except subprocess.TimeoutExpired:
        raise LoadFailed(f"the server did not end within {seconds:.0f} s of SIGTERM") from None


def _listeners(session: int) -> Iterator[int]:
    """Processes of a session that listen, by their numbers."""
    for process in sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()):
        with suppress(OSError):
            if os.getsid(process) == session and _sockets(process) & _listening_sockets(process):
                yield process


def _sockets(process: int) -> set[str]:
    found = set()
    for link in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):
            found.add(str(link.readlink()))
    return found


def _listening_sockets(process: int) -> set[str]:
    """As links of descriptors name them."""
    inodes: list[str] = []
    for name in ("tcp", "tcp6"):
        inodes += [fields[9] for fields in _table(process, name) if fields[3] == LISTENING_TCP]
    inodes += [fields[6] for fields in _table(process, "unix") if int(fields[3], 16) & LISTENING_UNIX]
    return {f"socket:[{inode}]" for inode in inodes}


def _table(process: int, name: str) -> Sequence[list[str]]:
    file = Path(f"/proc/{process}/net/{name}")
    return [line.split() for line in file.read_text().splitlines()[1:]] if file.exists() else []
