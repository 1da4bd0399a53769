"""The command lines that programs are built with."""

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


def test_ours_differs_from_lto_in_the_plugin_and_the_pools_alone() -> None:
    plain = line("lto")
    for policy in OURS:
        added = [word for word in line(policy) if word not in plain]
        assert added == [
            "-Wl,-mllvm=-load=/tree/build/release/compiler/malloom_plugin.so",
            "-Wl,--load-pass-plugin=/tree/build/release/compiler/malloom_plugin.so",
            f"-Wl,-mllvm,-malloom-policy={policy}",
            "/tree/build/release/runtime/front/libmalloom_pools.a",
        ]
