"""-fmalloom-name-requests: a recording of the program tells which alias set requested how many bytes, and the
program does what it did."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import PROGRAMS, SUM, output_of, run, symbols_of
from malloom.bench.splitting.heap_share import bytes_of_sets
from malloom.bench.splitting.remark_file import remarked_sets
from malloom.measure.process import Command

Compile = Callable[..., str]

SEVERAL = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node* next; long value; };
void look(char* text);
int main(void) {
    struct node* head = 0;
    for (long i = 0; i < 1000; ++i) {
        struct node* made = malloc(sizeof *made);
        *made = (struct node){head, i};
        head = made;
    }
    long sum = 0;
    for (; head; head = head->next) sum += head->value;
    double* numbers = calloc(300, sizeof *numbers);
    for (long i = 0; i < 300; ++i) numbers[i] = i;
    char* texts[2] = {strdup("a text of the program's own"), 0};
    texts[1] = realloc(strdup("another"), 5000);
    look(texts[0]);
    look(texts[1]);
    printf("%ld %.0f %s\n", sum, numbers[sum % 300], texts[1]);
}
"""
UNSEEN = "void look(char* text) { text[0] = 'A'; }\n"
BYTES_OF_NODES, BYTES_OF_NUMBERS, BYTES_OF_TEXTS = 1000 * 16, 300 * 8, 28 + 8 + 5000


def test_the_program_stays_as_it_was(compile: Compile, tmp_path: Path) -> None:
    compile("-O2", "-fmalloom-name-requests", PROGRAMS / "nodes.c", PROGRAMS / "main.c", "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    symbols = symbols_of(tmp_path / "program")
    assert "malloom_set_0.malloc" in symbols
    assert not any(name.startswith("malloom_pool_") for name in symbols)


@pytest.mark.parametrize("level", ["-O1", "-O3"])
def test_a_recording_tells_the_sets_apart(compile: Compile, tmp_path: Path, level: str) -> None:
    (tmp_path / "several.c").write_text(SEVERAL)
    (tmp_path / "unseen.c").write_text(UNSEEN)
    assert run("clang-19", "-c", "unseen.c", cwd=tmp_path).returncode == 0
    options = ("-fmalloom-name-requests", "-fsave-optimization-record")
    compile(level, *options, "several.c", "unseen.o", "-o", "program")
    sets = remarked_sets((tmp_path / "program.opt.ld.yaml").read_text())
    found = bytes_of_sets(tmp_path, Command([str(tmp_path / "program")]))
    proven = {number for number, each in sets.items() if not each.reasons}
    refused = sum(count for number, count in found.items() if number is not None and number not in proven)
    assert {count for number, count in found.items() if number in proven} == {
        BYTES_OF_NODES,
        BYTES_OF_NUMBERS,
    }
    assert refused == BYTES_OF_TEXTS


def test_exceptions_go_through_named_requests(native: Path, tmp_path: Path) -> None:
    (tmp_path / "throws.cpp").write_text(
        "#include <cstdio>\n#include <new>\n"
        "struct node { node* next; long values[4]; };\n"
        "int main(int count, char**) {\n"
        "    node* made = new node{nullptr, {count}};\n"
        "    long found = made->values[0];\n"
        "    delete made;\n"
        "    try { delete[] new char[static_cast<unsigned long>(-1) / 4 - static_cast<unsigned>(count)]; }\n"
        '    catch (const std::bad_alloc&) { std::printf("%ld caught\\n", found); }\n'
        "}\n"
    )
    output_of(
        *(native / "malloom-c++", "-O1", "-fno-builtin", "-fmalloom-name-requests", "throws.cpp"),
        *("-o", "program"),
        cwd=tmp_path,
    )
    assert output_of(tmp_path / "program") == "1 caught\n"
    assert any(name.startswith("malloom_set_") for name in symbols_of(tmp_path / "program"))
