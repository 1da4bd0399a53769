"""Compares random programs with and without the plugin: `python -m compiler.differential COUNT SEED [csmith]`
from the folder tests. Programs that differ are kept in build/differential."""

import collections
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compiler import compiling
from compiler.generator import generate

KEPT = compiling.ROOT / "build" / "differential"
POLICIES = ("maximal", "default")
CSMITH_INCLUDE = Path("/usr/include/csmith")


def csmith(seed: int, source: Path) -> None:
    subprocess.run(["csmith", "--seed", str(seed), "-o", str(source)], check=True, timeout=60)


def difference(source: Path, level: str, folder: Path, options: list[str]) -> tuple[str, bool]:
    """What differs, or nothing; and whether a set is split under the policy `maximal`."""
    plain = compiling.compile_plainly(source, "-O2", folder / "plain", *options)
    try:
        expected = compiling.run(plain, 5)
    except subprocess.TimeoutExpired:
        return "", False
    has_split = False
    try:
        bitcode = compiling.compile_object(source, level, folder / "bitcode.o", *options)
        for policy in POLICIES:
            said = compiling.link(source, [bitcode], level, policy, folder / policy)
            if policy == "maximal":
                has_split = any(each.verdict == "split" for each in compiling.proven_sets(said))
            ran = compiling.run(folder / policy, 30)
            if ran != expected:
                return f"{policy} {level}: {expected} became {ran}", has_split
    except (compiling.CompilerFailed, subprocess.TimeoutExpired) as failure:
        return f"{level}: {failure}", has_split
    return "", has_split


def main(count: int, first: int, kind: str) -> int:
    constructs: collections.Counter[str] = collections.Counter()
    split = failed = 0
    KEPT.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))
    for done, seed in enumerate(range(first, first + count)):
        if ends:
            count = done
            break
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if kind == "csmith":
                source, options = folder / "program.c", [f"-I{CSMITH_INCLUDE}"]
                csmith(seed, source)
            else:
                program = generate(seed)
                source, options = folder / f"program{program.suffix}", []
                source.write_text(program.text)
                constructs.update(program.constructs)
            level = random.Random(seed).choice(compiling.LEVELS)
            what, has_split = difference(source, level, folder, options)
            split += has_split
            if what:
                failed += 1
                kept = KEPT / f"{kind}-{seed}{source.suffix}"
                shutil.copy(source, kept)
                print(f"{kept}: {what[:1500]}", flush=True)
    for construct, programs in sorted(constructs.items(), key=lambda each: each[1]):
        print(f"{programs:6} {construct}")
    print(
        f"{count} programs from seed {first}: {failed} differ, {split} have a split set, "
        f"{time.monotonic() - begin:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "generated"))
