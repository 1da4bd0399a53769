"""Packages of Debian's from whose sources several suites build a program, and how that is made."""

from typing import NamedTuple

from malloom.bench.debian_sources import Package


class Recipe(NamedTuple):
    """Shell commands that configure a program in its sources, and make it."""

    package: Package
    configure: str
    make: str


MAWK = Recipe(
    Package(
        "mawk",
        "1.3.4.20200120-3.1",
        "mawk_1.3.4.20200120.orig.tar.gz",
        "7fd4cd1e1fae9290fe089171181bbc6291dfd9bca939ca804f0ddb851c8b8237",
    ),
    "./configure -q",
    "make mawk",
)
NINJA = Recipe(
    Package(
        "ninja-build",
        "1.11.1-2~deb12u1",
        "ninja-build_1.11.1.orig.tar.gz",
        "31747ae633213f1eda3842686f83c2aa1412e0f5691d1c14dbbcc67fe7400cea",
    ),
    # With a build type, CMake would ask for -flto=thin.
    "cmake -S . -B build -G 'Unix Makefiles' -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=",
    "make -C build ninja",
)
GAWK = Recipe(
    Package(
        "gawk",
        "1:5.2.1-2",
        "gawk_5.2.1.orig.tar.xz",
        "2337a0283b180ec1b9c727973a34781c6478b3ae9bcbdcca0a4dc49861d75a65",
    ),
    "./configure -q --disable-nls --disable-extensions --without-readline --without-mpfr",
    "make -C support && make gawk",
)
GROFF = Recipe(
    Package(
        "groff",
        "1.22.4-10",
        "groff_1.22.4.orig.tar.gz",
        "e78e7b4cb7dec310849004fa88847c44701e8d133b5d4c13057d876c1bad0293",
    ),
    # Of groff, the program that sets pages.
    "./configure -q --without-x --with-doc=no\nprintf 'include Makefile\\nheaders: "
    "$(BUILT_SOURCES)\\n' > headers.mk\nmake -f headers.mk headers",
    "make troff",
)
CPPCHECK = Package(
    "cppcheck",
    "2.10-2",
    "cppcheck_2.10.orig.tar.gz",
    "785dcbf711048dfe43ae920b6eff2eeebb4a096e88188a40e173ca4c030f57c3",
)
