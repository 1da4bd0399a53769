"""Real programs put to work, so that what they do under malloom can be compared with what they do alone.

Each function takes what comes before the program on the command line, () for nothing, and a folder of its
own, and returns everything that must not depend on the allocator.
"""

import hashlib
import os
import random
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SECONDS = 900
"""How long one program may take under the slowest front."""

Prefix = Sequence[str]


def output_of(prefix: Prefix, command: Sequence[str], folder: Path, **options: object) -> str:
    """Standard output of a program that must succeed, all its words in the failure else."""
    done = subprocess.run(  # type: ignore[call-overload]
        [*prefix, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        **{"stdin": subprocess.DEVNULL, **options},
    )
    assert done.returncode == 0, (
        f"{command[0]}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    )
    return str(done.stdout)


def sqlite(prefix: Prefix, folder: Path, rows: int) -> str:
    """Tables, indices, joins, deletions, a vacuum and a check of the whole file."""
    script = f"""
        create table customer(id integer primary key, name text, town text);
        create table sale(id integer primary key, customer integer, cents integer, note text);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
            insert into customer select i, 'name ' || (i * 7919 % 10007), 'town ' || (i % 97) from n;
        with recursive n(i) as (select 1 union all select i + 1 from n where i < {4 * rows})
            insert into sale select i, 1 + i * 104729 % {rows}, i % 5003, printf('%.*c', i % 300, 'x') from n;
        create index sale_customer on sale(customer);
        select town, count(*), sum(cents), max(length(note)) from sale join customer
            on customer.id = sale.customer group by town order by town;
        delete from sale where id % 3 = 0;
        vacuum;
        pragma integrity_check;
        select group_concat(name, ',') from (select name from customer order by name limit 50);
    """
    answer = output_of(prefix, ["sqlite3", "shop.db", script], folder)
    return answer + hashlib.sha256((folder / "shop.db").read_bytes()).hexdigest()


def git(prefix: Prefix, folder: Path, commits: int) -> str:
    """A repository made, branched, merged, packed and checked."""
    person = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in PERSON.items()}
    environment = {**os.environ, **person, "GIT_CONFIG_GLOBAL": "/dev/null"}

    def run(*arguments: str) -> str:
        return output_of(prefix, ["git", *arguments], folder, env=environment)

    run("init", "-q", "-b", "main")
    words = random.Random(1)
    for number in range(commits):
        for name in ("first", "second", f"file{number}"):
            lines = (f"{name} {words.getrandbits(40)}" for _ in range(200))
            (folder / name).write_text("\n".join(lines))
        run("add", "-A")
        run("commit", "-q", "-m", f"change {number}")
    run("checkout", "-q", "-b", "side", "HEAD~2")
    (folder / "side").write_text("a branch of its own\n")
    run("add", "-A")
    run("commit", "-q", "-m", "side")
    run("checkout", "-q", "main")
    run("merge", "-q", "-m", "merge", "side")
    run("gc", "-q", "--aggressive", "--prune=now")
    return run("fsck", "--full") + run("log", "--stat", "-p") + run("rev-list", "--objects", "--all")


PERSON = {"NAME": "A Person", "EMAIL": "person@example.org", "DATE": "2001-02-03T04:05:06Z"}


def compiler(prefix: Prefix, folder: Path, functions: int) -> str:
    """gcc -O2 of a large generated file: the object's bytes."""
    source = folder / "large.c"
    source.write_text("".join(_function(number) for number in range(functions)))
    output_of(prefix, ["gcc", "-O2", "-c", "large.c", "-o", "large.o"], folder)
    return hashlib.sha256((folder / "large.o").read_bytes()).hexdigest()


def _function(number: int) -> str:
    return f"""
struct node{number} {{ struct node{number} *next; int value[{number % 7 + 1}]; double weight; }};
double sum{number}(struct node{number} *at, int (*use)(const char *, ...), int limit) {{
    double sum = {number}.5;
    for (int i = 0; at && i < limit; at = at->next, ++i) {{
        switch (at->value[i % {number % 7 + 1}] % 5) {{
            case 0: sum += at->weight; break;
            case 1: sum -= use("node %d of {number}", i); break;
            case 2: for (int k = 1; k < {number % 13}; ++k) sum *= 1.0 + at->weight / k; break;
            default: sum += i ^ {number}; break;
        }}
    }}
    return sum;
}}
"""


def cpython(prefix: Prefix, folder: Path, modules: Sequence[str], *options: str) -> str:
    """CPython's own tests of these modules: how many of them ran and passed."""
    command = ["/usr/bin/python3", "-m", "test", "-u", "none", *options, *modules]
    answer = output_of(prefix, command, folder, env={**os.environ, "TMPDIR": str(folder)})
    return "\n".join(line for line in answer.splitlines() if line.endswith((" test OK.", " tests OK.")))


def redis(prefix: Prefix, folder: Path, requests: int) -> str:
    """redis-server under redis-benchmark, then with known contents: a digest of what it holds."""
    with _redis_server(prefix, folder) as socket_path:
        benchmark = ["redis-benchmark", "-s", socket_path, "-n", str(requests), "-c", "20", "-P", "8", "-q"]
        tests = "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,zadd,zpopmin,lrange_100,mset"
        output_of((), [*benchmark, "-r", "1000", "-d", "64", "-t", tests], folder)
        client = ["redis-cli", "-s", socket_path]
        output_of((), [*client, "flushall"], folder)
        contents = "".join(_redis_commands(requests))
        output_of((), [*client, "--pipe"], folder, stdin=None, input=contents)
        output_of((), [*client, "save"], folder)
        return output_of((), [*client, "debug", "digest"], folder) + output_of(
            (), [*client, "dbsize"], folder
        )


def _redis_commands(count: int) -> Iterator[str]:
    numbers = random.Random(2)
    for i in range(count):
        yield f"SET key{numbers.randrange(count)} {'v' * numbers.randrange(1, 200)}{i}\r\n"
        yield f"HSET hash{numbers.randrange(50)} field{numbers.randrange(500)} {i}\r\n"
        yield f"ZADD set{numbers.randrange(20)} {numbers.randrange(1000)} member{numbers.randrange(2000)}\r\n"
        yield f"RPUSH list{numbers.randrange(20)} {'e' * numbers.randrange(1, 90)}\r\n"
        yield f"DEL key{numbers.randrange(count)}\r\n"


@contextmanager
def _redis_server(prefix: Prefix, folder: Path) -> Iterator[str]:
    """A server of its own, ended by shutdown; its status must be 0.

    redis-tools has the program under another name, and unlike redis-server starts no service.
    """
    program = folder / "redis-server"
    program.symlink_to("/usr/bin/redis-check-rdb")
    socket_path = str(folder / "redis.socket")
    options = [
        "--port",
        "0",
        "--unixsocket",
        socket_path,
        "--dir",
        str(folder),
        "--save",
        "",
        "--daemonize",
        "no",
    ]
    options += ["--enable-debug-command", "yes", "--activedefrag", "no"]
    with (folder / "redis.log").open("w") as log:
        server = subprocess.Popen([*prefix, str(program), *options], stdout=log, stderr=log)
        try:
            _wait_for(socket_path, server)
            yield socket_path
            subprocess.run(
                ["redis-cli", "-s", socket_path, "shutdown", "nosave"], check=True, timeout=SECONDS
            )
            assert server.wait(timeout=60) == 0, (folder / "redis.log").read_text()[-2000:]
        finally:
            server.kill()
            server.wait()


def _wait_for(socket_path: str, server: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and server.poll() is None:
        with socket.socket(socket.AF_UNIX) as attempt:
            if attempt.connect_ex(socket_path) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"redis-server does not answer; it ended with {server.poll()}")
