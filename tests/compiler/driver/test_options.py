"""What malloom-cc adds to a command line, and when it adds nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.driver.driving import Run, run

Asked = Callable[..., list[str]]

LTO = "-flto=full"
LLD = "-fuse-ld=lld"


def adds(asked: Asked, *arguments: str) -> list[str]:
    """What stands before the arguments, without the folders of files."""
    words = asked(*arguments)
    assert words[len(words) - len(arguments) :] == list(arguments)
    added = words[: len(words) - len(arguments)]
    return [word for word in added if word != "-Xlinker" and "/" not in word]


def loads_plugin(asked: Asked, *arguments: str) -> bool:
    return any("--load-pass-plugin=" in word for word in asked(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        "-O2 -E a.c",
        "-O2 -S a.c",
        "-O2 -M a.c",
        "-O2 -MM a.c",
        "-O2 -### a.c",
        "-O2 -fsyntax-only a.c",
        "-O2 -emit-llvm -c a.c",
        "-O2 --analyze a.c",
        "-O2 -flto=thin a.c",
        "-O2 -flto=full -fno-lto a.c",
        "-O2 -flto=thin a.o",
        "-O2 --target=aarch64-linux-gnu -c a.c",
        "-O2 -target riscv64-linux-gnu -c a.c",
        "-O2 --target=x86_64-linux-musl a.c",
        "-O2 -m32 -c a.c",
        "-O2 -x cuda -c a.cpp",
        "-O2 -c a.hip",
        "-O2 -x c-header a.h -o a.pch",
        "-O2 a.h",
        "-print-search-dirs",
        "--print-resource-dir",
        "-dumpmachine",
        "--version",
        "--help",
        "-v",
        "-c a.c",
        "-O2 -O0 -c a.c",
        "-O2 -fsanitize=address -c a.c",
        "-O2 -fmemory-profile -c a.c",
        "-O2 -fsanitize=undefined,leak -fno-sanitize=leak -c a.c",
    ],
)
def test_clang_gets_what_was_given(asked: Asked, arguments: str) -> None:
    assert asked(*arguments.split()) == arguments.split()


@pytest.mark.parametrize(
    "arguments",
    [
        "-O2 -c a.c",
        "-O -c a.c",
        "-O0 -Os -c a.c",
        "-O3 -MD -MF -S -c a.c",
        "-O3 -MMD -MT -E -c a.c",
        "-O2 -D -E -include -M -c a.c",
        "-O2 -x c -c - -o -S",
        "-O2 -Xclang -E -c a.c",
        "-O2 -fno-lto -flto -c a.c",
        "-O2 -fsanitize=address -fno-sanitize=address -c a.c",
        "-O2 -fsanitize=address,leak -fno-sanitize=all -c a.c",
        "-O2 --target=x86_64-linux-gnu -c a.c",
        "-O2 -c -- -E.c",
    ],
)
def test_code_becomes_bitcode(asked: Asked, arguments: str) -> None:
    assert adds(asked, *arguments.split()) == [LTO]


@pytest.mark.parametrize(
    "arguments", ["a.o", "-O2 a.c", "a.o -lm", "-shared a.o", "-x none a.o", "-O3 a.s b.o", "-Wl,a.o"]
)
def test_links_get_the_plugin(asked: Asked, arguments: str) -> None:
    assert adds(asked, *arguments.split()) == [LTO, LLD]
    assert loads_plugin(asked, *arguments.split())
    assert any(word.endswith("/libmalloom_pools.a") for word in asked(*arguments.split()))


@pytest.mark.parametrize(
    "arguments",
    [
        "-O0 a.o",
        "-fsanitize=thread a.o",
        "-r a.o",
        "-Wl,-r a.o",
        "-Xlinker --relocatable a.o",
        "-nostdlib a.o",
        "-nostdlib a.o -lc",
        "-nostartfiles a.o",
        "-nodefaultlibs a.o",
        "-Wl,--wrap=malloc a.o",
        "-Wl,--wrap,free a.o",
        "-Xlinker --wrap -Xlinker calloc a.o",
        "-Wl,--wrap=strndup a.o",
        "-Wl,--wrap=_ZdlPvm a.o",
        "-Wl,--wrap=_ZnwmRKSt9nothrow_t a.o",
        "-Wl,--wrap=puts a.o",
        "-Wl,--wrap=own_function a.o",
    ],
)
def test_links_that_stay_as_they_are_have_lld(asked: Asked, arguments: str) -> None:
    """As an object of theirs may be bitcode all the same."""
    assert LLD in asked(*arguments.split())
    assert not loads_plugin(asked, *arguments.split())


@pytest.mark.parametrize("linker", ["-fuse-ld=bfd", "-fuse-ld=gold", "--ld-path=/usr/bin/ld.mold"])
def test_another_linker_is_used_and_said(
    asked: Asked, native: Path, echoing: dict[str, str], linker: str
) -> None:
    assert asked(linker, "a.o") == [LTO, linker, "a.o"]
    done = run(native / "malloom-cc", linker, "a.o", environment=echoing)
    assert done.stderr.startswith("malloom-cc: warning: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "linker",
    ["-fuse-ld=lld", "-fuse-ld=lld-19", "-fuse-ld=/usr/bin/ld.lld-19", "--ld-path=/usr/bin/ld.lld-19"],
)
def test_lld_may_be_asked_for(asked: Asked, linker: str) -> None:
    assert adds(asked, linker, "a.o") == [LTO]
    assert loads_plugin(asked, linker, "a.o")


def test_the_linker_says_who_it_is(try_compile: Run) -> None:
    """Meson chooses the linker's options by this."""
    assert try_compile("-Wl,--version").stdout.startswith(("LLD 19", "Debian LLD 19"))


def test_libtools_own_list_of_libraries_is_seen(asked: Asked) -> None:
    named = "-shared -nostdlib crti.o /usr/lib/crtbeginS.o a.o -lstdc++ -lm -lc -lgcc_s crtn.o"
    assert loads_plugin(asked, *named.split())


@pytest.mark.parametrize("policy", ["none", "overhead-only", "pool", "maximal", "hot-cold", "default"])
def test_policy_reaches_the_plugin(asked: Asked, policy: str) -> None:
    words = asked("-fmalloom-policy=pool", f"-fmalloom-policy={policy}", "a.o")
    assert [word for word in words if "policy" in word] == [f"-mllvm=-malloom-policy={policy}"]
    assert asked(f"-fmalloom-policy={policy}", "-O2", "-c", "a.c") == [LTO, "-O2", "-c", "a.c"]


@pytest.mark.parametrize("name", ["verify", "expect-links", "name-requests"])
def test_what_is_off_otherwise_reaches_the_plugin(asked: Asked, name: str) -> None:
    assert f"-mllvm=-malloom-{name}" in asked(f"-fmalloom-{name}", "a.o")
    assert not any(name in word for word in asked("a.o"))


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("-fmalloom-polcy=pool", "there is no option -fmalloom-polcy=pool; there are -fmalloom-policy="),
        (
            "-fmalloom-policy=some",
            "-fmalloom-policy=some: there is no such policy; choose none, overhead-only, pool,",
        ),
        ("-fmalloom-policy", "there is no option -fmalloom-policy; there are -fmalloom-policy="),
        ("-fmalloom-profile", "there is no option -fmalloom-profile; there are -fmalloom-policy="),
        ("-fmalloom-remark", "there is no option -fmalloom-remark; there are -fmalloom-policy="),
        ("-fmalloom-remarks=some", "-fmalloom-remarks=some: there are no such remarks; choose done, missed"),
    ],
)
def test_wrong_options_are_explained(try_compile: Run, option: str, says: str) -> None:
    done = try_compile("-O2", option, "-c", "a.c")
    assert done.returncode == 2
    assert done.stderr.startswith(f"malloom-cc: error: {says}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("tool", "answer"), [("ar", "llvm-ar"), ("nm", "llvm-nm"), ("ranlib", "llvm-ranlib"), ("ld", "ld.lld")]
)
def test_tools_that_know_bitcode_are_named(asked: Asked, try_compile: Run, tool: str, answer: str) -> None:
    assert asked(f"-print-prog-name={tool}") == [f"-print-prog-name={answer}"]
    assert Path(try_compile(f"--print-prog-name={tool}").stdout.strip()).name == answer
    assert asked("-print-prog-name=objdump") == ["-print-prog-name=objdump"]


def test_name_says_which_clang(native: Path, echoing: dict[str, str], tmp_path: Path) -> None:
    clang = Path(echoing["PATH"]) / "clang++-19"
    original = clang.read_text()
    clang.write_text("#!/bin/sh\necho C++\n")
    (tmp_path / "some-malloom-c++").symlink_to(native / "malloom-c++")
    assert run(tmp_path / "some-malloom-c++", "-v", environment=echoing).stdout == "C++\n"
    assert run(native / "malloom-cc", "-v", environment=echoing).stdout == "-v\n"
    clang.write_text(original)
