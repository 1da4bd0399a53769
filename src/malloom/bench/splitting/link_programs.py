"""All programs whose links are measured, named before any of them was: those of the part `debian`, and more
of Debian's, in C and C++, that are built in a few minutes with what the suites have installed anyway."""

from malloom.bench.splitting import debian_programs as debian
from malloom.bench.splitting import linked_c, linked_cxx, linked_gnu
from malloom.bench.splitting.debian_programs import DebianProgram
from malloom.bench.splitting.linked_program import LinkedProgram


def _linked(program: DebianProgram, arguments: str, build_seconds: float, *folders: str) -> LinkedProgram:
    return LinkedProgram(
        program.name,
        program.language,
        program.package,
        program.configure,
        program.make,
        program.binary,
        arguments,
        folders,
        build_seconds,
    )


PROGRAMS = (
    _linked(debian.RAGEL, "-v", 40.0, "ragel", "aapl"),
    _linked(debian.HUNSPELL, "--version", 30.0, "src"),
    _linked(debian.NINJA, "--version", 25.0, "src"),
    _linked(debian.YAML, "/dev/null", 25.0, "src", "include", "util"),
    *linked_cxx.PROGRAMS,
    _linked(debian.BASH, "-c 'echo $((6 * 7))'", 50.0),
    _linked(debian.BISON, "--version", 40.0, "src", "lib"),
    _linked(debian.FIG2DEV, "-V", 20.0, "fig2dev"),
    _linked(debian.LUA, "-e 'print(6 * 7)'", 10.0, "src"),
    _linked(debian.MANDOC, "-T utf8 mandoc.1", 15.0),
    _linked(debian.MAWK, "'BEGIN { print 6 * 7 }'", 8.0),
    _linked(debian.NASM, "-v", 40.0),
    *linked_c.PROGRAMS,
    *linked_gnu.PROGRAMS,
)
NAMES = tuple(program.name for program in PROGRAMS)
QUICK = tuple(program for program in PROGRAMS if program.name in ("bzip2", "lzip"))
"""Two of the smallest."""
