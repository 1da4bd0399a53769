"""`malloom deploy`: a folder with which a program runs on a host that has no malloom."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, simple_plans
from malloom.layout.plan import Plan
from malloom.layout.plan_file import read_plan, write_plan
from malloom.layout.plan_record import read_record, write_with_record
from malloom.measure.allocators import NEWEST_MIMALLOC, preloaded_file
from malloom.optimize.keeping import write_empty, write_setting

Malloom = Callable[..., subprocess.CompletedProcess[str]]

SHOW = "env; cat /proc/self/maps"
TEXTS = {"malloom.env", "malloom.conf", "Dockerfile.malloom"}
JEMALLOC = "libjemalloc.so.2"

ASKS = """
#include <stdio.h>
#include <stdlib.h>
int main(void) { for (int i = 0; i < 1000; ++i) { if (!malloc(48)) { return 1; } } return puts("done") < 0; }
"""


def run_by_shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """As a start script does it, in an environment that knows nothing of malloom."""
    script = f"set -a; . {folder}/malloom.env; set +a; exec sh -c '{command}'"
    environment = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done


def variables_of(folder: Path) -> dict[str, str]:
    """As Docker reads the file: names and values up to the end of the line, but for comments."""
    lines = (folder / "malloom.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


@pytest.fixture
def learned(malloom: Malloom, compile_c: Callable[..., Path], tmp_path: Path) -> tuple[Path, Path]:
    """A program, and a plan that a run of it has learned."""
    program, plan = compile_c(ASKS), tmp_path / "learned.plan"
    done = malloom("record", "--accesses", "none", "-o", "a.profile", "--", program)
    assert done.returncode == 0, done.stderr
    assert malloom("plan", "a.profile", "-o", plan, "--strategy", "pools").returncode == 0
    write_with_record(plan, plan, {"program": [str(program)]})
    return program, plan


@pytest.fixture
def setting(tmp_path: Path) -> Callable[..., Path]:
    """Makes a plan that is a setting alone, of an allocator."""

    def make(library: str, **variables: str) -> Path:
        plan = tmp_path / "setting.plan"
        write_setting(plan)
        told = {"allocator": "one", "library": library, "variables": variables}
        write_with_record(plan, plan, {"setting": told})
        return plan

    return make


def test_a_plan_of_a_process_below_the_program_is_deployed(
    malloom: Malloom, learned: tuple[Path, Path]
) -> None:
    program, plan = learned
    write_with_record(plan, plan, {"program": ["/bin/sh"]})
    refused = malloom("deploy", plan, "-o", "folder")
    assert refused.returncode == 1 and "is not for this build of" in refused.stderr
    write_with_record(plan, plan, {"program": ["/bin/sh"], "process": program.name})
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    named = malloom("deploy", plan, "--program", "/bin/sh", "-o", "other")
    assert named.returncode == 1 and "is not for this build of" in named.stderr


def test_a_program_runs_with_the_folder_alone(
    malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path
) -> None:
    program, plan = learned
    host = tmp_path / "host/malloom"
    done = malloom("deploy", plan, "-o", "folder", "--place", host)
    assert done.returncode == 0, done.stderr
    shutil.copytree(tmp_path / "folder", host)
    # Nothing is needed of what made it.
    shutil.rmtree(tmp_path / "folder")
    plan.unlink()
    assert variables_of(host)["MALLOOM"] == f"heap=plan,plan={host}/malloom.plan"
    text = (host / "malloom.env").read_text()
    (host / "malloom.env").write_text(text.replace("MALLOOM=", "MALLOOM=statistics=json,"))
    script = f"set -a; . {host}/malloom.env; set +a; exec {program}"
    counted = subprocess.run(["sh", "-c", script], env={}, capture_output=True, text=True, check=True)
    assert counted.stdout == "done\n"
    found = json.loads(counted.stderr.splitlines()[-1])
    assert found["plan"] == "used" and found["pooled"] >= 1000


def test_nothing_of_python_is_in_it(malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path) -> None:
    assert malloom("deploy", learned[1], "-o", "folder", "--place", "/opt/x").returncode == 0
    files = {path.name: path for path in (tmp_path / "folder").iterdir()}
    assert TEXTS | {"libmalloom.so", "malloom.plan", "LICENSE.mimalloc"} <= files.keys()
    assert "MIT License" in files["LICENSE.mimalloc"].read_text()
    assert all(path.is_file() and path.stat().st_mode & 0o777 == 0o644 for path in files.values())
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o755
    assert all(b"python" not in files[name].read_bytes().lower() for name in TEXTS)


def test_the_run_time_comes_from_the_folder(
    malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path
) -> None:
    assert malloom("deploy", learned[1], "-o", "folder").returncode == 0
    maps = run_by_shell(tmp_path / "folder", "cat /proc/self/maps").stdout
    loaded = {line.split()[-1] for line in maps.splitlines() if re.search(r"lib(malloom|mimalloc)", line)}
    assert loaded and {str(Path(path).parent) for path in loaded} == {str(tmp_path / "folder")}


def test_an_allocator_and_its_variables_are_deployed(
    malloom: Malloom, setting: Callable[..., Path], tmp_path: Path
) -> None:
    plan = setting(preloaded_file(JEMALLOC), MALLOC_CONF="thp:always,dirty_decay_ms:0")
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    folder = tmp_path / "folder"
    assert {path.name for path in folder.iterdir()} == TEXTS | {JEMALLOC}
    assert variables_of(folder) == {
        "MALLOC_CONF": "thp:always,dirty_decay_ms:0",
        "LD_PRELOAD": f"{folder}/{JEMALLOC}",
    }
    shown = run_by_shell(folder, SHOW).stdout
    assert f"{folder}/{JEMALLOC}\n" in shown and "MALLOC_CONF=thp:always,dirty_decay_ms:0\n" in shown
    built = setting(
        str(COMMAND.parents[1] / "lib/malloom/allocators" / NEWEST_MIMALLOC), MIMALLOC_ALLOW_THP="0"
    )
    assert malloom("deploy", built, "-o", "built").returncode == 0
    assert f"{tmp_path}/built/{NEWEST_MIMALLOC}\n" in run_by_shell(tmp_path / "built", SHOW).stdout


def test_what_leaves_an_allocator_is_deployed_with_it(
    malloom: Malloom, setting: Callable[..., Path], tmp_path: Path
) -> None:
    plan = setting(preloaded_file(JEMALLOC), MALLOC_CONF="thp:always")
    told = {**read_record(plan)["setting"], "up_to": 5 << 20, "huge_beyond": True}
    write_with_record(plan, plan, {"setting": told})
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    folder = tmp_path / "folder"
    assert {path.name for path in folder.iterdir()} >= {"libmalloom.so", JEMALLOC}
    assert variables_of(folder) == {
        "MALLOC_CONF": "thp:always",
        "MALLOOM": "fallback_up_to=5242880,fallback_huge_pages=1,heap=fallback,fallback=system",
        "LD_PRELOAD": f"{folder}/libmalloom.so:{folder}/{JEMALLOC}",
    }
    assert run_by_shell(folder, SHOW).returncode == 0


def test_a_setting_of_the_c_library_is_variables_alone(
    malloom: Malloom, setting: Callable[..., Path], tmp_path: Path
) -> None:
    plan = setting("", GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    assert {path.name for path in (tmp_path / "folder").iterdir()} == TEXTS
    assert "COPY" not in (tmp_path / "folder/Dockerfile.malloom").read_text()
    assert "GLIBC_TUNABLES=glibc.malloc.hugetlb=1\n" in run_by_shell(tmp_path / "folder", "env").stdout


def test_a_plan_over_an_allocator_has_both(
    malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path
) -> None:
    """As `malloom run` starts it, in the same order."""
    program, plan = learned
    told = {"allocator": "jemalloc", "library": preloaded_file(JEMALLOC), "variables": {}}
    write_with_record(plan, plan, {**read_record(plan), "setting": told, "heap": "pools"})
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    folder, found = tmp_path / "folder", variables_of(tmp_path / "folder")
    assert found["LD_PRELOAD"] == f"{folder}/libmalloom.so:{folder}/{JEMALLOC}"
    run = malloom("run", "--plan", plan, "--print-environment", "--", program).stdout
    assert found["MALLOOM"] in run.replace(str(plan), f"{folder}/malloom.plan")
    assert [Path(path).name for path in re.findall(r"[^:=\n]+\.so[.\d]*", run.splitlines()[0])] == [
        "libmalloom.so",
        JEMALLOC,
    ]


@pytest.mark.parametrize("kind", ["places", "setting"])
def test_the_files_have_no_quotes_and_systemd_takes_them(
    malloom: Malloom, learned: tuple[Path, Path], setting: Callable[..., Path], tmp_path: Path, kind: str
) -> None:
    plan = learned[1] if kind == "places" else setting(preloaded_file(JEMALLOC), MALLOC_CONF="thp:always")
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    folder = tmp_path / "folder"
    for line in (folder / "malloom.env").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(r"[A-Z_]+=[\w@%+=:,./-]+", line), line
    units = tmp_path / "units"
    (units / "x.service.d").mkdir(parents=True)
    (units / "x.service").write_text("[Service]\nExecStart=/bin/true\n")
    shutil.copy(folder / "malloom.conf", units / "x.service.d")
    verify = ["systemd-analyze", "--man=no", "verify", units / "x.service"]
    done = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "") and "malloom.conf" not in done.stderr, done.stderr
    instructions = (folder / "Dockerfile.malloom").read_text().splitlines()
    assert [line.split()[0] for line in instructions] == ["#", "COPY", "ENV"]
    copied = instructions[1].split()[1:-1]
    assert {folder.parent / name for name in copied} == {
        path for path in folder.iterdir() if path.name not in TEXTS
    }
    assert dict(each.split("=", 1) for each in instructions[2].split()[1:]) == variables_of(folder)


def test_what_was_written_is_told(malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path) -> None:
    found = json.loads(malloom("deploy", learned[1], "-o", "folder", "--place", "/opt/x", "--json").stdout)
    assert (found["folder"], found["place"]) == (str(tmp_path / "folder"), "/opt/x")
    assert set(found["files"]) == {path.name for path in (tmp_path / "folder").iterdir()}
    assert found["variables"] == variables_of(tmp_path / "folder")
    assert re.fullmatch(r"2\.\d+", found["needs"]["glibc"]) and found["needs"]["libraries"] == []
    said = malloom("deploy", learned[1], "-o", "second").stdout
    assert f"needs glibc {found['needs']['glibc']} or newer" in said


def refused(malloom: Malloom, tmp_path: Path, *words: str | Path, status: int, reason: str) -> None:
    """In one line, with nothing written."""
    before = sorted(tmp_path.rglob("*"))
    done = malloom("deploy", *words)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert done.stderr.count("\n") == 1 and reason in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_bad_plans_are_refused(malloom: Malloom, setting: Callable[..., Path], tmp_path: Path) -> None:
    text, empty = tmp_path / "text", tmp_path / "empty.plan"
    text.write_text("no plan")
    refused(malloom, tmp_path, "none", "-o", "x", status=1, reason="none: cannot be read")
    refused(malloom, tmp_path, text, "-o", "x", status=1, reason="is too short for a plan")
    refused(malloom, tmp_path, tmp_path, "-o", "x", status=1, reason="no ordinary file")
    write_empty(empty)
    write_setting(empty)
    refused(malloom, tmp_path, empty, "-o", "x", status=2, reason="leaves the program as it is")
    gone = setting("/none/libjemalloc.so.2")
    refused(malloom, tmp_path, gone, "-o", "x", status=1, reason="the allocator of")
    shutil.copy(preloaded_file(JEMALLOC), tmp_path / JEMALLOC)
    evil = setting(str(tmp_path / JEMALLOC))
    refused(malloom, tmp_path, evil, "-o", "x", status=2, reason="no allocator that malloom finds here")


def test_bad_folders_are_refused(malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path) -> None:
    plan = learned[1]
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("full")
    (tmp_path / "with blank").mkdir()
    refused(malloom, tmp_path, plan, "-o", "full", status=2, reason="full is not empty")
    refused(malloom, tmp_path, plan, "-o", "file", status=2, reason="is no folder")
    refused(malloom, tmp_path, plan, "-o", "link", status=2, reason="is no folder")
    refused(malloom, tmp_path, plan, "-o", "none/x", status=2, reason="there is no folder")
    refused(malloom, tmp_path, plan, "-o", "/proc/x", status=1, reason="cannot write")
    refused(malloom, tmp_path, plan, "-o", "with blank/x", status=2, reason="name one with --place")
    for place in ("relative", "/", "/a b", "/a:b", "/a'b", "/a$b", "/ä", "/a%b"):
        refused(
            malloom, tmp_path, plan, "-o", "x", "--place", place, status=2, reason="name one with --place"
        )


def test_an_empty_folder_is_filled(malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "here").mkdir()
    assert malloom("deploy", learned[1], "-o", "empty").returncode == 0
    assert malloom("deploy", learned[1], "-o", ".", cwd=tmp_path / "here").returncode == 0
    assert (tmp_path / "empty/malloom.env").is_file() and (tmp_path / "here/malloom.env").is_file()


def test_a_full_disk_leaves_nothing(malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path) -> None:
    """Told by a limit on the size of files, which the library is longer than."""
    command = ["prlimit", "--fsize=65536", COMMAND, "deploy", learned[1], "-o", tmp_path / "x"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "cannot write" in done.stderr
    assert [path.name for path in tmp_path.iterdir() if "malloom-" in path.name or path.name == "x"] == []


def test_the_program_must_be_the_one_of_the_plan(
    malloom: Malloom, learned: tuple[Path, Path], compile_c: Callable[..., Path], tmp_path: Path
) -> None:
    program, plan = learned
    kept = shutil.copy(program, tmp_path / "kept")
    compile_c(ASKS.replace("48", "64"))
    refused(malloom, tmp_path, plan, "-o", "x", status=1, reason="is not for this build of")
    program.unlink()
    refused(malloom, tmp_path, plan, "-o", "x", status=1, reason="is not here (there is no file")
    refused(
        malloom, tmp_path, plan, "-o", "x", "--program", "/bin/true", status=1, reason="not for this build"
    )
    assert malloom("deploy", plan, "-o", "named", "--program", kept).returncode == 0
    assert malloom("deploy", plan, "-o", "forced", "--force").returncode == 0


def test_a_fleet_s_plan_is_for_the_builds_of_its_hosts(
    malloom: Malloom, learned: tuple[Path, Path], tmp_path: Path
) -> None:
    program, plan = learned
    made = read_plan(plan)
    names = ("matching", "depth", "arena_bytes", "planned_requests", "profile_created", "flags")
    tables = {
        name: getattr(made, name) for name in ("contexts", "slots", "sequences", "groups", "prefetches")
    }
    header = {name: made.header[name] for name in names}
    write_plan(Plan(strategy="fleet", program=0, racy_requests=0, **tables, **header), plan)
    write_with_record(plan, plan, {"fleet": {"hosts": 2, "builds": ["00ff"]}})
    assert malloom("deploy", plan, "-o", "unnamed").returncode == 0
    refused(malloom, tmp_path, plan, "-o", "x", "--program", program, status=1, reason="not for this build")
    refused(malloom, tmp_path, plan, "-o", "x", "--program", "/nowhere/x", status=1, reason="is not here")


def test_a_plan_that_places_nothing_has_the_fallback(malloom: Malloom, tmp_path: Path) -> None:
    plan = simple_plans(tmp_path)["overhead-only"]
    assert malloom("deploy", plan, "-o", "folder").returncode == 0
    assert "libmalloom.so" in run_by_shell(tmp_path / "folder", "cat /proc/self/maps").stdout
    assert variables_of(tmp_path / "folder")["MALLOOM"] == "heap=fallback"
    assert not (tmp_path / "folder/malloom.plan").exists()
