"""Crates without std as libraries for a RISC-V core: compiled by a Rust that has its library's source, since
no package has that library for bare metal."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from malloom.errors import CommandError

LONGEST = 600.0
"""Seconds that a build may take. The library, which is compiled once, takes some 20."""
LIBRARY = "lib/rustlib/src/rust/library"
DEBIAN = Path("/usr/bin")
"""Its packages rustc-web, cargo-web and rust-web-src have what another installation may lack."""


@dataclass(frozen=True)
class Rust:
    """A compiler, and the cargo that belongs to it."""

    cargo: str
    rustc: str

    @property
    def has_library_source(self) -> bool:
        return (Path(ran([self.rustc, "--print", "sysroot"])) / LIBRARY / "Cargo.toml").is_file()

    def build(self, crate: Path, target: str | None, made: Path, *options: str) -> Path:
        """The folder with what was built, in `made`; of this machine where no target is named."""
        command = [self.cargo, "build", "--quiet", "--release", *options]
        command += [f"--manifest-path={crate / 'Cargo.toml'}"]
        changed = {"RUSTC": self.rustc, "CARGO_TARGET_DIR": str(made), "RUSTFLAGS": "-Dwarnings"}
        if target is not None:
            command += [f"--target={target}", "-Zbuild-std=core,alloc,compiler_builtins"]
            command += ["-Zbuild-std-features=compiler-builtins-mem"]
            changed["RUSTC_BOOTSTRAP"] = "1"
        ran(command, changed)
        return made / (target or "") / "release"


def this_machines_rust() -> Rust:
    """The one that is first on the PATH; raises CommandError where there is none."""
    cargo, rustc = shutil.which("cargo"), shutil.which("rustc")
    if cargo is None or rustc is None:
        raise CommandError("there is no cargo with a rustc", remedy="run 'setup/packages.sh test'")
    return Rust(cargo, rustc)


def bare_metal_rust() -> Rust:
    """One that has its library's source; raises CommandError where there is none."""
    for rust in (this_machines_rust(), Rust(str(DEBIAN / "cargo"), str(DEBIAN / "rustc"))):
        if Path(rust.cargo).is_file() and Path(rust.rustc).is_file() and rust.has_library_source:
            return rust
    raise CommandError("no rustc has its library's source", remedy="run 'setup/packages.sh firmware'")


def ran(command: list[str], changed: dict[str, str] | None = None) -> str:
    """What the command prints; raises CommandError where it fails."""
    done = subprocess.run(
        command,
        env=os.environ | (changed or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    if done.returncode != 0:
        raise CommandError(f"'{' '.join(command)}' failed: {done.stderr.strip()}")
    return done.stdout.strip()
