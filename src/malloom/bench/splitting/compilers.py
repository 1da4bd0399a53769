"""The compilers that a program is built with, and their command lines: all of them stand here."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError

BASELINE, LTO, GCC = "baseline", "lto", "gcc"
"""clang -O3 and clang -O3 -flto, without the plugin, and gcc -O3."""
POOL, MAXIMAL, DEFAULT = "pool", "maximal", "default"
"""malloom's compiler with these policies."""
COMPILERS = (BASELINE, LTO, GCC)
OURS = (POOL, MAXIMAL, DEFAULT)

CLANG, LINKER = "clang-19", "ld.lld-19"
PARTS = {
    Path("compiler/driver"): (
        "malloom-cc",
        "malloom-c++",
        "malloom-llvm-ar",
        "malloom-llvm-nm",
        "malloom-llvm-ranlib",
    ),
    Path("compiler"): ("malloom_plugin.so",),
    Path("runtime/front"): ("libmalloom_pools.a",),
}
"""Of malloom's compiler, where CMake makes them."""
TOGETHER = Path("splitting/compiler")
"""Where they lie in one folder, as an installation has them."""
BUILD_ALL = "run 'setup/packages.sh' and 'setup/native.sh release' in malloom's source tree"


@dataclass(frozen=True)
class Toolchain:
    """Where CMake has built malloom's compiler, and the source tree that it is of."""

    build: Path
    tree: Path

    @property
    def parts(self) -> list[Path]:
        return [self.build / folder / name for folder, names in PARTS.items() for name in names]

    def require(self) -> None:
        """Raises CommandError where a compiler or a part of malloom's is missing."""
        for program in (CLANG, LINKER, "gcc"):
            if shutil.which(program) is None:
                raise CommandError(f"the suite splitting needs {program}", remedy=BUILD_ALL)
        for file in self.parts:
            if not file.is_file():
                raise CommandError(
                    f"the suite splitting needs malloom's compiler, and there is no {file}",
                    remedy=f"{BUILD_ALL}, and measure with --workloads build/release/workloads",
                )

    @property
    def together(self) -> Path:
        return self.build / TOGETHER

    def assemble(self) -> None:
        """Copies into one folder what is not there, or older than what CMake has made."""
        self.together.mkdir(parents=True, exist_ok=True)
        for part in self.parts:
            there = self.together / part.name
            if not there.is_file() or there.stat().st_mtime_ns < part.stat().st_mtime_ns:
                fresh = there.with_name(f"{part.name}.{os.getpid()}")
                shutil.copy2(part, fresh)
                fresh.replace(there)

    def command(self, variant: str, sources: Sequence[Path], program: Path) -> list[str]:
        """What makes the program of the sources."""
        files = [str(source) for source in sources]
        return [*_LINES[variant](self), f"-I{self.tree}", *files, "-lm", "-o", str(program)]


def _with_policy(policy: str) -> Callable[[Toolchain], list[str]]:
    return lambda toolchain: [str(toolchain.together / "malloom-cc"), "-O3", f"-fmalloom-policy={policy}"]


_LINES: Mapping[str, Callable[[Toolchain], list[str]]] = {
    BASELINE: lambda _toolchain: [CLANG, "-O3"],
    LTO: lambda _toolchain: [CLANG, "-O3", "-flto=full", "-fuse-ld=lld"],
    GCC: lambda _toolchain: ["gcc", "-O3"],
    **{policy: _with_policy(policy) for policy in OURS},
}
VARIANTS = tuple(_LINES)
