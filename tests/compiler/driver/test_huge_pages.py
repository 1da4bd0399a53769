"""-fmalloom-huge=early: pools that ask for huge pages from their second 2 MiB on."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import SOURCES, SUM, Run, output_of, run
from malloom.huge_pages import chosen_huge_pages

Asked = Callable[..., list[str]]
Compile = Callable[..., str]

EARLY = "malloom_early_huge_pages"

GROWING = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node* next; long value; };
static long huge_kilobytes(void) {
    char line[200];
    long all = 0, one;
    FILE* file = fopen("/proc/self/smaps", "r");
    while (fgets(line, sizeof line, file)) if (sscanf(line, "AnonHugePages: %ld", &one) == 1) all += one;
    fclose(file);
    return all;
}
int main(int count, char** words) {
    struct node* head = NULL;
    long sum = 0;
    for (long left = atol(words[1]) * (1 << 20) / (long)sizeof *head; left > 0; --left) {
        struct node* made = malloc(sizeof *made);
        *made = (struct node){head, left};
        head = made;
    }
    for (struct node* at = head; at != NULL; at = at->next) sum += at->value & 1;
    printf("%ld %ld\\n", sum, huge_kilobytes());
    return count != 2;
}
"""


def huge_mebibytes(program: Path, mebibytes: int) -> float:
    """Of the program whose list takes so many."""
    return int(output_of(program, str(mebibytes)).split()[1]) / 1024


def is_early(linked: Path) -> bool:
    return EARLY in output_of("llvm-nm-19", "--defined-only", linked)


def test_pools_are_huge_pages_from_their_second_block_on(compile: Compile, tmp_path: Path) -> None:
    """Where this machine makes any at request; pools as ever wait for 32 MiB."""
    (tmp_path / "growing.c").write_text(GROWING)
    compile("-O2", "growing.c", "-o", "late")
    compile("-O2", "-fmalloom-huge=early", "growing.c", "-o", "early")
    late, early = (huge_mebibytes(tmp_path / name, 16) for name in ("late", "early"))
    unasked = chosen_huge_pages() == "always"
    assert unasked or late == 0
    assert unasked or huge_mebibytes(tmp_path / "early", 1) == 0
    if huge_mebibytes(tmp_path / "late", 200) > 0:
        assert 0 < early <= 18


@pytest.mark.parametrize("options", ["", "-static", "-no-pie"])
def test_programs_have_what_is_asked_for(compile: Compile, tmp_path: Path, options: str) -> None:
    for asked, has in (("early", True), ("late", False)):
        compile("-O2", *options.split(), f"-fmalloom-huge={asked}", *SOURCES, "-o", asked)
        assert output_of(tmp_path / asked) == SUM
        assert is_early(tmp_path / asked) == has


def test_a_library_decides_for_itself(compile: Compile, tmp_path: Path) -> None:
    """Nobody else sees what it has."""
    compile("-O2", "-fPIC", "-shared", "-fmalloom-huge=early", SOURCES[0], "-o", "libnodes.so")
    assert is_early(tmp_path / "libnodes.so")
    assert EARLY not in output_of("llvm-nm-19", "-D", tmp_path / "libnodes.so")


def test_a_choice_carries_it(compile: Compile, tmp_path: Path) -> None:
    options = ["-O2", "-g", "-fmalloom-policy=pool"]
    compile(*options, "-fmalloom-huge=early", *SOURCES, "-fmalloom-write-choice=a.choice", "-o", "first")
    assert (tmp_path / "a.choice").read_text().startswith("choice of policies 1\nothers pool\nhuge early\n")
    compile("-O2", "-g", "-fmalloom-choice=a.choice", *SOURCES, "-o", "second")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    compile("-O2", "-g", "-fmalloom-choice=a.choice", "-fmalloom-huge=late", *SOURCES, "-o", "third")
    assert not is_early(tmp_path / "third")


@pytest.mark.parametrize("arguments", ["-O2 -c a.c", "-O0 a.o", "-r a.o", "-O2 -E a.c"])
def test_other_commands_take_the_option(asked: Asked, arguments: str) -> None:
    assert EARLY not in "".join(asked("-fmalloom-huge=early", *arguments.split()))


def test_other_words_are_refused(native: Path, echoing: dict[str, str]) -> None:
    done = run(native / "malloom-cc", "-fmalloom-huge=never", "a.o", environment=echoing)
    assert done.returncode == 2
    assert "huge pages are not asked for so; choose early or late" in done.stderr


def test_a_choice_of_other_huge_pages_is_refused(try_compile: Run, tmp_path: Path) -> None:
    (tmp_path / "a.choice").write_text("choice of policies 1\nothers pool\nhuge never\n")
    done = try_compile("-O2", "-fmalloom-choice=a.choice", *SOURCES, "-o", "program")
    assert done.returncode != 0
    assert "has a line 3 that says nothing" in done.stderr
