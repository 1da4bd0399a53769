"""`malloom verify`: two groups of hosts, one line of decision, and an exit status for scripts."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.optimize.keeping import write_empty

Malloom = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def logs(tmp_path: Path) -> Callable[[str, float], str]:
    write_empty(tmp_path / "run.plan")

    def write(name: str, cost: float) -> str:
        lines = [
            {
                "host": host,
                "window": f"12:{minute:02}",
                "cpu_seconds": cost * (50 + minute),
                "requests": 50 + minute,
                "peak_bytes": 1 << 20,
            }
            for minute in range(12)
            for host in ("a", "b", "c")
        ]
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return name

    return write


@pytest.mark.parametrize(
    ("cost", "status", "decision"), [(0.9, 0, "keep"), (1.1, 3, "roll back"), (1.0, 4, "undecided")]
)
def test_the_decision_is_the_first_line_and_the_status(
    malloom: Malloom, logs: Callable[[str, float], str], cost: float, status: int, decision: str
) -> None:
    words = ["verify", "run.plan", "--baseline", logs("without", 1.0), "--candidate", logs("with", cost)]
    done = malloom(*words)
    assert (done.returncode, done.stderr) == (status, "")
    assert done.stdout.startswith(f"{decision}: ")
    assert (
        f"{cost:.3f} [{cost:.3f} {cost:.3f}] of that without the plan, 12 windows, 3 hosts with it"
        in done.stdout
    )
    answer = json.loads(malloom(*words, "--json").stdout)
    assert (answer["decision"], answer["windows"], answer["memory"]) == (decision, 12, 1.0)


def test_what_cannot_be_used_is_one_line(malloom: Malloom, logs: Callable[[str, float], str]) -> None:
    log = logs("with", 1.0)
    for words, status in (
        (["verify", "none.plan", "--baseline", log, "--candidate", log], 1),
        (["verify", "run.plan", "--baseline", "none", "--candidate", log], 1),
        (["verify", "run.plan", "--baseline", "run.plan", "--candidate", log], 1),
        (["verify", "run.plan", "--baseline", log], 2),
    ):
        done = malloom(*words)
        assert (done.returncode, done.stdout) == (status, ""), words
        assert done.stderr.startswith("malloom: ") and done.stderr.count("\n") == 1, done.stderr


def written(folder: Path, name: str, hosts: int, **amounts: str) -> str:
    """A log of 12 windows in which each line has the same numbers, as text."""
    told = ", ".join(f'"{key}": {value}' for key, value in amounts.items())
    lines = [
        f'{{"host": "h{host}", "window": "{minute}", {told}}}\n'
        for minute in range(12)
        for host in range(hosts)
    ]
    (folder / name).write_text("".join(lines))
    return name


@pytest.mark.parametrize(
    ("hosts", "with_plan", "status", "said"),
    [
        (
            3,
            {"cpu_seconds": "0.9", "requests": "9"},
            0,
            "peak memory: not judged, as in no window every host",
        ),
        (3, {"cpu_seconds": "0.9", "requests": "9", "peak_bytes": "0"}, 0, "; peak memory was not told\n"),
        (
            1,
            {"cpu_seconds": "0.9", "requests": "9", "peak_bytes": "7"},
            0,
            "note: 1 host with the plan and 3 ",
        ),
        (
            3,
            {"cpu_seconds": "0.9", "requests": "9", "peak_bytes": "14"},
            3,
            "memory: 2.000 [2.000 2.000], the ",
        ),
        (
            3,
            {"cpu_seconds": "0.9", "requests": "0"},
            3,
            "roll back: the candidates served nothing in 12 windows",
        ),
    ],
)
def test_what_is_judged_is_said(
    malloom: Malloom, tmp_path: Path, hosts: int, with_plan: dict[str, str], status: int, said: str
) -> None:
    write_empty(tmp_path / "run.plan")
    without = written(tmp_path, "without", 3, cpu_seconds="1", requests="9", peak_bytes="7")
    words = ["verify", "run.plan", "--baseline", without, "--candidate"]
    words.append(written(tmp_path, "with", hosts, **with_plan))
    done = malloom(*words)
    assert (done.returncode, done.stderr) == (status, ""), done.stdout
    assert said in done.stdout
    assert json.loads(malloom(*words, "--json").stdout)["hosts"] == [3, hosts]


@pytest.mark.parametrize("number", [pytest.param("1" * 400, id="400 digits"), "1.7e308", "NaN", "1e999"])
def test_numbers_beyond_measure_are_one_line(malloom: Malloom, tmp_path: Path, number: str) -> None:
    write_empty(tmp_path / "run.plan")
    log = written(tmp_path, "log", 1, cpu_seconds=number, requests="1")
    done = malloom("verify", "run.plan", "--baseline", log, "--candidate", log)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    assert done.stderr.startswith("malloom: log:1: has no cpu_seconds, or one that is neither 0 nor a number")


def test_a_limit_that_is_no_number_is_bad_use(malloom: Malloom, logs: Callable[[str, float], str]) -> None:
    log = logs("with", 1.0)
    done = malloom("verify", "run.plan", "--baseline", log, "--candidate", log, "--max-memory", "nan")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
