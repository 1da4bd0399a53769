"""What is built here runs on a newer Debian, with its own glibc and none of the packages from here."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from end_to_end.conftest import COMMAND, ROOT

pytestmark = pytest.mark.long

RELEASE = "trixie"
AS_ROOT = [] if os.geteuid() == 0 else ["sudo"]

ASKS = """
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    for (int i = 0; i < 1000; ++i) { if (!malloc(48)) { return 1; } }
    return puts(gnu_get_libc_version()) < 0;
}
"""


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The other system, from where this one has its packages, with a program in it that asks for memory."""
    folder = tmp_path_factory.mktemp("system") / RELEASE
    listing = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Identifier: Packages"]
    lines = subprocess.check_output(listing, text=True).split("\n")
    source = next(line.split()[0] for line in lines if line and "security" not in line)
    bootstrap = [*AS_ROOT, "debootstrap", "--variant=minbase", RELEASE, folder, source]
    subprocess.run(bootstrap, check=True, capture_output=True)
    program = folder.parent / "asks"
    subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", program], input=ASKS, text=True, check=True)
    subprocess.run([*AS_ROOT, "cp", program, folder / "opt"], check=True)
    yield folder
    subprocess.run([*AS_ROOT, "rm", "-rf", folder], check=True)


def output_in(system: Path, script: str) -> str:
    """What a shell of that system says, on both of its streams. It has a /proc of its own while it runs."""
    enter = f'mount -t proc proc "{system}/proc" && exec chroot "{system}" sh -c "$0"'
    command = [*AS_ROOT, "unshare", "--mount", "sh", "-c", enter, script]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_another_glibc_is_there(system: Path) -> None:
    here = os.confstr("CS_GNU_LIBC_VERSION")
    assert here and output_in(system, "/opt/asks").strip() not in here


def test_a_deployed_plan_is_used(system: Path, tmp_path: Path) -> None:
    program = system.parent / "asks"
    profile, plan, folder = (tmp_path / name for name in ("a.profile", "a.plan", "malloom"))
    record = [COMMAND, "record", "--accesses", "none", "-o", profile, "--", program]
    subprocess.run(record, check=True, capture_output=True)
    subprocess.run([COMMAND, "plan", profile, "-o", plan, "--strategy", "pools"], check=True)
    deploy = [COMMAND, "deploy", plan, "-o", folder, "--place", "/opt/malloom"]
    subprocess.run(deploy, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*AS_ROOT, "cp", "-r", folder, system / "opt"], check=True)
    script = "set -a; . /opt/malloom/malloom.env; MALLOOM=statistics=1,$MALLOOM; exec /opt/asks"
    assert "plan used; requests 1001, matched 0 (0.0%, 0 B)" in output_in(system, script)


def test_the_wheel_runs_programs(system: Path, tmp_path: Path) -> None:
    """Its own Python is not there, nor any other: `malloom run` needs none."""
    (wheel,) = (ROOT / "build/wheel").glob("malloom-*.whl")
    with ZipFile(wheel) as content:
        content.extractall(tmp_path / "wheel")
    (script,) = (tmp_path / "wheel").glob("malloom-*.data/scripts/malloom")
    installed = tmp_path / "installed"
    (installed / "bin").mkdir(parents=True)
    shutil.copy(script, installed / "bin")
    (installed / "bin/malloom").chmod(0o755)
    shutil.move(tmp_path / "wheel/malloom", installed)
    subprocess.run([*AS_ROOT, "cp", "-r", installed, system / "opt"], check=True)
    said = output_in(system, "/opt/installed/bin/malloom run --heap pools --statistics -- /opt/asks")
    assert "pooled 1001 (100.0%" in said
