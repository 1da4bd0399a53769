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
