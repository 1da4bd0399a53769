"""`malloom optimize` of a server: redis, loaded by its own benchmark."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished

pytestmark = pytest.mark.xdist_group("optimize")


@pytest.fixture
def server(tmp_path: Path) -> str:
    """redis-tools has it under another name."""
    program = tmp_path / "redis-server"
    program.symlink_to("/usr/bin/redis-check-rdb")
    return f"{program} --port 0 --unixsocket {tmp_path}/socket --save '' --dir {tmp_path}"


def test_a_server_gets_a_verdict_of_its_own_time(
    malloom: Callable[..., Finished], server: str, tmp_path: Path
) -> None:
    client = f"redis-benchmark -s {tmp_path}/socket -q -P 8 -t set -n {{}}"
    few = ("--seconds", "0", "--runs", "6", "--accesses", "none")
    inputs = ("--train", "1500", "--check", "1000")
    done = malloom("optimize", "--json", *few, "--serve", server, "--client", client, *inputs)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["verdict"] in ("faster", "slower", "no difference")
    assert found["client"][0] == "redis-benchmark" and found["output"] == "not compared"
    assert {"wall_time", "p50 latency"} <= set(found["for_clients"])
    assert all(check["as_it_is"]["cpu_time"] for check in found["checks"])
    assert any(row["name"].startswith("pools") and "train" in row for row in found["rows"])


def test_plans_are_of_the_server_that_a_script_starts(
    malloom: Callable[..., Finished], server: str, tmp_path: Path
) -> None:
    script = tmp_path / "start"
    script.write_text(f"#!/bin/sh\n{server}\ntrue\n")
    script.chmod(0o755)
    client = f"redis-benchmark -s {tmp_path}/socket -q -P 8 -t set -n 3000"
    few = ("--seconds", "0", "--runs", "6", "--strategy", "pools", "--accesses", "none")
    done = malloom("optimize", "--json", *few, "--serve", str(script), "--client", client)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["processes"] == ["redis-check-rdb"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--serve", "sleep 5"), "a server needs what loads it; say with --client what does"),
        (("--serve", "sleep 5", "--client", "true", "--", "ls"), "are two programs"),
        (("--serve", "'", "--client", "true"), "what --serve says cannot be read"),
        (("--client", "", "--", "ls"), "--client says nothing; give it a command"),
        (("--client", "true", "--build", "make CC={cc}", "--", "ls"), "--build does not go with --client"),
        (("--client", "true", "--", "ls"), "the server ended before it listened"),
        (("--serve", "nowhere/server", "--client", "true"), "nowhere/server"),
    ],
)
def test_what_is_no_server_is_refused_in_one_line(
    malloom: Callable[..., Finished], options: tuple[str, ...], said: str
) -> None:
    done = malloom("optimize", *options)
    assert done.returncode in (1, 2, 127)
    assert said in done.stderr.splitlines()[-1], done.stderr
    assert done.stdout == ""


def test_a_client_that_fails_ends_it_with_its_last_line(
    malloom: Callable[..., Finished], server: str
) -> None:
    done = malloom("optimize", "--serve", server, "--client", "sh -c 'echo no more >&2; exit 3'")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("the client ended with exit status 3: no more")
