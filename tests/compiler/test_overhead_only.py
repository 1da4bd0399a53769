"""The control of what pools gain: a program whose functions are inlined and copied as by default, and which
asks for no pools."""

import subprocess
from pathlib import Path

from compiler import compiling
from compiler.case_files import CASES, FOLDER, Case

COPIED = Case(FOLDER / "contexts_of_a_wrapper.c")
WRAPPER = "must_have"
"""It has a copy for each size, under the policies that give pools."""


def functions(program: Path) -> list[str]:
    """Names of all that the program has; of copies with what tells them apart."""
    done = subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True)
    return [line.split()[-1] for line in done.stdout.splitlines()]


def made(case: Case, policy: str, folder: Path) -> list[str]:
    bitcode = case.bitcode("-O2", folder)
    case.link(bitcode, "-O2", policy, folder / policy)
    assert compiling.run(folder / policy) == case.plain("-O2", folder)
    return functions(folder / policy)


def test_functions_are_copied_as_by_default_and_no_pool_is_asked(tmp_path: Path) -> None:
    control, default = (made(COPIED, policy, tmp_path) for policy in ("overhead-only", "default"))
    copies = [name for name in control if name.startswith(WRAPPER)]
    assert copies == [name for name in default if name.startswith(WRAPPER)] and len(copies) > 1
    assert any(name.startswith("malloom_") for name in default)
    assert not any(name.startswith("malloom_") for name in control)


def test_what_has_no_pools_by_default_is_the_same_in_every_byte(tmp_path: Path) -> None:
    refused = next(case for case in CASES if all(verdict == "no" for _, verdict, _ in case.proofs()))
    made(refused, "overhead-only", tmp_path)
    refused.link_plainly(refused.bitcode("-O2", tmp_path), "-O2", tmp_path / "plain")
    assert (tmp_path / "overhead-only").read_bytes() == (tmp_path / "plain").read_bytes()
