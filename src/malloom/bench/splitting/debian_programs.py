"""The real programs of the suite, all named before any of them was measured.

They come from Debian, and are what people use: interpreters, translators, formatters, tools that build and
check. Each has 10,000 lines of C or C++ and more, is built by make in a minute or two, and works on an input
of any size with 10 MB of heap and more. Which allocators they use, and how they link their structures, was no
reason to choose or to leave one out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malloom.bench.debian.recipes import MAWK as MAWK_SOURCES
from malloom.bench.debian.recipes import NINJA as NINJA_SOURCES
from malloom.bench.debian_sources import Package
from malloom.bench.splitting import debian_inputs as inputs
from malloom.measure.rows import Place


@dataclass(frozen=True)
class Work:
    """What a program does: `write` makes a file with so many of what `unit` names, and may make others beside
    it. `arguments` have {input} for its path, {beside} for that without its ending and {text} for the text
    beside it."""

    write: Callable[[Path, int], None]
    file: str
    unit: str
    arguments: str
    size: int
    quick_size: int

    def prepared(self, folder: Path, size: int) -> list[str]:
        """The arguments; the input is written where it is not there yet."""
        path = folder / f"{size}-{self.file}"
        if not path.exists():
            self.write(path, size)
        places = {"input": path, "beside": path.with_suffix(""), "text": path.with_suffix(".txt")}
        return [word.format(**places) for word in self.arguments.split()]


@dataclass(frozen=True)
class SourceProgram:
    """`configure` and `make` are shell commands for the folder of its sources, with the variables that name
    a compiler; `make` makes `binary`."""

    name: str
    language: str
    package: Package
    configure: str
    make: str
    binary: str


@dataclass(frozen=True)
class DebianProgram(SourceProgram):
    """One that works on an input of any size."""

    work: Work

    def place(self, size: int) -> Place:
        """What rows call it, with its work."""
        return self.name, f"{size} {self.work.unit}"


BASH = DebianProgram(
    "bash",
    "C",
    Package(
        "bash",
        "5.2.15-2",
        "bash_5.2.15.orig.tar.gz",
        "7a315bc0e9d90713159e4390ec1096a41e4f33cd8cc3d1a749a8e5ad56600f51",
    ),
    # Its terminal library calls functions that it does not declare.
    "./configure -q --without-bash-malloc --disable-nls bash_cv_termcap_lib=gnutermcap "
    'CFLAGS="$CFLAGS -Wno-implicit-function-declaration"',
    "make bash",
    "bash",
    Work(inputs.write_bash_script, "arrays.sh", "elements of arrays", "{input}", 150_000, 20_000),
)
BISON = DebianProgram(
    "bison",
    "C",
    Package(
        "bison",
        "2:3.8.2+dfsg-1",
        "bison_3.8.2+dfsg.orig.tar.xz",
        "dff8a3c96dd34121828f62a7fa49e1f7765815b89e59f564e8d2a9e71c177be5",
    ),
    # Without its manual, of which its default target makes examples.
    "./configure -q --disable-nls --disable-yacc\n"
    "printf 'include Makefile\\nheaders: $(filter lib/%%,$(BUILT_SOURCES))\\n' > headers.mk\n"
    "make -f headers.mk headers",
    "make src/bison",
    "src/bison",
    Work(inputs.write_grammar, "grammar.y", "groups of rules", "--feature=syntax-only {input}", 2_000, 60),
)
FIG2DEV = DebianProgram(
    "fig2dev",
    "C",
    Package(
        "fig2dev",
        "1:3.2.8b-3+deb12u2",
        "fig2dev_3.2.8b.orig.tar.xz",
        "418a164aa9fad72d25bb4fec8d7b452fe3a2f12f990cf22e05c0eb16cecb68cb",
    ),
    "./configure -q --without-png",
    "make -C fig2dev/dev && make -C fig2dev fig2dev",
    "fig2dev/fig2dev",
    Work(inputs.write_figure, "drawing.fig", "lines and boxes", "-L svg {input}", 300_000, 4_000),
)
LUA = DebianProgram(
    "lua",
    "C",
    Package(
        "lua5.4",
        "5.4.4-3+deb12u1",
        "lua5.4_5.4.4.orig.tar.gz",
        "164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61",
    ),
    "",
    'make -C src posix CC="$CC" CFLAGS="$CFLAGS -DLUA_COMPAT_5_3 -DLUA_USE_POSIX" '
    'LDFLAGS="$LDFLAGS" AR="$AR rcu" RANLIB="$RANLIB"',
    "src/lua",
    Work(inputs.write_lua_script, "tables.lua", "tables", "{input}", 150_000, 10_000),
)
MANDOC = DebianProgram(
    "mandoc",
    "C",
    Package(
        "mdocml",
        "1.14.6-1",
        "mdocml_1.14.6.orig.tar.gz",
        "8bf0d570f01e70a6e124884088870cbed7537f36328d512909eb10cd53179d9c",
    ),
    'printf \'CC="%s"\\nCFLAGS="%s"\\nLDFLAGS="%s"\\nAR="%s"\\n\' '
    '"$CC" "$CFLAGS" "$LDFLAGS" "$AR" > configure.local\n./configure',
    "make mandoc",
    "mandoc",
    Work(inputs.write_manual, "page.1", "entries", "-T utf8 {input}", 60_000, 3_000),
)
MAWK = DebianProgram(
    "mawk",
    "C",
    *MAWK_SOURCES,
    "mawk",
    Work(inputs.write_awk_script, "count.awk", "lines", "-f {input} {text}", 120_000, 20_000),
)
NASM = DebianProgram(
    "nasm",
    "C",
    Package(
        "nasm",
        "2.16.01-1",
        "nasm_2.16.01.orig.tar.xz",
        "c77745f4802375efeee2ec5c0ad6b7f037ea9c87c92b149a9637ff099f162558",
    ),
    "./configure -q",
    "make nasm",
    "nasm",
    Work(inputs.write_assembly, "places.asm", "labels", "-f elf64 -o {beside}.o {input}", 60_000, 3_000),
)
HUNSPELL = DebianProgram(
    "hunspell",
    "C++",
    Package(
        "hunspell",
        "1.7.1-1",
        "hunspell_1.7.1.orig.tar.gz",
        "b2d9c5369c2cc7f321cb5983fda2dbf007dce3d9e17519746840a6f0c4bf7444",
    ),
    "./configure -q --disable-shared --disable-nls",
    "make -C src",
    "src/tools/hunspell",
    Work(inputs.write_dictionary, "words.dic", "words", "-d {beside} -l {text}", 300_000, 10_000),
)
NINJA = DebianProgram(
    "ninja",
    "C++",
    *NINJA_SOURCES,
    "build/ninja",
    Work(inputs.write_ninja_file, "build.ninja", "steps", "-n -f {input}", 80_000, 4_000),
)
RAGEL = DebianProgram(
    "ragel",
    "C++",
    Package(
        "ragel",
        "6.10-4",
        "ragel_6.10.orig.tar.gz",
        "5f156edb65d20b856d638dd9ee2dfb43285914d9aa2b6ec779dac0270cd56c3f",
    ),
    # Its C++ is that of 1998.
    './configure -q --disable-manual CXXFLAGS="$CXXFLAGS -std=gnu++98"',
    "make -C ragel",
    "ragel/ragel",
    Work(inputs.write_machine, "words.rl", "words", "-C -T0 -o {beside}.out {input}", 25_000, 100),
)
YAML = DebianProgram(
    "yaml-cpp",
    "C++",
    Package(
        "yaml-cpp",
        "0.7.0+dfsg-8",
        "yaml-cpp_0.7.0+dfsg.orig.tar.xz",
        "dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312",
    ),
    "cmake -S . -B build -G 'Unix Makefiles' -DYAML_CPP_BUILD_TESTS=OFF -DCMAKE_BUILD_TYPE=",
    "make -C build yaml-cpp-parse",
    "build/util/parse",
    Work(inputs.write_yaml, "orders.yaml", "orders", "{input}", 15_000, 500),
)

PROGRAMS = (BASH, BISON, FIG2DEV, LUA, MANDOC, MAWK, NASM, HUNSPELL, NINJA, RAGEL, YAML)
NAMES = tuple(program.name for program in PROGRAMS)
