"""The wheel, installed into a fresh environment outside of the tree: it carries what its commands need."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from end_to_end.conftest import ROOT

PACKAGES = Path(f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages")


@pytest.fixture(scope="module")
def wheel() -> Path:
    (found,) = (ROOT / "build/wheel").glob("malloom-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The environment. What the wheel depends on is the tree's: other people's packages are not on trial."""
    environment = tmp_path_factory.mktemp("installed") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin/python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    (environment / PACKAGES / "dependencies.pth").write_text(f"{ROOT / '.venv' / PACKAGES}\n")
    yield environment
    shutil.rmtree(environment)


def output_of(*command: str | Path, cwd: Path) -> str:
    """Without anything of the tree's in the environment."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    environment = {**kept, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_programs_run_with_its_own_library(installed: Path, tmp_path: Path) -> None:
    """Also through a link in another folder, as pipx makes it."""
    (tmp_path / "malloom").symlink_to(installed / "bin/malloom")
    for command in (installed / "bin/malloom", tmp_path / "malloom"):
        maps = output_of(command, "run", "--heap", "pools", "--", "cat", "/proc/self/maps", cwd=tmp_path)
        found = {line.split()[-1] for line in maps.splitlines() if "libmalloom" in line}
        assert found == {str(installed / PACKAGES / "malloom/native/libmalloom.so")}


def test_all_stages_work_in_it(installed: Path, tmp_path: Path) -> None:
    malloom = installed / "bin/malloom"
    assert output_of(malloom, "--version", cwd=tmp_path) == "malloom 0.1.0\n"
    output_of(malloom, "record", "-o", "a.profile", "--", "sort", "/etc/passwd", cwd=tmp_path)
    output_of(malloom, "plan", "a.profile", "-o", "a.plan", "--strategy", "pools", cwd=tmp_path)
    plain = output_of("sort", "/etc/passwd", cwd=tmp_path)
    assert output_of(malloom, "run", "--plan", "a.plan", "--", "sort", "/etc/passwd", cwd=tmp_path) == plain
    where = "import malloom; print(malloom.__file__)"
    assert output_of(installed / "bin/python", "-c", where, cwd=tmp_path).startswith(str(installed))


def test_nothing_in_it_leads_to_the_tree(wheel: Path, installed: Path) -> None:
    tree = str(ROOT).encode()
    files = [path for path in (installed / PACKAGES / "malloom").rglob("*") if path.is_file()]
    files += [installed / "bin/malloom"]
    assert [path for path in files if path.suffix != ".pyc" and tree in path.read_bytes()] == []


def test_its_name_says_which_systems_it_is_for(wheel: Path) -> None:
    """As auditwheel judges its libraries: what they need of the system, and in which versions."""
    auditwheel = [sys.executable, "-m", "auditwheel", "show", "--json", wheel]
    judged = json.loads(subprocess.check_output(auditwheel, text=True, stderr=subprocess.DEVNULL))
    assert wheel.stem.endswith(judged["overall_tag"]), judged
