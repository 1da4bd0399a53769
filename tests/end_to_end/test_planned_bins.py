"""`malloom plan --for bins`: a header that C compiles and a heap opens with, and refusals in one line."""

import json
import platform
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from malloom.layout.bin_layout import TARGETS
from some import some
from structure.source_tree import ROOT, files_with

Malloom = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = """
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "bins.h"

/* The words of the function, where they can be called. */
static malloom_bin_function callable(void) {
    unsigned char* place = mmap(0, sizeof bins_code, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(place, bins_code, sizeof bins_code);
    return (malloom_bin_function)((uintptr_t)place + bins_entry);
}

int main(void) {
    static malloom_bins heap;
    static uint64_t storage[MALLOOM_BINS_LISTS(bins_count, 1) / sizeof(uint64_t) + 1];
    static uint64_t memory[1 << 15];
    malloom_bins_settings settings = {0};
    settings.storage = storage;
    settings.storage_bytes = sizeof storage;
    bins_use(&settings);
    settings.function = callable();
    if (malloom_bins_open(&heap, &settings) != MALLOOM_BINS_OK) return puts("not opened");
    if (malloom_bins_add_region(&heap, memory, sizeof memory, 0) != MALLOOM_BINS_OK) return puts("no region");
    for (size_t bytes = 0; bytes < 100000; ++bytes) {
        if (settings.function(bytes, &heap) != malloom_bins_variable(bytes, &heap)) {
            return printf("another bin for %zu\\n", bytes);
        }
    }
    void* objects[100];
    for (size_t i = 0; i < 100; ++i) objects[i] = malloom_bins_alloc(&heap, i * 7);
    for (size_t i = 0; i < 100; ++i) malloom_bins_free(&heap, objects[i * 37 % 100]);
    malloom_bins_statistics found;
    malloom_bins_statistics_of(&heap, &found);
    printf("%zu living, %zu free\\n", found.living_objects, found.free_chunks);
    return malloom_bins_check(&heap) != MALLOOM_BINS_OK;
}
"""


@pytest.fixture
def profile(malloom: Malloom, tmp_path: Path) -> Path:
    recorded = tmp_path / "ls.profile"
    assert malloom("record", "-o", recorded, "--", "ls", "-l", "/").returncode == 0
    return recorded


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def compiled(source: Path, made: Path) -> None:
    run("gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", "-c", source,
        "-o", made)  # fmt: skip


@pytest.mark.parametrize("target", some("riscv32", "x86_64", of=TARGETS))
def test_the_header_is_c99_on_every_target(
    malloom: Malloom, profile: Path, tmp_path: Path, target: str
) -> None:
    done = malloom("plan", profile, "--for", "bins", "--target", target, "-o", tmp_path / "bins.h", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["target"] == target
    assert said["code_bytes"] > 0
    assert done.stderr.startswith(
        f"laid out {len(said['begins'])} bins for {target} by {said['requests']:,} "
    )
    source = tmp_path / "user.c"
    source.write_text('#include "bins.h"\n#include "bins.h"\nint user(void) { return bins_count; }\n')
    compiled(source, tmp_path / "user.o")
    assert "From the profile ls.profile: " in (tmp_path / "bins.h").read_text()


def test_a_heap_opens_with_it(malloom: Malloom, profile: Path, tmp_path: Path) -> None:
    options = ["--target", platform.machine(), "--bins", "40"]
    done = malloom("plan", profile, "--for", "bins", *options, "-o", tmp_path / "bins.h")
    assert done.returncode == 0, done.stderr
    (tmp_path / "program.c").write_text("#define _DEFAULT_SOURCE\n" + PROGRAM)
    compiled(tmp_path / "program.c", tmp_path / "program.o")
    folders = ("runtime/heaps/bins/", "runtime/codegen/bins/")
    heap = [
        ROOT / name for name in files_with(".cpp") if name.startswith(folders) and "/adapter/" not in name
    ]
    program = tmp_path / "program"
    run("g++", "-std=c++20", "-O1", f"-I{ROOT}", tmp_path / "program.o", *heap, "-o", program)
    assert run(program) == "0 living, 1 free\n"


def test_without_a_target_the_bins_are_searched(malloom: Malloom, profile: Path, tmp_path: Path) -> None:
    done = malloom("plan", profile, "--for", "bins", "-o", tmp_path / "bins.h", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["code_bytes"] is None
    assert said["replayed"]["laid_out"]["failures"] == said["replayed"]["original"]["failures"] == 0
    assert "replayed: " in done.stderr
    assert done.stderr.count("\n") == 2
    text = (tmp_path / "bins.h").read_text()
    assert "bins_code" not in text
    assert "settings->function = 0;" in text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--for", "bins", "--target", "avr"], "there is no target 'avr'; choose riscv32 or thumb2 or"),
        (["--for", "bins", "--strategy", "size"], "--strategy means nothing with --for bins; leave out one"),
        (["--for", "bins", "--depth", "3"], "--depth means nothing with --for bins"),
        (["--for", "bins", "--with", "other"], "--with means nothing with --for bins"),
        (["--target", "thumb2"], "--target means nothing for a run; add --for bins"),
        (["--language", "c"], "--language means nothing for a run; add --for bins"),
        (["--for", "bins", "--language", "c", "--bins", "40"], "--bins means nothing with --language"),
        (["--for", "bins", "--language", "c", "--depth", "3"], "--depth means nothing with --for bins"),
        (["--for", "bins", "--language", "c", "--target", "avr"], "there is no target 'avr'"),
    ],
)
def test_what_means_nothing_is_refused(
    malloom: Malloom, tmp_path: Path, options: list[str], reason: str
) -> None:
    done = malloom("plan", tmp_path / "any.profile", "-o", tmp_path / "bins.h", *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert reason in done.stderr


@pytest.mark.parametrize(
    ("options", "kind"), [((), "header of bins"), (("--language", "c"), "heap in C")], ids=["header", "c"]
)
def test_only_what_it_has_written_is_replaced(
    malloom: Malloom, profile: Path, tmp_path: Path, options: tuple[str, ...], kind: str
) -> None:
    made = tmp_path / "bins.h"

    def plan(*more: str) -> subprocess.CompletedProcess[str]:
        return malloom("plan", profile, "--for", "bins", "-o", made, *options, *more)

    assert plan().returncode == 0
    assert "exists already" in plan().stderr
    assert plan("--force").returncode == 0
    made.write_text("int main(void);\n")
    refused = plan("--force")
    assert refused.returncode == 2
    assert f"exists and is no {kind}" in refused.stderr
    assert made.read_text() == "int main(void);\n"
