"""Programs that no front can serve are refused in one line; beside another allocator they run as alone."""

import shutil
from pathlib import Path

import pytest

from end_to_end import ends
from end_to_end.conftest import COMMAND

FRONTS = {"pools": ["--heap", "pools"], "dynamic": ["--dynamic"]}
MAIN = "int main(void) { return 0; }\n"


def static(folder: Path) -> Path:
    return ends.build_source(MAIN, folder / "program", "-static")


def of_32_bits(folder: Path) -> Path:
    program = ends.build_source(MAIN, folder / "program")
    content = bytearray(program.read_bytes())
    content[4] = 1
    program.write_bytes(content)
    return program


def text(folder: Path) -> Path:
    program = folder / "program"
    program.write_text("no program")
    program.chmod(0o755)
    return program


def privileged(folder: Path) -> Path:
    shutil.copy("/bin/true", folder / "program")
    (folder / "program").chmod(0o4755)
    return folder / "program"


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (static, "is statically linked"),
        (of_32_bits, "is a 32-bit program"),
        (text, "is no ELF file"),
        (privileged, "gains privileges"),
    ],
)
def test_it_is_refused_in_one_line(tmp_path: Path, front: str, make, reason: str) -> None:  # type: ignore[no-untyped-def]
    command = [COMMAND, "run", *FRONTS[front], "--", make(tmp_path)]
    status, output, errors = ends.outcome(command, tmp_path)
    assert (status, output, errors.count("\n")) == (126, "", 1)
    assert reason in errors


@pytest.mark.parametrize("front", FRONTS)
@pytest.mark.parametrize("other", ["libjemalloc.so.2", "libtcmalloc_minimal.so.4"])
def test_another_allocator_may_be_preloaded_too(tmp_path: Path, front: str, other: str) -> None:
    program = ends.build("odd_program", tmp_path)
    prefix = ["env", f"LD_PRELOAD={other}", COMMAND, "run", *FRONTS[front], "--"]
    for way in ("ways", "small_stacks"):
        ends.assert_same(prefix, [program, way], tmp_path)
