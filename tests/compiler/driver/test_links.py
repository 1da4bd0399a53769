"""Programs and libraries as malloom-cc links them: they print what they should, and where all is known of a
structure its objects come from pools."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import (
    PROGRAMS,
    SOURCES,
    SUM,
    Run,
    is_bitcode,
    is_transformed,
    output_of,
    run,
    symbols_of,
)
from some import some

Compile = Callable[..., str]


@pytest.fixture
def objects(compile: Compile, tmp_path: Path) -> list[str]:
    compile("-O2", "-fPIC", "-c", *SOURCES)
    return ["nodes.o", "main.o"]


@pytest.mark.parametrize(
    "options",
    some(
        *["", "-static-pie", "-no-pie", "-g"],
        of=[
            "",
            "-static",
            "-static-pie",
            "-no-pie",
            "-pie",
            "-rdynamic",
            "-g",
            "-pthread",
            "-Wl,--gc-sections",
        ],
    ),
)
def test_programs(compile: Compile, tmp_path: Path, objects: list[str], options: str) -> None:
    compile(*options.split(), *objects, "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")


@pytest.mark.parametrize(
    "level", some("-O1", "-O3", "-Oz", of=["-O1", "-O2", "-O3", "-Os", "-Oz", "-Og", "-Ofast"])
)
def test_levels(compile: Compile, tmp_path: Path, level: str) -> None:
    compile(level, *SOURCES, "-o", "program")
    assert output_of(tmp_path / "program") == SUM


@pytest.mark.parametrize("policy", ["none", "pool", "maximal", "default"])
def test_policies(compile: Compile, tmp_path: Path, objects: list[str], policy: str) -> None:
    compile(f"-fmalloom-policy={policy}", *objects, "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program") == (policy != "none")


def test_unoptimised_code_is_left(compile: Compile, tmp_path: Path) -> None:
    compile("-O0", *SOURCES, "-o", "program")
    compile(*SOURCES, "-o", "unsaid")
    compile("-O0", "-c", SOURCES[0])
    for name in ("program", "unsaid"):
        assert output_of(tmp_path / name) == SUM
        assert not is_transformed(tmp_path / name)
    assert not is_bitcode(tmp_path / "nodes.o")


def test_unoptimised_link_takes_bitcode(compile: Compile, tmp_path: Path, objects: list[str]) -> None:
    compile("-O0", *objects, "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert not is_transformed(tmp_path / "program")


def test_objects_of_plain_clang_are_taken(compile: Compile, tmp_path: Path) -> None:
    output_of("clang-19", "-O2", "-flto=full", "-c", *SOURCES, cwd=tmp_path)
    compile("nodes.o", "main.o", "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")


@pytest.mark.parametrize("foreign", ["gcc", "assembly", "fat"])
def test_foreign_objects_are_unknown_code(compile: Compile, tmp_path: Path, foreign: str) -> None:
    """Of the nodes nothing is known; the program is as ever."""
    if foreign == "gcc":
        output_of("gcc", "-O2", "-c", SOURCES[0], cwd=tmp_path)
    elif foreign == "assembly":
        compile("-O2", "-S", SOURCES[0])
        compile("-O2", "-c", "nodes.s")
    else:
        output_of("gcc", "-O2", "-flto", "-ffat-lto-objects", "-c", SOURCES[0], cwd=tmp_path)
    compile("-O2", SOURCES[1], "nodes.o", "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert not is_transformed(tmp_path / "program")


def test_fat_objects_are_taken(compile: Compile, tmp_path: Path) -> None:
    """Those of clang, which tools that do not know bitcode understand."""
    compile("-O2", "-ffat-lto-objects", "-c", *SOURCES)
    assert "push" in output_of("nm", tmp_path / "nodes.o")
    compile("-ffat-lto-objects", "nodes.o", "main.o", "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")
    output_of("gcc", "nodes.o", "main.o", "-o", "other", cwd=tmp_path)
    assert output_of(tmp_path / "other") == SUM


@pytest.mark.parametrize("linker", some("driver", of=["ld.lld-19", "driver"]))
def test_relinked_objects(
    compile: Compile, tmp_path: Path, native: Path, objects: list[str], linker: str
) -> None:
    """A part of the program becomes machine code; the rest is linked as ever, by whichever linker."""
    command = [native / "malloom-cc"] if linker == "driver" else [linker]
    output_of(*command, "-r", "nodes.o", "-o", "part.o", cwd=tmp_path)
    assert symbols_of(tmp_path / "part.o") >= {"push", "sum_of", "release", "malloc", "free"}
    assert not is_transformed(tmp_path / "part.o")
    compile("part.o", "main.o", "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    output_of(*command, "-r", *objects, "-o", "whole.o", cwd=tmp_path)
    output_of("gcc", "whole.o", "-o", "other", cwd=tmp_path)
    assert output_of(tmp_path / "other") == SUM


@pytest.mark.parametrize("archiver", some("ar", of=["llvm-ar-19", "ar"]))
def test_archives(compile: Compile, tmp_path: Path, objects: list[str], archiver: str) -> None:
    """An archive without an index will do for lld."""
    output_of(archiver, "rcs", "libnodes.a", "nodes.o", cwd=tmp_path)
    compile("main.o", "-L.", "-lnodes", "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")


def test_shared_library_keeps_what_it_exports(compile: Compile, tmp_path: Path, objects: list[str]) -> None:
    """Its nodes reach whoever loads it."""
    compile("-shared", "nodes.o", "-o", "libnodes.so")
    exported = output_of("llvm-nm-19", "-D", "--defined-only", tmp_path / "libnodes.so")
    assert {line.split()[-1] for line in exported.splitlines()} == {"push", "sum_of", "release"}
    output_of("gcc", SOURCES[1], "-L.", "-lnodes", "-Wl,-rpath,$ORIGIN", "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program") == SUM
    compile("main.o", "-L.", "-lnodes", "-Wl,-rpath,$ORIGIN", "-o", "own")
    assert output_of(tmp_path / "own") == SUM


INSIDE = """
#include "nodes.h"
long inside(void) {
    struct node* head = 0;
    for (long i = 0; i < 1000; ++i) head = push(head, i);
    const long sum = sum_of(head);
    release(head);
    return sum;
}
"""

TWICE = """
#include <stdio.h>
#include "nodes.h"
long inside(void);
int main(void) {
    struct node* head = 0;
    for (long i = 0; i < 1000; ++i) head = push(head, i);
    printf("%ld %ld\\n", sum_of(head), inside());
    release(head);
}
"""


def test_program_and_library_have_pools_of_their_own(compile: Compile, tmp_path: Path) -> None:
    """Both number their structures from 0: one set of pools for the two would mix them up."""
    (tmp_path / "inside.c").write_text(INSIDE)
    (tmp_path / "twice.c").write_text(TWICE)
    hidden = ["-O2", "-fPIC", f"-I{PROGRAMS}"]
    (tmp_path / "exports").write_text("{ global: inside; local: *; };")
    version = "-Wl,--version-script=exports"
    compile(*hidden, "-shared", version, "inside.c", SOURCES[0], "-o", "libinside.so")
    compile(
        *hidden, "-rdynamic", "twice.c", SOURCES[0], "-L.", "-linside", "-Wl,-rpath,$ORIGIN", "-o", "program"
    )
    assert is_transformed(tmp_path / "libinside.so")
    assert output_of(tmp_path / "program") == "499500 499500\n"
    assert "malloom_pool" not in output_of("llvm-nm-19", "-D", tmp_path / "program")


CLOSING = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static pthread_barrier_t used, closed;
static void* use(void* inside) {
    printf("%ld\\n", ((long (*)(void))inside)());
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return NULL;
}
int main(void) {
    pthread_barrier_init(&used, NULL, 2);
    pthread_barrier_init(&closed, NULL, 2);
    for (int i = 0; i < 3; ++i) {
        void* library = dlopen("./libinside.so", RTLD_NOW);
        pthread_t thread;
        pthread_create(&thread, NULL, use, dlsym(library, "inside"));
        pthread_barrier_wait(&used);
        dlclose(library);
        pthread_barrier_wait(&closed);
        pthread_join(thread, NULL);
    }
}
"""


def test_a_library_with_pools_may_be_closed(compile: Compile, tmp_path: Path) -> None:
    """Before the threads end that have used it."""
    (tmp_path / "inside.c").write_text(INSIDE)
    (tmp_path / "closing.c").write_text(CLOSING)
    (tmp_path / "exports").write_text("{ global: inside; local: *; };")
    version = "-Wl,--version-script=exports"
    compile("-O2", "-fPIC", f"-I{PROGRAMS}", "-shared", version, "inside.c", SOURCES[0], "-o", "libinside.so")
    assert is_transformed(tmp_path / "libinside.so")
    output_of("gcc", "closing.c", "-ldl", "-pthread", "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program", cwd=tmp_path) == 3 * "499500\n"


def test_libtools_link_of_a_cpp_library(native: Path, compile: Compile, tmp_path: Path) -> None:
    """It names all that clang would add, and has pools like any other."""
    (tmp_path / "inside.c").write_text(INSIDE)
    compile("-O2", "-fPIC", "-fvisibility=hidden", f"-I{PROGRAMS}", "-c", "inside.c", SOURCES[0])
    (tmp_path / "sum.cpp").write_text(
        'extern "C" long inside(); __attribute__((visibility("default"))) long sum() { return inside(); }'
    )
    driver = native / "malloom-c++"
    output_of(driver, "-O2", "-fPIC", "-fvisibility=hidden", "-c", "sum.cpp", cwd=tmp_path)
    start, begin, end, last = (
        output_of(driver, f"-print-file-name={name}").strip()
        for name in ("crti.o", "crtbeginS.o", "crtendS.o", "crtn.o")
    )
    libraries = ["-lstdc++", "-lm", "-lc", "-lgcc_s"]
    objects = ["sum.o", "inside.o", "nodes.o"]
    command = [driver, "-shared", "-nostdlib", start, begin, *objects, *libraries, end, last]
    output_of(*command, "-o", "libsum.so", cwd=tmp_path)
    assert is_transformed(tmp_path / "libsum.so")
    (tmp_path / "main.cpp").write_text(
        '#include <cstdio>\nlong sum();\nint main() { std::printf("%ld\\n", sum()); }\n'
    )
    output_of("g++", "main.cpp", "-L.", "-lsum", "-Wl,-rpath,$ORIGIN", "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program") == SUM


@pytest.mark.parametrize("policy", ["default", "maximal"])
def test_what_the_program_exports_escapes(compile: Compile, tmp_path: Path, policy: str) -> None:
    output_of("gcc", "-O2", "-fPIC", "-shared", PROGRAMS / "library.c", "-o", "library.so", cwd=tmp_path)
    compile(
        "-O2", f"-fmalloom-policy={policy}", "-rdynamic", PROGRAMS / "callbacks.c", "-ldl", "-o", "program"
    )
    output_of("gcc", "-rdynamic", PROGRAMS / "callbacks.c", "-ldl", "-o", "other", cwd=tmp_path)
    assert output_of(tmp_path / "program", cwd=tmp_path) == output_of(tmp_path / "other", cwd=tmp_path)


def test_precompiled_headers(compile: Compile, tmp_path: Path) -> None:
    compile("-O2", "-x", "c-header", PROGRAMS / "nodes.h", "-o", "nodes.pch")
    compile("-O2", "-include-pch", "nodes.pch", "-c", *SOURCES)
    compile("nodes.o", "main.o", "-o", "program")
    assert output_of(tmp_path / "program") == SUM


def test_cpp(native: Path, tmp_path: Path) -> None:
    (tmp_path / "sum.cpp").write_text(
        "#include <iostream>\n#include <list>\n"
        "int main() { std::list<long> all; for (long i = 0; i < 1000; ++i) all.push_back(i);\n"
        "long sum = 0; for (long one : all) sum += one; std::cout << sum << '\\n'; }\n"
    )
    output_of(native / "malloom-c++", "-O2", "-std=c++20", "sum.cpp", "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program") == SUM


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["-O2"], marks=pytest.mark.long),
        ["-O2", "-g", "-ffile-prefix-map=first=.", "-ffile-prefix-map=second=."],
    ],
)
def test_identical_inputs_give_identical_bytes(compile: Compile, tmp_path: Path, options: list[str]) -> None:
    """Whatever the folder, and in whichever order the sources were compiled."""
    for folder, sources in (("first", ["nodes", "main"]), ("second", ["main", "nodes"])):
        (tmp_path / folder).mkdir()
        for name in sources:
            compile(*options, "-c", PROGRAMS / f"{name}.c", "-o", f"{folder}/{name}.o")
        compile("-O3", f"{folder}/nodes.o", f"{folder}/main.o", "-o", f"{folder}/program")
    assert (tmp_path / "first/program").read_bytes() == (tmp_path / "second/program").read_bytes()


def test_remarks_reach_the_link(compile: Compile, tmp_path: Path, objects: list[str]) -> None:
    """lld prints them on standard output."""
    assert "inlined into" in compile("-O2", "-Rpass=inline", *objects, "-o", "program")
    compile("-O2", "-fsave-optimization-record", *objects, "-o", "program")
    assert "Pass:" in (tmp_path / "program.opt.ld.yaml").read_text()
    compile("-O2", "-Rpass-missed=malloom", *objects, "-o", "program")
    for option, said in (
        ("-Rpass=malloom", "come from pools"),
        ("-Rpass-analysis=malloom", "an alias set, proven"),
    ):
        assert said in compile("-O2", option, *objects, "-o", "program")


def test_remarks_by_an_option_of_our_own(compile: Compile, objects: list[str]) -> None:
    """The last one counts, beside clang's own as well."""

    def lines(*options: str) -> list[str]:
        return compile("-O2", *options, *objects, "-o", "program").splitlines()

    assert lines("-fmalloom-remarks") == lines("-Rpass=malloom") != []
    everything = lines("-Rpass=malloom", "-Rpass-missed=malloom", "-Rpass-analysis=malloom")
    assert lines("-fmalloom-remarks=all") == everything
    assert lines("-fmalloom-remarks=all", "-fmalloom-remarks=done") == lines("-fmalloom-remarks=done")
    assert lines("-Rpass=malloom", "-fmalloom-remarks=missed") == lines("-fmalloom-remarks=missed")
    assert compile("-O2", "-fmalloom-remarks=all", "-c", PROGRAMS / "nodes.c", "-o", "again.o") == ""


def test_damaged_bitcode_is_llds_to_refuse(try_compile: Run, tmp_path: Path, objects: list[str]) -> None:
    whole = (tmp_path / "nodes.o").read_bytes()
    (tmp_path / "nodes.o").write_bytes(whole[: len(whole) // 2])
    done = try_compile(*objects, "-o", "program")
    assert done.returncode == 1
    assert "error: nodes.o: " in done.stderr
    assert not (tmp_path / "program").exists()


def test_bitcode_of_another_llvm_is_llds_to_refuse(
    try_compile: Run, tmp_path: Path, objects: list[str]
) -> None:
    run("clang-22", "-O2", "-fPIC", "-flto=full", "-c", PROGRAMS / "nodes.c", "-o", "nodes.o", cwd=tmp_path)
    assert is_bitcode(tmp_path / "nodes.o")
    done = try_compile(*objects, "-o", "program")
    assert done.returncode == 1
    assert "error: nodes.o: " in done.stderr
    assert "Producer: 'LLVM22" in done.stderr
    assert not (tmp_path / "program").exists()


def test_errors_and_exit_statuses_are_clangs(try_compile: Run, tmp_path: Path) -> None:
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n")
    done = try_compile("-O2", "-c", "wrong.c")
    assert (done.returncode, "wrong.c:1:25: error:" in done.stderr) == (1, True)
    assert try_compile("missing.c").returncode == run("clang-19", "missing.c", cwd=tmp_path).returncode
    assert try_compile().stderr == run("clang-19").stderr
