"""C that is generated for a compiler: the same from the same size, and without a complaint."""

import subprocess
from pathlib import Path

from malloom.bench.inputs.sources import write_source


def test_it_compiles_and_repeats(tmp_path: Path) -> None:
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    write_source(first, 50)
    write_source(second, 50)
    assert first.read_bytes() == second.read_bytes()
    subprocess.run(["gcc", "-fsyntax-only", "-Wall", "-Werror", first], check=True)
