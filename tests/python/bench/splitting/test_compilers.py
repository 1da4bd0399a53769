"""The command lines that programs are built with."""

import os
from pathlib import Path

from malloom.bench.splitting.compilers import OURS, VARIANTS, Toolchain

TOOLCHAIN = Toolchain(Path("/tree/build/release"), Path("/tree"))


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
            "/tree/build/release/splitting/compiler/malloom-cc",
            "-O3",
            f"-fmalloom-policy={policy}",
        ]
        assert line(policy)[3:] == line("baseline")[2:]


def test_the_parts_of_the_compiler_come_into_one_folder(tmp_path: Path) -> None:
    """And anew where one of them is newer."""
    toolchain = Toolchain(tmp_path, tmp_path)
    for part in toolchain.parts:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.write_text("old")
    toolchain.assemble()
    assert {file.name for file in toolchain.together.iterdir()} == {part.name for part in toolchain.parts}
    plugin = next(part for part in toolchain.parts if part.suffix == ".so")
    plugin.write_text("new")
    os.utime(plugin, (2**33, 2**33))
    toolchain.assemble()
    assert (toolchain.together / plugin.name).read_text() == "new"
