"""Programs compiled plainly, and with the plugin that pools and splits, and run."""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LLVM = os.environ.get("MALLOOM_LLVM", "19")
"""The version that programs are compiled with; another one's plugin is built apart."""
BUILD = ROOT / "build" / ("python" if LLVM == "19" else f"llvm-{LLVM}")
PLUGIN = BUILD / "compiler" / "malloom_plugin.so"
POOLS = BUILD / "runtime" / "compiled" / "libmalloom_pools.a"

POLICIES = ("none", "overhead-only", "pool", "maximal", "hot-cold", "default")
LEVELS = ("-O1", "-O2", "-O3")

SET = re.compile(r"^objects of (\d+) bytes from(.*): (split|pool|no), fields(.*)$")
REFUSAL = re.compile(r"^  no (pool|split): (.*?)(?: \(.*\))?$")


@dataclass(frozen=True)
class Ran:
    """How a program ended, and all that it said."""

    status: int
    out: bytes
    err: bytes


@dataclass
class ProvenSet:
    """What the plugin prints of one alias set."""

    bytes: int
    verdict: str
    reasons: list[str]


class CompilerFailed(Exception):
    """The compiler or the linker did not do its work; the text is what it said."""


def call(command: list[str], limit: float = 120) -> str:
    """Runs a compiler and gives what it says: the plugin on its standard error, lld also on its output."""
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=limit, errors="replace", check=False
    )
    if done.returncode != 0:
        said = done.stderr
        raise CompilerFailed(
            f"{' '.join(command)}\n{said[:800]}{' ... ' + said[-800:] if len(said) > 800 else ''}"
        )
    return done.stdout + done.stderr


def driver(source: Path) -> str:
    return f"clang++-{LLVM}" if source.suffix in (".cpp", ".cc") else f"clang-{LLVM}"


def compile_plainly(source: Path, level: str, program: Path, *options: str) -> Path:
    """As a user without the plugin does; options may name objects, too."""
    call([driver(source), level, "-w", str(source), *options, "-lm", "-pthread", "-o", str(program)])
    return program


def compile_object(source: Path, level: str, target: Path, *options: str) -> Path:
    """The bitcode that every policy's link begins with."""
    call([driver(source), level, "-w", "-g", "-flto=full", *options, "-c", str(source), "-o", str(target)])
    return target


def link(
    source: Path,
    objects: Sequence[Path],
    level: str,
    policy: str,
    program: Path,
    *options: str,
    plugin: Path = PLUGIN,
    settings: Sequence[str] = (),
) -> str:
    """Links bitcode with the plugin and gives what it says of its proofs; `settings` are more of the
    plugin's options."""
    words = [f"-mllvm=-load={plugin}", f"--load-pass-plugin={plugin}"]
    chosen = [f"-malloom-policy={policy}", "-malloom-print-proofs", "-malloom-print-graph", *settings]
    words += [f"-mllvm={setting}" for setting in chosen]
    linker = [part for word in words for part in ("-Xlinker", word)]
    return link_plainly(source, objects, level, program, *linker, *options)


def link_plainly(source: Path, objects: Sequence[Path], level: str, program: Path, *options: str) -> str:
    """The same without the plugin, but for what options say."""
    inputs = [*map(str, objects), str(POOLS)]
    command = [driver(source), level, "-flto=full", "-fuse-ld=lld", *inputs, *options, "-lm", "-pthread"]
    return call([*command, "-o", str(program)])


def run(program: Path, limit: float = 60) -> Ran:
    done = subprocess.run(
        [str(program)], capture_output=True, timeout=limit, stdin=subprocess.DEVNULL, check=False
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def proven_sets(text: str) -> list[ProvenSet]:
    found: list[ProvenSet] = []
    for line in text.splitlines():
        if header := SET.match(line):
            found.append(ProvenSet(int(header[1]), header[3], []))
        elif (refusal := REFUSAL.match(line)) and found:
            found[-1].reasons.append(refusal[2])
    return found
