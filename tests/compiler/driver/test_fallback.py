"""-fmalloom-fallback=mimalloc: what comes from no pool is mimalloc's, in every kind of program."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import MIMALLOC, SOURCES, SUM, Run, is_transformed, output_of, run, symbols_of

Asked = Callable[..., list[str]]
Compile = Callable[..., str]

MIMALLOC_3 = "-fmalloom-fallback=mimalloc"
VERBOSE = {**os.environ, "MIMALLOC_VERBOSE": "1"}
"""With which mimalloc says that it is there."""

EVERY_DOOR = """
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static int wrong;
static void check(void* object, size_t bytes, size_t alignment) {
    wrong += object == NULL || (uintptr_t)object % alignment != 0 || malloc_usable_size(object) < bytes;
    memset(object, 1, bytes);
    free(object);
}
static void* work(void* unused) {
    void* object = NULL;
    check(malloc(100), 100, 16);
    check(calloc(10, 10), 100, 16);
    check(realloc(malloc(10), 5000), 5000, 16);
    check(reallocarray(NULL, 10, 10), 100, 16);
    check(aligned_alloc(256, 512), 512, 256);
    check(memalign(4096, 100), 100, 4096);
    check(valloc(100), 100, 4096);
    check(pvalloc(100), 4096, 4096);
    wrong += posix_memalign(&object, 3, 100) == 0;
    wrong += posix_memalign(&object, 64, 100) != 0;
    check(object, 100, 64);
    check(strdup("a text"), 7, 1);
    check(strndup("a text", 3), 4, 1);
    wrong += asprintf((char**)&object, "%d", 7) != 1;
    check(object, 2, 1);
    char* line = NULL;
    size_t length = 0;
    FILE* file = fopen("/proc/self/status", "r");
    wrong += getline(&line, &length, file) <= 0;
    fclose(file);
    free(line);
    volatile size_t too_much = PTRDIFF_MAX;
    void* volatile none = malloc(too_much);
    wrong += none != NULL;
    none = memalign(64, too_much);
    wrong += none != NULL;
    return unused;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    const pid_t child = fork();
    work(NULL);
    if (child == 0) _exit(wrong != 0);
    int status = 1;
    waitpid(child, &status, 0);
    printf("%d %d\\n", wrong, status);
}
"""


def serves(program: Path) -> bool:
    """Whether mimalloc is the malloc of the program when it runs."""
    return "mimalloc" in run(program, environment=VERBOSE).stderr


def has(program: Path) -> bool:
    """Whether mimalloc is linked in."""
    return "malloom_mimalloc_build" in symbols_of(program)


@pytest.mark.parametrize(
    "options", ["", "-static", "-static-pie", "-no-pie", "-rdynamic", "-O0", "-fno-lto", "-flto=thin"]
)
def test_every_door_of_malloc(compile: Compile, tmp_path: Path, options: str) -> None:
    """In threads and in a forked child."""
    (tmp_path / "doors.c").write_text(EVERY_DOOR)
    compile("-O2", *options.split(), MIMALLOC_3, "doors.c", "-pthread", "-o", "program")
    assert output_of(tmp_path / "program") == "0 0\n"
    assert serves(tmp_path / "program")


def test_pools_serve_what_they_serve(compile: Compile, tmp_path: Path) -> None:
    compile("-O2", MIMALLOC_3, *SOURCES, "-o", "program")
    assert output_of(tmp_path / "program") == SUM
    assert is_transformed(tmp_path / "program")
    assert serves(tmp_path / "program")


@pytest.mark.parametrize("options", ["", "-fmalloom-fallback=libc", f"{MIMALLOC_3} -fmalloom-fallback=libc"])
def test_the_c_library_stays_otherwise(compile: Compile, tmp_path: Path, options: str) -> None:
    compile("-O2", *options.split(), *SOURCES, "-o", "program")
    assert not has(tmp_path / "program")


PLUG_IN = """
#include <stdlib.h>
#include <string.h>
char* made(void) { char* text = malloc(100); strcpy(text, "made"); return text; }
void gone(void* object) { free(object); }
"""

LOADING = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    void* library = dlopen("./plug_in.so", RTLD_NOW);
    char* text = ((char* (*)(void))dlsym(library, "made"))();
    puts(text);
    free(text);
    ((void (*)(void*))dlsym(library, "gone"))(calloc(3, 70));
}
"""


def test_libraries_that_are_loaded_have_the_same_malloc(compile: Compile, tmp_path: Path) -> None:
    (tmp_path / "plug_in.c").write_text(PLUG_IN)
    (tmp_path / "loading.c").write_text(LOADING)
    output_of("gcc", "-shared", "-fPIC", "plug_in.c", "-o", "plug_in.so", cwd=tmp_path)
    compile("-O2", MIMALLOC_3, "loading.c", "-o", "program")
    assert output_of(tmp_path / "program", cwd=tmp_path) == "made\n"


OPERATORS = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>
struct alignas(128) wide { char bytes[128]; };
static int handled = 0;
static void handle() { if (++handled == 2) std::set_new_handler(nullptr); }
int main() {
    std::vector<std::string> all;
    for (int i = 0; i < 1000; ++i) all.push_back("too long a text for the string " + std::to_string(i));
    wide* one = new wide;
    wide* many = new wide[3];
    const bool aligned = reinterpret_cast<std::uintptr_t>(one) % 128 == 0;
    delete one;
    delete[] many;
    char* volatile quiet = new (std::nothrow) char[100];
    delete[] quiet;
    volatile std::size_t too_much = SIZE_MAX / 2;
    std::set_new_handler(handle);
    bool thrown = false;
    try { quiet = new char[too_much]; } catch (const std::bad_alloc&) { thrown = true; }
    quiet = new (std::nothrow) char[too_much];
    const bool none = quiet == nullptr;
    std::printf("%zu %d %d %d %d\\n", all.size(), aligned, thrown, handled, none);
}
"""


@pytest.mark.parametrize("options", ["", "-static", "-fmalloom-policy=none"])
def test_operators_of_cpp(native: Path, tmp_path: Path, options: str) -> None:
    """They throw where mimalloc's own, written in C, would end the program."""
    (tmp_path / "operators.cpp").write_text(OPERATORS)
    command = [native / "malloom-c++", "-O2", "-std=c++20", *options.split(), MIMALLOC_3, "operators.cpp"]
    output_of(*command, "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program") == "1000 1 1 2 1\n"
    assert serves(tmp_path / "program")


OWN_NEW = """
#include <cstdio>
#include <cstdlib>
#include <new>
static int made = 0, gone = 0;
void* operator new(std::size_t bytes) { ++made; return std::malloc(bytes); }
void operator delete(void* object) noexcept { ++gone; std::free(object); }
int main() {
    char* volatile many = new char[10];
    int* volatile one = new int;
    delete[] many;
    delete one;
    std::printf("%d %d\\n", made, gone);
}
"""


def test_a_programs_own_operators_stay(native: Path, tmp_path: Path) -> None:
    """The others call these, as the C++ library's do."""
    (tmp_path / "own.cpp").write_text(OWN_NEW)
    driver = native / "malloom-c++"
    # Pools would serve both objects, as C++ allows.
    options = ["-O2", "-fmalloom-policy=none", MIMALLOC_3]
    output_of(driver, *options, "own.cpp", "-o", "program", cwd=tmp_path)
    assert output_of(tmp_path / "program") == "2 2\n"
    assert serves(tmp_path / "program")


OWN_MALLOC = """
#include <stddef.h>
static char memory[1 << 20];
static size_t used;
void* malloc(size_t bytes) { void* object = memory + used; used += (bytes + 15) / 16 * 16; return object; }
void free(void* object) { (void)object; }
void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
void* realloc(void* object, size_t bytes) { (void)object; return malloc(bytes); }
int is_own(void* object) { return (char*)object >= memory && (char*)object < memory + sizeof memory; }
"""

USES_OWN = """
#include <stdio.h>
#include <stdlib.h>
int is_own(void* object);
int main(void) {
    void* aligned = aligned_alloc(64, 64);
    printf("%d %d\\n", is_own(malloc(10)), aligned != NULL && !is_own(aligned));
}
"""


@pytest.mark.parametrize("compiler", ["malloom", "gcc"])
def test_a_programs_own_malloc_stays(try_compile: Run, tmp_path: Path, native: Path, compiler: str) -> None:
    """Beside it the C library's other functions, as without mimalloc; it is said where the code is known."""
    (tmp_path / "own.c").write_text(OWN_MALLOC)
    (tmp_path / "uses.c").write_text(USES_OWN)
    command = ["gcc"] if compiler == "gcc" else [native / "malloom-cc"]
    output_of(*command, "-O2", "-fno-builtin", "-c", "own.c", cwd=tmp_path)
    done = try_compile("-O2", "-fno-builtin", MIMALLOC_3, "uses.c", "own.o", "-o", "program")
    assert done.returncode == 0, done.stderr
    assert ("has a malloc of its own and keeps it" in done.stdout + done.stderr) == (compiler == "malloom")
    assert output_of(tmp_path / "program") == "1 1\n"
    assert not has(tmp_path / "program")


def test_a_malloc_in_a_library_that_is_named_stays(compile: Compile, tmp_path: Path) -> None:
    """As of another allocator that the program links."""
    (tmp_path / "own.c").write_text(OWN_MALLOC)
    (tmp_path / "uses.c").write_text(USES_OWN)
    output_of("gcc", "-O2", "-fno-builtin", "-shared", "-fPIC", "own.c", "-o", "libown.so", cwd=tmp_path)
    compile("-O2", MIMALLOC_3, "uses.c", "-L.", "-lown", "-Wl,-rpath,$ORIGIN", "-o", "program")
    assert output_of(tmp_path / "program") == "1 1\n"
    assert not has(tmp_path / "program")


def test_shared_libraries_go_without(try_compile: Run, tmp_path: Path) -> None:
    done = try_compile("-O2", "-fPIC", "-shared", MIMALLOC_3, SOURCES[0], "-o", "libnodes.so")
    assert done.returncode == 0
    assert done.stderr == (
        "malloom-cc: warning: mimalloc is not linked in, as a shared library has the malloc of the program "
        "that loads it\n"
    )
    assert not has(tmp_path / "libnodes.so")


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        ("-fmalloom-fallback=tcmalloc a.o", 2, "there is no such fallback; choose mimalloc or libc"),
        (f"{MIMALLOC_3} -fsanitize=address a.o", 2, "does not go with a sanitizer"),
        (f"{MIMALLOC_3} -nostdlib a.o", 0, "the program is linked without the C library"),
        (f"{MIMALLOC_3} -m32 a.o", 0, "this machine's programs alone"),
        (f"{MIMALLOC_3} -Wl,-shared a.o", 0, "a shared library has the malloc of the program"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    native: Path, echoing: dict[str, str], options: str, status: int, says: str
) -> None:
    done = run(native / "malloom-cc", *options.split(), environment=echoing)
    assert done.returncode == status
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert MIMALLOC.name not in done.stdout


@pytest.mark.parametrize("arguments", ["-O2 -c a.c", "-r a.o", "-O2 -E a.c", "--version"])
def test_other_commands_take_the_option(asked: Asked, arguments: str) -> None:
    assert MIMALLOC.name not in "".join(asked(MIMALLOC_3, *arguments.split()))


def test_it_stands_behind_all_inputs(asked: Asked, tmp_path: Path) -> None:
    assert asked(MIMALLOC_3, "a.o", "-ltcmalloc")[-1] == "-mllvm=-malloom-mimalloc"
    assert asked(MIMALLOC_3, "a.o", "--", "b.o")[-2:] == ["--", "b.o"]
    (tmp_path / "words").write_text("a.o -- b.o")
    assert asked(MIMALLOC_3, "@words")[-2:] == ["--", "b.o"]


def test_a_missing_mimalloc_is_said(native: Path, tmp_path: Path) -> None:
    shutil.copytree(native, tmp_path / "native")
    (tmp_path / "native" / MIMALLOC.name).unlink()
    done = run(tmp_path / "native/malloom-cc", "-O2", MIMALLOC_3, *SOURCES, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == (
        "malloom-cc: error: this installation of malloom has no mimalloc to link with, mimalloc-3.a; run "
        "'make build' in malloom's source tree, or give -fmalloom-fallback=libc\n"
    )
    output_of(tmp_path / "native/malloom-cc", "-O2", *SOURCES, "-o", "program", cwd=tmp_path)


def test_scripts_find_it_where_make_build_puts_it(native: Path, tmp_path: Path) -> None:
    package = tmp_path / "lib/python3.11/site-packages/malloom/native"
    shutil.copytree(native, package)
    (tmp_path / "lib/malloom/allocators").mkdir(parents=True)
    (package / MIMALLOC.name).rename(tmp_path / "lib/malloom/allocators" / MIMALLOC.name)
    output_of(package / "malloom-cc", "-O2", MIMALLOC_3, *SOURCES, "-o", "program", cwd=tmp_path)
    assert has(tmp_path / "program")


def test_a_choice_carries_it(compile: Compile, asked: Asked, tmp_path: Path) -> None:
    compile("-O2", "-g", MIMALLOC_3, *SOURCES, "-fmalloom-write-choice=a.choice", "-o", "first")
    assert "\nfallback mimalloc\n" in (tmp_path / "a.choice").read_text()
    compile("-O2", "-g", "-fmalloom-choice=a.choice", *SOURCES, "-o", "second")
    assert serves(tmp_path / "second")
    compile("-O2", "-g", "-fmalloom-choice=a.choice", "-fmalloom-fallback=libc", *SOURCES, "-o", "third")
    assert not has(tmp_path / "third")
    for other in ("-shared", "-fsanitize=address", "-nostdlib"):
        assert MIMALLOC.name not in "".join(asked("-fmalloom-choice=a.choice", other, "a.o"))


@pytest.mark.parametrize("line", ["fallback", "fallback tcmalloc", "fallback mimalloc 3"])
def test_a_choice_of_another_fallback_is_refused(try_compile: Run, tmp_path: Path, line: str) -> None:
    (tmp_path / "a.choice").write_text(f"choice of policies 1\nothers pool\n{line}\n")
    done = try_compile("-O2", "-fmalloom-choice=a.choice", *SOURCES, "-o", "program")
    assert done.returncode != 0
    assert "has a line 3 that says nothing" in done.stderr
