"""What varies between runs, with real programs: the environment, the binary, what executes it, the plan."""

from pathlib import Path

import pytest

from malloom.bench.cases import OtherProgram
from malloom.cache.geometry import geometry_from
from malloom.errors import CommandError
from malloom.layout.plan import make_plan
from malloom.layout.plan_file import write_plan
from malloom.layout.registry import strategy
from malloom.measure import variants
from malloom.measure.interleaved import Budget, run_interleaved
from malloom.measure.process import Command, run_measured
from malloom.measure.rows import rows_of
from malloom.measure.variants import Variant, executed_by, native, of_binary, with_environment, with_plan
from malloom.profile import HeapProfile
from python.bench.races import bench

# Executes its arguments, and counts 123 cycles for each of them.
SIMULATOR = """#!/bin/sh
"$@"
status=$?
echo "measure cycles $((123 * $#))" >&2
exit $status
"""
PROGRAM = Command(["/bin/echo", "one", "two"])


@pytest.fixture
def simulator(tmp_path: Path) -> str:
    program = tmp_path / "simulator"
    program.write_text(SIMULATOR)
    program.chmod(0o755)
    return str(program)


def output_of(command: Command) -> str:
    return run_measured(command).output_digest


def plan_in(folder: Path, name: str) -> Path:
    profile, plan = HeapProfile.from_arrays([48] * 10), folder / f"{name}.plan"
    write_plan(make_plan(profile, strategy(name).place(profile, geometry_from("zen5"))), plan)
    return plan


def test_natively_nothing_changes() -> None:
    assert native().of(PROGRAM) == PROGRAM
    assert native().name == "glibc"


def test_variables_are_added() -> None:
    program = PROGRAM.with_environment({"ONE": "1"})
    assert with_environment("name", {"TWO": "2"}).of(program).environment == {"ONE": "1", "TWO": "2"}


def test_another_binary_has_the_same_arguments() -> None:
    other = of_binary("printf", Path("/usr/bin/printf")).of(PROGRAM)
    assert other.arguments == ["/usr/bin/printf", "one", "two"]
    assert output_of(other) == output_of(Command(["printf", "one"]))


def test_what_executes_a_program_comes_before_it(simulator: str) -> None:
    simulated = executed_by("simulated", [simulator]).of(PROGRAM)
    assert simulated.arguments == [simulator, "/bin/echo", "one", "two"]
    assert output_of(simulated) == output_of(PROGRAM)
    assert run_measured(simulated).measures == {"cycles": 369.0}


def test_a_metric_of_the_simulators_own_becomes_a_row(simulator: str) -> None:
    program = OtherProgram("echo", "nothing", lambda folder: ("/bin/true",))
    raced: list[Variant] = [
        executed_by("simulated", [simulator]),
        executed_by("twice", [simulator, "nice"]),
        executed_by("not there", ["/nonexistent/simulator"]),
    ]
    rounds = bench().race(program, raced, "simulated", Budget(fewest=6, most=6), "cycles")
    found = rows_of(program.place, rounds, "simulated", ("cycles",))
    assert [(each.variant, each.ratio, each.low, each.high) for each in found] == [
        ("twice", 2.0, 2.0, 2.0),
        ("simulated again", 1.0, 1.0, 1.0),
    ]


def test_a_plan_is_run_as_its_user_runs_it(tmp_path: Path) -> None:
    plan = plan_in(tmp_path, "sequential")
    found = with_plan("planned", plan).of(PROGRAM)
    assert found.arguments == PROGRAM.arguments
    assert found.environment == variants.planned(plan)
    assert output_of(found) == output_of(PROGRAM)


def test_a_plan_that_places_nothing_is_the_fallback_alone(tmp_path: Path) -> None:
    found = with_plan("planned", plan_in(tmp_path, "overhead-only")).of(PROGRAM)
    assert found.environment == variants.fallback()


def test_a_program_that_is_not_there_has_no_planned_run(tmp_path: Path) -> None:
    variant = with_plan("planned", plan_in(tmp_path, "sequential"))
    with pytest.raises(CommandError, match="/nonexistent/program"):
        variant.of(Command(["/nonexistent/program"]))


def test_pools_are_those_of_malloom_run() -> None:
    plain, huge = variants.pools().of(PROGRAM), variants.pools("huge", "--huge-pages").of(PROGRAM)
    assert "heap=pools" in plain.environment["MALLOOM"]
    assert "huge_pages=1" in huge.environment["MALLOOM"]
    assert Path(plain.environment["LD_PRELOAD"]).name == "libmalloom.so"
    assert output_of(plain) == output_of(PROGRAM)


def test_a_race_of_variants_is_a_race_of_the_same_work(simulator: str) -> None:
    raced = {
        "glibc": native().of(PROGRAM),
        "simulated": executed_by("", [simulator]).of(PROGRAM),
        "other": of_binary("", Path("/usr/bin/printf")).of(PROGRAM),
    }
    failed: dict[str, str] = {}
    rounds = run_interleaved(
        raced, "glibc", Budget(fewest=2, most=2), failed=lambda name, why: failed.update({name: str(why)})
    )
    assert list(rounds.runs) == ["glibc", "simulated"]
    assert failed == {"other": "'other' printed something else than the first run: no times to compare"}


def test_what_the_user_preloads_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Behind malloom's library, as `malloom run` has it: without it another program would be raced."""
    monkeypatch.setenv("LD_PRELOAD", "libm.so.6")
    plan = plan_in(tmp_path, "sequential")
    for environment in (variants.planned(plan), variants.fallback(), variants.as_run(plan)):
        ours, his = environment["LD_PRELOAD"].split(":")
        assert his == "libm.so.6"
        assert "malloom" in ours or "mimalloc" in ours
    prefetched = variants.dynamic(PROGRAM, pools=True, prefetch=True).environment
    assert prefetched["LD_PRELOAD"].endswith(":libm.so.6")
