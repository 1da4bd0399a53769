"""The command lines that programs are built with."""

from pathlib import Path

import pytest

from malloom.bench.splitting.compilers import EXPECTING, OURS, VARIANTS, Toolchain
from malloom.errors import CommandError

TOOLCHAIN = Toolchain(Path("/installed"), Path("/tree/build/release"), Path("/tree"))


def line(variant: str) -> list[str]:
    return TOOLCHAIN.command(variant, [Path("a.c"), Path("b.c")], Path("out"))


def test_every_variant_compiles_the_same_sources_at_the_same_level() -> None:
    assert VARIANTS == ("baseline", "lto", "gcc", "pool", "maximal", "default")
    for variant in VARIANTS:
        words = line(variant)
        assert words[words.index("a.c") + 1] == "b.c" and words[-2:] == ["-o", "out"]
        assert "-O3" in words and "-I/tree" in words and "-lm" in words


def test_the_plain_baseline_has_no_link_time_optimisation() -> None:
    assert not any("lto" in word for variant in ("baseline", "gcc") for word in line(variant))


def test_ours_is_malloom_cc_with_a_policy() -> None:
    for policy in OURS:
        assert line(policy)[:3] == [
            "/installed/malloom-cc",
            "-O3",
            f"-fmalloom-policy={policy}",
        ]
        assert line(policy)[3:] == line("baseline")[2:]


def test_links_are_guessed_where_that_is_asked_alone() -> None:
    default = line("default")
    assert line(EXPECTING) == [*default[:3], "-fmalloom-expect-links", *default[3:]]
    assert not any("expect" in word for variant in VARIANTS for word in line(variant))


def test_a_missing_compiler_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"needs malloom's compiler.*; run 'make native'"):
        Toolchain(tmp_path, tmp_path, tmp_path).require()
