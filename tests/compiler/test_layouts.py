"""Layouts that pools have no room for, and pools of other sizes than the usual one.

That each layout is a good one is shown by layout/split_layout_test.cpp.
"""

from pathlib import Path

import pytest

from compiler import compiling
from compiler.case_files import CASES, Case

LISTS = next(case for case in CASES if case.source.name == "lists_of_many_fields.c")
NO_ROOM = "not split, as its arrays have no room in a pool"


def linked(case: Case, policy: str, folder: Path, *settings: str) -> str:
    """What the plugin says, with remarks."""
    remarks = ("-pass-remarks=malloom", "-pass-remarks-missed=malloom")
    return case.link(case.bitcode("-O2", folder), "-O2", policy, folder / "program", *settings, *remarks)


@pytest.mark.parametrize("policy", ["maximal", "default"])
def test_a_structure_without_room_stays_whole(policy: str, tmp_path: Path) -> None:
    """Its objects still come from pools."""
    source = tmp_path / "wide.c"
    source.write_text(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "struct wide { struct wide* next; char text[5000]; long value; };\n"
        "int main(void) {\n"
        "    struct wide* first = NULL;\n"
        "    for (long i = 0; i < 300; ++i) {\n"
        "        struct wide* p = malloc(sizeof *p);\n"
        "        memset(p->text, (int)i, sizeof p->text); p->value = i; p->next = first; first = p;\n"
        "    }\n"
        "    long sum = 0;\n"
        "    for (int round = 0; round < 50; ++round)\n"
        "        for (struct wide* p = first; p != NULL; p = p->next) sum = sum * 31 + p->value;\n"
        "    for (struct wide* p = first; p != NULL; p = p->next) sum = sum * 31 + p->text[7];\n"
        '    printf("%ld\\n", sum);\n'
        "    return 0;\n"
        "}\n"
    )
    case = Case(source)
    said = linked(case, policy, tmp_path, "-malloom-pool-bytes=4096")
    assert NO_ROOM in said
    assert "come from pools" in said
    assert compiling.run(tmp_path / "program") == case.plain("-O2", tmp_path)
    said = linked(case, policy, tmp_path)
    assert NO_ROOM not in said
    assert "split into" in said
    assert compiling.run(tmp_path / "program") == case.plain("-O2", tmp_path)


@pytest.mark.parametrize("pool_bytes", [1 << 12, 1 << 14, 1 << 16, 1 << 18])
def test_pools_of_other_sizes(pool_bytes: int, tmp_path: Path) -> None:
    plain = LISTS.plain("-O2", tmp_path)
    settings = [f"-malloom-pool-bytes={pool_bytes}", "-malloom-verify"]
    for policy in ("maximal", "default"):
        assert NO_ROOM not in linked(LISTS, policy, tmp_path, *settings)
        assert compiling.run(tmp_path / "program") == plain


@pytest.mark.parametrize("pool_bytes", [0, 1, 5000, 2048, 1 << 21])
def test_no_such_pools(pool_bytes: int, tmp_path: Path) -> None:
    with pytest.raises(compiling.CompilerFailed, match="is not a power of two from 4096 to 1048576"):
        linked(LISTS, "maximal", tmp_path, f"-malloom-pool-bytes={pool_bytes}")
