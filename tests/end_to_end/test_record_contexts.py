"""`malloom record`: how many contexts there are."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from end_to_end.recording import ROOT, assert_sound
from malloom.profile import HeapProfile

Run = Callable[..., subprocess.CompletedProcess[str]]
LIMIT = 1 << 17  # ContextTable's default_limit

# Functions of their own, each called from two places: 2^18 chains, in which no function comes twice.
LEVELS = 18
MANY_CHAINS = "\n".join(
    [
        "#include <stdlib.h>",
        "static volatile int sink;",
        "static void* volatile object;",
        "__attribute__((noinline)) static void f0(void) { object = malloc(100); free(object); }",
        *(
            f"__attribute__((noinline)) static void f{level}(void) "
            f"{{ f{level - 1}(); sink = 2; f{level - 1}(); sink = 3; }}"
            for level in range(1, LEVELS + 1)
        ),
        f"int main(void) {{ f{LEVELS}(); return 0; }}",
    ]
)


def record(malloom: Run, program: Path, *arguments: str, depth: int = 8) -> tuple[HeapProfile, str]:
    profile = program.with_suffix(".profile")
    done = malloom(
        "record", "-o", profile, "--accesses", "none", "--depth", str(depth), "--", program, *arguments
    )
    assert done.returncode == 0, done.stderr
    assert_sound(profile)
    return HeapProfile.open(profile), done.stderr


def test_recursion_makes_no_contexts(malloom: Run, compile_c: Callable[..., Path]) -> None:
    source = (ROOT / "workloads/traverse/traverse.c").read_text()
    program = compile_c(source, "-O3", f"-I{ROOT}")
    profile, said = record(malloom, program, "12", "1")
    assert len(profile.requests.size) >= 2**12 - 1
    contexts, hashes, _ = profile.at_depth(8)
    assert len(hashes) <= 64
    assert f"events in {len(np.unique(contexts)):,} contexts" in said


def test_chains_beyond_the_limit_share_the_catch_all(malloom: Run, compile_c: Callable[..., Path]) -> None:
    profile, _ = record(malloom, compile_c(MANY_CHAINS), depth=LEVELS + 2)
    contexts, hashes, _ = profile.at_depth(32)
    assert len(hashes) == LIMIT + 1
    shared = np.bincount(contexts).max()
    assert shared == len(contexts) - LIMIT
