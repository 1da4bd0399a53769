"""Sanitizers, coverage and profiles work as with clang."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import PROGRAMS, SOURCES, SUM, is_transformed, output_of, run

Compile = Callable[..., str]

MISUSE = """
#include <stdlib.h>
struct node { struct node* next; long value; };
int main(int count, char** words) {
    struct node* node = malloc(sizeof *node);
    node->value = count;
    node->next = node;
    free(node);
    return (int)node->next->value;
}
"""


@pytest.mark.parametrize("sanitizer", ["address", "thread", "memory", "undefined", "leak"])
def test_sanitizers(compile: Compile, tmp_path: Path, sanitizer: str) -> None:
    compile("-O2", f"-fsanitize={sanitizer}", *SOURCES, "-o", "program")
    assert output_of("setarch", "-R", tmp_path / "program") == SUM
    assert not is_transformed(tmp_path / "program")


def test_misuse_is_found(compile: Compile, tmp_path: Path) -> None:
    (tmp_path / "misuse.c").write_text(MISUSE)
    compile("-O1", "-fsanitize=address", "misuse.c", "-o", "program")
    assert "heap-use-after-free" in run(tmp_path / "program").stderr


def test_objects_without_the_sanitizer_may_be_linked(compile: Compile, tmp_path: Path) -> None:
    compile("-O2", "-c", SOURCES[0])
    compile("-O2", "-fsanitize=address", SOURCES[1], "nodes.o", "-o", "program")
    assert output_of(tmp_path / "program") == SUM


def test_coverage(compile: Compile, tmp_path: Path) -> None:
    """Lines are counted as with clang, and structures are transformed all the same."""
    compile("-O2", "--coverage", "-c", *SOURCES)
    compile("--coverage", "nodes.o", "main.o", "-o", "program")
    assert output_of(tmp_path / "program", cwd=tmp_path) == SUM
    assert is_transformed(tmp_path / "program")
    output_of("llvm-cov-19", "gcov", "nodes.gcda", cwd=tmp_path)
    assert "     1000:" in (tmp_path / "nodes.c.gcov").read_text()


@pytest.mark.parametrize("kind", ["-fprofile-generate", "-fprofile-instr-generate"])
def test_profiles(compile: Compile, tmp_path: Path, kind: str) -> None:
    compile("-O2", kind, *SOURCES, "-o", "program")
    assert output_of("env", "LLVM_PROFILE_FILE=raw", tmp_path / "program", cwd=tmp_path) == SUM
    output_of("llvm-profdata-19", "merge", "raw", "-o", "profile", cwd=tmp_path)
    shown = output_of("llvm-profdata-19", "show", "--all-functions", "profile", cwd=tmp_path)
    assert {"push:", "sum_of:", "main:"} <= set(shown.split())
    use = kind.replace("generate", "use=profile")
    compile("-O2", use, "-Werror", *SOURCES, "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")


CALLS = """
#include <stdio.h>
static long entered __attribute__((used));
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void* f, void* c) { ++entered; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void* f, void* c) {}
__attribute__((destructor, no_instrument_function)) static void say(void) { fprintf(stderr, "%ld", entered); }
"""


def test_functions_are_instrumented(compile: Compile, tmp_path: Path) -> None:
    (tmp_path / "calls.c").write_text(CALLS)
    compile("-O2", "-finstrument-functions", f"-I{PROGRAMS}", *SOURCES, "calls.c", "-o", "program")
    done = run(tmp_path / "program")
    assert (done.stdout, done.stderr) == (SUM, "1003")


def test_unused_option_warnings_are_clangs(compile: Compile, tmp_path: Path) -> None:
    """Nothing that is added is complained about."""
    strict = ["-Werror", "-Wall", "-Wextra", "-Wunused-command-line-argument"]
    compile(*strict, "-O2", "-c", *SOURCES)
    compile(*strict, "nodes.o", "main.o", "-o", "program")
    (tmp_path / "empty.s").write_text("")
    compile(*strict, "-c", "empty.s")
    compile(*strict, "-O2", "-flto", "-c", SOURCES[0])
    assert output_of(tmp_path / "program") == SUM
