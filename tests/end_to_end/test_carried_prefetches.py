"""Prefetches that a plan carries into a native run: the program does the same, the statistics count them."""

import ctypes
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.prefetch_plans import NONE, Load, loads, prefetch_plan, symbol

Malloom = Callable[..., subprocess.CompletedProcess[str]]
CompileC = Callable[..., Path]

RDI = 7
LIST = r"""
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long value; };
long sum_list(struct node *first);
__asm__(".text\n.globl sum_list\n.type sum_list, @function\nsum_list:\n.cfi_startproc\n"
        "xorl %eax, %eax\n"
        ".globl hot_load\nhot_load: {disp32} addq 8(%rdi), %rax\n"
        "movq (%rdi), %rdi\ntestq %rdi, %rdi\njne hot_load\nret\n.cfi_endproc\n"
        ".size sum_list, .-sum_list");
int main(void) {
    struct node *first = NULL;
    for (long i = 0; i < 1000; ++i) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){first, i * i};
        first = node;
    }
    printf("%ld\n", sum_list(first));
}
"""
OUTPUT = "332833500\n"
PREFETCHES = re.compile(r"; prefetches (\d+) of (\d+)")


def hot_load(program: Path) -> Load:
    return Load(symbol(program, "hot_load"), base=RDI, index=NONE, scale=1)


def counted(run: subprocess.CompletedProcess[str]) -> tuple[int, int]:
    """Prefetches that were put into the program, and those that the plan has."""
    assert run.returncode == 0, run.stderr
    found = PREFETCHES.search(run.stderr)
    assert found is not None, run.stderr
    return int(found[1]), int(found[2])


@pytest.mark.parametrize("flags", [["-pie", "-fPIE"], ["-no-pie", "-fno-pie"]])
@pytest.mark.parametrize("fields", [{"distance": 320}, {"kind": 2}, {"kind": 3, "distance": -8}])
def test_a_hot_load_has_its_prefetch_and_the_program_its_output(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path, flags: list[str], fields: dict[str, int]
) -> None:
    program = compile_c(LIST, *flags, "-Wl,--build-id")
    plan = prefetch_plan(tmp_path / "plan", program, [(hot_load(program), fields)])
    run = malloom("run", "--plan", plan, "--statistics", "--", program)
    assert run.stdout == OUTPUT
    assert counted(run) == (1, 1)
    assert malloom("run", "--plan", plan, "--", program).stdout == OUTPUT


def test_without_prefetches_the_code_stays(malloom: Malloom, compile_c: CompileC, tmp_path: Path) -> None:
    program = compile_c(LIST, "-Wl,--build-id")
    plan = prefetch_plan(tmp_path / "plan", program, [(hot_load(program), {})])
    run = malloom("run", "--plan", plan, "--no-prefetch", "--statistics", "--", program)
    assert run.stdout == OUTPUT
    assert PREFETCHES.search(run.stderr) is None


@pytest.mark.parametrize(
    "wrong", [{"code": 1}, {"module": 1}, {"base": 6}, {"offset": 2**40}, {"kind": 9}, {"index": 3}]
)
def test_what_does_not_fit_the_code_is_left_out(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path, wrong: dict[str, int]
) -> None:
    program = compile_c(LIST, "-Wl,--build-id")
    plan = prefetch_plan(tmp_path / "plan", program, [(hot_load(program), wrong)])
    run = malloom("run", "--plan", plan, "--statistics", "--", program)
    assert run.stdout == OUTPUT
    assert counted(run) == (0, 1)


def test_a_plan_for_every_place_in_the_code_changes_no_output(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path
) -> None:
    # As if somebody wanted harm: at each byte of a function, most of them in the middle of an instruction.
    program = compile_c(LIST, "-Wl,--build-id")
    function = symbol(program, "sum_list")
    places = [(Load(function + i, RDI, NONE, 1), distance) for i in range(22) for distance in (0, 8)]
    chosen = [(load, {"kind": i % 4 + 1, "distance": distance}) for i, (load, distance) in enumerate(places)]
    plan = prefetch_plan(tmp_path / "plan", program, chosen)
    run = malloom("run", "--plan", plan, "--statistics", "--", program)
    assert run.stdout == OUTPUT
    assert counted(run)[0] <= 2


def test_a_system_that_makes_no_memory_executable_runs_the_program_as_it_is(
    malloom: Malloom, compile_c: CompileC, tmp_path: Path
) -> None:
    program = compile_c(LIST, "-Wl,--build-id")
    plan = prefetch_plan(tmp_path / "plan", program, [(hot_load(program), {})])
    run = malloom("run", "--plan", plan, "--statistics", "--", program, preexec_fn=deny_execution)
    assert run.stdout == OUTPUT
    assert counted(run) == (0, 1)
    assert "the system makes no memory executable" in run.stderr


def deny_execution() -> None:
    """PR_SET_MDWE, from Linux 6.3 on, for the process and what it executes."""
    if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) != 0:
        raise OSError("this kernel cannot deny executable memory")


@pytest.mark.parametrize("kind", [1, 3, 4])
def test_a_real_program_computes_the_same_with_thousands_of_prefetches(
    malloom: Malloom, tmp_path: Path, kind: int
) -> None:
    text = tmp_path / "data.json"
    text.write_text(
        json.dumps([{"name": f"n{i}", "values": [i, i * 0.5, None, {"x": str(i)}]} for i in range(3000)])
    )
    command = ["jq", "-S", "map(select(.values[0] % 3 == 0) | .name) | sort | length, .[7]", text]
    plain = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    library = loaded_library("jq", "libjq")
    every = [(load, {"kind": kind, "distance": 64}) for load in loads(library)]
    chosen = every[:: len(every) // 4000 + 1]
    run = malloom(
        "run", "--plan", prefetch_plan(tmp_path / "plan", library, chosen), "--statistics", "--", *command
    )
    assert run.stdout == plain
    assert counted(run)[0] > 300


def loaded_library(program: str, name: str) -> Path:
    """The file of a library that a program is linked with."""
    path = subprocess.run(["which", program], capture_output=True, text=True, check=True).stdout.strip()
    listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return Path(next(line.split()[2] for line in listed.splitlines() if name in line)).resolve()
