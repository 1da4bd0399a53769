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
COMPILERS = (BASELINE, LTO, GCC)
OURS = (POOL, MAXIMAL, DEFAULT)

CLANG, LINKER = "clang-19", "ld.lld-19"
PLUGIN = Path("compiler/malloom_plugin.so")
POOLS_LIBRARY = Path("runtime/front/libmalloom_pools.a")
BUILD_ALL = "run 'setup/packages.sh' and 'setup/native.sh release' in malloom's source tree"


@dataclass(frozen=True)
class Toolchain:
    """Where CMake has built malloom's compiler, and the source tree that it is of."""

    build: Path
    tree: Path

    @property
    def plugin(self) -> Path:
        return self.build / PLUGIN

    @property
    def pools_library(self) -> Path:
        return self.build / POOLS_LIBRARY

    def require(self) -> None:
        """Raises CommandError where a compiler or a part of malloom's is missing."""
        for program in (CLANG, LINKER, "gcc"):
            if shutil.which(program) is None:
                raise CommandError(f"the suite splitting needs {program}", remedy=BUILD_ALL)
        for file in (self.plugin, self.pools_library):
            if not file.is_file():
                raise CommandError(
                    f"the suite splitting needs malloom's compiler, and there is no {file}",
                    remedy=f"{BUILD_ALL}, and measure with --workloads build/release/workloads",
                )

    def command(self, variant: str, sources: Sequence[Path], program: Path) -> list[str]:
        """What makes the program of the sources."""
        files = [str(source) for source in sources]
        return [*_LINES[variant](self), f"-I{self.tree}", *files, *self._rest(variant), "-o", str(program)]

    def _rest(self, variant: str) -> list[str]:
        return [str(self.pools_library), "-lm"] if variant in OURS else ["-lm"]


def _with_lto(_toolchain: Toolchain) -> list[str]:
    return [CLANG, "-O3", "-flto=full", "-fuse-ld=lld"]


def _with_policy(policy: str) -> Callable[[Toolchain], list[str]]:
    def line(toolchain: Toolchain) -> list[str]:
        plugin = toolchain.plugin
        loaded = [f"-Wl,-mllvm=-load={plugin}", f"-Wl,--load-pass-plugin={plugin}"]
        return [*_with_lto(toolchain), *loaded, f"-Wl,-mllvm,-malloom-policy={policy}"]

    return line


_LINES: Mapping[str, Callable[[Toolchain], list[str]]] = {
    BASELINE: lambda _toolchain: [CLANG, "-O3"],
    LTO: _with_lto,
    GCC: lambda _toolchain: ["gcc", "-O3"],
    **{policy: _with_policy(policy) for policy in OURS},
}
VARIANTS = tuple(_LINES)
