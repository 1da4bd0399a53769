"""Several simulated cores at once: memory of their own, memory and locks that they share, whose turn it is;
graphs of tasks on them. And that one alone takes as many cycles as before."""

import re
from dataclasses import replace

import pytest

from firmware.targets import CORE
from firmware.test_boards import FAULTED, HUNG, Done, assert_ended_well, numbers_in, run
from malloom.bench.bins import where
from malloom.bench.bins.graphs import Cell, generator
from malloom.bench.bins.graphs import Sizes as Drawn
from malloom.bench.bins.inputs import Room, inputs
from malloom.bench.bins.operations import Allocator
from malloom.bench.bins.replays import mean
from malloom.bench.bins.schedule import drawn_in
from malloom.bench.bins.simulator import Simulator
from malloom.bench.bins.tasks import MEMORY, Cores, Heaps, TaskRun, run_of, to_file
from malloom.errors import CommandError
from some import some
from structure.source_tree import ROOT, text_of

ROUNDS, READS, TASKS = 200, 256, 96
SIMULATOR = Simulator(ROOT / "build/firmware", 4)


def on_cores(program: str, cores: int, *options: str, shared: str = "64K") -> Done:
    return run(CORE, program, "--cores", str(cores), "--shared", shared, *options)


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_cores_share_what_is_shared_and_nothing_else(cores: int) -> None:
    done = on_cores("cores", cores)
    assert_ended_well(done)
    count, locked, unlocked, own = numbers_in(done.stdout)
    assert (count, locked) == (cores, cores * ROUNDS)
    assert own == ROUNDS * sum(range(1, cores + 1))
    # Without a lock cores overwrite what others have added meanwhile.
    assert unlocked == locked if cores == 1 else ROUNDS <= unlocked < locked


def test_every_run_of_cores_is_the_same() -> None:
    first, second = (on_cores("cores", 4, "--traffic") for _ in range(2))
    assert (first.stdout, first.stderr) == (second.stdout, second.stderr)
    assert re.search(r"^shared: \d+ accesses, \d+ cycles waited$", first.stderr, re.MULTILINE)
    assert len(re.findall(r"^data: ", first.stderr, re.MULTILINE)) == 4


def test_a_status_of_any_core_ends_the_run() -> None:
    done = on_cores("core_exits", 4)
    assert (done.returncode, done.stderr) == (42, "")
    assert on_cores("core_exits", 2, "--limit", "100000").returncode == HUNG


def test_the_core_of_a_fault_is_told() -> None:
    done = on_cores("cores", 2, shared="0")
    assert done.returncode == FAULTED
    assert re.search(r"core [01]: the program \w+ at 0xc00000\w\w, where there is nothing", done.stderr)


def test_code_that_one_core_writes_runs_on_another_one_after_its_flush() -> None:
    done = on_cores("written_elsewhere", 2)
    assert_ended_well(done)
    assert numbers_in(done.stdout) == [1, 1, 2]


def reading(cores: int, *options: str) -> list[int]:
    """The cycles that each core takes for its reads."""
    done = on_cores("shared_walk", cores, *options)
    assert_ended_well(done)
    found = numbers_in(done.stdout)
    assert len(found) == cores
    return found


def test_shared_memory_is_as_slow_as_asked() -> None:
    (quick,), (slow,) = (reading(1, "--shared-latency", latency) for latency in ("4", "20"))
    assert slow - quick == pytest.approx(READS * 16, rel=0.01)


def test_one_access_at_a_time_and_each_core_in_its_turn() -> None:
    (alone,) = reading(1, "--shared-latency", "20")
    together = reading(4, "--shared-latency", "20")
    assert READS * 4 * 20 * 0.99 <= max(together) < READS * 4 * 21
    assert min(together) > 0.9 * max(together)
    assert max(together) > 2 * alone


def test_banks_answer_at_the_same_time() -> None:
    (alone,) = reading(1, "--shared-latency", "20")
    assert max(reading(4, "--shared-latency", "20", "--shared-banks", "4")) < 1.1 * alone
    assert max(reading(4, "--shared-latency", "20", "--shared-banks", "2")) > 1.3 * alone


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--cores", "0"], "--cores is from 1 to 64"),
        (["--cores", "65"], "--cores is from 1 to 64"),
        (["--shared", "2G"], "--shared is at most 1G"),
        (["--shared-latency", "0"], "--shared-latency is from 1"),
        (["--shared-banks", "65"], "--shared-banks is from 1 to 64"),
    ],
)
def test_bad_options_of_cores_are_refused(options: list[str], reason: str) -> None:
    done = run(CORE, "hello", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr


COMMITTED = "docs/results/bins-where.md"
PLACEMENT = 0.04
"""What other allocators beside it change: up to 2 cycles of 55."""
STATE = next(state for state in where.STATES if state.allocator is Allocator.COMPILED_IN)


def committed_row(title: str, row: str) -> dict[str, str]:
    section = text_of(COMMITTED).partition(f"### {title}\n")[2]
    lines = [[cell.strip() for cell in line.split("|")] for line in section.splitlines() if line[:1] == "|"]
    return dict(zip(lines[0], next(line for line in lines if line[1] == row), strict=True))


def test_one_core_takes_as_many_cycles_as_in_the_committed_table() -> None:
    """Of a pair, by what the heap does: as many as before there could be several cores, but for where its
    code lies in the cache, which follows what else is linked into the program."""
    program, end = SIMULATOR.replay_program
    given = list(inputs(16, Room.CLUSTER, learns_elsewhere=True))
    found = []
    for each in given:
        once = STATE.replay(each.heap_bytes)
        profiles = [
            SIMULATOR.profiled(replay, each.judged, each.learned) for replay in (once, replace(once, runs=2))
        ]
        found.append(where.Cycles.of(where.one_more(*profiles), program, end, each.judged.pairs))
    committed = committed_row("Where cycles go: of a pair", f"128K, latency 4 {STATE.name}")
    measured = {work: mean([float(each.sums[work][0]) for each in found]) for work in found[0].sums}
    assert measured == pytest.approx({work: float(committed[work]) for work in measured}, rel=PLACEMENT), (
        f"where the heap itself has changed, measure {COMMITTED} again"
    )


GRAPH = drawn_in(Cell(16, Drawn.LOG_UNIFORM, 256), generator(1, 1), TASKS)


@pytest.mark.parametrize("heaps", Heaps)
@pytest.mark.parametrize("cores", some(1, 3, of=[1, 3, 8]))
def test_no_buffer_of_a_graph_is_lost_or_overwritten(heaps: Heaps, cores: int) -> None:
    """Each byte of each buffer is written by one core and checked by others."""
    run = run_of(SIMULATOR, Cores(cores, 4), GRAPH, heaps, 500, fills=True)
    assert (run.cores, run.pairs, run.released) == (cores, TASKS, TASKS)
    assert (run.failures, run.wrong, run.living, run.damaged) == (0, 0, 0, 0)
    assert run.foreign == 0 if cores == 1 else run.foreign > TASKS // 4
    assert run.calls > TASKS * 100
    generates = heaps is Heaps.GENERATED
    assert (run.rehashes > 0) == generates
    assert (run.elsewhere > 0) == (generates and cores > 1)


@pytest.mark.parametrize("heaps", Heaps)
def test_every_run_of_a_graph_is_the_same(heaps: Heaps) -> None:
    first, second = (run_of(SIMULATOR, Cores(4, 4), GRAPH, heaps, 500) for _ in range(2))
    assert first == second


def test_more_cores_end_a_graph_earlier() -> None:
    cycles = [run_of(SIMULATOR, Cores(count, 4), GRAPH, Heaps.ONE, 5000).cycles for count in (1, 2, 4)]
    assert cycles[0] > 1.5 * cycles[1] > 2 * cycles[2]
    assert cycles[0] > GRAPH.seconds.sum() * 5000


@pytest.mark.parametrize("heaps", Heaps)
def test_buffers_that_find_no_room_are_counted(heaps: Heaps) -> None:
    content = to_file(GRAPH, heaps, 2048, 500)
    options = Cores(4, 4).options(1 << 20)
    (fields,) = SIMULATOR.printed("tasks", content, MEMORY, *options)
    run = TaskRun(**fields)
    assert run.failures > 0
    assert run.released == run.pairs - run.failures
    assert (run.wrong, run.living, run.damaged) == (0, 0, 0)
    assert run.overflows == 0 if heaps in (Heaps.ONE, Heaps.GENERATED) else run.overflows >= run.failures


@pytest.mark.parametrize("content", [b"x", b"x" * 100, to_file(GRAPH, Heaps.ONE, 4096, 500)[:-4]])
def test_what_is_no_graph_is_refused(content: bytes) -> None:
    with pytest.raises(CommandError, match="tasks ended with status 1"):
        SIMULATOR.printed("tasks", content, MEMORY, *Cores(2, 4).options(1 << 20))
