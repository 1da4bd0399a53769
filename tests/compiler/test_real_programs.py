"""Real C programs with tests of their own pass them when malloom-cc has built them, with what it chooses by
itself, and with every structure split that may be and each access checked as the program runs.

Their sources are fetched from Debian.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from compiler.compiling import BUILD, ROOT
from malloom.bench.debian_sources import Package, unpack
from malloom.bench.splitting import linked_c, linked_gnu
from malloom.bench.splitting.compilers import Toolchain
from malloom.bench.splitting.debian_programs import BISON, MANDOC, MAWK, NASM
from malloom.native_files import native_file

OPTIONS = {"default": "", "verified": "-fmalloom-policy=maximal -fmalloom-verify"}
LONGEST = 3000.0
"""Seconds that a program's build, or its tests, may take."""


@dataclass(frozen=True)
class Program:
    """Shell commands that configure a program, make it, and test it; and what the tests say where they
    pass. Where one fails, the command does."""

    package: Package
    configure: str
    make: str
    test: str
    passed: str


BZIP2 = Program(
    linked_c.BZIP2.package,
    "",
    'make bzip2 bzip2recover CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" AR="$AR" RANLIB="$RANLIB"',
    "make test",
    "If you got this far and the 'cmp's didn't complain",
)
ZLIB = Program(
    Package(
        "zlib",
        "1:1.2.13.dfsg-1",
        "zlib_1.2.13.dfsg.orig.tar.bz2",
        "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1",
    ),
    "./configure --static",
    "make static",
    "make teststatic",
    "*** zlib test OK ***",
)
JANSSON = Program(
    Package(
        "jansson",
        "2.14-2",
        "jansson_2.14.orig.tar.gz",
        "c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DJANSSON_BUILD_DOCS=OFF -DCMAKE_BUILD_TYPE=",
    "make -C build",
    "make -C build test",
    "100% tests passed",
)
M4 = linked_gnu.M4
SHORT = {
    "bzip2": BZIP2,
    "zlib": ZLIB,
    "mawk": Program(MAWK.package, MAWK.configure, MAWK.make, "make check", "mawk OK"),
    "jansson": JANSSON,
}
LONG = {
    "m4": Program(M4.package, M4.configure, M4.make, "make -C checks check", "All checks successful"),
    "mandoc": Program(MANDOC.package, MANDOC.configure, "make", "make regress", " tests OK:"),
    "nasm": Program(NASM.package, NASM.configure, "make nasm ndisasm", "make travis", "PASS ==="),
    "bison": Program(
        BISON.package,
        BISON.configure,
        BISON.make,
        "make tests/testsuite tests/atconfig tests/atlocal && cd tests && ./testsuite 1-150",
        "tests were successful",
    ),
}


@pytest.fixture(scope="module")
def toolchain() -> Toolchain:
    found = Toolchain(native_file("malloom-cc").parent, BUILD, ROOT)
    found.require()
    return found


def check(program: Program, options: str, toolchain: Toolchain, folder: Path) -> None:
    unpack(program.package, folder / "tree")
    tools = toolchain.compiler
    variables = {
        "CC": f"{tools / 'malloom-cc'} {options}",
        "CFLAGS": "-O2 -w",
        "LDFLAGS": "",
        "MAKEFLAGS": "",
        **{name: str(tools / f"malloom-llvm-{name.lower()}") for name in ("AR", "NM", "RANLIB")},
    }
    for script in (program.configure, program.make):
        run(script, folder / "tree", variables)
    assert program.passed in run(program.test, folder / "tree", variables)


def run(script: str, folder: Path, variables: dict[str, str]) -> str:
    """What shell commands print, which must succeed."""
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=folder,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="replace",
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, f"'{script}' failed: {done.stdout[-2000:]}"
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("name", SHORT)
def test_its_own_tests_pass(name: str, toolchain: Toolchain, tmp_path: Path) -> None:
    check(SHORT[name], OPTIONS["default"], toolchain, tmp_path)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "mawk" else pytest.mark.long) for name in SHORT]
)
def test_its_own_tests_pass_as_every_access_is_checked(
    name: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    check(SHORT[name], OPTIONS["verified"], toolchain, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("program", LONG.values(), ids=LONG)
def test_its_own_long_tests_pass(
    program: Program, options: str, toolchain: Toolchain, tmp_path: Path
) -> None:
    check(program, options, toolchain, tmp_path)
