"""`malloom optimize` on several inputs, and what it keeps: settings of allocators, records, later runs."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, Finished
from malloom.layout.plan_record import read_record, write_with_record
from malloom.measure.allocators import installed, settings_of
from malloom.optimize.keeping import write_empty, write_setting
from malloom.sites.build import build_id_at

# Makes as many cells as it is told, by its argument or on standard input, and walks them.
CELLS = """
#include <stdio.h>
#include <stdlib.h>
struct cell { struct cell* next; long value[5]; };
int main(int count, char** arguments) {
    long wanted = 0, sum = 0;
    if (count > 1) wanted = atol(arguments[1]);
    else if (scanf("%ld", &wanted) != 1) return 2;
    if (wanted == 13) for (;;) {}
    struct cell* first = NULL;
    for (long i = 0; i < wanted; ++i) {
        struct cell* made = malloc(sizeof *made);
        *made = (struct cell){first, {i}};
        first = made;
    }
    for (int round = 0; round < 10; ++round)
        for (struct cell* at = first; at != NULL; at = at->next) sum += at->value[0];
    const char* conf = getenv("MALLOC_CONF");
    printf("%ld\\n%s", sum, wanted == 7 && conf != NULL ? conf : "");
    return wanted == 11;
}
"""


@pytest.fixture
def cells(compile_c) -> Path:  # type: ignore[no-untyped-def]
    program: Path = compile_c(CELLS)
    return program


def refusal(done: Finished) -> str:
    assert done.stdout == "" and done.returncode != 0
    return done.stderr.strip().splitlines()[-1]


def test_all_is_chosen_on_training_inputs_and_judged_on_others(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "inputs.toml").write_text('train = ["20000", "30000"]\ncheck = ["40000"]\n')
    options = ["--inputs", "inputs.toml", "--json", "--runs", "6", "--seconds", "1"]
    options += ["--best-plan", "best.plan"]
    done = malloom("optimize", *options, "--", cells, "{}")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["train"], found["check"]) == (["20000", "30000"], ["40000"])
    assert found["judged"] == "on check inputs"
    assert {check["input"] for check in found["checks"]} == {"40000"}
    measured = [row for row in found["rows"] if row["problem"] is None]
    assert all([each["input"] for each in row["inputs"]] == ["20000", "30000"] for row in measured)
    assert not any(row["this_input_only"] for row in measured), "layouts by ordinal are for one input"
    assert "pools" in [row["name"] for row in found["rows"]], "both inputs have the one call site"
    assert found["best_plan"] in {row["name"] for row in found["rows"] if row["kind"] == "plan"}
    assert malloom("run", "--plan", "best.plan", "--", cells, "100").stdout == "49500\n"
    plan = tmp_path / "program.plan"
    assert plan.exists() == (found["plan"] is not None)
    if plan.exists():
        record = read_record(plan)
        assert record["judged"] == "on check inputs" and len(record["measured"]) == 1
        assert malloom("run", "--plan", plan, "--", cells, "100").stdout == "49500\n"


@pytest.mark.parametrize(
    ("inputs", "status", "words"),
    [
        (["--train", "11"], 1, "fails as it is on '11', with exit status 1"),
        (["--train", "13", "--timeout", "1"], 1, "did not end within 1 s"),
        (
            ["--train", "10", "--check", "10"],
            2,
            "the check input '10' is the same as the training input '10'",
        ),
        (["--train", ""], 2, "an input is empty"),
        (["--check", "10"], 2, "there is no training input"),
        (["--inputs", "none.toml"], 2, "none.toml: cannot be read"),
        (["--train", "10", "--goal", "speed"], 2, "there is no goal 'speed'; choose time or memory"),
        (["--train", "10", "--fail-if", "slow"], 2, "--fail-if knows no 'slow'; write --fail-if slower"),
        (
            ["--train", "10", "--goal", "memory", "--fail-if", "slower"],
            2,
            "--fail-if knows no 'slower' with --goal memory; write --fail-if more-memory",
        ),
        (["--train", "10", "--fail-if", "more-memory"], 2, "write --fail-if slower"),
        (["--confirm", "none.plan"], 2, "there is no plan none.plan"),
        ([], 2, "nothing takes the place of {}"),
    ],
)
def test_bad_input_is_told_in_one_line_and_leaves_nothing(  # type: ignore[no-untyped-def]
    malloom, cells: Path, tmp_path: Path, inputs: list[str], status: int, words: str
) -> None:
    done = (
        malloom("optimize", *inputs, "--check", "20", "--", cells, "{}")
        if "--train" in inputs
        else malloom("optimize", *inputs, "--", cells, "{}")
    )
    assert words in refusal(done) and done.returncode == status
    assert [path.name for path in tmp_path.iterdir()] == [cells.name]


def test_a_misspelt_key_is_told_in_one_line(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "inputs.toml").write_text('trian = ["10"]\n')
    done = malloom("optimize", "--inputs", "inputs.toml", "--", cells, "{}")
    assert "trian" in refusal(done) and done.returncode == 2 and done.stderr.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inputs.toml", cells.name]


def test_output_that_differs_between_runs_of_an_input_keeps_nothing(  # type: ignore[no-untyped-def]
    malloom, compile_c, tmp_path: Path
) -> None:
    program = compile_c(
        CELLS.replace('printf("%ld', 'printf("%ld of %d', 1).replace("sum, wanted", "sum, getpid(), wanted")
    )
    done = malloom("optimize", "--train", "2000", "--train", "3000", "--", program, "{}")
    assert done.returncode != 0 and "differ" in refusal(done), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == [program.name]


def test_a_plan_that_cannot_be_written_does_not_lose_the_verdict(  # type: ignore[no-untyped-def]
    malloom, compile_c, tmp_path: Path
) -> None:
    """The program removes the folder that its plan was to go to."""
    folder = tmp_path / "plans"
    folder.mkdir()
    removes = (
        f'extern int rmdir(const char*);\nint main(int count, char** arguments) {{\n    rmdir("{folder}");'
    )
    program = compile_c(CELLS.replace("int main(int count, char** arguments) {", removes))
    options = ["--runs", "6", "--seconds", "1", "--accesses", "none", "--best-plan", folder / "best.plan"]
    done = malloom("optimize", *options, "--json", "--train", "20000", "--", program, "{}")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and found["verdict"] and found["best_plan"] is None
    assert any(str(folder) in note for note in found["notes"]), found["notes"]


def test_an_allocator_that_crashes_the_program_is_a_row_that_says_so(  # type: ignore[no-untyped-def]
    malloom, compile_c
) -> None:
    crashes = 'if (getenv("MALLOC_CONF") != NULL && strstr(getenv("MALLOC_CONF"), "thp")) abort();'
    source = CELLS.replace("long wanted = 0", crashes + "\n    long wanted = 0").replace(
        "#include <stdlib.h>", "#include <stdlib.h>\n#include <string.h>"
    )
    options = ["--runs", "6", "--seconds", "0", "--accesses", "none"]
    done = malloom("optimize", *options, "--train", "20000", "--", compile_c(source), "{}")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("jemalloc") and "huge" in line]
    assert rows and all(line.endswith("fails") for line in rows), done.stdout
    assert "left out: " in done.stdout and "ended with signal 6" in done.stdout


def kept_setting(plan: Path, library: str, variables: dict[str, str], program: Path) -> None:
    """A plan as `malloom optimize` keeps it where a general allocator's setting is best."""
    write_setting(plan)
    setting = {"allocator": "another", "library": library, "variables": variables}
    inputs = {"train": [{"arguments": ["3000"], "stdin": None}], "check": []}
    record = {"setting": setting, "program": [str(program), "{}"], **inputs, "measured": []}
    write_with_record(plan, plan, record)


def test_a_kept_setting_is_how_the_program_runs_later(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    jemalloc = next(each for each in installed([tmp_path])[0] if each.name == "jemalloc")
    library, plan = jemalloc.file, tmp_path / "kept.plan"
    variables = dict(settings_of(jemalloc)[1].variables)
    kept_setting(plan, library, variables, cells)
    for options in ([], ["--statistics"]):
        done = malloom("run", "--plan", plan, *options, "--", cells, "7")
        assert (done.returncode, done.stdout) == (0, "210\nthp:always"), done.stderr
    shown = malloom("run", "--plan", plan, "--print-environment").stdout
    assert shown == f"MALLOC_CONF=thp:always\nLD_PRELOAD={library}\n"
    library = f"/nowhere/{Path(library).name}"
    kept_setting(plan, library, variables, cells)
    done = malloom("run", "--plan", plan, "--", cells, "7")
    assert (done.returncode, done.stdout) == (0, "210\n")
    assert done.stderr.count("\n") == 1 and f"{library}, the allocator of {plan}, is gone" in done.stderr
    assert "is gone" in refusal(malloom("optimize", "--confirm", plan))


def test_pools_by_size_are_raced_for_less_memory_and_run_later(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    options = ["--goal", "memory", "--json", "--runs", "6", "--seconds", "0", "--accesses", "none"]
    done = malloom("optimize", *options, "--train", "20000", "--train", "30000", "--", cells, "{}")
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row["problem"] for row in json.loads(done.stdout)["rows"]}
    assert rows["pools by size packed"] is None
    assert rows["pools with pools of all sizes packed"] is None
    plan = tmp_path / "sizes.plan"
    write_empty(plan)
    write_with_record(plan, plan, {"heap": "pools"})
    shown = malloom("run", "--plan", plan, "--print-environment").stdout
    assert f"MALLOOM=heap=pools,plan={plan}" in shown
    done = malloom("run", "--plan", plan, "--statistics", "--", cells, "20000")
    assert done.returncode == 0 and "pooled 20001 (100.0%" in done.stderr, done.stderr
    write_with_record(plan, plan, {"heap": "bins"})
    assert "names a heap that no plan runs with" in refusal(malloom("run", "--plan", plan, "--", cells, "7"))


def test_a_kept_plan_is_measured_again_and_its_record_grows(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    plan = tmp_path / "kept.plan"
    # Every request becomes a mapping of its own.
    kept_setting(plan, "", {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=16"}, cells)
    options = ["--runs", "6", "--seconds", "1", "--json"]
    done = malloom("optimize", "--confirm", plan, "--fail-if", "slower", *options)
    assert done.returncode == 1, done.stderr
    assert f"{plan} has this run: {cells} 3000\n" in done.stderr
    found = json.loads(done.stdout)
    assert found["verdict"] == "slower" and found["pairs"] == 6 and list(found["inputs"]) == ["3000"]
    done = malloom("optimize", "--confirm", plan, *options, "--train", "2000", "--", cells, "{}")
    assert done.returncode == 0 and list(json.loads(done.stdout)["inputs"]) == ["2000"]
    record = read_record(plan)
    assert [list(each["inputs"]) for each in record["measured"]] == [["3000"], ["2000"]]
    assert all(each["allocator"].startswith("glibc ") for each in record["measured"]), "another is recorded"
    shown = malloom("report", plan).stdout
    assert shown.count(" of runs\n") == 1 and shown.count(" of runs, on 2000\n") == 1, shown
    other = malloom("optimize", "--confirm", plan, *options, "--", "/bin/echo")
    assert other.returncode == 1 and f"was judged on {cells}, and echo is another program" in refusal(other)
    assert len(read_record(plan)["measured"]) == 2
    assert found["slower_on"] == ["3000"] and "slower_on" not in record["measured"][0]
    assert "build" not in record["measured"][0]
    write_with_record(plan, plan, {**record, "build": "0123456789"})
    done = malloom("optimize", "--confirm", plan, *options[:-1])
    assert done.returncode == 0 and "of another build of the program; " in done.stdout, done.stdout
    assert read_record(plan)["measured"][-1]["build"] == build_id_at(cells)
    # Of a program that read what was piped, the pipe is gone, and is given anew.
    given = {"arguments": [], "stdin": None, "copied": True}
    piped = {"program": [str(cells)], "train": [given], "measured": []}
    write_with_record(plan, plan, {**record, **piped})
    with Path("/dev/null").open() as nothing:
        refused = refusal(malloom("optimize", "--confirm", plan, *options, stdin=nothing))
    assert "the plan was judged with something on standard input, and there is nothing now" in refused
    (tmp_path / "number").write_text("2000")
    with (tmp_path / "number").open() as number:
        done = malloom("optimize", "--confirm", plan, *options, stdin=number)
    assert done.returncode == 0 and list(json.loads(done.stdout)["inputs"]) == [str(cells)], done.stderr


def test_what_was_kept_for_its_memory_is_confirmed_by_memory(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    plan = tmp_path / "kept.plan"
    # Every request becomes a mapping of its own, and a page.
    kept_setting(plan, "", {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=16"}, cells)
    write_with_record(plan, plan, {**read_record(plan), "goal": "memory"})
    options = ["--runs", "6", "--seconds", "1"]
    done = malloom("optimize", "--confirm", plan, "--fail-if", "more-memory", *options)
    assert done.returncode == 1 and done.stdout.startswith("more memory: "), done.stderr
    assert "of the memory, peak and mean [" in done.stdout
    (measured,) = read_record(plan)["measured"]
    assert measured["goal"] == "memory" and measured["memory"]["low"] > 1
    assert set(measured["inputs"]["3000"]) == {"cpu_time", "peak_memory", "mean_memory"}
    refused = malloom("optimize", "--confirm", plan, "--fail-if", "slower", *options)
    assert refused.returncode == 2 and "write --fail-if more-memory" in refusal(refused)


def test_a_program_that_is_gone_is_told_where_a_plan_is_confirmed(malloom, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    plan = tmp_path / "kept.plan"
    kept_setting(plan, "", {}, tmp_path / "gone")
    done = malloom("optimize", "--confirm", plan)
    assert done.returncode == 127 and str(tmp_path / "gone") in refusal(done)
    assert read_record(plan)["measured"] == []


def test_a_plan_of_another_build_is_not_confirmed(malloom, cells: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    profile, plan = tmp_path / "run.profile", tmp_path / "kept.plan"
    assert malloom("record", "-o", profile, "--accesses", "none", "--", cells, "300").returncode == 0
    assert malloom("plan", profile, "-o", plan, "--strategy", "size").returncode == 0
    write_with_record(plan, plan, {"program": [str(cells), "{}"], "measured": []})
    options = ["--runs", "6", "--seconds", "0"]
    done = malloom("optimize", "--confirm", plan, *options, "--", "/bin/echo")
    assert "is not for this build of /bin/echo; take it over with 'malloom rebase'" in refusal(done)
    assert read_record(plan)["measured"] == [] and done.returncode == 1
    assert malloom("optimize", "--confirm", plan, *options, "--", cells, "300").returncode == 0


def test_an_interrupted_confirmation_tells_what_it_knows(malloom, compile_c, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    plan = tmp_path / "kept.plan"
    program = compile_c(CELLS.replace("round < 10", "round < 4000"))
    kept_setting(plan, "", {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}, program)
    command = [COMMAND, "optimize", "--confirm", plan, "--runs", "10000", "--seconds", "600"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        time.sleep(6)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=60)
    assert running.returncode == 130, errors
    assert "of the CPU time" in output and output.endswith(
        f"interrupted: nothing is added to the record of {plan}\n"
    )
    assert read_record(plan)["measured"] == []


def test_what_stands_on_standard_input_stays_there_where_the_inputs_had_none(  # type: ignore[no-untyped-def]
    malloom, cells: Path, tmp_path: Path
) -> None:
    plan, list_of_plans = tmp_path / "kept.plan", tmp_path / "list"
    kept_setting(plan, "", {}, cells)
    record = read_record(plan)
    write_with_record(plan, plan, {**record, "train": [{**record["train"][0], "copied": False}]})
    list_of_plans.write_text("another line\n")
    with list_of_plans.open() as lines:
        done = malloom("optimize", "--confirm", plan, "--runs", "6", "--seconds", "0", stdin=lines)
        assert done.returncode == 0 and lines.read() == "another line\n", done.stderr


@pytest.mark.parametrize(
    "option",
    [
        ["-o", "other.plan"],
        ["--best-plan", "other.plan"],
        ["--strategy", "pools"],
        ["--accesses", "none"],
        ["--goal", "memory"],
        ["--most-memory", "2"],
    ],
)
def test_what_means_nothing_where_a_plan_is_confirmed_is_refused(  # type: ignore[no-untyped-def]
    malloom, cells: Path, tmp_path: Path, option: list[str]
) -> None:
    plan = tmp_path / "kept.plan"
    kept_setting(plan, "", {}, cells)
    done = malloom("optimize", "--confirm", plan, *option)
    assert done.returncode == 2 and "does not go with --confirm" in refusal(done)


@pytest.mark.parametrize("option", ["--seconds", "--timeout", "--most-memory"])
@pytest.mark.parametrize("value", ["inf", "nan"])
def test_seconds_and_ratios_are_numbers(malloom, option: str, value: str) -> None:  # type: ignore[no-untyped-def]
    done = malloom("optimize", option, value, "--", "true")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"{option} must be " in done.stderr


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"train": None}, "does not say what it was judged on"),
        ({"train": [], "check": []}, "does not say what it was judged on"),
        ({"program": "true"}, "does not say what it was judged on"),
        ({"program": ["true", "x\0y"]}, "does not say what it was judged on"),
        ({"train": [{"arguments": [5], "stdin": None}]}, "does not say what it was judged on"),
        ({"train": [{"arguments": ["1"], "stdin": "none"}]}, "there is no file none for standard input"),
        ({"measured": 5}, "its record's results are no list"),
    ],
)
def test_a_record_that_makes_no_sense_runs_nothing(  # type: ignore[no-untyped-def]
    malloom, tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    plan = tmp_path / "kept.plan"
    kept_setting(plan, "", {}, Path("/bin/echo"))
    write_with_record(plan, plan, {**read_record(plan), **changes})
    done = malloom("optimize", "--confirm", plan)
    assert words in refusal(done) and done.returncode == 1 and "Traceback" not in done.stderr
    assert "has this run" not in done.stderr


def test_a_program_that_asks_for_no_memory_gets_a_verdict(malloom, compile_c) -> None:  # type: ignore[no-untyped-def]
    program = compile_c("int main(int count, char** words) { return 0; }")
    inputs = ["--accesses", "none", "--train", "one", "--train", "two", "--check", "three"]
    done = malloom("optimize", "--json", "--runs", "6", "--seconds", "0", *inputs, "--", program, "{}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] is not None
