"""`malloom record`: what is recorded, on real processes."""

import subprocess
import time
from pathlib import Path

import pytest

from end_to_end.recording import Request, assert_sound, processes_of, requests_of
from malloom import _native
from malloom.launch.recording import Accesses, RecordingOptions, recording_environment

ENTRIES = """
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <dlfcn.h>
int main(void) {
    void* volatile object;
    object = malloc(100001); free(object);
    object = calloc(11, 9091);
    object = realloc(object, 100003); free(object);
    object = realloc(NULL, 100004); free(object);
    object = reallocarray(NULL, 10, 10005); cfree_like: free(object);
    object = aligned_alloc(64, 100032); free(object);
    object = memalign(128, 100007); free(object);
    void* aligned; if (posix_memalign(&aligned, 256, 100008)) return 1; free(aligned);
    object = valloc(100009); free(object);
    object = pvalloc(100010); free(object);
    void (*sized)(void*, size_t) = dlsym(RTLD_DEFAULT, "free_sized");
    void (*aligned_sized)(void*, size_t, size_t) = dlsym(RTLD_DEFAULT, "free_aligned_sized");
    object = malloc(100011); sized ? sized(object, 100011) : free(object);
    object = aligned_alloc(64, 100096); aligned_sized ? aligned_sized(object, 64, 100096) : free(object);
    object = malloc(100013);
    return malloc_usable_size(object) < 100013;
}
"""

NEW_FORMS = """
#include <cstdlib>
#include <new>
struct alignas(128) Wide { char bytes[100096]; };
struct Narrow { char bytes[100001]; };
template <class T> void use(T* object) { asm volatile("" : : "r"(object) : "memory"); }
int main() {
    auto* a = new Narrow; use(a); delete a;
    auto* b = new char[100002]; use(b); delete[] b;
    auto* c = new (std::nothrow) char[100003]; use(c); delete[] c;
    auto* d = new Wide; use(d); delete d;
    auto* e = new (std::nothrow) Wide; use(e); delete e;
    auto* f = new Wide[2]; use(f); delete[] f;
    void* g = ::operator new(100004); ::operator delete(g, 100004ul);
    void* h = ::operator new(100005, std::align_val_t{64}); ::operator delete(h, std::align_val_t{64});
    return 0;
}
"""

THREADS = """
#include <pthread.h>
#include <stdlib.h>
#include <stdatomic.h>
static _Atomic(void*) exchange[64];
static void* work(void* seed) {
    unsigned long state = (unsigned long)seed * 2654435761u + 1;
    for (int i = 0; i < ROUNDS; ++i) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        free(atomic_exchange(&exchange[state >> 58], malloc(8 + (state >> 40 & 511))));
    }
    return NULL;
}
int main(void) {
    pthread_t threads[COUNT];
    for (long i = 0; i < COUNT; ++i) if (pthread_create(&threads[i], NULL, work, (void*)i)) return 1;
    for (int i = 0; i < COUNT; ++i) pthread_join(threads[i], NULL);
    return 0;
}
"""

FAMILY = """
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char** arguments) {
    if (count > 1) { void* volatile last = malloc(70003); (void)last; return 0; }
    char* volatile inherited = malloc(70001);
    for (int i = 0; i < 5; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            free(inherited);
            for (int n = 0; n < 6000; ++n) free(malloc(70002));
            if (i % 2) execl(arguments[0], arguments[0], "again", NULL);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (status != 0) return 1;
    }
    free(inherited);
    return 0;
}
"""


@pytest.fixture
def record(malloom, tmp_path: Path):
    """Records a program's requests; the profile's path and the finished command."""

    def run(
        program: Path | str, *arguments: str, options: tuple[str, ...] = (), **settings: object
    ) -> tuple[Path, subprocess.CompletedProcess[str]]:
        profile = tmp_path / "profile"
        done = malloom(
            "record",
            "-o",
            profile,
            "--force",
            "--accesses",
            "none",
            *options,
            "--",
            program,
            *arguments,
            **settings,
        )
        return profile, done

    return run


def large(requests: list[Request], least: int) -> list[Request]:
    """Those that the test's program made, and not the C library."""
    return [request for request in requests if request.size >= least]


def test_every_entry_point_is_recorded_with_size_and_alignment(record, compile_c) -> None:
    profile, done = record(compile_c(ENTRIES.replace("cfree_like: ", "")))
    assert done.returncode == 0, done.stderr
    made = large(requests_of(profile), 100_000)
    plain = [(r.size, r.alignment) for r in made]
    assert plain == [
        (100001, 0), (100001, 0), (100003, 0), (100004, 0), (100050, 0), (100032, 64),
        (100007, 128), (100008, 256),
        (100009, 4096), (plain[9][0], 4096), (100011, 0), (100096, 64), (100013, 0),
    ]  # fmt: skip
    assert plain[9][0] in (100010, 102400), "pvalloc rounds up to pages"
    assert [r.lives for r in made] == [False] * 12 + [True]
    assert_sound(profile)


def test_operator_new_is_recorded_once_in_every_form(record, tmp_path: Path) -> None:
    program = tmp_path / "forms"
    command = ["g++", "-std=c++20", "-O1", "-x", "c++", "-", "-o", str(program)]
    subprocess.run(command, input=NEW_FORMS, text=True, check=True)
    profile, done = record(program)
    assert done.returncode == 0, done.stderr
    made = large(requests_of(profile), 100_000)
    assert [(r.size, r.alignment) for r in made] == [
        (100001, 0), (100002, 0), (100003, 0), (100096, 128), (100096, 128), (200192, 128),
        (100004, 0), (100005, 64),
    ]  # fmt: skip
    assert not any(request.lives for request in made)
    assert_sound(profile)


@pytest.mark.parametrize(("threads", "rounds"), [(4, 30_000), (200, 700)])
def test_threads_exchange_objects(record, compile_c, threads: int, rounds: int) -> None:
    program = compile_c(THREADS, "-pthread", f"-DCOUNT={threads}", f"-DROUNDS={rounds}")
    profile, done = record(program)
    assert done.returncode == 0, done.stderr
    made = [request for request in requests_of(profile) if 8 <= request.size < 520]
    assert len(made) >= threads * rounds
    assert_sound(profile)


def test_forks_and_execs_are_processes_of_their_own(record, compile_c) -> None:
    profile, done = record(compile_c(FAMILY))
    assert done.returncode == 0, done.stderr
    assert len(processes_of(profile)) == 1 + 5 + 2
    assert_sound(profile)


def test_contexts_tell_call_sites_apart(record, compile_c) -> None:
    source = """
    #include <stdlib.h>
    __attribute__((noinline)) void* make(size_t size) { void* volatile made = malloc(size); return made; }
    __attribute__((noinline)) void* one(void) { void* volatile made = make(80001); return made; }
    __attribute__((noinline)) void* other(void) { void* volatile made = make(80002); return made; }
    int main(void) { for (int i = 0; i < 3; ++i) { free(one()); free(other()); } return 0; }
    """
    from malloom.profile import HeapProfile  # noqa: PLC0415

    program = compile_c(source)
    for depth, distinct in (("1", 1), ("8", 2)):
        profile, done = record(program, options=("--depth", depth))
        assert done.returncode == 0, done.stderr
        requests = HeapProfile.open(profile).requests
        ours = [i for i, size in enumerate(requests.size) if size >= 80_000]
        assert len(ours) == 6
        assert len({int(requests.context[i]) for i in ours}) == distinct


def test_a_library_loaded_later_has_its_module(record, compile_c, tmp_path: Path) -> None:
    library = tmp_path / "liblate.so"
    late = "#include <stdlib.h>\nvoid* late(void) { void* volatile made = malloc(90001); return made; }"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=late, text=True, check=True)
    source = f"""
    #include <dlfcn.h>
    #include <stdlib.h>
    int main(void) {{
        void* library = dlopen("{library}", RTLD_NOW);
        void* (*late)(void) = (void* (*)(void))dlsym(library, "late");
        free(late());
        return dlclose(library);
    }}
    """
    profile, done = record(compile_c(source))
    assert done.returncode == 0, done.stderr
    from malloom.profile import HeapProfile  # noqa: PLC0415

    assert any(str(library) == str(module.path) for module in HeapProfile.open(profile).modules)
    assert_sound(profile)


def test_constructors_of_libraries_are_recorded(record, compile_c, tmp_path: Path) -> None:
    """They run before the recorder's own; more requests than a stage holds, there and in main."""
    churn = "for (int i = 0; i < 5000; ++i) { void* volatile made = malloc(91001); free(made); }"
    library = tmp_path / "libearly.so"
    early = f"#include <stdlib.h>\n__attribute__((constructor)) static void early(void) {{ {churn} }}"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", str(library)]
    subprocess.run(command, input=early, text=True, check=True)
    source = f"""
    #include <stdlib.h>
    #include <sys/wait.h>
    #include <unistd.h>
    int main(void) {{
        {churn}
        int status = 0;
        if (fork() == 0) {{ {churn} _exit(0); }}
        return wait(&status) < 0 || status != 0;
    }}
    """
    program = compile_c(source, "-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{tmp_path}")
    profile, done = record(program)
    assert done.returncode == 0, done.stderr
    assert_sound(profile)
    parent, child = (dict(process["properties"]) for process in processes_of(profile))
    assert "parent" in child
    assert len(large(requests_of(profile, int(parent["pid"])), 91_001)) == 2 * 5000


def test_streams_arguments_and_status_are_the_programs_own(record) -> None:
    script = 'read line; echo "$line and $1"; echo complaint >&2; exit 7'
    _, done = record("sh", "-c", script, "name", "an argument", stdin=None, input="a line\n")
    assert done.returncode == 7
    assert done.stdout == "a line and an argument\n"
    assert done.stderr.startswith("complaint\n")


def test_images_are_told_apart_where_the_clock_was_set_back(compile_c, tmp_path: Path) -> None:
    program = compile_c("""
    #include <stdlib.h>
    #include <unistd.h>
    int main(int count, char** words) {
        void* volatile object = malloc(100);
        free(object);
        if (count == 1) return 0;
        words[count - 1] = NULL;
        return execv(words[0], words);
    }
    """)
    profile = tmp_path / "profile"
    assert _native.create_profile(str(profile), time.time_ns() + 3600 * 10**9) == ""
    environment = recording_environment(profile, RecordingOptions(profile, Accesses.none, 0, 8, False))
    subprocess.run([program, "one", "two"], env=environment, check=True)
    state = _native.recover_profile(str(profile), 0, True, False)
    assert (state["problem"], state["processes"], state["write_failed"]) == ("", 3, False)
    assert_sound(profile)
