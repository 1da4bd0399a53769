"""The fallback that a plan asks for serves what it does not place."""

from pathlib import Path

import pytest

from malloom.layout.plan_flags import write_with_flags
from malloom.optimize.keeping import write_setting

# Tells the two apart: 5,000 bytes are room for 5,000 in the C library and for 5,120 in mimalloc.
ROOM = """
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    void* volatile object = malloc(5000);
    printf("%zu\\n", malloc_usable_size(object));
    return 0;
}
"""


@pytest.mark.parametrize("statistics", [[], ["--statistics"]])
@pytest.mark.parametrize(
    "flag, options, room",
    [
        (False, [], "5120\n"),
        (True, [], "5000\n"),
        (True, ["--fallback", "mimalloc"], "5120\n"),
        (False, ["--fallback", "system"], "5000\n"),
        (True, ["--heap", "pools"], "5000\n"),
    ],
)
def test_the_plan_names_its_fallback_and_options_override_it(  # type: ignore[no-untyped-def]
    malloom, compile_c, tmp_path: Path, flag: bool, options: list[str], room: str, statistics: list[str]
) -> None:
    program, plan = compile_c(ROOM), tmp_path / "a.plan"
    write_setting(plan)
    write_with_flags(plan, plan, {"system_fallback": flag})
    done = malloom("run", "--plan", plan, *options, *statistics, "--", program)
    assert (done.returncode, done.stdout) == (0, room), done.stderr
    assert done.stderr.count("\n") == len(statistics)
