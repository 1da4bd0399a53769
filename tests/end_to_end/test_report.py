"""`malloom report` on profiles that hold a part of a run only."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from end_to_end.conftest import Finished

PROGRAM = """
#include <stdlib.h>
int main(void) {
    unsigned random = 1;
    for (int i = 0; i < 20000; i++) {
        random = random * 1103515245 + 12345;
        volatile char* object = malloc(random >> 16);
        object[0] = 1;
        free((void*)object);
    }
}
"""


@pytest.mark.parametrize(
    ("options", "gap"),
    [
        (["--accesses", "sampled"], "the accesses are a sample"),
        (["--accesses", "none"], "no accesses were recorded"),
        (["--max-size", "64K"], "before the program did (maximum size reached)"),
    ],
)
def test_a_report_says_first_what_the_profile_lacks(
    malloom: Callable[..., Finished],
    compile_c: Callable[..., Path],
    tmp_path: Path,
    options: list[str],
    gap: str,
) -> None:
    profile = tmp_path / "part.profile"
    malloom("record", "-o", profile, *options, "--", compile_c(PROGRAM))
    assert gap in malloom("report", profile).stdout.splitlines()[1]
    report = json.loads(malloom("report", profile, "--format", "json").stdout)
    assert gap in report["gaps"][0]
    assert {context["accessed"] for context in report["contexts"]} == {None}
