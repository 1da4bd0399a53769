"""The guide's C, which puts the bin heap behind other allocators' names, fits the header as it is now.

The C libraries and the kernel that it names are not installed here: what is declared in their place is what
the guide uses of them.
"""

import re
import subprocess
from pathlib import Path

import pytest

from structure.source_tree import ROOT, text_of

BLOCKS = re.findall(r"^```c\n(.*?)^```", text_of("docs/guide/firmware.md"), re.MULTILINE | re.DOTALL)
BLOCKS = [block for block in BLOCKS if "guest_heap" not in block]
"""The first one has the heap that the others use. What is made for one program has tests of its own."""
OTHERS = {
    "reent.h": "struct _reent { int _errno; };",
    "FreeRTOS.h": "typedef long BaseType_t;",
    "task.h": "void vTaskSuspendAll(void); BaseType_t xTaskResumeAll(void);",
}


def test_there_are_some() -> None:
    assert len(BLOCKS) >= 5


@pytest.mark.parametrize("block", range(len(BLOCKS)))
def test_the_guides_programs_compile(block: int, tmp_path: Path) -> None:
    for name, text in OTHERS.items():
        (tmp_path / name).write_text(text)
    source = tmp_path / "block.c"
    source.write_text(BLOCKS[0] + (BLOCKS[block] if block else ""))
    command = ["gcc", "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    command += [f"-I{ROOT / 'include'}", f"-I{tmp_path}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
