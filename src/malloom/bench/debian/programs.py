"""The programs of the suite, with what each is given, all named before any of them was measured.

Why these, and why so: docs/decisions/programs.md.
"""

import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from malloom.bench.debian import documents, files, markup, scripts, sources
from malloom.bench.debian.draw import Draw
from malloom.bench.debian.executables import of_debian
from malloom.errors import CommandError
from malloom.measure.rows import Place
from malloom.optimize.inputs import STANDARD_INPUT

PLACE = "{}"
"""Stands in a command where the words of an input come."""


class Role(StrEnum):
    """What an input is for: `malloom optimize` is told of those to learn on and to check by, and of no
    other."""

    TRAIN = "train"
    CHECK = "check"
    HELD_OUT = "held-out"


@dataclass(frozen=True)
class Input:
    """One of a program's: its seed, and how large it is against the program's size."""

    role: Role
    seed: int
    part: float


INPUTS = (
    Input(Role.TRAIN, 101, 1.0),
    Input(Role.TRAIN, 102, 0.6),
    Input(Role.CHECK, 103, 0.8),
    Input(Role.HELD_OUT, 204, 0.5),
    Input(Role.HELD_OUT, 205, 2.0),
)
"""Of every program. Held-out inputs are drawn anew, by other seeds, once what was seen on them has led to
changes: docs/decisions/programs.md says when."""


@dataclass(frozen=True)
class Program:
    """A program of Debian's, and what its work is. `command` is its command line, `{}` where an input comes;
    the words of an input have `{folder}` for the folder that `write` fills with a size, told in `unit`."""

    name: str
    package: str
    work: str
    command: Callable[[], Sequence[str]]
    words: Sequence[str]
    write: Callable[[Path, Draw, int], None]
    unit: str
    size: int

    def smaller(self, times: int) -> "Program":
        """The same with inputs that are so many times smaller."""
        return replace(self, size=max(self.size // times, 1))

    def size_of(self, wanted: Input) -> int:
        return max(round(self.size * wanted.part), 1)

    def place(self, wanted: Input) -> Place:
        """What rows call the program and the input."""
        return self.name, f"{wanted.role} {self.size_of(wanted)} {self.unit}"

    def prepared(self, wanted: Input, folder: Path) -> list[str]:
        """The words of the input, whose files are made in the folder where they are not there yet."""
        size = self.size_of(wanted)
        made = folder / f"{self.name}-{wanted.seed}-{size}"
        if not made.exists():
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix="made-", dir=folder) as making:
                there = Path(making) / made.name
                there.mkdir()
                self.write(there, Draw(wanted.seed), size)
                there.rename(made)
        return [word.format(folder=made) for word in self.words]

    def command_line(self, words: Sequence[str]) -> list[str]:
        """The command with the words of an input."""
        return [part for word in self.command() for part in (words if word == PLACE else (word,))]


def told_inputs(words: Mapping[Input, Sequence[str]]) -> dict[str, Input]:
    """Those to learn on and to check by, by what a user types for them."""
    return {_typed(words[given]): given for given in INPUTS if given.role is not Role.HELD_OUT}


def _typed(words: Sequence[str]) -> str:
    """What begins like the name of a file for standard input has that doubled."""
    begun = (STANDARD_INPUT if word.startswith(STANDARD_INPUT) else "" for word in words)
    return shlex.join(f"{begin}{word}" for begin, word in zip(begun, words, strict=True))


def _started(name: str, *arguments: str) -> Callable[[], Sequence[str]]:
    return lambda: [of_debian(name), *arguments]


def _compiler(name: str, *arguments: str) -> Callable[[], Sequence[str]]:
    """The compiler proper, as gcc starts it: gcc itself only does that."""

    def command() -> Sequence[str]:
        path = _asked(f"-print-prog-name={name}")
        if not Path(path).is_file():
            raise CommandError(f"gcc has no {name}", remedy="install Debian's package g++")
        return [path, "-quiet", "-imultiarch", _asked("-print-multiarch"), "-D_GNU_SOURCE", *arguments]

    return command


def _asked(option: str) -> str:
    command = [of_debian("gcc"), option]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


PROGRAMS: Sequence[Program] = (
    Program(
        "cc1",
        "gcc",
        "C with loops, branches and calls, compiled at -O2",
        _compiler("cc1", "-O2", PLACE, "-o", "-"),
        ("{folder}/parts.c",),
        sources.write_c,
        "functions",
        70,
    ),
    Program(
        "cc1plus",
        "g++",
        "C++ classes with the standard library's containers, compiled at -O2",
        _compiler("cc1plus", "-O2", PLACE, "-o", "-"),
        ("{folder}/classes.cpp",),
        sources.write_cpp,
        "classes",
        5,
    ),
    Program(
        "ld",
        "binutils",
        "an archive of objects linked, unused sections left out, with a map",
        _started("ld", "--gc-sections", "-M", "-e", "f0_0", PLACE),
        ("-o", "{folder}/linked", "--whole-archive", "{folder}/objects.a"),
        sources.write_objects,
        "objects",
        50,
    ),
    Program(
        "python3",
        "python3",
        "a script that reads observations from JSON into objects and sums them up",
        _started("python3", PLACE),
        ("{folder}/stations.py", "{folder}/stations.json"),
        scripts.write_python,
        "observations",
        100_000,
    ),
    Program(
        "ruby",
        "ruby",
        "a script that follows visitors through a web server's log",
        _started("ruby", PLACE),
        ("{folder}/visits.rb", "{folder}/access.log"),
        scripts.write_ruby,
        "lines",
        80_000,
    ),
    Program(
        "tclsh",
        "tcl8.6",
        "a script that makes an index of a text",
        _started("tclsh8.6", PLACE),
        ("{folder}/index.tcl", "{folder}/text.txt"),
        scripts.write_tcl,
        "lines",
        80_000,
    ),
    Program(
        "perl",
        "perl-base",
        "a script that counts folders and visits in a web server's log",
        _started("perl", PLACE),
        ("{folder}/folders.pl", "{folder}/access.log"),
        scripts.write_perl,
        "lines",
        90_000,
    ),
    Program(
        "xsltproc",
        "xsltproc",
        "orders in XML grouped by town into tables",
        _started("xsltproc", PLACE),
        ("{folder}/orders.xsl", "{folder}/orders.xml"),
        documents.write_orders,
        "orders",
        18_000,
    ),
    Program(
        "xalan",
        "xalan",
        "a book in XML set as HTML, with contents and references",
        _started("xalan", PLACE),
        ("-in", "{folder}/book.xml", "-xsl", "{folder}/book.xsl"),
        documents.write_book,
        "sections",
        8_000,
    ),
    # What groff starts to do the work.
    Program(
        "groff",
        "groff-base",
        "a manual page of many options set for a terminal",
        _started("troff", "-man", "-Tutf8", PLACE),
        ("{folder}/page.1",),
        markup.write_manual,
        "options",
        7_000,
    ),
    Program(
        "dot",
        "graphviz",
        "a graph of calls within files drawn",
        _started("dot", "-Tsvg", PLACE),
        ("{folder}/calls.gv",),
        markup.write_graph,
        "nodes",
        1_500,
    ),
    Program(
        "sqlite3",
        "sqlite3",
        "a shop's tables filled, indexed, questioned and changed, in memory",
        _started("sqlite3", "-batch", ":memory:", PLACE),
        (".read {folder}/shop.sql",),
        scripts.write_sql,
        "sales",
        100_000,
    ),
    Program(
        "jq",
        "jq",
        "a list of packages grouped by section and summed up",
        _started("jq", "-f", PLACE),
        ("{folder}/report.jq", "{folder}/packages.json"),
        documents.write_packages,
        "packages",
        7_000,
    ),
    Program(
        "git",
        "git",
        "the log of a repository with all changes",
        _started("git", "-C", PLACE),
        ("{folder}/repository.git", "log", "-p", "--stat"),
        files.write_repository,
        "commits",
        1_500,
    ),
    Program(
        "bsdtar",
        "libarchive-tools",
        "a tar archive of small files turned into a zip archive",
        _started("bsdtar", "--format=zip", "-cf", "-", PLACE),
        ("@{folder}/files.tar",),
        files.write_archive,
        "files",
        16_000,
    ),
    Program(
        "ninja",
        "ninja-build",
        "what is to be built of what, as a dry run",
        _started("ninja", "-n", PLACE),
        ("-C", "{folder}"),
        files.write_build,
        "objects",
        11_000,
    ),
    Program(
        "cppcheck",
        "cppcheck",
        "C++ classes checked for faults and style",
        _started("cppcheck", "--enable=warning,style", PLACE),
        ("{folder}/classes.cpp",),
        sources.write_cpp,
        "classes",
        400,
    ),
    Program(
        "yosys",
        "yosys",
        "a circuit in Verilog synthesised to gates",
        _started("yosys", "-q", "-p", PLACE),
        ("read_verilog {folder}/circuit.v; synth -noabc; write_verilog -noattr",),
        sources.write_verilog,
        "stages",
        40,
    ),
)
