"""Plans and tables of one build, used with the next: what matches is said, and so is what is gone."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from malloom.layout.plan_record import read_record, write_with_record
from some import some

SOURCE = Path(__file__).parent / "sites_program.c"
NODES = 300
SIZES = {"first_name": 96, "unchanged": 32, "edited": 80, "inlined": 112, "removed": 128}
ALL_BYTES = (sum(SIZES.values()) + 48 + 64) * NODES

Finished = subprocess.CompletedProcess[str]
Malloom = Callable[..., Finished]


def rebuilt_text() -> str:
    """The next version of the source: functions move, one gets another name, one line is edited, one function
    goes."""
    text = SOURCE.read_text()
    text = text.replace("/* lines are added here */", "/* lines\n * are\n * added */")
    text = text.replace("first_name", "other_name")
    text = re.sub(r"NEVER_INLINED static struct node\* removed.*?^}\n\n", "", text, flags=re.M | re.S)
    text = text.replace("        list = removed(list, i);\n", "")
    return text.replace("malloc(80);", "0;\n    made = malloc(80);")


def build(folder: Path, text: str, compiler: str, level: str, inlined: str) -> Path:
    folder.mkdir()
    (folder / "program.c").write_text(text)
    never = "__attribute__((noinline))"
    flags = [f"-DNEVER_INLINED={never}", f"-DSOMETIMES_INLINED={inlined or never}", "-fno-builtin-malloc"]
    subprocess.run([compiler, "-g", level, *flags, "program.c", "-o", "program"], cwd=folder, check=True)
    return folder / "program"


@pytest.fixture(params=some("gcc", of=["gcc", "clang-19"]))
def builds(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    compiler = request.param
    old = build(tmp_path / "old", SOURCE.read_text(), compiler, "-O1", "")
    return old, build(
        tmp_path / "new", rebuilt_text(), compiler, "-O2", "inline __attribute__((always_inline))"
    )


@pytest.fixture
def recorded(malloom: Malloom, builds: tuple[Path, Path]) -> tuple[Path, Path]:
    done = malloom("record", "-o", "old.profile", "--accesses", "full", "--", builds[0], str(NODES))
    assert done.returncode == 0, done.stderr
    return builds


def succeeded(done: Finished) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def matched(done: Finished) -> dict[str, int]:
    """Requests by level, of those of the program's own sites, and those that are gone."""
    said: dict[str, Any] = json.loads(succeeded(done))
    levels = {level: share["requests"] // NODES * NODES for level, share in said["levels"].items()}
    gone = sum(each["requests"] // NODES * NODES for each in said["gone"])
    return {level: requests for level, requests in {**levels, "gone": gone}.items() if requests}


EXPECTED = {"renamed": NODES, "moved": 3 * NODES, "counted": NODES, "inlined": NODES, "gone": NODES}
"""unchanged and both of two_on_a_line have moved; the others are as they are called."""


def test_a_plan_goes_on_with_the_next_build(malloom: Malloom, recorded: tuple[Path, Path]) -> None:
    succeeded(malloom("plan", "old.profile", "-o", "old.plan", "--strategy", "pools"))
    old, new = (recorded[0].parents[1] / name for name in ("old.plan", "new.plan"))
    setting = {"allocator": "another", "library": "", "variables": {"MALLOC_CONF": "thp:default"}}
    write_with_record(old, old, {"setting": setting, "measured": [{}]})
    assert matched(malloom("rebase", "old.plan", recorded[1], "-o", "new.plan", "--json")) == EXPECTED
    assert pooled(malloom, "old.plan", recorded[1]) == (0, 0)
    assert read_record(new) == {"setting": setting}, "the measurements were of the old build"
    # All of the new build's requests are of sites that were found.
    assert pooled(malloom, "new.plan", recorded[1]) == (6 * NODES, 6)


def test_of_several_plans_the_program_s_goes_on_and_the_others_stay(
    malloom: Malloom, recorded: tuple[Path, Path], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    source = "#include <stdlib.h>\nint main(void) { return malloc(48) == NULL; }"
    other = compile_c(source, "-Wl,--build-id").rename(tmp_path / "other")
    succeeded(malloom("plan", "old.profile", "-o", "old.plan", "--strategy", "pools"))
    succeeded(malloom("record", "-o", "other.profile", "--accesses", "none", "--", other))
    succeeded(malloom("plan", "other.profile", "-o", "other.plan", "--strategy", "sequential"))
    parts = [(tmp_path / name).read_bytes() for name in ("other.plan", "old.plan")]
    (tmp_path / "both.plan").write_bytes(b"".join(parts))
    assert matched(malloom("rebase", "both.plan", recorded[1], "-o", "new.plan", "--json")) == EXPECTED
    assert pooled(malloom, "new.plan", recorded[1]) == (6 * NODES, 6)
    assert (tmp_path / "new.plan").read_bytes().startswith(parts[0])
    refused = malloom("rebase", "both.plan", "/bin/true", "-o", "none.plan")
    assert refused.returncode == 1 and "none of the plans of both.plan is of a program true" in refused.stderr


def pooled(malloom: Malloom, plan: str, program: Path) -> tuple[int, int]:
    """Requests that pools served, and how many pools."""
    done = malloom("run", "--plan", plan, "--statistics", "--", program, str(NODES))
    found = re.search(r"pooled (\d+) \(.*?\) in (\d+) pools", done.stderr)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def test_places_go_on_with_the_next_build(malloom: Malloom, recorded: tuple[Path, Path]) -> None:
    succeeded(malloom("plan", "old.profile", "-o", "old.plan", "--strategy", "first-use", "--depth", "1"))
    assert matched(malloom("rebase", "old.plan", recorded[1], "-o", "new.plan", "--json")) == EXPECTED
    done = malloom("run", "--plan", "new.plan", "--statistics", "--", recorded[1], str(NODES))
    found = re.search(r"matched (\d+)", done.stderr)
    assert found is not None and int(found[1]) >= 6 * NODES, done.stderr


def test_certain_takes_only_what_has_the_same_text(malloom: Malloom, recorded: tuple[Path, Path]) -> None:
    succeeded(malloom("plan", "old.profile", "-o", "old.plan", "--strategy", "pools"))
    done = malloom("rebase", "old.plan", recorded[1], "-o", "new.plan", "--certain", "--json")
    assert matched(done) == {"moved": 3 * NODES, "gone": 4 * NODES}


def test_a_rebuild_of_the_same_text_is_exact(
    malloom: Malloom, recorded: tuple[Path, Path], tmp_path: Path
) -> None:
    again = build(tmp_path / "again", SOURCE.read_text(), "gcc", "-O2", "")
    succeeded(malloom("plan", "old.profile", "-o", "old.plan", "--strategy", "pools"))
    assert matched(malloom("rebase", "old.plan", again, "-o", "new.plan", "--json")) == {"exact": 7 * NODES}
    same = malloom("rebase", "new.plan", again, "-o", "newer.plan", "--json")
    assert matched(same) == {"same": 7 * NODES}
    assert (tmp_path / "newer.plan").read_bytes() == (tmp_path / "new.plan").read_bytes()


def test_a_table_goes_on_and_says_what_is_gone(malloom: Malloom, recorded: tuple[Path, Path]) -> None:
    succeeded(malloom("profile", "fields", "old.profile", "-o", "old.fields", "--cache", "zen5"))
    text = succeeded(malloom("rebase", "old.fields", recorded[1], "-o", "new.fields"))
    share = SIZES["removed"] * NODES / ALL_BYTES
    gone = re.search(r"removed program\.c:\d+:\d+: [\d.]+% of requests, ([\d.]+)% of bytes", text)
    assert gone is not None and float(gone[1]) == pytest.approx(100 * share, abs=3)
    assert re.search(r"^  gone +1 context,", text, re.MULTILINE)


def test_fields_are_those_of_the_program(malloom: Malloom, recorded: tuple[Path, Path]) -> None:
    said = json.loads(succeeded(malloom("profile", "fields", "old.profile", "--cache", "zen5", "--json")))
    kinds = {kind["size"]: kind for kind in said["kinds"]}
    for name, size in SIZES.items():
        kind = kinds[size]
        call = kind["sites"][0]["calls"][0]
        assert (call["function"], kind["sites"][0]["callee"], kind["requests"]) == (name, "malloc", NODES)
        loads: dict[int, int] = {}
        for field in kind["fields"]:
            loads[field["offset"]] = loads.get(field["offset"], 0) + field["loads"]
        assert loads[0] == loads[16] == 20 * NODES and loads[8] == loads.get(24, 0) == 0
        assert kind["stores"] >= 3 * NODES
    lines = {kinds[size]["sites"][0]["calls"][0]["line"] for size in (48, 64)}
    columns = {kinds[size]["sites"][0]["calls"][0]["column"] for size in (48, 64)}
    assert len(lines) == 1 and len(columns) == 2
    text = succeeded(malloom("profile", "fields", "old.profile", "--cache", "zen5"))
    assert "unchanged program.c" in text and "objects of 32 bytes" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old.profile"], "is not a plan"),
        (["sequence.plan"], "matches by sequence"),
        (["learned.plan"], "has no keys of call sites"),
        (["absent.plan"], "cannot be read"),
    ],
)
def test_what_cannot_be_rebased_is_one_line(
    malloom: Malloom, tmp_path: Path, arguments: list[str], message: str
) -> None:
    program = build(tmp_path / "old", SOURCE.read_text(), "gcc", "-O1", "")
    succeeded(malloom("record", "-o", "old.profile", "--accesses", "none", "--", program, "10"))
    plan = ("plan", "old.profile", "--strategy", "sequential")
    succeeded(malloom(*plan, "-o", "sequence.plan", "--match", "sequence"))
    malloom("run", "--heap", "pools", "--save-plan", "learned.plan", "--", program, "10000")
    done = malloom("rebase", *arguments, program, "-o", "new.plan")
    assert done.returncode == 1 and message in done.stderr, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "new.plan").exists()


def test_without_debug_information_nothing_is_found_and_that_is_said(
    malloom: Malloom, tmp_path: Path
) -> None:
    program = build(tmp_path / "old", SOURCE.read_text(), "gcc", "-O1", "")
    succeeded(malloom("record", "-o", "old.profile", "--accesses", "none", "--", program, "10"))
    succeeded(malloom("plan", "old.profile", "-o", "old.plan", "--strategy", "sequential"))
    other = build(tmp_path / "new", SOURCE.read_text(), "gcc", "-O2", "")
    subprocess.run(["strip", "--strip-debug", other], check=True)
    done = malloom("rebase", "old.plan", other, "-o", "new.plan")
    found = done.stderr + done.stdout
    assert "program has no debug information: build it with -g" in found


def test_a_profile_without_accesses_has_no_fields(malloom: Malloom, tmp_path: Path) -> None:
    succeeded(malloom("record", "-o", "old.profile", "--accesses", "none", "--", "ls"))
    done = malloom("profile", "fields", "old.profile", "-o", "old.fields")
    assert done.returncode == 1 and "no accesses were recorded" in done.stderr
    assert not (tmp_path / "old.fields").exists()
