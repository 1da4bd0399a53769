"""Hosts with a plan against hosts without it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malloom.errors import CommandError
from malloom.measure.canary import Decision, Group, judge, read_log


def group(costs: list[float], *, hosts: int = 2, peak: float | None = 100.0) -> Group:
    """A window for each cost of a request, whose load differs from host to host and from window to window."""
    found = Group()
    for number, cost in enumerate(costs):
        for host in range(hosts):
            requests = 100 * (1 + number % 5) * (host + 1)
            line = {"host": f"h{host}", "window": f"w{number:03}", "requests": requests}
            line["cpu_seconds"] = cost * requests
            found.add(line | ({} if peak is None else {"peak_bytes": peak * (host + 1)}))
    return found


STEADY = [1.0 + 0.01 * (number % 7) for number in range(20)]


def test_what_takes_less_is_kept() -> None:
    judged = judge(group(STEADY), group([0.9 * cost for cost in STEADY]), 1.15)
    assert (judged.decision, judged.windows, judged.hosts) == (Decision.keep, 20, (2, 2))
    assert judged.time.ratio == pytest.approx(0.9)
    assert judged.memory == pytest.approx(1.0)


def test_what_takes_more_is_rolled_back() -> None:
    judged = judge(group(STEADY), group([1.05 * cost for cost in STEADY]), 1.15)
    assert judged.decision is Decision.roll_back and "CPU time" in judged.why


def test_memory_decides_before_time() -> None:
    judged = judge(group(STEADY), group([0.5 * cost for cost in STEADY], peak=130.0), 1.15)
    assert judged.decision is Decision.roll_back and "peak memory is 1.300" in judged.why
    assert judge(group(STEADY), group(STEADY, peak=None), 1.15).memory is None


def test_no_difference_and_few_windows_decide_nothing() -> None:
    noisy = [cost * (0.9 if number % 2 else 1.1) for number, cost in enumerate(STEADY)]
    assert judge(group(STEADY), group(noisy), 1.15).decision is Decision.undecided
    few = judge(group(STEADY[:5]), group([0.5 * cost for cost in STEADY[:5]]), 1.15)
    assert few.decision is Decision.undecided and "5 windows are too few" in few.why


def test_windows_of_one_group_are_left_out() -> None:
    judged = judge(group(STEADY), group(STEADY[:12]), 1.15)
    assert (judged.windows, judged.unpaired) == (12, 8)
    idle = Group()
    idle.add({"host": "a", "window": "w000", "cpu_seconds": 1.0, "requests": 0})
    with pytest.raises(CommandError, match="no window in which both groups served"):
        judge(group(STEADY), idle, 1.15)


@given(
    st.text(max_size=60)
    | st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=4)).map(json.dumps)
)
def test_what_is_no_line_is_named(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    log = tmp_path_factory.mktemp("log") / "log"
    good = '{"host": "a", "window": "1", "cpu_seconds": 1, "requests": 1}\n'
    log.write_text(good + " ".join(text.split()) + "x\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"log:2: is no JSON object"):
        read_log(log)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"window": "1", "cpu_seconds": 1, "requests": 1}', "has no host"),
        ('{"host": "a", "window": 7, "cpu_seconds": 1, "requests": 1}', "has no window"),
        ('{"host": "a", "window": "1", "cpu_seconds": -1, "requests": 1}', "has no cpu_seconds"),
        ('{"host": "a", "window": "1", "cpu_seconds": NaN, "requests": 1}', "has no cpu_seconds"),
        ('{"host": "a", "window": "1", "cpu_seconds": 1, "requests": true}', "has no requests"),
        ('{"host": "a", "window": "1", "cpu_seconds": 1, "requests": 1, "peak_bytes": "x"}', "no peak_bytes"),
        ("[" * 100_000, "is no JSON object"),
    ],
)
def test_lines_that_say_too_little_are_refused(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "log").write_text(line)
    with pytest.raises(CommandError, match=f"log:1: .*{problem}"):
        read_log(tmp_path / "log")


def test_logs_without_lines_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("\n\n")
    with pytest.raises(CommandError, match="has no lines"):
        read_log(tmp_path / "log")
    (tmp_path / "log").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="is no text"):
        read_log(tmp_path / "log")
    with pytest.raises(CommandError, match="No such file"):
        read_log(tmp_path / "none")
