"""Projects build unchanged, by make, CMake and autotools, and through ccache."""

import os
import shutil
from pathlib import Path

import pytest

from compiler.driver.driving import PROGRAMS, SUM, is_transformed, output_of, run
from some import some

MAKEFILE = """
CFLAGS = -O2 -g -Wall -Werror
OBJECTS = nodes.o main.o
program: libnodes.a main.o
\t$(CC) $(LDFLAGS) main.o -L. -lnodes -o $@
libnodes.a: nodes.o
\t$(AR) rcs $@ $^
%.o: %.c
\t$(CC) $(CFLAGS) -MMD -MP -c $< -o $@
-include $(OBJECTS:.o=.d)
"""

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.13)
project(sums C CXX)
include(CheckCCompilerFlag)
include(CheckFunctionExists)
check_c_compiler_flag(-Wextra has_extra)
check_c_compiler_flag(-fno-such-option has_made_up)
check_function_exists(qsort has_qsort)
if(NOT has_extra OR has_made_up OR NOT has_qsort)
    message(FATAL_ERROR "checks go wrong: ${has_extra} ${has_made_up} ${has_qsort}")
endif()
add_library(nodes STATIC nodes.c)
add_library(shared_nodes SHARED nodes.c)
add_executable(program main.c)
target_link_libraries(program nodes)
add_executable(with_shared main.c)
target_link_libraries(with_shared shared_nodes)
add_executable(cpp sum.cpp)
target_precompile_headers(cpp PRIVATE <vector>)
"""

SUM_CPP = """
#include <cstdio>
int main() {
    std::vector<long> all;
    for (long i = 0; i < 1000; ++i) all.push_back(i);
    long sum = 0;
    for (long one : all) sum += one;
    std::printf("%ld\\n", sum);
}
"""

CONFIGURE_AC = """
AC_INIT([sums], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AM_PROG_AR
LT_INIT
AC_C_BIGENDIAN
AC_CHECK_SIZEOF([long])
AC_CHECK_FUNCS([qsort no_such_function])
AC_CONFIG_HEADERS([config.h])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
"""

MAKEFILE_AM = """
lib_LTLIBRARIES = libnodes.la
libnodes_la_SOURCES = nodes.c nodes.h
libnodes_la_LDFLAGS = -export-symbols-regex '^(push|sum_of|release)$$'
noinst_LTLIBRARIES = libinner.la
libinner_la_SOURCES = nodes.c
bin_PROGRAMS = program inner
program_SOURCES = main.c
program_LDADD = libnodes.la
inner_SOURCES = main.c
inner_LDADD = libinner.la
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the sources, to be built in."""
    for name in ("nodes.c", "nodes.h", "main.c"):
        shutil.copy2(PROGRAMS / name, tmp_path)
    return tmp_path


@pytest.fixture
def environment(native: Path, tmp_path: Path) -> dict[str, str]:
    """What a user sets, and nothing else."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "LDFLAGS", "AR")}
    return {**kept, "CC": str(native / "malloom-cc"), "CXX": str(native / "malloom-c++")}


def test_make(project: Path, environment: dict[str, str]) -> None:
    (project / "Makefile").write_text(MAKEFILE)
    output_of("make", "-e", cwd=project, environment=environment)
    assert output_of(project / "program") == SUM
    assert is_transformed(project / "program")
    assert "nodes.h" in (project / "main.d").read_text()


@pytest.mark.parametrize("kind", some("Release", of=["Release", "RelWithDebInfo", "Debug"]))
def test_cmake(project: Path, environment: dict[str, str], kind: str) -> None:
    (project / "CMakeLists.txt").write_text(CMAKE_LISTS)
    (project / "sum.cpp").write_text(SUM_CPP)
    configure = ["cmake", "-B", "build", f"-DCMAKE_BUILD_TYPE={kind}"]
    assert "is Clang 19" in output_of(*configure, cwd=project, environment=environment)
    output_of("cmake", "--build", "build", cwd=project, environment=environment)
    for name in ("program", "with_shared", "cpp"):
        assert output_of(project / "build" / name) == SUM
    assert is_transformed(project / "build/program") == (kind != "Debug")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as its tar file would have it, with its configure."""
    folder = tmp_path_factory.mktemp("autotools")
    for name in ("nodes.c", "nodes.h", "main.c"):
        shutil.copy2(PROGRAMS / name, folder)
    (folder / "configure.ac").write_text(CONFIGURE_AC)
    (folder / "Makefile.am").write_text(MAKEFILE_AM)
    output_of("autoreconf", "-i", cwd=folder)
    return folder


@pytest.mark.long
def test_autotools_and_libtool(generated: Path, project: Path, environment: dict[str, str]) -> None:
    tools = Path(environment["CC"]).parent
    settings = [f"{tool.upper()}={tools}/malloom-llvm-{tool}" for tool in ("ar", "nm", "ranlib")]
    output_of(generated / "configure", *settings, cwd=project, environment=environment)
    found = (project / "config.h").read_text()
    assert "#define SIZEOF_LONG 8" in found
    assert "#define HAVE_QSORT 1" in found
    assert "#undef HAVE_NO_SUCH_FUNCTION" in found.replace("/* ", "").replace(" */", "")
    assert "#define WORDS_BIGENDIAN 1" not in found.replace("# define", "#  define")
    output_of("make", cwd=project, environment=environment)
    for name in ("program", "inner"):
        assert output_of(project / name, cwd=project) == SUM
    assert is_transformed(project / "inner")
    output_of("make", "install", f"DESTDIR={project}/installed", cwd=project, environment=environment)


@pytest.mark.long
def test_libtool_hands_on_what_asks_for_remarks(
    generated: Path, project: Path, environment: dict[str, str]
) -> None:
    """To links of programs; to those of shared libraries behind -Wc. It takes -Rpass for a run path."""
    tools = Path(environment["CC"]).parent
    settings = [f"{tool.upper()}={tools}/malloom-llvm-{tool}" for tool in ("ar", "nm", "ranlib")]
    output_of(generated / "configure", *settings, cwd=project, environment=environment)
    made = output_of("make", "inner", "LDFLAGS=-fmalloom-remarks", cwd=project, environment=environment)
    assert "come from pools" in made
    handed = "LDFLAGS=-Wc,-fmalloom-remarks=all"
    made = output_of("make", "libnodes.la", handed, cwd=project, environment=environment)
    assert "an alias set, proven for" in made
    (project / "inner").unlink()
    refused = run("make", "inner", "LDFLAGS=-Rpass=malloom", cwd=project, environment=environment)
    assert "only absolute run-paths are allowed" in refused.stderr


@pytest.mark.long
def test_autotools_with_binutils(generated: Path, project: Path, environment: dict[str, str]) -> None:
    """Nothing is set but CC; only lists of exported symbols need an nm that reads bitcode."""
    shutil.copytree(generated, project / "source")
    makefile = project / "source/Makefile.in"
    makefile.write_text(makefile.read_text().replace("-export-symbols-regex '^(push|sum_of|release)$$'", ""))
    (project / "build").mkdir()
    output_of("../source/configure", cwd=project / "build", environment=environment)
    output_of("make", cwd=project / "build", environment=environment)
    assert output_of(project / "build/inner") == SUM
    assert is_transformed(project / "build/inner")


def test_ccache(native: Path, project: Path, environment: dict[str, str]) -> None:
    """The second time the objects come from the cache, and make the same program."""
    cached = {**environment, "CCACHE_DIR": str(project / "cache")}
    programs = []
    for _ in range(2):
        for source in ("nodes.c", "main.c"):
            output_of("ccache", native / "malloom-cc", "-O2", "-c", source, cwd=project, environment=cached)
        output_of(native / "malloom-cc", "nodes.o", "main.o", "-o", "program", cwd=project)
        programs.append((project / "program").read_bytes())
    counters = dict(
        line.split("\t") for line in output_of("ccache", "--print-stats", environment=cached).splitlines()
    )
    hits = int(counters["direct_cache_hit"]) + int(counters["preprocessed_cache_hit"])
    assert (hits, int(counters["cache_miss"])) == (2, 2)
    assert programs[0] == programs[1]
    assert is_transformed(project / "program")
