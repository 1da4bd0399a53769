"""The programs of the suite, all named before any of them was measured.

C and C++ by gcc and by clang, and Rust; objects from malloc, from wrappers of it, from a program's own
blocks, from `new` of classes with bases, and from the containers of the languages' libraries.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.debian import files, markup, recipes, scripts, sources
from malloom.bench.debian.draw import Draw
from malloom.bench.debian_sources import Package
from malloom.measure.rows import Place

SEED = 201
"""Of all inputs."""
GCC = {"CC": "gcc", "CXX": "g++"}
CLANG = {"CC": "clang-19", "CXX": "clang++-19"}
AWK = """
{ count[$1] += length($0); split($0, parts, "/"); last[$1] = parts[2] "/" parts[3]; all[NR] = $0 }
function longest(name, text) { return length(text) > length(name) ? text : name }
END {
    for (i = NR; i > 0; --i) { gsub(/[0-9]+/, "#", all[i]); word = longest(word, substr(all[i], 1, 40)) }
    for (key in count) if (count[key] > 9) { often++; line = sprintf("%s %d", last[key], count[key]) }
    print often, line, word
}
"""


@dataclass(frozen=True)
class Work:
    """What a program does: `write` fills a folder with an input of a size, told in `unit`; in `words`, those
    of the command line behind the program, {folder} stands for it."""

    write: Callable[[Path, Draw, int], None]
    words: str
    unit: str
    size: int
    quick_size: int

    def prepared(self, folder: Path, size: int) -> list[str]:
        """The words; the folder is made, and the input."""
        folder.mkdir(parents=True)
        self.write(folder, Draw(SEED), size)
        return [word.format(folder=folder) for word in self.words.split()]


@dataclass(frozen=True)
class OfDebian:
    """Sources of Debian's, with the shell commands that configure and make them. `compiler` are the variables
    that name it."""

    package: Package
    configure: str
    make: str
    compiler: dict[str, str]


@dataclass(frozen=True)
class OfCrate:
    """A crate with a program, of a version whose lock file says those of all others."""

    crate: str
    version: str


@dataclass(frozen=True)
class Typed:
    """A program that is built with debug information. `binary` is where in its folder the build has it."""

    name: str
    language: str
    build: OfDebian | OfCrate
    binary: str
    work: Work

    def size(self, quick: bool) -> int:
        return self.work.quick_size if quick else self.work.size

    def place(self, quick: bool) -> Place:
        """What rows call it, with its work."""
        return self.name, f"{self.size(quick)} {self.work.unit}"


def write_awk(folder: Path, draw: Draw, size: int) -> None:
    """A script beside the log that it reads."""
    scripts.write_perl(folder, draw, size)
    (folder / "count.awk").write_text(AWK, encoding="utf-8")


def write_searched(folder: Path, draw: Draw, size: int) -> None:
    """A log, and expressions that are searched for in it."""
    scripts.write_perl(folder, draw, size)
    lines = [rf"{draw.word()}[0-9]+/({draw.word()}|{draw.word()}s?)\.[a-z]{{2,5}}" for _ in range(40)]
    lines += [rf"(?i)\b{draw.word()}\w*" for _ in range(20)]
    (folder / "expressions").write_text("\n".join(lines) + "\n", encoding="utf-8")


PROGRAMS: Sequence[Typed] = (
    Typed(
        "ld",
        "C",
        OfDebian(
            Package(
                "binutils",
                "2.40-2",
                "binutils_2.40.orig.tar.xz",
                "d78c2d2eb24a9be1e02f8854cb1bd435556d7f584fb6bfb6b07e6527d43fc41d",
            ),
            "./configure -q --disable-nls --disable-gprofng --disable-gold --disable-gas --disable-plugins",
            "make MAKEINFO=true all-ld",
            GCC,
        ),
        "ld/ld-new",
        Work(
            sources.write_objects,
            "--gc-sections -M -e f0_0 -o {folder}/linked --whole-archive {folder}/objects.a",
            "objects",
            25,
            4,
        ),
    ),
    Typed(
        "gawk",
        "C",
        OfDebian(
            *recipes.GAWK,
            GCC,
        ),
        "gawk",
        Work(write_awk, "-f {folder}/count.awk {folder}/access.log", "lines", 20_000, 500),
    ),
    Typed(
        "mawk",
        "C",
        OfDebian(
            *recipes.MAWK,
            CLANG,
        ),
        "mawk",
        Work(write_awk, "-f {folder}/count.awk {folder}/access.log", "lines", 20_000, 500),
    ),
    Typed(
        "troff",
        "C++",
        OfDebian(
            *recipes.GROFF,
            GCC,
        ),
        "troff",
        # The macros are those of Debian's groff-base.
        Work(
            markup.write_manual,
            "-M/usr/share/groff/1.22.4/tmac -F/usr/share/groff/1.22.4/font -man -Tutf8 {folder}/page.1",
            "options",
            700,
            20,
        ),
    ),
    Typed(
        "ninja",
        "C++",
        OfDebian(
            *recipes.NINJA,
            CLANG,
        ),
        "build/ninja",
        Work(files.write_build, "-n -C {folder}", "objects", 2_000, 100),
    ),
    Typed(
        "cppcheck",
        "C++",
        OfDebian(
            recipes.CPPCHECK,
            "",
            'make cppcheck CXX="$CXX" CXXFLAGS="$CXXFLAGS" FILESDIR="$PWD"',
            GCC,
        ),
        "cppcheck",
        Work(sources.write_cpp, "--enable=warning,style {folder}/classes.cpp", "classes", 12, 1),
    ),
    Typed(
        "ripgrep",
        "Rust",
        OfCrate("ripgrep", "13.0.0"),
        "bin/rg",
        Work(write_searched, "-j1 --json -f {folder}/expressions {folder}/access.log", "lines", 20_000, 200),
    ),
)
