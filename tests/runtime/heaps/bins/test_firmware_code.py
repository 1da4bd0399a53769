"""What the bin heap takes of a small machine: code, and stack."""

import re
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from runtime.heaps.bins.stack_use import CallGraph
from structure.source_tree import ROOT, files_with, text_of

pytestmark = pytest.mark.long

FOLDERS = ("runtime/heaps/bins/", "runtime/codegen/bins/")
SOURCES = [name for name in files_with(".cpp") if name.startswith(FOLDERS) and "/adapter/" not in name]
COMPILE = [
    "-std=c++20", "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
    "-fno-tree-loop-distribute-patterns", "-ffunction-sections", "-fdata-sections", f"-I{ROOT}",
]  # fmt: skip
THUMB2 = ["arm-none-eabi-g++", "-mcpu=cortex-m3", "-mthumb", "-Os"]
RV32 = ["riscv64-unknown-elf-g++", "-march=rv32im", "-mabi=ilp32", "-O3"]

CALLS = ("open", "add_region", "alloc", "calloc", "realloc", "aligned", "free", "rehash")
"""What the firmware has whose code is measured."""

FEW = [
    "-DMALLOOM_BINS_OPTIONS=(MALLOOM_BINS_BOUNDED|MALLOOM_BINS_COUNT_INSERTIONS)",
    "-DMALLOOM_BINS_RANGES=(1<<MALLOOM_BINS_LINEAR)",
]
CODE: dict[str, tuple[list[str], int]] = {
    "all options": ([], 7_960),
    "optimised as one": (["-flto"], 7_280),
    "few options": (FEW, 6_700),
    "few options, as one": ([*FEW, "-flto"], 6_144),
}
"""Bytes of Thumb-2 at most, with its generator."""

GUIDE = "docs/guide/bounded-heap.md"


def compiled(compiler: list[str], options: list[str], folder: Path) -> list[Path]:
    objects = [folder / (Path(source).stem + ".o") for source in SOURCES]
    for source, made in zip(SOURCES, objects, strict=True):
        command: list[str | Path] = [*compiler, *COMPILE, *options, "-c", source, "-o", made]
        subprocess.run(command, cwd=ROOT, check=True)
    return objects


@pytest.mark.parametrize("name", CODE)
def test_code_is_small(name: str, tmp_path: Path) -> None:
    options, most = CODE[name]
    image = tmp_path / "image.elf"
    roots = [f"-Wl,-u,malloom_bins_{call}" for call in CALLS]
    # Without any library: it calls nothing of one.
    link: list[str | Path] = [
        *THUMB2,
        *options,
        "-nostdlib",
        "-Wl,--gc-sections,-e,malloom_bins_alloc",
        *roots,
        "-o",
        image,
    ]
    subprocess.run([*link, *compiled(THUMB2, options, tmp_path)], check=True)
    with image.open("rb") as file:
        parts = [part for part in ELFFile(file).iter_sections() if part["sh_flags"] & 2]
    sizes = {part.name: part["sh_size"] for part in parts}
    assert sizes.pop(".text") + sizes.pop(".rodata", 0) <= most
    assert sum(size for part, size in sizes.items() if not part.startswith(".ARM")) == 0, "no variables"


def stack_table() -> dict[str, tuple[int, int]]:
    """The guide's: bytes of each call on Thumb-2 and on RV32IM."""
    rows = re.findall(r"^\| `malloom_bins_(\w+)` \|.*\| (\d+) \| (\d+) \|$", text_of(GUIDE), re.MULTILINE)
    return {name: (int(thumb2), int(rv32)) for name, thumb2, rv32 in rows}


@pytest.mark.parametrize(
    ("column", "compiler", "instruction_set"), [(0, THUMB2, "thumb2"), (1, RV32, "riscv")]
)
def test_guide_says_what_stack_is_taken(
    column: int, compiler: list[str], instruction_set: str, tmp_path: Path
) -> None:
    objects = compiled(compiler, ["-fcallgraph-info=su"], tmp_path)
    graph = CallGraph([made.with_suffix(".ci") for made in objects], instruction_set)
    told = {call: sizes[column] for call, sizes in stack_table().items()}
    assert {*CALLS, "free_later", "remove_region", "usable_size", "owns", "enough_for"} <= told.keys()
    for call, most in told.items():
        # Another version of the compiler may do a little better.
        assert most * 3 / 4 <= graph.most(f"malloom_bins_{call}") <= most, call
