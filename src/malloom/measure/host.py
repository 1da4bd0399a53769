"""What numbers are measured on: the machine, and the commit of the sources."""

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from malloom.cache.calibration_file import processor_lines
from malloom.cache.geometry import last_level_bytes
from malloom.errors import UsageProblem
from malloom.measure.allocators import system_huge_pages
from malloom.native_files import native_file

Host = Mapping[str, str | int]
BALLOON, REPORTING = 5, 5
"""The number of virtio's balloon, and of its feature that tells the host of free memory."""
CHANGED = "and changes"
"""Stands behind a commit from which the sources differ."""


def measured_on(sources: Path) -> Host:
    """What the numbers were measured on, and of which commit malloom is; the sources are any folder in the
    tree that the measured programs come from, whose commit is told as well where it is another."""
    return {
        **machine_facts(),
        "commit": _commits(sources),
        "date": datetime.now(UTC).date().isoformat(),
    }


def machine_facts() -> Host:
    """The same of the machine alone."""
    return {
        "machine": platform.machine(),
        "processor": processor_name(),
        "processors": os.cpu_count() or 1,
        "last_level": shown_last_level(),
        # Without the name that who built the kernel has given it.
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "libc": " ".join(platform.libc_ver()),
        "huge_pages": system_huge_pages(),
    }


def _commits(sources: Path) -> str:
    built, measured = native_file("commit").read_text(encoding="ascii").strip(), commit_of(sources)
    return built if built == measured else f"{built}, programs of {measured}"


def commit_of(sources: Path) -> str:
    """The commit that the sources are at, with `and changes` where they differ; `unknown` without history."""
    try:
        name = _git(sources, "rev-parse", "--short=12", "HEAD").strip()
        changed = _git(sources, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{name} {CHANGED}" if changed else name


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def shown_last_level() -> int:
    """Bytes of this machine's last-level cache, as the kernel shows it; 0 where it does not."""
    try:
        return last_level_bytes()
    except UsageProblem:
        return 0


def host_takes_free_memory(devices: Path = Path("/sys/bus/virtio/devices")) -> bool:
    """Whether this is a virtual machine that tells its host of memory that is free, as virtio's balloon may
    (its feature VIRTIO_BALLOON_F_REPORTING); who uses such memory next waits for the host. Of other
    hypervisors' ways nothing shows."""
    return any(_tells(device) for device in sorted(devices.glob("*")))


def _tells(device: Path) -> bool:
    try:
        is_balloon = int((device / "device").read_text(encoding="ascii"), 16) == BALLOON
        return is_balloon and (device / "features").read_text(encoding="ascii")[REPORTING] == "1"
    except (OSError, ValueError, IndexError):
        return False


def processor_name() -> str:
    """As the kernel has it."""
    names = (line.partition(":")[2].strip() for line in processor_lines() if line.startswith("model name"))
    return next(names, "") or platform.processor()
