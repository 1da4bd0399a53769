"""Which structures share pools, and which are put closer together: as the plugin prints what it decided."""

from pathlib import Path

import pytest

from compiler import compiling
from compiler.case_files import FOLDER

LED = FOLDER / "cells_beside_what_they_lead_to.c"
CLOSE = FOLDER / "whole_objects_close_together.c"


def decisions(source: str, policy: str, folder: Path) -> list[str]:
    """Of a program that does the same as without them."""
    file = folder / "program.c"
    file.write_text(source)
    plain = compiling.run(compiling.compile_plainly(file, "-O2", folder / "plain"))
    bitcode = compiling.compile_object(file, "-O2", folder / "program.o")
    said = compiling.link(file, [bitcode], "-O2", policy, folder / "program")
    assert compiling.run(folder / "program") == plain
    return [line for line in said.splitlines() if line.startswith("decision: ")]


def elements_of(bytes_of_element: int) -> str:
    more = "".join(f"    double more{i};\n" for i in range((bytes_of_element - 24) // 8))
    return LED.read_text().replace("    struct owner* owner;\n", f"    struct owner* owner;\n{more}")


@pytest.mark.parametrize("bytes_of_element", [24, 32])
def test_elements_lie_beside_the_cells_that_lead_to_them(bytes_of_element: int, tmp_path: Path) -> None:
    shared = f"those of 24 bytes in shared pools 0 of {bytes_of_element} bytes"
    owners, elements = decisions(elements_of(bytes_of_element), "default", tmp_path)
    assert owners == f"decision: 40 bytes, {shared}"
    assert elements.startswith(f"decision: {bytes_of_element} bytes, ")
    assert f"in shared pools 0 of {bytes_of_element} bytes" in elements


def test_cells_do_not_take_more_room_than_from_malloc(tmp_path: Path) -> None:
    """malloc takes 32 bytes for a cell."""
    assert not any("shared" in line for line in decisions(elements_of(56), "default", tmp_path))


@pytest.mark.parametrize("policy", ["pool", "maximal", "hot-cold"])
def test_only_the_default_shares(policy: str, tmp_path: Path) -> None:
    assert not any("shared" in line for line in decisions(LED.read_text(), policy, tmp_path))


def test_objects_whose_fields_are_used_together_stay_whole(tmp_path: Path) -> None:
    assert decisions(CLOSE.read_text(), "default", tmp_path) == ["decision: 24 bytes, [ 0 8 16 ]"]


def test_without_gaps_their_heap_is_smaller(tmp_path: Path) -> None:
    """A million objects of 24 bytes take 24 MB in place of 32; resident memory tells."""
    source = """
#include <stdio.h>
#include <stdlib.h>
struct point { double x, y, z; };
static struct point* points[1000000];
int main(void) {
    double sum = 0;
    for (int i = 0; i < 1000000; ++i) {
        points[i] = malloc(sizeof *points[i]);
        *points[i] = (struct point){i, i, i};
    }
    for (int i = 0; i < 1000000; ++i) sum += points[(i * 7919L) % 1000000]->x * points[i]->y + points[i]->z;
    long pages = 0;
    FILE* statm = fopen("/proc/self/statm", "r");
    if (statm == NULL || fscanf(statm, "%*d %ld", &pages) != 1) return 1;
    fprintf(stderr, "%ld", pages * 4);
    return sum > 0 ? 0 : 1;
}
"""
    file = tmp_path / "points.c"
    file.write_text(source)
    bitcode = compiling.compile_object(file, "-O2", tmp_path / "points.o")
    resident = {}
    for policy in ("pool", "default"):
        compiling.link(file, [bitcode], "-O2", policy, tmp_path / policy)
        ran = compiling.run(tmp_path / policy)
        assert ran.status == 0
        resident[policy] = int(ran.err)
    # Beside 8 MB of pointers.
    assert resident["pool"] - resident["default"] > 5000
