"""The compilers that a program is built with, and their command lines: all of them stand here."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError

BASELINE, LTO, GCC = "baseline", "lto", "gcc"
"""clang -O3 and clang -O3 -flto, without the plugin, and gcc -O3."""
POOL, MAXIMAL, DEFAULT = "pool", "maximal", "default"
"""malloom's compiler with these policies."""
EXPECTING = "default, links expected"
"""The default with guesses of where the next object lies, which no policy has by itself."""
CONTROL = "overhead-only"
"""Functions inlined and copied as by default, and no pools: what a gain of the default's must differ from."""
COMPILERS = (BASELINE, LTO, GCC)
OURS = (POOL, MAXIMAL, DEFAULT)

CLANG, LINKER = "clang-19", "ld.lld-19"
PARTS = ("malloom-cc", "malloom-c++", "malloom_plugin.so", "libmalloom_pools.a")
"""Of malloom's compiler, in the folder where it is installed."""
BUILD_ALL = "run 'make native' in malloom's source tree"


@dataclass(frozen=True)
class Toolchain:
    """Where malloom's compiler is installed, where the suite's programs go, and the source tree."""

    compiler: Path
    build: Path
    tree: Path

    @property
    def parts(self) -> list[Path]:
        return [self.compiler / name for name in PARTS]

    def require(self) -> None:
        """Raises CommandError where a compiler or a part of malloom's is missing."""
        for program in (CLANG, LINKER, "gcc"):
            if shutil.which(program) is None:
                raise CommandError(f"the suite splitting needs {program}", remedy=BUILD_ALL)
        for file in self.parts:
            if not file.is_file():
                raise CommandError(
                    f"the suite splitting needs malloom's compiler, and there is no {file}",
                    remedy=f"{BUILD_ALL}, which builds it where llvm-19-dev is installed",
                )

    def command(self, variant: str, sources: Sequence[Path], program: Path) -> list[str]:
        """What makes the program of the sources."""
        files = [str(source) for source in sources]
        return [*_LINES[variant](self), f"-I{self.tree}", *files, "-lm", "-o", str(program)]


def _with_policy(policy: str, *options: str) -> Callable[[Toolchain], list[str]]:
    chosen = ["-O3", f"-fmalloom-policy={policy}", *options]
    return lambda toolchain: [str(toolchain.compiler / "malloom-cc"), *chosen]


_LINES: Mapping[str, Callable[[Toolchain], list[str]]] = {
    BASELINE: lambda _toolchain: [CLANG, "-O3"],
    LTO: lambda _toolchain: [CLANG, "-O3", "-flto=full", "-fuse-ld=lld"],
    GCC: lambda _toolchain: ["gcc", "-O3"],
    **{policy: _with_policy(policy) for policy in OURS},
    EXPECTING: _with_policy(DEFAULT, "-fmalloom-expect-links"),
}
VARIANTS = (*COMPILERS, *OURS)
