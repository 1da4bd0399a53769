"""`malloom plan --for bins --language`: an allocator that compiles by itself."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Malloom = Callable[..., subprocess.CompletedProcess[str]]

ASKS_FOR_TOO_MUCH = """
#include <stdlib.h>
int main(void) {
    void* volatile object = malloc((size_t)3 << 30);
    free(object);
    for (int i = 0; i < 100; ++i) object = malloc(40);
    return 0;
}
"""


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def profile(malloom: Malloom, tmp_path: Path) -> Path:
    recorded = tmp_path / "ls.profile"
    assert malloom("record", "-o", recorded, "--", "ls", "-l", "/").returncode == 0
    return recorded


def test_a_heap_in_c_compiles_by_itself(malloom: Malloom, profile: Path, tmp_path: Path) -> None:
    made = tmp_path / "guest_heap.c"
    done = malloom("plan", profile, "--for", "bins", "--language", "c", "-o", made, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert 0 < said["at_once"] <= said["requests"]
    assert said["most_living_bytes"] <= said["most_held_bytes"]
    assert said["too_large"] == 0
    assert done.stderr.startswith(f"chose bins for {said['target']} by {said['requests']:,} requests: ")
    assert done.stderr.count("\n") == 1
    run("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-c", made, "-o", tmp_path / "heap.o")
    assert "guest_heap_alloc" in run("nm", tmp_path / "heap.o")


def test_sizes_that_no_bin_holds_are_told(malloom: Malloom, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(ASKS_FOR_TOO_MUCH)
    run("gcc", "-O1", tmp_path / "program.c", "-o", tmp_path / "program")
    recorded, made = tmp_path / "program.profile", tmp_path / "heap.c"
    assert malloom("record", "-o", recorded, "--", tmp_path / "program").returncode == 0
    done = malloom("plan", recorded, "--for", "bins", "--language", "c", "-o", made, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["too_large"] == 1
    assert "warning: no bin holds 1 request of more than 2.0 GiB: the heap answers null" in done.stderr
    assert "No bin holds 1 request of the profile" in made.read_text()


def test_a_crate_builds_and_only_crates_are_replaced(malloom: Malloom, profile: Path, tmp_path: Path) -> None:
    made = tmp_path / "guest_heap"

    def plan(*options: str) -> subprocess.CompletedProcess[str]:
        return malloom("plan", profile, "--for", "bins", "--language", "rust", "-o", made, *options)

    assert plan().returncode == 0
    assert "exists already" in plan().stderr
    assert plan("--force").returncode == 0
    run("cargo", "build", "--quiet", "--offline", "--manifest-path", made / "Cargo.toml", "--target-dir",
        tmp_path / "target")  # fmt: skip
    (made / "Cargo.toml").write_text("[package]\n")
    refused = plan("--force")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "exists and is no crate of exact bins" in refused.stderr
    made = tmp_path / "a_file"
    made.write_text("")
    assert "is no folder, which a crate is" in plan("--force").stderr
