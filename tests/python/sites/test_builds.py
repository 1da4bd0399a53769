"""Call sites and keys of compiled programs, held against what other tools say of them."""

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from malloom.errors import CommandError
from malloom.sites.build import read_build
from malloom.sites.keys import Call, match, plain
from python.report.compiled_programs import COMPILERS, compiled

OPTIONS = (
    ("-O2",),
    ("-O0",),
    ("-O2", "-gdwarf-4"),
    ("-O2", "-fno-plt"),
    ("-O3", "-no-pie", "-static-libgcc"),
)
OF_C = [compiler for compiler in COMPILERS if compiler != "rustc"]
COMPILED = [
    # Each compiler and each options once, and all of them in `make soak`.
    pytest.param(compiler, options, marks=() if i == j % len(OF_C) else pytest.mark.long)
    for i, compiler in enumerate(OF_C)
    for j, options in enumerate(OPTIONS)
]


def disassembled_calls(program: Path) -> dict[int, str]:
    """Return address -> name of the function that is called there, for direct calls, as objdump has it."""
    text = subprocess.run(["objdump", "-d", program], capture_output=True, text=True, check=True).stdout
    found = {}
    lines = text.splitlines()
    for line, after in itertools.pairwise(lines):
        called = re.match(r"\s*[0-9a-f]+:\t.*\b(?:addr32 )?call\s+[0-9a-f]+ <([^+>]+)>", line)
        next_address = re.match(r"\s*([0-9a-f]+):", after)
        if called and next_address:
            found[int(next_address[1], 16)] = plain(called[1].removesuffix("@plt"))
    return found


def symbolized(program: Path, addresses: list[int]) -> list[list[tuple[str, int, int]]]:
    """Names of files, lines and columns of the calls at each, innermost first, as LLVM has them."""
    command = ["llvm-symbolizer-19", "--inlines", "-e", str(program), *map(hex, addresses)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    places = [re.findall(r"^(\S+):(\d+):(\d+)$", each, re.MULTILINE) for each in text.split("\n\n")]
    return [
        [(path.rpartition("/")[2], int(line), int(column)) for path, line, column in each] for each in places
    ]


@pytest.mark.parametrize(("compiler", "options"), COMPILED)
def test_calls_are_those_of_the_disassembly(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    program = compiled(tmp_path, compiler, "-g", *options)
    expected = disassembled_calls(program)
    assert expected
    for callee in {"malloc", "_Znwm", "push", "look"} & set(expected.values()):
        build = read_build(program, callees={callee})
        wanted = {offset for offset, name in expected.items() if name == callee}
        assert wanted <= {site.offset for site in build.sites}, callee


@pytest.mark.parametrize(("compiler", "options"), COMPILED)
def test_lines_and_columns_are_llvm_s(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    program = compiled(tmp_path, compiler, "-g", *options)
    sites = read_build(program, callees={"malloc", "_Znwm", "_ZdlPvm", "puts", "printf"}).sites
    keyed = [site for site in sites if site.calls and site.calls[0].line]
    # Where clang calls through a register the name of the callee is not known.
    assert keyed or "-fno-plt" in options
    expected = symbolized(program, [site.offset - 1 for site in keyed])
    for site, places in zip(keyed, expected, strict=False):
        assert [(call.file_name, call.line, call.column) for call in site.calls] == places, site


def test_lines_of_functions_are_those_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "#include <stdlib.h>\n\nstatic void *make(unsigned size) {\n    return malloc(size);\n}\n"
        "int main(int count, char **words)\n{\n    return make(count) == make(count + 1) || !words;\n}\n"
    )
    for compiler in ("gcc", "clang-19"):
        program = tmp_path / compiler
        subprocess.run([compiler, "-O1", "-g", "-fno-builtin", source, "-o", program], check=True)
        sites = read_build(program, callees={"malloc"}).sites
        calls = {call.function: call for site in sites for call in site.calls}
        assert (calls["make"].function_line, calls["make"].relative_line) == (3, 1)
        if len(sites) > 1:
            assert calls["main"].function_line == 6
            assert [site.calls[-1].column for site in sites] == [12, 27]


def test_without_debug_information_there_are_no_keys(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-O2", "-g0")
    build = read_build(program, callees={"malloc"})
    assert all(call.file == "" and call.line == 0 for site in build.sites for call in site.calls)
    assert {level for _, level in match(list(build.sites), list(build.sites)).values()} <= {
        "moved",
        "counted",
    }
    assert "has no debug information: build it with -g" in build.note


def test_a_stripped_program_has_its_debug_file(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-g", "-O2")
    whole = read_build(program, callees={"malloc"})
    debug = program.with_suffix(".debug")
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    assert read_build(program, callees={"malloc"}).sites == whole.sites


def test_damaged_debug_information_leaves_keys_out(tmp_path: Path) -> None:
    """Whatever byte of the sections is wrong: the reader neither fails nor reads beyond."""
    program = compiled(tmp_path, "gcc", "-g", "-O2")
    data = bytearray(program.read_bytes())
    for start in range(len(data) // 2, len(data) - 64, 997):
        data[start] ^= 0xFF
    damaged = tmp_path / "damaged"
    damaged.write_bytes(data)
    try:
        build = read_build(damaged, callees={"malloc"})
    except CommandError as problem:
        assert "cannot be read" in str(problem)
    else:
        assert all(isinstance(call, Call) for site in build.sites for call in site.calls)
