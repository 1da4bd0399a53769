"""GNU programs in C whose links are measured, beside those that the part `debian` has."""

from malloom.bench.debian.recipes import GAWK as GAWK_SOURCES
from malloom.bench.debian_sources import Package
from malloom.bench.splitting.linked_program import LinkedProgram

BC = LinkedProgram(
    "bc",
    "C",
    Package(
        "bc",
        "1.07.1-3",
        "bc_1.07.1.orig.tar.gz",
        "62adfca89b0a1c0164c2cdca59ca210c1d44c3ffc46daf9931cf4942664cb02a",
    ),
    "./configure -q",
    "make -C lib && make -C bc bc",
    "bc/bc",
    "-q < /dev/null",
    ("bc", "lib", "h"),
    5.0,
)
CFLOW = LinkedProgram(
    "cflow",
    "C",
    Package(
        "cflow",
        "1:1.7-4",
        "cflow_1.7.orig.tar.xz",
        "9e278b10ea420a1ab7ecccd8335fc31fb1921e91ab99d77e33df0729e19dca3b",
    ),
    "./configure -q --disable-nls",
    "make -C gnu && make -C src",
    "src/cflow",
    "src/main.c",
    ("src", "gnu"),
    10.0,
)
DIFF = LinkedProgram(
    "diff",
    "C",
    Package(
        "diffutils",
        "1:3.8-4",
        "diffutils_3.8.orig.tar.xz",
        "a6bdd7d1b31266d11c4f4de6c1b748d4607ab0231af5188fc2533d0ae2438fec",
    ),
    "./configure -q --disable-nls",
    "make -C lib && make -C src diff",
    "src/diff",
    "-u NEWS README || true",
    ("src", "lib"),
    12.0,
)
GAWK = LinkedProgram(
    "gawk",
    "C",
    *GAWK_SOURCES,
    "gawk",
    "'BEGIN { for (i = 0; i < 9; ++i) print i * i }'",
    (),
    20.0,
)
GLPK = LinkedProgram(
    "glpk",
    "C",
    Package(
        "glpk",
        "5.0-1",
        "glpk_5.0.orig.tar.gz",
        "4a1013eebb50f728fc601bdd833b0b2870333c3b3e5a816eeba921d95bec6f15",
    ),
    "./configure -q --disable-shared",
    "make -C src && make -C examples glpsol",
    "examples/glpsol",
    "--version",
    ("src", "examples"),
    60.0,
)
GNUGO = LinkedProgram(
    "gnugo",
    "C",
    Package(
        "gnugo",
        "3.8-11",
        "gnugo_3.8.orig.tar.gz",
        "da68d7a65f44dcf6ce6e4e630b6f6dd9897249d34425920bfdd4e07ff1866a72",
    ),
    # Variables are defined in its headers.
    './configure -q --without-curses --without-readline CFLAGS="$CFLAGS -fcommon '
    '-Wno-implicit-function-declaration"',
    "make",
    "interface/gnugo",
    "--version",
    ("engine", "interface", "patterns", "sgf", "utils"),
    60.0,
)
GREP = LinkedProgram(
    "grep",
    "C",
    Package(
        "grep",
        "3.8-5",
        "grep_3.8.orig.tar.xz",
        "498d7cc1b4fb081904d87343febb73475cf771e424fb7e6141aff66013abc382",
    ),
    "./configure -q --disable-nls --disable-perl-regexp",
    "make -C lib && make -C src grep",
    "src/grep",
    "-c GNU README",
    ("src", "lib"),
    12.0,
)
GZIP = LinkedProgram(
    "gzip",
    "C",
    Package(
        "gzip",
        "1.12-1",
        "gzip_1.12.orig.tar.xz",
        "ce5e03e519f637e1f814011ace35c4f87b33c0bbabeec35baf5fbd3479e91956",
    ),
    "./configure -q",
    "make -C lib && make gzip",
    "gzip",
    "-nc README",
    (".", "lib"),
    10.0,
)
M4 = LinkedProgram(
    "m4",
    "C",
    Package(
        "m4",
        "1.4.19-3",
        "m4_1.4.19.orig.tar.xz",
        "63aede5c6d33b6d9b13511cd0be2cac046f2e70fd0a07aa9573a04a82783af96",
    ),
    "./configure -q --disable-nls",
    "make -C lib && make -C src m4",
    "src/m4",
    "--version",
    ("src", "lib"),
    12.0,
)
PATCH = LinkedProgram(
    "patch",
    "C",
    Package(
        "patch",
        "2.7.6-7",
        "patch_2.7.6.orig.tar.xz",
        "ac610bda97abe0d9f6b7c963255a11dcb196c25e337c61f94e4778d632f1d8fd",
    ),
    "./configure -q",
    "make -C lib && make -C src patch",
    "src/patch",
    "--version",
    ("src", "lib"),
    12.0,
)
SED = LinkedProgram(
    "sed",
    "C",
    Package(
        "sed",
        "4.9-1+deb12u1",
        "sed_4.9.orig.tar.xz",
        "6e226b732e1cd739464ad6862bd1a1aba42d7982922da7a53519631d24975181",
    ),
    "./configure -q --disable-nls",
    "make sed/sed",
    "sed/sed",
    "-n '1,9p' README",
    ("sed", "lib"),
    12.0,
)
UNITS = LinkedProgram(
    "units",
    "C",
    Package(
        "units",
        "2.22-2",
        "units_2.22.orig.tar.gz",
        "5d13e1207721fe7726d906ba1d92dc0eddaa9fc26759ed22e3b8d1a793125848",
    ),
    "./configure -q",
    "make units",
    "units",
    "-f definitions.units -t '3 feet' meters",
    (),
    4.0,
)

PROGRAMS = (BC, CFLOW, DIFF, GAWK, GLPK, GNUGO, GREP, GZIP, M4, PATCH, SED, UNITS)
