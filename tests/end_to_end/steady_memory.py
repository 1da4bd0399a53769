"""Does a server's memory grow under malloom where it does not alone? redis and postgres under load, for as
long as it is told, with the memory of all their processes looked at as they run.

    PYTHONPATH=tests .venv/bin/python -m end_to_end.steady_memory redis --folder FOLDER

runs the server alone and with pools at the same time, each under the same load, and prints a line for each:
the memory in the first and in the last third of the time, and how many bursts of requests it served. The
folder is the one where end_to_end.suites_of_others has built them.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from end_to_end.conftest import COMMAND

WAYS: dict[str, list[str]] = {"alone": [], "pools": [str(COMMAND), "run", "--heap", "pools", "--"]}
LOOK = 10.0
"""Seconds between two looks at the memory."""
PAUSE = 0.5
"""Seconds between two bursts of requests, so that the machine's other work goes on."""
SCRIPT = """
local n = math.random(1000000)
redis.call('SETEX', 'k' .. n, 1 + n % 60, string.rep('v', n % 4000))
redis.call('HSET', 'h' .. n % 500, n % 100, string.rep('f', n % 300))
redis.call('RPUSH', 'l' .. n % 50, string.rep('e', n % 90))
redis.call('LTRIM', 'l' .. n % 50, -200, -1)
return redis.call('DEL', 'k' .. math.random(1000000))
"""
POSTGRES_BIN = "tmp_install/usr/local/pgsql/bin"


@dataclass
class Server:
    """A running one: `burst` is the command that loads it, `process` its first process."""

    process: int
    burst: Sequence[str]
    looks: list[int] = field(default_factory=list)
    bursts: int = 0


def memory_of(process: int) -> int:
    """Bytes of a process and all below it; what they share counts once (proportional set size). One that has
    ended meanwhile has none."""
    try:
        tasks = [file.read_text() for file in Path(f"/proc/{process}/task").glob("*/children")]
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    own = sum(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))
    return own + sum(memory_of(int(child)) for task in tasks for child in task.split())


@contextmanager
def redis(way: str, folder: Path) -> Iterator[Server]:
    """The load sets, reads, deletes and lets keys expire, with values of many sizes."""
    place = folder / f"steady-redis-{way}"
    place.mkdir(exist_ok=True)
    socket = place / "redis.socket"
    server = folder / "redis/src/redis-server"
    options = [
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--dir",
        str(place),
        "--save",
        "",
        "--maxmemory",
        "64mb",
    ]
    options += ["--maxmemory-policy", "allkeys-lru"]
    burst = [str(folder / "redis/src/redis-benchmark"), "-s", str(socket), "-n", "4000", "-q"]
    burst += ["eval", SCRIPT, "0"]
    with started([*WAYS[way], str(server), *options], place) as process:
        yield Server(process, burst)


@contextmanager
def postgres(way: str, folder: Path) -> Iterator[Server]:
    """pgbench's own mix, by sessions that come and go. As nobody, since it refuses root."""
    programs = folder / "postgres" / POSTGRES_BIN
    place = folder / f"steady-postgres-{way}"
    shell_as_nobody(f"rm -rf {place}", as_root=True)
    place.mkdir()
    shell_as_nobody(f"chown nobody {place}", as_root=True)
    paths = f"LD_LIBRARY_PATH={programs.parent}/lib"
    shell_as_nobody(f"{paths} {programs}/initdb -D {place}/data --no-sync")
    serve = f"exec {shlex.join(WAYS[way])} {programs}/postgres -D {place}/data -k {place}"
    serve += " -c listen_addresses= -c fsync=off"
    with started(as_nobody(f"{paths} {serve}"), place) as process:
        time.sleep(3)
        shell_as_nobody(f"{paths} {programs}/pgbench -h {place} -i -q -s 2 postgres")
        burst = as_nobody(f"{paths} {programs}/pgbench -h {place} -C -n -c 4 -t 100 postgres")
        yield Server(process, burst)


SERVERS = {"redis": redis, "postgres": postgres}


def as_nobody(command: str) -> list[str]:
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "sh", "-c", command]


def shell_as_nobody(command: str, as_root: bool = False) -> None:
    subprocess.run(["sh", "-c", command] if as_root else as_nobody(command), check=True, capture_output=True)


@contextmanager
def started(command: Sequence[str], place: Path) -> Iterator[int]:
    """Ended by SIGTERM, with status 0."""
    with (place / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            time.sleep(2)
            yield server.pid
        finally:
            server.terminate()
            assert server.wait(60) == 0, (place / "log").read_text()[-1000:]


def load(server: Server, until: float) -> None:
    while time.monotonic() < until:
        subprocess.run(server.burst, check=True, capture_output=True)
        server.bursts += 1
        time.sleep(PAUSE)


def watched(name: str, minutes: float, folder: Path) -> dict[str, Server]:
    """The server in each way, at the same time."""
    with ExitStack() as stack:
        servers = {way: stack.enter_context(SERVERS[name](way, folder)) for way in WAYS}
        until = time.monotonic() + 60 * minutes
        loads = [Thread(target=load, args=(each, until)) for each in servers.values()]
        for each in loads:
            each.start()
        while time.monotonic() < until:
            time.sleep(LOOK)
            for server in servers.values():
                server.looks.append(memory_of(server.process))
        for each in loads:
            each.join()
    return servers


def third(looks: Sequence[int], which: int) -> float:
    """Megabytes: the median of the first (0) to the last (2) third."""
    length = len(looks) // 3
    return statistics.median(looks[which * length : (which + 1) * length]) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    found = watched(given.server, given.minutes, given.folder)
    file = given.folder / f"steady-{given.server}.json"
    file.write_text(
        json.dumps({way: {"bytes": each.looks, "bursts": each.bursts} for way, each in found.items()})
    )
    print("| server | way | minutes | bursts | MB, first third | second | last | most |\n|" + " --- |" * 8)
    for way, each in found.items():
        parts = " | ".join(f"{third(each.looks, which):.1f}" for which in range(3))
        most = max(each.looks) / 1e6
        print(f"| {given.server} | {way} | {given.minutes:g} | {each.bursts} | {parts} | {most:.1f} |")


if __name__ == "__main__":
    main()
