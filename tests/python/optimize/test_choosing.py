"""The choice among settings and plans, with a program that acts by the variables that it is run with."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.measure.allocators import KNOWN, Allocator, Setting, Version
from malloom.measure.interleaved import Budget, no_progress
from malloom.measure.process import Command
from malloom.optimize.building import EARLY, MIMALLOC, Build, Builder, Builds
from malloom.optimize.candidates import Candidate
from malloom.optimize.checking import Judged, judge, why_refused
from malloom.optimize.choosing import Choice, Chooser
from malloom.optimize.goal import Goal
from malloom.optimize.learning import Learned
from malloom.optimize.limit import Limit
from malloom.optimize.options import Watcher
from malloom.optimize.racing import Racing
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.sources import Sources
from malloom.optimize.training import AS_IT_IS, Training

# Spins as long as WORK says, in so many quarters of a megabyte as MORE says beyond 8, as more would take
# longer than the work on some machines; fails where it is to CRASH on $1, or has run so often as RUNS says,
# counted in the file COUNT.
PROGRAM = """
[ "$CRASH" = "$1" ] && exit 7
[ -z "$HANG" ] || exec sleep 100
[ -z "$COUNT" ] || { echo >> "$COUNT"; [ $(wc -l < "$COUNT") -le "$RUNS" ] || exit 8; }
dd if=/dev/zero bs=$((256 * (8 + ${MORE:-0})))K count=1 2>&1 | wc -c >&2
work=${WORK:-20000}
while [ $work -gt 0 ]; do work=$((work-1)); done
echo done
"""


class Plan(Candidate):
    """A row that counts as a plan, and is variables alone."""

    environment: Mapping[str, str] = {}  # type: ignore[assignment]
    is_preallocated = is_packed = is_in_huge_pages = has_arena = has_prefetches = False
    places_nothing = True

    def __init__(self, name: str, **variables: str) -> None:
        super().__init__(name, Path("/none"))
        object.__setattr__(self, "environment", variables)


def setting(name: str, **variables: str) -> AllocatorRow:
    return AllocatorRow(Setting(name, Allocator(KNOWN[0], None, Version(name, "")), variables))


@dataclass
class Race:
    """The program's races on two inputs, and what is chosen of rows in them."""

    most: float = 1.5
    goal: Goal = Goal.time
    seconds: float = 0.3
    said: list[str] = field(default_factory=list)
    builds: Builds = field(default_factory=Builds)

    def choose(self, settings: list[AllocatorRow], plans: list[Plan]) -> Choice:
        commands = {name: Command(["sh", "-c", PROGRAM, "sh", name]) for name in ("one", "two")}
        self.training = Training.on(commands)
        self.limit = Limit(self.goal, self.most, 0)
        watcher = Watcher(self.said.append, no_progress, 8)
        sources = Sources(Learned(), ())
        rows = [*settings, *plans, *self.builds.rows]
        racing = Racing(self.training, self.limit, self.seconds, 0.05, rows)
        return Chooser(racing, sources, watcher, self.builds).choose(settings, plans)


def test_the_quickest_plan_is_chosen_and_the_best_setting_stands_beside_it() -> None:
    race = Race()
    settings = [setting("slow", WORK="30000"), setting("quick", WORK="12000")]
    choice = race.choose(settings, [Plan("quickest", WORK="1"), Plan("slowest", WORK="40000")])
    assert choice.choice.name == "quickest"
    assert choice.best_setting is not None and choice.best_setting.name == "glibc quick"
    measured = race.training.results["quickest"]
    assert set(measured.ratios("cpu_time")) == {"one", "two"} and 0 < measured.mean("cpu_time") < 0.8
    assert race.said[0].startswith("step 1 of 8, ") and "racing 4 settings and plans" in race.said[0]


def test_what_is_far_behind_runs_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("malloom.optimize.training.LONG", 0.01)
    race = Race()
    race.choose([setting("quick", WORK="1"), setting("far", WORK="300000")], [Plan("quickest", WORK="1")])
    runs = {name: len(race.training.results[name].runs["one"]) for name in ("glibc far", "glibc quick")}
    assert runs["glibc far"] == 1 < runs["glibc quick"]


def test_what_hangs_is_given_up_long_before_the_program_as_it_is_would_be() -> None:
    commands = {"one": Command(["sh", "-c", PROGRAM, "sh", "one"], time_limit=8.0)}
    training = Training.on(commands)
    rows = [setting("hung", HANG="yes"), setting("quick", WORK="1")]
    training.enter(rows)
    began = time.monotonic()
    training.run([row.name for row in rows], 3)
    assert 2.0 < time.monotonic() - began < 7.0
    assert "did not end within 2 s" in training.left["glibc hung"] and "glibc quick" in training.results


def test_a_plan_that_is_not_worth_more_leaves_the_setting() -> None:
    choice = Race().choose([setting("quick", WORK="1")], [Plan("slower", WORK="12000")])
    assert choice.choice is choice.best_setting


@pytest.mark.parametrize(("most", "chosen"), [(1.5, "lean"), (20.0, "greedy")])
def test_the_best_setting_obeys_the_limit_and_the_unlimited_one_is_known(most: float, chosen: str) -> None:
    race = Race(most)
    settings = [setting("greedy", WORK="1", MORE="16"), setting("lean", WORK="16000")]
    choice = race.choose(settings, [])
    assert choice.choice.name == f"glibc {chosen}"
    assert choice.unlimited is not None and choice.unlimited.name == "glibc greedy"
    assert bool(race.limit.refused) == (chosen == "lean")


def test_rows_that_are_not_told_from_the_best_run_on_while_there_is_time() -> None:
    race = Race(seconds=30.0)
    twins = [setting(f"twin {number}", WORK="500") for number in range(3)]
    choice = race.choose([*twins, setting("slow", WORK="30000")], [])
    assert "twin" in choice.choice.name
    rounds = {name: len(found.runs["one"]) for name, found in race.training.results.items()}
    assert rounds[choice.choice.name] == 24, "the last runs"
    assert rounds["glibc slow"] == 6, "those of the first race"


def test_less_memory_is_wanted_at_no_more_time() -> None:
    race = Race(goal=Goal.memory)
    settings = [setting("slow", MORE="-6", WORK="45000"), setting("lean", MORE="-4", WORK="10000")]
    assert race.choose([*settings, setting("quick", WORK="1")], []).choice.name == "glibc lean"


class Linking(Builder):
    """Has programs at hand that stand for those with mimalloc linked in, and with early huge pages."""

    def linked(self, build: Build) -> Build:
        return replace(build, executable=self.folder / (build.huge or build.fallback))


@pytest.mark.parametrize(("work", "pays"), [(1, True), (45000, False)])
def test_the_best_build_is_raced_with_mimalloc_linked_in(tmp_path: Path, work: int, pays: bool) -> None:
    """And without it over the best setting, which it would come before."""
    loop = "while [ $work -gt 0 ]; do work=$((work-1)); done\necho done\n"
    for name, its in (("built", 8000), (MIMALLOC, work), (EARLY, 50000)):
        (tmp_path / name).write_text(f"#!/bin/sh\necho 8192 >&2\nwork={its}\n{loop}")
        (tmp_path / name).chmod(0o755)
    builder = Linking("", tmp_path / "program", tmp_path, lambda text: None)
    race = Race(builds=Builds([Build("pool", tmp_path / "built")], builder=builder))
    choice = race.choose([setting("slow", WORK="30000")], [])
    assert choice.choice.name.startswith("built with pool")
    assert choice.choice.name.endswith("linked in") == pays
    assert "built with pool, mimalloc linked in" in race.training.results
    best = "built with pool, mimalloc linked in" if pays else "built with pool"
    assert f"{best}, early huge pages" in race.training.results
    assert [name for name in race.training.results if " over " in name] == ["built with pool over glibc slow"]


class Mixing(Linking):
    """Has at hand what stands for programs some of whose structures have another policy."""

    def mixed(self, build: Build, policies: Mapping[int, str]) -> Build:
        name = "".join(map(str, policies))
        return replace(build.with_policies(policies), executable=self.folder / f"mixed {name}")


@pytest.mark.parametrize(
    ("its", "helping"), [({"0": 1, "1": 60000}, 1), ({"0": 9000, "1": 9001, "01": 1}, 2)]
)
def test_structures_of_one_name_are_tried_one_by_one(
    tmp_path: Path, its: dict[str, int], helping: int
) -> None:
    loop = "while [ $work -gt 0 ]; do work=$((work-1)); done\necho done\n"
    programs = {"pool": 25000, "default": 20000, MIMALLOC: 50000, EARLY: 50001}
    for name, work in {**programs, **{f"mixed {each}": work for each, work in its.items()}}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\necho 8192 >&2\nwork={work}\n{loop}")
        (tmp_path / name).chmod(0o755)
    choice = tmp_path / "a.choice"
    choice.write_text("choice of policies 1\nothers default\n" + "structure default struct node\n" * 2)
    builder = Mixing("", tmp_path / "program", tmp_path, lambda text: None)
    rows = [Build(policy, tmp_path / policy, choice) for policy in ("pool", "default")]
    race = Race(seconds=30.0, builds=Builds(rows, builder=builder))
    chosen = race.choose([], []).choice.name
    by_pool = [f"struct node ({number}) by pool" for number in (1, 2)]
    assert {f"built with default, {each}" for each in by_pool} <= race.training.results.keys()
    assert chosen == f"built with default, {' and '.join(by_pool[:helping])}"


def test_structures_are_left_together_where_there_is_no_time(tmp_path: Path) -> None:
    (tmp_path / "a.choice").write_text("choice of policies 1\n" + "structure default struct node\n" * 2)
    for policy in ("pool", "default"):
        (tmp_path / policy).write_text(f"#!/bin/sh\necho 8192 >&2\necho done\n# {policy}\n")
        (tmp_path / policy).chmod(0o755)
    rows = [Build(policy, tmp_path / policy, tmp_path / "a.choice") for policy in ("pool", "default")]
    race = Race(builds=Builds(rows))
    race.choose([], [])
    [left] = [why for name, why in race.training.left.items() if name.endswith(", but for one structure")]
    assert left == "its 2 structures are too many to be built and run one by one in the time"


def test_what_fails_on_one_input_is_out_and_says_why() -> None:
    race = Race()
    choice = race.choose([setting("bad", WORK="1", CRASH="two"), setting("good", WORK="5000")], [])
    assert choice.choice.name == "glibc good"
    assert "exit status 7" in race.training.left["glibc bad"]
    assert "glibc bad" not in race.training.results
    with pytest.raises(CommandError, match="no plan or setting can be run, glibc bad because"):
        Race().choose([setting("bad", CRASH="one")], [])


def judged(*rows: AllocatorRow, pairs: int = 8, rivals: Sequence[AllocatorRow] = ()) -> Judged:
    found = Judged()
    commands = {name: Command(["sh", "-c", PROGRAM, "sh", name]) for name in ("one", "two")}
    judge(found, commands, rows, Budget(pairs, pairs, 60.0, 0.0), no_progress, True, rivals)
    return found


def test_there_are_pairs_enough_for_an_interval_of_each_input() -> None:
    found = judged(setting("any", WORK="1"), pairs=6)
    assert found.pairs == 7, "two inputs share the error"
    assert all(interval.low is not None for interval in found.corrected("glibc any").values())


@pytest.mark.alone
def test_the_judgement_keeps_and_refuses_with_a_reason() -> None:
    better, worse = setting("better", WORK="8000"), setting("worse", WORK="45000")
    greedy = setting("greedy", WORK="1", MORE="16")
    found, limit = judged(better, worse, greedy, setting("best", WORK="1")), Limit(Goal.time, 1.5, 0)

    def why(name: str, rival: str | None = None) -> str:
        return why_refused(found, f"glibc {name}", rival, Goal.time, limit)

    assert why("better") == ""
    assert why("better", "glibc best") == "it is not measurably better than glibc best"
    assert why("worse") == "it is slower on one, two"
    assert "of the program's peak memory on one, more than 1.50" in why("greedy")
    assert why("none") == "it was not measured on every input"
    assert found.pairs == 8
    assert found.of_all("glibc better", AS_IT_IS, ("cpu_time",)).verdict == "faster"


@pytest.mark.parametrize(("second", "rival"), [("one", "glibc next"), ("none", "glibc best")])
def test_where_the_best_setting_fails_on_a_check_input_the_next_one_is_the_rival(
    second: str, rival: str
) -> None:
    rivals = [setting("best", CRASH="two" if second == "one" else "none"), setting("next", WORK="1")]
    found = judged(setting("better", WORK="1"), rivals=rivals)
    assert found.rival == rival and found.has(rival)
    assert not found.has({"glibc next": "glibc best", "glibc best": "glibc next"}[rival])
    assert ("exit status 7" in found.left.get("glibc best", "")) == (second == "one")


def test_where_the_rival_fails_in_the_middle_all_is_measured_beside_the_next_one(tmp_path: Path) -> None:
    failing = setting("best", WORK="1", COUNT=str(tmp_path / "count"), RUNS="5")
    found = judged(setting("better", WORK="1"), rivals=[failing, setting("next", WORK="1")])
    assert found.rival == "glibc next" and found.pairs == 8
    assert found.has("glibc next") and found.has("glibc better") and not found.has("glibc best")
    assert "exit status 8" in found.left["glibc best"]
    alone = judged(setting("better", WORK="1"), rivals=[failing])
    assert alone.rival is None and alone.has("glibc better")


def test_what_is_half_measured_is_told_as_far_as_there_are_pairs() -> None:
    found = judged(setting("better", WORK="1"), pairs=7)
    assert found.has("glibc better") and found.measured() == [
        ("glibc better", "one"),
        ("glibc better", "two"),
    ]
    found.rounds["two"].runs[AS_IT_IS].clear()
    assert found.measured() == [("glibc better", "one")] and not found.has("glibc better")
    found.rounds["one"].runs[AS_IT_IS].pop()
    assert len(found.rounds["one"].runs["glibc better"]) == 7
    del found.rounds["one"].runs[AS_IT_IS][5:]
    assert found.on("one", "glibc better", AS_IT_IS, "cpu_time").low is None, "five pairs are too few"
