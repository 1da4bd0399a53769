"""What compiled programs and libraries take of the address space: as they need it, and no longer than they
are loaded."""

import subprocess
from pathlib import Path

import pytest

from compiler import compiling
from some import some

SOURCES = Path(__file__).parent / "address_space"
LIMITED = [
    pytest.param("pool", 100_000, marks=pytest.mark.long),
    ("maximal", 100_000),
    ("pool", 500_000),
    pytest.param("maximal", 500_000, marks=pytest.mark.long),
    pytest.param("maximal", 4_000_000, marks=pytest.mark.long),
]
"""Policies, and KiB as `ulimit -v` has them."""

LEAST_SHARE = 0.9
"""Of what the C library's malloc serves under the same limit."""

KEPT_KIBIBYTES = 2_600
"""A pool of each kind, 1 MiB, and what the arrays made usable ahead."""


def build(source: Path, policy: str, folder: Path, *options: str) -> Path:
    bitcode = compiling.compile_object(source, "-O2", folder / f"{source.stem}.o", *options)
    program = folder / f"{source.stem}-{policy}"
    said = compiling.link(source, [bitcode], "-O2", policy, program, *options)
    assert {each.verdict for each in compiling.proven_sets(said)} == {"split"}
    return program


def mebibytes_served(program: Path, limit: int) -> int:
    command = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout)


@pytest.fixture(scope="module", params=["lists.c", "tables.c"])
def source(request: pytest.FixtureRequest) -> Path:
    return SOURCES / str(request.param)


@pytest.fixture(scope="module")
def programs(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("address_space")
    built = {"plain": compiling.compile_plainly(source, "-O2", folder / "plain")}
    return built | {policy: build(source, policy, folder) for policy in ("pool", "maximal")}


@pytest.mark.parametrize(("policy", "limit"), LIMITED)
def test_limited_programs_get_what_malloc_would_give(
    programs: dict[str, Path], policy: str, limit: int
) -> None:
    least = LEAST_SHARE * mebibytes_served(programs["plain"], limit)
    assert mebibytes_served(programs[policy], limit) >= least


@pytest.fixture(scope="module")
def library_and_host(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("library")
    library = build(SOURCES / "library.c", "maximal", folder, "-shared", "-fPIC")
    host = compiling.compile_plainly(SOURCES / "host.c", "-O2", folder / "host", "-ldl")
    return library, host


def address_space_of_host(library_and_host: tuple[Path, Path], *words: str) -> tuple[int, int]:
    library, host = library_and_host
    done = subprocess.run(
        [str(host), str(library), *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    first, last = map(int, done.stdout.split())
    return first, last


@pytest.mark.parametrize(
    "late",
    some(
        "-Wl,-fini,release_late",
        of=["-DLATE_PRIORITY=101", "-DLATE_PRIORITY=100", "-Wl,-fini,release_late"],
    ),
)
def test_what_runs_last_in_a_library_may_release(
    library_and_host: tuple[Path, Path], late: str, tmp_path: Path
) -> None:
    options = ("-shared", "-fPIC", "-Wno-prio-ctor-dtor", late)
    library = build(SOURCES / "late.c", "maximal", tmp_path, *options)
    first, last = address_space_of_host((library, library_and_host[1]), "100")
    assert last - first <= 90 * KEPT_KIBIBYTES


@pytest.mark.parametrize("more", [(), ("threads",)])
def test_a_library_takes_its_addresses_along(
    library_and_host: tuple[Path, Path], more: tuple[str, ...]
) -> None:
    first, last = address_space_of_host(library_and_host, "1000", *more)
    assert last <= first + 1_000


def test_what_a_library_kept_is_all_that_stays(library_and_host: tuple[Path, Path]) -> None:
    first, last = address_space_of_host(library_and_host, "1000", "keep")
    assert last - first <= 900 * KEPT_KIBIBYTES
