"""Programs that clang compiles with tokens run as ever without malloom; with it the token says who asks."""

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from end_to_end.conftest import COMMAND, Finished
from malloom.layout.plan_file import read_plan
from malloom.layout.plan_header import has_flag

Malloom = Callable[..., Finished]
COUNT = "20000"
FORMS = {
    "token": ("-fsanitize=alloc-token",),
    "token in the name": (
        "-fsanitize=alloc-token", "-fsanitize-alloc-token-fast-abi", "-falloc-token-max=64",
    ),
    "token of the site": ("-fsanitize=alloc-token", "-Xclang", "-falloc-token-mode=increment"),
    "no optimization": ("-fsanitize=alloc-token", "-O0"),
}  # fmt: skip
HEAPS = {
    "pools": ("--heap", "pools"),
    "pools, by the stack": ("--heap", "pools", "--no-tokens"),
    "pools, counted": ("--heap", "pools", "--statistics"),
    "fallback": ("--heap", "fallback"),
    "bins": ("--heap", "bins"),
}


def library() -> str:
    told = subprocess.run([COMMAND, "tokens"], check=True, capture_output=True, text=True)
    return told.stdout.strip()


def built(folder: Path, source: Path, *flags: str) -> Path:
    made = folder / "program"
    compiler = "clang-22" if source.suffix == ".c" else "clang++-22"
    command = [compiler, "-O2", "-g", *flags, source, library(), "-o", made, "-Wl,--build-id"]
    subprocess.run(command, check=True)
    return made


@pytest.fixture(scope="module", params=FORMS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("token_program.cpp")
    return built(tmp_path_factory.mktemp("tokens"), source, *FORMS[request.param])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = Path(__file__).with_name("token_program.cpp")
    return built(tmp_path_factory.mktemp("tree"), source, *FORMS["token"])


def test_without_malloom_the_program_s_own_allocator_serves(program: Path) -> None:
    done = subprocess.run([program, COUNT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "right\n")


@pytest.mark.parametrize("heap", HEAPS)
def test_every_function_behaves_as_without_malloom(malloom: Malloom, program: Path, heap: str) -> None:
    done = malloom("run", *HEAPS[heap], "--", program, COUNT)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def learned(malloom: Malloom, program: Path, folder: Path, *options: str) -> Path:
    plan = folder / "learned.plan"
    done = malloom("run", "--heap", "pools", *options, "--save-plan", plan, "--", program, COUNT)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    return plan


def pools_of(plan: Path, size: int) -> int:
    """How many contexts have pools of objects of the size."""
    return int(np.count_nonzero(read_plan(plan).contexts["pool_bytes"] == size))


@pytest.mark.parametrize("form", ["token", "token in the name", "no optimization"])
def test_every_form_says_who_asks(malloom: Malloom, tmp_path: Path, form: str) -> None:
    source = Path(__file__).with_name("token_program.cpp")
    plan = learned(malloom, built(tmp_path, source, *FORMS[form]), tmp_path)
    assert has_flag(plan, "by_token")
    assert (pools_of(plan, 24), pools_of(plan, 32)) == (1, 1)


def test_hints_part_what_has_one_token(malloom: Malloom, tmp_path: Path) -> None:
    source = tmp_path / "hints.cpp"
    source.write_text(
        "#include <stddef.h>\n#include <initializer_list>\n"
        "enum class __hot_cold_t : unsigned char {};\n"
        "void* operator new(size_t, __hot_cold_t);\n"
        "struct Pair { Pair* next; long value; };\n"
        "void* volatile kept;\n"
        "int main() {\n"
        "    for (int i = 0; i < 3000; i++)\n"
        "        for (int hint : {0, 1, 128, 254}) kept = new (__hot_cold_t(hint)) Pair;\n"
        "}\n"
    )
    plan = tmp_path / "hints.plan"
    program = built(tmp_path, source, *FORMS["token"])
    assert malloom("run", "--heap", "pools", "--save-plan", plan, "--", program).returncode == 0
    assert pools_of(plan, 16) == 4


# A program that has operator new for itself, with a header that its operator delete relies on.
OWN_OPERATORS = """
#include <stdio.h>
#include <stdlib.h>
#include <new>
void* operator new(size_t bytes) {
    auto* block = static_cast<long*>(malloc(bytes + 16));
    *block = 4711;
    return block + 2;
}
void operator delete(void* object) noexcept {
    long* block = static_cast<long*>(object) - 2;
    if (*block != 4711) puts("not its own");
    free(block);
}
void operator delete(void* object, size_t) noexcept { operator delete(object); }
struct Pair { Pair* next; long value; };
int main() {
    Pair* volatile pair = new Pair;
    delete pair;
    puts("done");
}
"""


def test_a_program_s_own_operators_stay_its_own(malloom: Malloom, tmp_path: Path) -> None:
    source = tmp_path / "own.cpp"
    source.write_text(OWN_OPERATORS)
    program = built(tmp_path, source, *FORMS["token"])
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"done\n"
    done = malloom("run", "--heap", "pools", "--", program)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


@pytest.mark.parametrize("linked", ["-static-libstdc++", "-static"])
def test_a_c_plus_plus_library_of_its_own_serves(malloom: Malloom, tmp_path: Path, linked: str) -> None:
    source = Path(__file__).with_name("token_program.cpp")
    program = built(tmp_path, source, *FORMS["token"], linked)
    assert subprocess.run([program, COUNT], capture_output=True, check=True).stdout == b"right\n"
    if linked != "-static":
        done = malloom("run", "--heap", "pools", "--", program, COUNT)
        assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr


def test_nothing_is_left_for_dlerror(tmp_path: Path) -> None:
    source = tmp_path / "error.c"
    source.write_text(
        "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        'int main(void) { free(malloc(sizeof(long))); puts(dlerror() ? dlerror() : "none"); }\n'
    )
    program = built(tmp_path, source, *FORMS["token"])
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"none\n"


def test_call_sites_of_one_kind_share_their_pools(malloom: Malloom, tree: Path, tmp_path: Path) -> None:
    plan = learned(malloom, tree, tmp_path)
    assert has_flag(plan, "by_token")
    assert (pools_of(plan, 24), pools_of(plan, 32)) == (1, 1)
    by_stack = learned(malloom, tree, tmp_path, "--no-tokens")
    assert not has_flag(by_stack, "by_token")
    assert (pools_of(by_stack, 24), pools_of(by_stack, 32)) == (2, 1)


def pools_used(malloom: Malloom, plan: Path, program: Path, *options: str) -> int:
    done = malloom("run", "--json", "--plan", plan, *options, "--", program, COUNT)
    assert (done.returncode, done.stdout) == (0, "right\n"), done.stderr
    told = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return int(told[0]["pools"])


@pytest.mark.parametrize("home", [(), ("--pools-in-mimalloc",)])
def test_a_plan_is_matched_by_who_it_was_learned_by(
    malloom: Malloom, tree: Path, tmp_path: Path, home: tuple[str, ...]
) -> None:
    plan = learned(malloom, tree, tmp_path)
    assert pools_used(malloom, plan, tree, *home) == 2
    assert pools_used(malloom, plan, tree, "--no-tokens", *home) == 0
    by_stack = learned(malloom, tree, tmp_path, "--no-tokens")
    assert pools_used(malloom, by_stack, tree, *home) == 3


def test_what_is_learned_the_other_way_is_not_saved(malloom: Malloom, tree: Path, tmp_path: Path) -> None:
    plan, saved = learned(malloom, tree, tmp_path), tmp_path / "saved.plan"
    options = ("--heap", "pools", "--plan", plan, "--save-plan", saved)
    done = malloom("run", *options, "--no-tokens", "--", tree, COUNT)
    assert (done.returncode, done.stdout) == (0, "right\n")
    assert "the plan of this run was learned the other way, with tokens or without" in done.stderr
    assert not saved.exists()
    assert malloom("run", *options, "--", tree, COUNT).returncode == 0
    assert has_flag(saved, "by_token")


def test_places_are_not_joined_with_pools_by_token(malloom: Malloom, tree: Path, tmp_path: Path) -> None:
    plan = learned(malloom, tree, tmp_path)
    assert malloom("record", "-o", "run.profile", "--accesses", "none", "--", tree, "100").returncode == 0
    done = malloom("plan", "run.profile", "-o", "joined.plan", "--strategy", "sequential", "--with", plan)
    assert done.returncode == 1
    assert "was learned by the compiler's tokens, and a profile is by call sites; learn" in done.stderr


def test_a_plan_by_token_is_of_one_build(malloom: Malloom, tree: Path, tmp_path: Path) -> None:
    plan = learned(malloom, tree, tmp_path)
    source = Path(__file__).with_name("token_program.cpp")
    other = built(tmp_path, source, *FORMS["token"], "-DANOTHER_BUILD", "-O1")
    done = malloom("run", "--statistics", "--plan", plan, "--", other, COUNT)
    assert done.stdout == "right\n" and "of another program" in done.stderr


def test_a_c_program_needs_no_c_plus_plus(malloom: Malloom, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        "struct Pair { struct Pair *next; long value; };\n"
        "int main(void) {\n"
        "    struct Pair *list = 0;\n"
        "    for (long i = 0; i < 1000; i++) {\n"
        "        struct Pair *pair = malloc(sizeof(struct Pair));\n"
        "        pair->next = list, pair->value = i, list = pair;\n"
        "    }\n"
        "    long sum = 0;\n"
        "    for (; list; list = list->next) sum += list->value;\n"
        '    printf("%ld\\n", sum);\n'
        "}\n"
    )
    for flags in (FORMS["token"], FORMS["token in the name"]):
        program = built(tmp_path, source, *flags)
        assert subprocess.run([program], capture_output=True, check=True).stdout == b"499500\n"
        assert malloom("run", "--heap", "pools", "--", program).stdout == "499500\n"


def test_a_shared_library_may_have_tokens_alone(malloom: Malloom, tmp_path: Path) -> None:
    part, main = tmp_path / "part.c", tmp_path / "main.c"
    part.write_text(
        "#include <stdlib.h>\n"
        "struct Pair { struct Pair *next; };\n"
        "void *make(void) { return malloc(sizeof(struct Pair)); }\n"
    )
    main.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n"
        "void *make(void);\n"
        'int main(void) { free(make()); puts("done"); }\n'
    )
    flags = ["-O2", "-shared", "-fPIC", *FORMS["token"]]
    subprocess.run(["clang-22", *flags, part, library(), "-o", tmp_path / "libpart.so"], check=True)
    program = tmp_path / "main"
    subprocess.run(["gcc", main, "-o", program, tmp_path / "libpart.so"], check=True)
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"done\n"
    done = malloom("run", "--heap", "pools", "--json", "--", program)
    assert done.stdout == "done\n" and '"tokens": 1,' in done.stderr


def test_misuse_names_the_token(malloom: Malloom, tmp_path: Path) -> None:
    source = tmp_path / "twice.cpp"
    source.write_text(
        "#include <stdlib.h>\nstruct Pair { Pair* next; long value; };\n"
        "int main() {\n"
        "    Pair* volatile last = nullptr;\n"
        "    for (int i = 0; i < 2000; i++) last = new Pair;\n"
        "    Pair* copy = last;\n"
        "    delete copy;\n"
        "    free(copy);\n"
        "}\n"
    )
    done = malloom("run", "--heap", "pools", "--", built(tmp_path, source, *FORMS["token"]))
    assert done.returncode != 0
    assert "which is free already, requested at token 0x" in done.stderr


@pytest.mark.parametrize("heap", ["pools", "fallback"])
@pytest.mark.parametrize("past", [0, 1])
def test_realloc_to_nothing_looks_at_the_guard(
    malloom: Malloom, tmp_path: Path, heap: str, past: int
) -> None:
    source = tmp_path / "past.c"
    source.write_text(
        "#include <stdlib.h>\n#include <string.h>\n"
        "struct Pair { struct Pair *next; long value; };\n"
        "struct Pair *volatile pair;\n"
        "int main(void) {\n"
        "    for (int i = 0; i < 100; i++) {\n"
        "        pair = malloc(sizeof(struct Pair));\n"
        f"        memset((char *)pair, 1, sizeof(struct Pair) + {past});\n"
        "        pair = realloc(pair, 0);\n"
        "    }\n"
        "}\n"
    )
    program = built(tmp_path, source, *FORMS["token"], "-w")
    done = malloom("run", "--heap", heap, "--guards", "--", program)
    assert ("something wrote past the end of" in done.stderr) == (past == 1), done.stderr
    assert done.returncode == (-signal.SIGABRT if past else 0)
