"""What the driver's tests share: running commands, and seeing whether a program was transformed."""

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
BUILT = ROOT / "build/python"
PROGRAMS = Path(__file__).with_name("programs")

NATIVE_FILES = (
    "compiler/driver/malloom-cc",
    "compiler/driver/malloom-c++",
    "compiler/driver/malloom-llvm-ar",
    "compiler/driver/malloom-llvm-nm",
    "compiler/driver/malloom-llvm-ranlib",
    "compiler/malloom_plugin.so",
    "runtime/compiled/libmalloom_pools.a",
)
"""What lies in one folder of an installation, where the build of the wheel has it."""

MIMALLOC = ROOT / "build/release/peers/mimalloc-3.a"
"""An installation may have it there too."""

SUM = "499500\n"
"""What the program of nodes.c and main.c prints."""

SOURCES = (PROGRAMS / "nodes.c", PROGRAMS / "main.c")

Finished = subprocess.CompletedProcess[str]
Run = Callable[..., Finished]


def run(*command: str | Path, cwd: Path | None = None, environment: dict[str, str] | None = None) -> Finished:
    """Run a command, whatever it ends with."""
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def output_of(
    *command: str | Path, cwd: Path | None = None, environment: dict[str, str] | None = None
) -> str:
    """What a command that succeeds prints."""
    done = run(*command, cwd=cwd, environment=environment)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def symbols_of(file: Path) -> set[str]:
    """The names that a program, a library or an object defines or wants."""
    return {line.split()[-1] for line in output_of("llvm-nm-19", file).splitlines() if line.strip()}


def is_transformed(program: Path) -> bool:
    """Whether objects of the program come from pools."""
    return "malloom_pool_alloc" in symbols_of(program)


def is_bitcode(file: Path) -> bool:
    return file.read_bytes().startswith(b"BC\xc0\xde")
