"""The way of a pair through the code: found in counts, followed through calls and branches."""

import subprocess
from pathlib import Path

import pytest

from malloom.bench.pools.hot_path import (
    Instruction,
    disassembled,
    executions,
    for_simulation,
    hot_path,
    loop_path,
    returns_what_it_changed,
)
from malloom.errors import CommandError
from malloom.measure.process import Command

LOOP = ["call   20 <allocate>", "dec    %rbx", "jne    0 <run_now>", "ret"]
CALLED = ["mov    (%rdi),%rax", "jbe    2c <slow>", "xadd   %rax,(%rdi)", "ret"]
COUNTS = """ob={program}
fn=run_now
0x0 12 1000
calls=1000 0x20 7
0x0 12 4000
0x4 13 1000
ob=/lib/libc.so.6
fn=malloc
0x4 1 7
"""


def code_of(**functions: list[str]) -> dict[int, Instruction]:
    """Instructions of four bytes each; the name is the function's address in hexadecimal."""
    return {
        at: Instruction(at, text, at + 4)
        for name, texts in functions.items()
        for at, text in ((int(name[1:], 16) + 4 * i, text) for i, text in enumerate(texts))
    }


def texts(way: list[Instruction]) -> list[str]:
    return [each.text.split()[0] for each in way]


def without_symbols(lines: list[str]) -> list[str]:
    return [line.partition(" <")[0] for line in lines]


def test_the_way_goes_through_calls_and_stays_off_slow_paths() -> None:
    code = code_of(_0=without_symbols(LOOP), _20=without_symbols(CALLED))
    way = loop_path(code, {0, 4, 8, 0x20, 0x24, 0x28, 0x2C}, 0)
    assert texts(way) == ["call", "mov", "jbe", "xadd", "ret", "dec", "jne"]
    assert [each.text for each in way if returns_what_it_changed(each)] == ["xadd   %rax,(%rdi)"]
    assert for_simulation(way).splitlines() == [
        "mov    (%rdi),%rax",
        "jbe elsewhere",
        "xadd   %rax,(%rdi)",
        "dec    %rbx",
        "jne elsewhere",
    ]


def test_a_way_that_does_not_come_back_is_an_error() -> None:
    with pytest.raises(CommandError, match="not followed beyond 0x8"):
        loop_path(code_of(_0=without_symbols(LOOP), _20=["ret"]), {0, 4, 0x20}, 0)


@pytest.mark.parametrize(
    ("text", "returns"),
    [
        ("lock cmpxchg %rcx,(%rdx)", True),
        ("xchg   %al,0x10(%rdx)", True),
        ("xchg   %rax,%rbx", False),
        ("addq   $0xfffffffffffffff8,(%rax)", False),
    ],
)
def test_what_gives_back_what_it_changed(text: str, returns: bool) -> None:
    assert returns_what_it_changed(Instruction(0, text, 4)) == returns


def test_counts_are_the_programs_own_without_what_it_calls() -> None:
    assert executions(COUNTS.format(program="/nowhere/pairs"), "/nowhere/pairs") == {0: 1000, 4: 1000}


SOURCE = """
static long count;
__attribute__((noinline)) static void step(long* at) {
    __asm__ volatile("xaddq %%rax, %0" : "+m"(*at)::"rax");
}
__attribute__((noinline)) static void run_now(int n) { for (int i = 0; i < n; ++i) step(&count); }
int main(int argc, char** arguments) { (void)arguments; run_now(1000 * argc); return 0; }
"""


def test_the_way_of_a_real_program_is_found(tmp_path: Path) -> None:
    program = tmp_path / "program"
    command = ["gcc", "-O1", "-g", "-x", "c", "-", "-o", str(program)]
    subprocess.run(command, input=SOURCE, text=True, check=True)
    way = hot_path(Command([str(program)]), 1000)
    assert [each.mnemonic[:4] for each in way if returns_what_it_changed(each)] == ["xadd"]
    assert {each.address for each in way} <= set(disassembled(program))
