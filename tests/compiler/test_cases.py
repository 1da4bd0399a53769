"""Each construct by itself: a program does what it did without the plugin, under every policy at every level,
and the plugin proves what the program's first lines say."""

import re
from pathlib import Path

import pytest

from compiler import compiling

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.suffix in (".c", ".cpp"))
PROVES = re.compile(r"^// proves: (\d+) (split|pool|no)(?: +reason: (.*))?$", re.MULTILINE)
OPTIONS = re.compile(r"^// options: (.*)$", re.MULTILINE)


def expected(source: Path) -> list[tuple[int, str, str]]:
    """Size of the objects, verdict, and a part of a reason, as the case says."""
    found = PROVES.findall(source.read_text())
    assert found, f"{source.name} does not say what must be proven"
    return [(int(size), verdict, reason) for size, verdict, reason in found]


@pytest.mark.parametrize("level", compiling.LEVELS)
@pytest.mark.parametrize("source", CASES, ids=lambda path: path.name)
def test_case(source: Path, level: str, tmp_path: Path) -> None:
    options = [word for line in OPTIONS.findall(source.read_text()) for word in line.split()]
    plain = compiling.run(compiling.compile_plainly(source, level, tmp_path / "plain", *options))
    assert plain.status == 0
    assert plain.out
    bitcode = compiling.compile_object(source, level, tmp_path / "bitcode.o", *options)
    for policy in compiling.POLICIES:
        program = tmp_path / policy
        said = compiling.link(source, [bitcode], level, policy, program)
        ran = compiling.run(program)
        assert (policy, ran.status, ran.out) == (policy, plain.status, plain.out)
    compiling.link(source, [bitcode], level, "maximal", tmp_path / "verified", "-Wl,-mllvm,-malloom-verify")
    verified = compiling.run(tmp_path / "verified")
    assert (verified.status, verified.out, verified.err) == (plain.status, plain.out, plain.err)
    if level != "-O2":
        return
    proven = compiling.proven_sets(said)
    for size, verdict, reason in expected(source):
        assert any(
            each.bytes == size
            and each.verdict == verdict
            and (not reason or any(reason in said for said in each.reasons))
            for each in proven
        ), f"no set of {size} bytes is '{verdict}' ({reason}) among {proven}"


def test_more_sets_than_the_run_time_has_numbers(tmp_path: Path) -> None:
    """Those beyond stay as they are."""
    count = 4100
    lines = ["#include <stdio.h>", "#include <stdlib.h>"]
    for i in range(count):
        lines.append(
            f"struct s{i} {{ struct s{i}* next; long value; int mark; }}; static struct s{i}* head{i};\n"
            f"__attribute__((noinline)) static long f{i}(void) {{\n"
            "    for (int i = 0; i < 2; ++i) {\n"
            f"        struct s{i}* p = malloc(sizeof *p);\n"
            f"        p->next = head{i}; p->value = i; p->mark = {i}; head{i} = p;\n    }}\n"
            f"    long sum = 0;\n    for (struct s{i}* p = head{i}; p != NULL; p = p->next)"
            " sum += p->value + p->mark;\n    return sum;\n}"
        )
    lines += ["int main(void) {", "    unsigned long sum = 0;"]
    lines += [f"    sum = sum * 3 + (unsigned long)f{i}();" for i in range(count)]
    lines += ['    printf("%lu\\n", sum);', "    return 0;", "}"]
    source = tmp_path / "many.c"
    source.write_text("\n".join(lines))
    plain = compiling.run(compiling.compile_plainly(source, "-O1", tmp_path / "plain"))
    bitcode = compiling.compile_object(source, "-O1", tmp_path / "bitcode.o")
    compiling.link(source, [bitcode], "-O1", "maximal", tmp_path / "split")
    assert compiling.run(tmp_path / "split") == plain
