"""Each construct by itself: a program does what it did without the plugin, and the plugin proves what the
program's first lines say (case_files.py). In `make soak` under every policy at every level, and in all of
the ways of which a case has one in `make test`."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from compiler import compiling, graphs
from compiler.case_files import CASES, Case, in_turn
from some import some


def check_proofs(case: Case, said: str) -> None:
    proven = compiling.proven_sets(said)
    for size, verdict, reason in case.proofs():
        assert any(
            each.bytes == size
            and each.verdict == verdict
            and (not reason or any(reason in said for said in each.reasons))
            for each in proven
        ), f"no set of {size} bytes is '{verdict}' ({reason}) among {proven}"


def check_graph(case: Case, said: str) -> None:
    found = "\n".join(line for line in said.splitlines() if line.startswith("graph: "))
    if case.graph():
        assert graphs.are_same(case.graph(), found), f"{case.graph()}\n\nis not\n\n{found}"


def check_case(case: Case, level: str, policies: Sequence[str], tmp_path: Path) -> None:
    plain = case.plain("-O2", tmp_path)
    assert plain.status == 0
    assert plain.out
    bitcode = case.bitcode(level, tmp_path)
    for policy in policies:
        said = case.link(bitcode, level, policy, tmp_path / policy)
        ran = compiling.run(tmp_path / policy)
        assert (policy, ran.status, ran.out) == (policy, plain.status, plain.out)
    if level == "-O2":
        check_proofs(case, said)
        check_graph(case, said)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source.name)
def test_case(case: Case, tmp_path: Path) -> None:
    check_case(case, "-O2", ("default",), tmp_path)


@pytest.mark.parametrize("case", some(*in_turn(0), of=CASES), ids=lambda case: case.source.name)
def test_case_as_it_is_split_most(case: Case, tmp_path: Path) -> None:
    check_case(case, "-O3", ("maximal",), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("level", compiling.LEVELS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source.name)
def test_case_under_every_policy(case: Case, level: str, tmp_path: Path) -> None:
    check_case(case, level, compiling.POLICIES, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source.name)
def test_case_with_named_requests(case: Case, tmp_path: Path) -> None:
    """No pools, whatever is proven."""
    plain = case.plain("-O2", tmp_path)
    case.link(case.bitcode("-O2", tmp_path), "-O2", "default", tmp_path / "named", "-malloom-name-requests")
    assert compiling.run(tmp_path / "named") == plain
    assert b"malloom_pool_" not in (tmp_path / "named").read_bytes()


def check_pools(case: Case, policies: Sequence[str], tmp_path: Path) -> None:
    """Each access to objects of a proven set is to its pools, and no other access is."""
    plain = case.plain("-O2", tmp_path)
    bitcode = case.bitcode("-O2", tmp_path)
    for policy in policies:
        case.link(bitcode, "-O2", policy, tmp_path / policy, "-malloom-verify")
        ran = compiling.run(tmp_path / policy)
        assert (policy, ran.status, ran.out, ran.err) == (policy, plain.status, plain.out, plain.err)


@pytest.mark.parametrize("case", some(*in_turn(1), of=CASES), ids=lambda case: case.source.name)
def test_case_hits_its_pools(case: Case, tmp_path: Path) -> None:
    check_pools(case, ("maximal",), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source.name)
def test_case_hits_its_pools_under_every_policy(case: Case, tmp_path: Path) -> None:
    check_pools(case, ("pool", "default"), tmp_path)


REFUSED = [case for case in CASES if all(verdict == "no" for _, verdict, _ in case.proofs())]


@pytest.mark.parametrize("case", some(*REFUSED[::3], of=REFUSED), ids=lambda case: case.source.name)
def test_a_program_of_which_nothing_is_treated_is_the_same_in_every_byte(case: Case, tmp_path: Path) -> None:
    bitcode = case.bitcode("-O2", tmp_path)
    said = case.link(bitcode, "-O2", "maximal", tmp_path / "maximal")
    assert {each.verdict for each in compiling.proven_sets(said)} == {"no"}, "the case leaves a set out"
    case.link_plainly(bitcode, "-O2", tmp_path / "plain")
    assert (tmp_path / "maximal").read_bytes() == (tmp_path / "plain").read_bytes()


@pytest.mark.long
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
