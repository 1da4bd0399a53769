"""`malloom run`: the program is left as it is, and what cannot be run is refused in one line."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import COMMAND, simple_plans
from malloom.layout.plan_record import write_with_record
from malloom.native_files import native_file
from malloom.optimize.keeping import write_setting

Malloom = Callable[..., subprocess.CompletedProcess[str]]
Compile = Callable[..., Path]

HELLO = '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n'

ALLOCATOR = """
#include <stddef.h>
static char memory[1 << 20];
static size_t used;
void* malloc(size_t size) { void* place = memory + used; used += (size + 15) & ~(size_t)15; return place; }
void free(void* object) { (void)object; }
int main(void) { return malloc(1) == NULL; }
"""


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A plan that places its requests, and one that places nothing."""
    return simple_plans(tmp_path_factory.mktemp("plans"))


def assert_refused(done: subprocess.CompletedProcess[str], status: int, reason: str) -> None:
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("malloom: ")
    assert reason in done.stderr


def test_exit_status_is_the_programs(malloom: Malloom) -> None:
    assert malloom("run", "--", "sh", "-c", "exit 7").returncode == 7


def test_death_by_signal_is_the_programs(malloom: Malloom) -> None:
    assert malloom("run", "--", "sh", "-c", "kill -SEGV $$").returncode == -signal.SIGSEGV


def test_standard_streams_are_the_programs(malloom: Malloom) -> None:
    done = malloom("run", "--", "sh", "-c", "cat; echo to stderr >&2", stdin=None, input="to stdout\n")
    assert (done.stdout, done.stderr) == ("to stdout\n", "to stderr\n")


def test_arguments_are_the_programs(malloom: Malloom) -> None:
    arguments = ["", "a b", "--plan", "--", "-x", os.fsdecode(b"\xff")]
    done = malloom("run", "--", "printf", "[%s]", *arguments, text=False)
    assert done.stdout == b"".join(b"[" + os.fsencode(argument) + b"]" for argument in arguments)


def test_options_after_the_program_are_the_programs(malloom: Malloom) -> None:
    assert malloom("run", "echo", "--plan", "x").stdout == "--plan x\n"


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_environment_is_the_programs(malloom: Malloom, locale: str) -> None:
    environment = {"PATH": os.environ["PATH"], "LANG": locale, "ODD": "a=b\nc"}
    inside = malloom("run", "--", "env", "-0", env=environment).stdout.split("\0")
    ours = ("LD_PRELOAD=", "MALLOOM=")
    assert [entry for entry in inside if entry and not entry.startswith(ours)] == [
        f"{name}={value}" for name, value in environment.items()
    ]


def test_signals_are_the_programs(malloom: Malloom) -> None:
    command = ["grep", "Sig[BIC]", "/proc/self/status"]
    assert malloom("run", "--", *command).stdout == subprocess.check_output(command, text=True)


def test_name_of_the_program_is_untouched(malloom: Malloom) -> None:
    assert malloom("run", "--", "sh", "-c", "echo $0").stdout == "sh\n"


def test_files_are_not_handed_on(malloom: Malloom) -> None:
    assert malloom("run", "--", "sh", "-c", "ls /proc/$$/fd").stdout.split() == ["0", "1", "2"]


def test_other_preloaded_libraries_stay(malloom: Malloom) -> None:
    other = "libjemalloc.so.2"
    done = malloom("run", "--", "sh", "-c", "echo $LD_PRELOAD", env={**os.environ, "LD_PRELOAD": other})
    library, *others = done.stdout.strip().split(":")
    assert library == str(native_file("libmalloom.so"))
    assert others == [other]


def libraries_of(done: subprocess.CompletedProcess[str]) -> set[str]:
    """Names of the files that `cat /proc/self/maps` lists, up to their first dot."""
    assert done.returncode == 0, done.stderr
    return {line.rpartition("/")[2].partition(".")[0] for line in done.stdout.splitlines() if "/" in line}


def test_run_time_is_in_the_process_where_it_is_needed(malloom: Malloom, plans: dict[str, Path]) -> None:
    for options in ([], ["--heap", "fallback"], ["--statistics"], ["--plan", plans["sequential"]]):
        loaded = libraries_of(malloom("run", *options, "--", "cat", "/proc/self/maps"))
        assert "libmalloom" in loaded
        assert "libmimalloc" not in loaded, "it needs no package"


def test_a_plan_that_places_nothing_is_left_out(malloom: Malloom, plans: dict[str, Path]) -> None:
    plan = plans["overhead-only"]
    done = malloom("run", "--print-environment", "--plan", plan, "--", "true")
    assert "MALLOOM=heap=fallback\n" in done.stdout
    done = malloom("run", "--fallback", "system", "--plan", plan, "--", "cat", "/proc/self/maps")
    assert "libmalloom" not in libraries_of(done)


def test_an_outer_run_time_does_not_reach_into_an_inner_run(malloom: Malloom, plans: dict[str, Path]) -> None:
    nothing = ["--fallback", "system", "--plan", plans["overhead-only"]]
    inner = [COMMAND, "run", *nothing, "--", "cat", "/proc/self/maps"]
    assert "libmalloom" not in libraries_of(malloom("run", "--statistics", "--", *inner))


def test_the_run_time_needs_nothing_but_the_c_library() -> None:
    needed = subprocess.check_output(["readelf", "-d", native_file("libmalloom.so")], text=True)
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", needed)
    assert all(name.startswith(("libc.", "ld-linux")) for name in names), names


def test_mimalloc_within_the_run_time_is_nobody_elses() -> None:
    exported = subprocess.check_output(
        ["nm", "-D", "--defined-only", native_file("libmalloom.so")], text=True
    )
    assert " malloc" in exported and "mi_" not in exported


def test_the_licence_of_mimalloc_goes_along() -> None:
    assert "MIT License" in native_file("LICENSE.mimalloc").read_text()


def test_script_runs(malloom: Malloom, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env sh\necho from a script $1\n")
    script.chmod(0o755)
    assert malloom("run", "--", script, "x").stdout == "from a script x\n"


def test_environment_is_printed(malloom: Malloom) -> None:
    done = malloom("run", "--print-environment", "--fallback", "system", "--statistics", "--no-preallocate")
    assert "MALLOOM=heap=fallback,fallback=system,statistics=1,preallocate=0\n" in done.stdout
    assert subprocess.check_output(["env", *done.stdout.split(), "echo", "x"], text=True) == "x\n"


def test_huge_pages_can_be_asked_for_and_refused(malloom: Malloom) -> None:
    for option, value in (("--huge-pages", "1"), ("--no-huge-pages", "0")):
        done = malloom("run", "--print-environment", "--heap", "pools", option)
        assert f"MALLOOM=huge_pages={value},heap=pools\n" in done.stdout
        found = malloom("run", "--print-environment", "--dynamic", option)
        assert ("huge_pages=1" in found.stdout) == (value == "1"), found.stderr
    default = malloom("run", "--print-environment", "--dynamic")
    assert "huge_pages=1" in default.stdout


@pytest.mark.parametrize("name", ["packed", "colocate"])
def test_how_pools_place_can_be_chosen(malloom: Malloom, name: str) -> None:
    done = malloom("run", "--print-environment", "--heap", "pools", f"--{name}")
    assert f"{name}=1" in done.stdout
    assert f"{name}=0" in malloom("run", "--print-environment", "--heap", "pools", f"--no-{name}").stdout
    refused = malloom("run", "--print-environment", "--dynamic", f"--{name}")
    assert_refused(refused, 2, f"--{name} means nothing with --dynamic")


def test_statistics_are_one_line(malloom: Malloom, compile_c: Compile) -> None:
    done = malloom("run", "--statistics", "--", compile_c(HELLO))
    assert done.stdout == "hello\n"
    assert done.stderr.count("\n") == 1
    # The program's own peak, a few megabytes, not that of the malloom that became the program.
    peak = re.search(r"peak resident memory ([\d.]+) MiB", done.stderr)
    assert peak is not None
    assert float(peak.group(1)) < 10


def test_statistics_are_one_object_for_machines(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO)
    done = malloom("run", "--heap", "pools", "--json", "--", program)
    assert done.stdout == "hello\n"
    found = json.loads(done.stderr)
    served = sum(found[name] for name in ("matched", "grouped", "pooled", "in_region", "fallback"))
    assert found["requests"] == served > 0 and found["plan"] == "not asked for"
    assert 0 < found["peak_resident_bytes"] < 10 << 20
    assert found["executable"] == Path(program).name and 0 <= found["cpu_microseconds"] < 1_000_000
    assert_refused(
        malloom("run", "--json", "--dynamic", "--", "true"), 2, "--json means nothing with --dynamic"
    )


def test_missing_program_is_refused(malloom: Malloom) -> None:
    assert_refused(
        malloom("run", "--", "no-such-program"), 127, "no program in the PATH called no-such-program"
    )
    assert_refused(malloom("run", "--", "./none"), 127, "there is no file ./none")


def test_what_is_no_program_is_refused(malloom: Malloom, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    assert_refused(malloom("run", "--", text), 126, "is not executable")
    text.chmod(0o755)
    assert_refused(malloom("run", "--", text), 126, "is no ELF file")
    assert_refused(malloom("run", "--", tmp_path), 126, "is a folder")


def test_32_bit_program_is_refused(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO)
    content = bytearray(program.read_bytes())
    content[4] = 1
    program.write_bytes(content)
    assert_refused(malloom("run", "--", program), 126, "is a 32-bit program")


def test_program_of_another_processor_is_refused(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO)
    content = bytearray(program.read_bytes())
    content[18:20] = (243).to_bytes(2, "little")
    program.write_bytes(content)
    assert_refused(malloom("run", "--", program), 126, "for another processor (riscv64)")


@pytest.mark.parametrize("flag", ["-static", "-static-pie"])
def test_static_program_is_refused(malloom: Malloom, compile_c: Compile, flag: str) -> None:
    assert_refused(
        malloom("run", "--", compile_c(HELLO, flag)), 126, "is statically linked; link it dynamically"
    )


def test_operator_new_throws(malloom: Malloom, tmp_path: Path) -> None:
    source = """
    #include <new>
    #include <stdio.h>
    int main() {
        volatile size_t bytes = size_t(1) << 62;
        try { new char[bytes]; } catch (std::bad_alloc&) { return puts("caught") < 0; }
        return 1;
    }
    """
    command = ["g++", "-O0", "-x", "c++", "-", "-o", tmp_path / "program"]
    subprocess.run(command, input=source, text=True, check=True)
    for options in ([], ["--statistics"], ["--fallback", "system"]):
        assert malloom("run", *options, "--", tmp_path / "program").stdout == "caught\n"


@pytest.mark.parametrize("heap", ["bins", "pages"])
def test_bins_and_pages_serve_each_thread(malloom: Malloom, heap: str) -> None:
    script = "from threading import Thread; t = Thread(target=lambda: bytes(999)); t.start(); t.join()"
    done = malloom("run", "--heap", heap, "--statistics", "--", "python3", "-c", script)
    assert done.returncode == 0
    assert re.search(rf", {heap} [1-9]\d* \([2-9] instances, \d+ regions?, at most ", done.stderr)
    assert malloom("run", "--heap", heap, "--print-environment").stdout.endswith(f"MALLOOM=heap={heap}\n")


def test_musl_program_is_refused(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO, "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1")
    assert_refused(malloom("run", "--", program), 126, "musl")
    assert_refused(malloom("record", "-o", "x.profile", "--", program), 126, "musl")


@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_sanitized_program_is_refused(malloom: Malloom, compile_c: Compile, sanitizer: str) -> None:
    program = compile_c(HELLO, f"-fsanitize={sanitizer}")
    assert_refused(malloom("run", "--", program), 126, "sanitizer")


def test_program_with_its_own_allocator_is_refused(malloom: Malloom, compile_c: Compile) -> None:
    assert_refused(
        malloom("run", "--", compile_c(ALLOCATOR)), 126, "carries its own allocator (malloc, free)"
    )


def test_setuid_program_is_refused(malloom: Malloom, tmp_path: Path) -> None:
    program = tmp_path / "setuid"
    shutil.copy("/bin/true", program)
    program.chmod(0o4755)
    assert_refused(malloom("run", "--", program), 126, "gains privileges")


def test_damaged_elf_file_is_refused(malloom: Malloom, compile_c: Compile) -> None:
    program = compile_c(HELLO)
    program.write_bytes(program.read_bytes()[:200])
    assert_refused(malloom("run", "--", program), 126, "damaged headers")


def test_bad_plans_are_refused(malloom: Malloom, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    assert_refused(malloom("run", "--plan", plan, "--", "true"), 1, "plan")
    for content in (b"", b"no plan", os.urandom(4096)):
        plan.write_bytes(content)
        assert_refused(malloom("run", "--plan", plan, "--", "true"), 1, str(plan))


def setting_plan(plan: Path, library: str, variables: dict[str, str]) -> Path:
    """A plan that asks for an allocator, or for what it calls one."""
    write_setting(plan)
    setting = {"allocator": "another 1.0", "library": library, "variables": variables}
    write_with_record(plan, plan, {"setting": setting})
    return plan


@pytest.mark.parametrize(
    ("library", "variables", "words"),
    [
        ("{folder}/evil.so", {}, "evil.so is no allocator that malloom finds here"),
        ("", {"LD_PRELOAD": "{folder}/evil.so"}, "sets LD_PRELOAD, which sets no allocator"),
        ("", {"X=1; touch pwned; Y": "z"}, "sets X=1; touch pwned; Y, which sets no allocator"),
        ("/none\x1b]0;title\x07\nmalloom: all is well", {}, "is no allocator that malloom finds here"),
    ],
)
def test_a_plan_brings_no_code_and_no_variables_of_its_own(
    malloom: Malloom, tmp_path: Path, library: str, variables: dict[str, str], words: str
) -> None:
    source = (
        '#include <unistd.h>\n__attribute__((constructor)) static void run(void) { write(1, "ran\\n", 4); }\n'
    )
    command = ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(tmp_path / "evil.so")]
    subprocess.run(command, input=source, text=True, check=True)
    named = {name: value.format(folder=tmp_path) for name, value in variables.items()}
    plan = setting_plan(tmp_path / "evil.plan", library.format(folder=tmp_path), named)
    for options in ([], ["--print-environment"], ["--dynamic"], ["--heap", "pools"]):
        done = malloom("run", "--plan", plan, *options, "--", "true")
        assert_refused(done, 2, words)
        assert done.stderr.strip().isprintable()


def test_a_plan_of_a_dynamic_run_says_that_its_allocator_is_left_out(
    malloom: Malloom, tmp_path: Path
) -> None:
    plan = setting_plan(tmp_path / "a.plan", "", {"MALLOC_CONF": "thp:always"})
    done = malloom("run", "--dynamic", "--plan", plan, "--print-environment")
    assert done.returncode == 0 and "MALLOC_CONF" not in done.stdout
    assert done.stderr == f"malloom: --dynamic leaves out the allocator that {plan} wants, another 1.0\n"


def test_a_saved_plan_stays_until_the_program_runs(malloom: Malloom, tmp_path: Path) -> None:
    plan, link = tmp_path / "saved.plan", tmp_path / "link.plan"
    write_setting(plan)
    link.symlink_to(plan)
    saving = ("--save-plan", link, "--process", "cc1")
    assert_refused(malloom("run", *saving, "--", "true"), 2, "--save-plan needs a run that learns")
    assert malloom("run", "--heap", "pools", *saving, "--print-environment", "--", "true").returncode == 0
    assert plan.exists()
    assert malloom("run", "--heap", "pools", *saving, "--", "true").returncode == 0
    assert link.is_symlink() and not plan.exists()


def test_a_plan_is_not_saved_over_those_of_several_executables(malloom: Malloom, tmp_path: Path) -> None:
    plan = tmp_path / "both.plan"
    write_setting(plan)
    plan.write_bytes(2 * plan.read_bytes())
    done = malloom("run", "--heap", "pools", "--save-plan", plan, "--", "true")
    assert_refused(done, 2, "has the plans of several executables")


def test_bad_use_is_refused(malloom: Malloom) -> None:
    assert_refused(malloom("run"), 2, "no program is given")
    choice = "choose plan or pools or bins or pages or fallback"
    assert_refused(malloom("run", "--heap", "page", "--", "true"), 2, choice)
    assert_refused(malloom("run", "--heap", "bins", "--plan", "x", "--", "true"), 2, "--plan means nothing")
    assert_refused(malloom("run", "--heap", "plan", "--", "true"), 2, "needs a plan")
    assert_refused(malloom("run", "--fallback", "none", "--", "true"), 2, "'mimalloc', 'system'")
    assert_refused(malloom("run", "--no-such-option", "--", "true"), 2, "--no-such-option")
    alone = "means nothing without --dynamic"
    assert_refused(malloom("run", "--no-pools", "--heap", "pools", "--", "true"), 2, f"--no-pools {alone}")
    assert_refused(malloom("run", "--constant", "tune=0", "--", "true"), 2, f"--constant {alone}")
