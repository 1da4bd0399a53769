"""Hosts with a plan against hosts without it."""

import json
import re
from math import isfinite
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


AMOUNTS = ("cpu_seconds", "requests", "peak_bytes")
LINE_OF = '{"host": "a", "window": "w", "cpu_seconds": %s, "requests": %s, "peak_bytes": %s}'
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


def of_hosts(peaks: dict[str, list[float]], *, cost: float = 1.0, requests: float = 100.0) -> Group:
    """A window for each place in the hosts' lists of peaks."""
    found = Group()
    for host, values in peaks.items():
        for number, peak in enumerate(values):
            line = {"host": host, "window": f"w{number:03}", "requests": requests, "peak_bytes": peak}
            found.add(line | {"cpu_seconds": cost * (requests or 1)})
    return found


def same(peak: float, *, windows: int = 12, hosts: int = 3) -> dict[str, list[float]]:
    return {f"h{host}": [peak] * windows for host in range(hosts)}


@pytest.mark.parametrize(
    ("peaks", "cost", "decision", "why"),
    [
        (same(200, windows=1), 1.0, Decision.undecided, "1 window is too few"),
        (same(200, windows=5), 0.9, Decision.undecided, "5 windows are too few"),
        (same(200, windows=6), 0.9, Decision.roll_back, "peak memory is 2.000"),
        (same(115), 0.9, Decision.keep, "less CPU time"),
        (same(120), 0.9, Decision.roll_back, "1.200 of what it was, and 1.200 at least, over 1.15"),
        (same(120), 1.1, Decision.roll_back, "peak memory"),
        ({"h": [100] * 11 + [200]}, 0.9, Decision.keep, "less CPU time"),
        ({"h": [100] * 3 + [200] * 9}, 0.9, Decision.undecided, "peak memory is 2.000 .* may be over 1.15"),
        ({"h": [100] * 3 + [200] * 9}, 1.1, Decision.roll_back, "more CPU time"),
        ({"h": [100] * 2 + [200] * 10}, 0.9, Decision.roll_back, "peak memory is 2.000"),
        ({"h": [0] * 7 + [100] * 5}, 0.9, Decision.undecided, "5 windows are too few that tell all peaks"),
    ],
)
def test_memory_is_judged_by_the_interval_of_its_pairs(
    peaks: dict[str, list[float]], cost: float, decision: Decision, why: str
) -> None:
    judged = judge(of_hosts(same(100)), of_hosts(peaks, cost=cost), 1.15)
    assert judged.decision is decision and re.search(why, judged.why), judged
    assert (judged.memory_bounds is None) is (judged.memory_windows < 6)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (same(0), same(0)),
        (same(100), same(0)),
        (same(0), same(100)),
        (same(100), same(100, hosts=2) | {"silent": [0.0] * 12}),
    ],
)
def test_where_a_host_does_not_tell_its_peak_time_alone_decides(
    before: dict[str, list[float]], now: dict[str, list[float]]
) -> None:
    judged = judge(of_hosts(before), of_hosts(now, cost=0.9), 1.15)
    assert (judged.decision, judged.memory, judged.memory_windows) == (Decision.keep, None, 0)
    assert judged.why == "requests take less CPU time; peak memory was not told"
    assert judge(of_hosts(before), of_hosts(now, cost=1.1), 1.15).decision is Decision.roll_back


@pytest.mark.parametrize(
    ("now", "ratio", "named"),
    [
        (same(100, hosts=2) | {"c": [200.0] * 12}, 4 / 3, True),
        (same(100, hosts=9) | {"c": [200.0] * 12}, 1.1, True),
        (same(100, hosts=2) | {"c": [100.0] * 11 + [200.0]}, 1.0, False),
        (same(200, hosts=2) | {"c": [200.0] * 12}, 2.0, False),
        (same(60, hosts=2) | {"c": [110.0] * 12}, 230 / 300, False),
    ],
)
def test_a_host_that_stands_out_is_named(now: dict[str, list[float]], ratio: float, named: bool) -> None:
    judged = judge(of_hosts(same(100)), of_hosts(now, cost=0.9), 1.15)
    assert judged.memory == pytest.approx(ratio)
    assert judged.decision is (Decision.roll_back if ratio > 1.15 else Decision.keep)
    stands_out = 'of the hosts with the plan only "c" stands out, with 2.000 of the greatest peak without'
    assert judged.notes == ((stands_out,) if named else ())


@pytest.mark.parametrize(
    ("without", "with_plan", "note"),
    [(3, 1, "1 host with the plan and 3 without"), (1, 2, "2 hosts with the plan and 1 without"), (2, 2, "")],
)
def test_a_group_of_one_host_is_noted(without: int, with_plan: int, note: str) -> None:
    now = [0.9 * cost for cost in STEADY]
    judged = judge(group(STEADY, hosts=without, peak=None), group(now, hosts=with_plan, peak=None), 1.15)
    assert judged.decision is Decision.keep
    assert [each.partition(":")[0] for each in judged.notes] == ([note] if note else [])


def in_two_parts(first: Group, rest: Group) -> Group:
    """One group's windows, and those of the other under names of their own."""
    return Group(first.windows | {f"x{name}": each for name, each in rest.windows.items()}, first.hosts)


def test_candidates_that_serve_nothing_are_rolled_back() -> None:
    judged = judge(of_hosts(same(100, windows=6)), of_hosts(same(100, windows=6), requests=0), 1.15)
    assert (judged.decision, judged.time, judged.windows) == (Decision.roll_back, None, 0)
    assert (judged.unpaired, judged.silent) == (6, 6)
    assert judged.why == "the candidates served nothing in 6 windows in which the others served"


@pytest.mark.parametrize(
    ("windows", "requests", "decision"),
    [(5, 100.0, Decision.keep), (6, 100.0, Decision.roll_back), (20, 1.0, Decision.keep)],
)
def test_candidates_that_fall_silent_are_rolled_back(
    windows: int, requests: float, decision: Decision
) -> None:
    """Where the others' load is so small that none may come by chance, that is nothing against the plan."""
    at_first, then = same(100), same(100, windows=windows)
    baseline = in_two_parts(of_hosts(at_first), of_hosts(then, requests=requests))
    candidate = in_two_parts(of_hosts(at_first, cost=0.9), of_hosts(then, requests=0))
    judged = judge(baseline, candidate, 1.15)
    assert (judged.decision, judged.windows, judged.silent) == (decision, 12, windows)


def test_silence_of_both_groups_in_turn_decides_nothing() -> None:
    then, silent = of_hosts(same(100, windows=6)), of_hosts(same(100, windows=6), requests=0)
    candidate = in_two_parts(silent, of_hosts(same(100, windows=6), cost=0.5))
    with pytest.raises(
        CommandError, match=r"no window in which both .*: in 6 of 12 in common only the candidates"
    ):
        judge(in_two_parts(then, silent), candidate, 1.15)


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
        *(
            (
                LINE_OF % tuple(number if each == name else "1" for each in AMOUNTS),
                f"has no {name}, .* 0 nor a",
            )
            for name in AMOUNTS
            for number in ("1" * 400, "1" * 5000, "1e400", "1.7e308", "1e-300", "Infinity", "-1", "null")
        ),
    ],
)
def test_lines_that_say_too_little_are_refused(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "log").write_text(line)
    with pytest.raises(CommandError, match=f"log:1: .*{problem}"):
        read_log(tmp_path / "log")


@pytest.mark.parametrize(("before", "now"), [("1e60", "1e-60"), ("1e-60", "1e60")])
def test_numbers_of_any_size_that_is_taken_make_finite_ratios(
    tmp_path: Path, before: str, now: str, recwarn: pytest.WarningsRecorder
) -> None:
    groups = []
    for seconds, requests in ((before, now), (now, before)):
        lines = [LINE_OF % (seconds, requests, seconds) + "\n"] * 2
        (tmp_path / "log").write_text("".join(lines).replace('"w"', '"%d"') % (1, 2) * 3)
        groups.append(read_log(tmp_path / "log"))
    judged = judge(groups[0], groups[1], 1.15)
    assert judged.windows == 2 and judged.time is not None and judged.memory is not None
    assert all(isfinite(each) and each for each in (judged.time.ratio, judged.memory))
    assert not recwarn.list


def test_logs_without_lines_are_refused(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("\n\n")
    with pytest.raises(CommandError, match="has no lines"):
        read_log(tmp_path / "log")
    (tmp_path / "log").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="is no text"):
        read_log(tmp_path / "log")
    with pytest.raises(CommandError, match="No such file"):
        read_log(tmp_path / "none")
