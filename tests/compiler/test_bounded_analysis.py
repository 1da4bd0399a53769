"""The analysis takes no more steps than the size of a program allows: what would take more is told less
apart, with a remark, and programs do what they did."""

import itertools
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from compiler import compiling
from compiler.case_files import CASES, Case, in_turn
from compiler.differential import compare, install
from some import some

STEPS = re.compile(r"^analysis: (\d+) steps for (\d+) instructions and constants(, coarse)?$", re.MULTILINE)
NONE, FEW = 0, 6
"""Steps for each instruction: with none everything is coarse from the beginning, with few only some is."""
ALLOWED = 400
"""By default."""
SEEDS = range(3001, 3021)
TOGETHER = 2


@dataclass(frozen=True)
class Counted:
    """What the analysis of a program took."""

    steps: int
    size: int
    is_coarse: bool


def counted(said: str) -> Counted:
    (found,) = STEPS.findall(said)
    return Counted(int(found[0]), int(found[1]), bool(found[2]))


def patient(steps: int) -> str:
    return f"-malloom-patience={steps}"


def wide_program(width: int, copies: int) -> str:
    """Pointers in two structures, all of which each copy goes over: nobody knows how many it copies."""
    members = range(width)
    return "\n".join(
        [
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>",
            "struct node { struct node* next; long value; };",
            f"struct wide {{ long {', '.join(f'*p{i}' for i in members)}; }};",
            "static struct wide one, other; static volatile size_t length = sizeof(struct wide);",
            f"static long {', '.join(f'v{i} = {i}' for i in members)};",
            "int main(void) {",
            *(f"    one.p{i} = &v{i};" for i in members),
            *("    memcpy(&other, &one, length);" for _ in range(copies)),
            "    struct node* head = NULL;",
            "    for (long i = 0; i < 100; ++i) {",
            "        struct node* made = malloc(sizeof *made);",
            "        *made = (struct node){head, i};\n        head = made;\n    }",
            "    long sum = 0;",
            "    for (; head != NULL; head = head->next) sum += head->value;",
            *(f"    sum = sum * 3 + *other.p{i} % 1000;" for i in members),
            '    printf("%ld\\n", sum);\n    return 0;\n}',
        ]
    )


def lists_program(count: int) -> str:
    """Many structures, each with functions of its own that are called by pointers, and all of them reached
    from one table."""
    lines = ["#include <stdio.h>\n#include <stdlib.h>", "typedef long (*visit)(void*);"]
    for i in range(count):
        lines += [
            f"struct s{i} {{ struct s{i}* next; long value; void* other; }};",
            f"static long f{i}(void* given) {{\n    long sum = 0;",
            f"    for (struct s{i}* at = given; at; at = at->next) sum += at->value + (at->other != NULL);",
            f"    return sum;\n}}\nstatic void* m{i}(void* before) {{\n    struct s{i}* head = NULL;",
            f"    for (long i = 0; i < 5; ++i) {{\n        struct s{i}* made = malloc(sizeof *made);",
            f"        *made = (struct s{i}){{head, i + {i}, before}};\n        head = made;\n    }}",
            "    return head;\n}",
        ]
    lines += [
        f"static void* (*const makers[])(void*) = {{{', '.join(f'm{i}' for i in range(count))}}};",
        f"static const visit visits[] = {{{', '.join(f'f{i}' for i in range(count))}}};",
        "int main(void) {\n    long sum = 0;\n    void* last = NULL;",
        f"    for (int i = 0; i < {count}; ++i) {{\n        last = makers[i](last);",
        "        sum = sum * 3 + visits[i](last);\n    }",
        '    printf("%lu\\n", (unsigned long)sum);\n    return 0;\n}',
    ]
    return "\n".join(lines)


def calls_program(count: int) -> str:
    """Many functions in one table, and as many calls of what lies there, each for itself."""
    lines = ["#include <stdio.h>\n#include <stdlib.h>", "typedef long (*visit)(long*, long);"]
    lines += [
        f"static long f{i}(long* at, long by) {{ return at[by % 2] * {i} + by; }}" for i in range(count)
    ]
    lines += [
        f"static const visit visits[] = {{{', '.join(f'f{i}' for i in range(count))}}};",
        "static volatile int which;",
        *(
            f"__attribute__((noinline)) static long g{i}(void) {{\n    long pair[2] = {{{i}, 1}};\n"
            f"    return visits[which + {i}](pair, {i});\n}}"
            for i in range(count)
        ),
        "int main(void) {\n    long sum = 0;",
        *(f"    sum = sum * 3 + g{i}();" for i in range(count)),
        '    printf("%lu\\n", (unsigned long)sum);\n    return 0;\n}',
    ]
    return "\n".join(lines)


def analysed(text: str, folder: Path, *settings: str) -> tuple[str, Path]:
    """What the plugin says of a program, which does as it does without."""
    source = folder / "program.c"
    source.write_text(text, encoding="utf-8")
    bitcode = compiling.compile_object(source, "-O1", folder / "bitcode.o")
    plain = compiling.run(compiling.compile_plainly(source, "-O1", folder / "plain"))
    made = folder / "made"
    said = compiling.link(
        source, [bitcode], "-O1", "maximal", made, settings=["-malloom-print-steps", *settings]
    )
    assert compiling.run(made) == plain
    assert plain.status == 0 and plain.out
    return said, made


def test_what_takes_too_many_steps_is_told_less_apart(tmp_path: Path) -> None:
    """A list beside it is split all the same."""
    said, _ = analysed(wide_program(800, 800), tmp_path, "-pass-remarks-missed=malloom")
    found = counted(said)
    assert found.is_coarse
    assert found.steps < 3 * ALLOWED * found.size, "twice what is allowed, and a last round"
    assert "the program's pointers take too many steps to be told apart" in said
    assert [each.verdict for each in compiling.proven_sets(said) if each.bytes == 16] == ["split"]


def test_calls_by_pointers_take_no_more_steps_where_there_are_more_of_them(tmp_path: Path) -> None:
    """Each could lead to each function: ten times as many of both are not a hundred times as much."""
    found = []
    for count in (30, 300):
        folder = tmp_path / str(count)
        folder.mkdir()
        found.append(counted(analysed(calls_program(count), folder)[0]))
    few, many = found
    assert many.size > 8 * few.size
    assert many.steps / many.size < 1.5 * few.steps / few.size


def test_with_enough_steps_nothing_is_coarse(tmp_path: Path) -> None:
    said, _ = analysed(wide_program(40, 40), tmp_path, "-pass-remarks-missed=malloom")
    assert not counted(said).is_coarse
    assert "too many steps" not in said


def test_steps_are_the_same_each_time(tmp_path: Path) -> None:
    said = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        said.append(counted(analysed(lists_program(20), folder)[0]))
    assert said[0] == said[1]


# Each of them in one of the two ways.
IN_TURN = [(case, (NONE, FEW)[number % 2]) for number, case in enumerate(in_turn(2))]


@pytest.mark.parametrize(
    ("case", "steps"),
    some(*IN_TURN, of=itertools.product(CASES, [NONE, FEW])),
    ids=lambda value: value.source.name if isinstance(value, Case) else str(value),
)
def test_case_that_is_told_less_apart(case: Case, steps: int, tmp_path: Path) -> None:
    """Each access to objects of a proven set is to its pools, and no other access is."""
    plain = case.plain("-O2", tmp_path)
    program = tmp_path / "coarse"
    bitcode = case.bitcode("-O2", tmp_path)
    said = case.link(
        bitcode, "-O2", "maximal", program, "-malloom-verify", "-malloom-print-steps", patient(steps)
    )
    assert steps != NONE or counted(said).is_coarse
    assert compiling.run(program) == plain


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("native"))


@pytest.mark.parametrize("steps", [NONE, FEW])
@pytest.mark.parametrize("first", some(SEEDS[0], of=SEEDS[::TOGETHER]))
def test_random_programs_that_are_told_less_apart(drivers: Path, first: int, steps: int) -> None:
    setting = [f"-Wl,-mllvm={patient(steps)}"]
    seeds = range(first, first + TOGETHER)
    outcomes = [compare(drivers, "generated", seed, True, setting) for seed in seeds]
    assert [f"{each.seed}: {each.difference}" for each in outcomes if each.difference] == []
