"""include/malloom/malloom.h and staticmalloc.h: without malloom, recorded, and with a heap of malloom's."""

import subprocess
from pathlib import Path

import pytest

from end_to_end.recording import ROOT, assert_sound
from malloom.profile import HeapProfile
from some import some

# The thesis's interface (section 3.2), used as its programs use it.
PROGRAM = """
#include <stdio.h>
#include <string.h>
#include <staticmalloc.h>
int main(int count, char** arguments) {
    char *list, *cell, *entry;
    int i, zeros = 0;
    (void)count;
    malloc_init(arguments[0]);
    list = (char*)ccmalloc(50001, NULL);
    cell = (char*)ccmalloc(50002, list);
    entry = (char*)cccalloc(1, 50003, cell);
    ping(entry, 1);
    ping(cell, 7);
    for (i = 0; i < 50003; ++i) zeros += entry[i] == 0;
    malloc_done_logging();
    ping(list, 100);
    malloc_status();
    free(entry); free(cell); free(list);
    printf("%d\\n", zeros);
    return 0;
}
"""

BUILDS = {
    "gcc": ["gcc", "-O2", "-xc"],
    "gcc -O0": ["gcc", "-xc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"],
    "gcc -no-pie": ["gcc", "-O2", "-fno-pie", "-no-pie", "-xc"],
    "clang": ["clang-19", "-O2", "-xc"],
    "g++": ["g++", "-O2", "-xc++", "-Wall", "-Wextra", "-Werror"],
}


@pytest.fixture
def build(tmp_path: Path):  # type: ignore[no-untyped-def]
    def compile_with(name: str, *flags: str) -> Path:
        program = tmp_path / "annotated"
        command = [*BUILDS[name], "-", "-I", str(ROOT / "include/malloom"), *flags, "-o", str(program)]
        subprocess.run(command, input=PROGRAM, text=True, check=True)
        return program

    return compile_with


@pytest.mark.parametrize("name", BUILDS)
def test_annotations_are_recorded(malloom, build, tmp_path: Path, name: str) -> None:  # type: ignore[no-untyped-def]
    program = build(name)
    profile = tmp_path / "profile"
    done = malloom("record", "-o", profile, "--accesses", "annotated", "--", program)
    assert (done.returncode, done.stdout) == (0, "50003\n"), done.stderr
    recorded = HeapProfile.open(profile)
    sizes = [int(size) for size in recorded.requests.size]
    first = sizes.index(50001)
    assert sizes[first : first + 3] == [50001, 50002, 50003]
    friends = [int(friend) for friend in recorded.requests.friend[first : first + 3]]
    assert friends == [-1, first, first + 1]
    # What follows malloc_done_logging is not recorded.
    assert [int(count) for count in recorded.requests.accesses[first : first + 3]] == [0, 7, 1]
    assert_sound(profile)


@pytest.mark.parametrize(
    ("compiler", "standard"),
    [
        *(
            (compiler, standard)
            for compiler in ("gcc", "clang-19")
            for standard in ("c89", "gnu89", "c99", "c11", "c2x")
        ),
        *((compiler, f"c++{year}") for compiler in ("g++", "clang++-19") for year in (98, 11, 14, 17, 20)),
    ],
)
def test_every_standard_takes_the_headers(tmp_path: Path, compiler: str, standard: str) -> None:
    strict = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"]
    language = "c++" if "+" in standard else "c"
    command = [
        compiler,
        f"-x{language}",
        f"-std={standard}",
        *strict,
        "-",
        "-I",
        str(ROOT / "include/malloom"),
    ]
    program = tmp_path / "annotated"
    subprocess.run([*command, "-o", str(program)], input=PROGRAM, text=True, check=True)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "50003\n"


@pytest.mark.parametrize("flags", [(), ("-static",)])
def test_without_malloom_they_are_plain_allocations(build, flags: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    done = subprocess.run([build("gcc", *flags)], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("50003\n", "")


def test_with_a_heap_of_malloom(malloom, build) -> None:  # type: ignore[no-untyped-def]
    done = malloom("run", "--statistics", "--", build("gcc"))
    assert (done.returncode, done.stdout) == (0, "50003\n")
    assert len(done.stderr.splitlines()) == 2, "malloc_status prints the line that also comes at exit"


@pytest.mark.parametrize("program", some("cover", of=["traverse", "cover", "hexapawn"]))
def test_requests_of_annotated_workloads_meet_their_plan(malloom, tmp_path: Path, program: str) -> None:  # type: ignore[no-untyped-def]
    # The context of a request through malloom.h must be the same when it is recorded and when it is run.
    command = [ROOT / f"build/release/workloads/{program}/{program}_annotated"]
    command += {"traverse": ["12", "4"], "cover": ["60", "60"], "hexapawn": ["3", "3"]}[program]
    for arguments in (
        ["record", "-o", "profile", "--accesses", "annotated", "--", *command],
        ["plan", "profile", "-o", "plan", "--strategy", "usage-depth-first"],
    ):
        done = malloom(*arguments)
        assert done.returncode == 0, done.stderr
    run = malloom("run", "--plan", "plan", "--statistics", "--", *command)
    assert run.stdout == malloom("run", "--", *command).stdout
    requests = len(HeapProfile.open(tmp_path / "profile").requests)
    assert requests > 100
    assert f"requests {requests}, matched {requests} (100.0%" in run.stderr
