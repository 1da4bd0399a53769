"""Pictures of malloom's pages, made from real programs, and the thesis's `traverse`: `make gallery`.

What a picture was made of is kept beside them, so that a test can tell when a page has changed since.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from end_to_end.browser import looked_at
from end_to_end.conftest import ROOT, WORKLOADS, done_well
from malloom.bench.types.builds import built
from malloom.bench.types.programs import PROGRAMS

FOLDER = ROOT / "docs/gallery"
MADE_OF = FOLDER / "made-of.txt"
"""The hash of all that pages are made of, as it was when the pictures were taken."""
PAGE_FILES = ROOT / "src/malloom/page"
JQ_SCRIPT = """
group_by(.section) | map({section: .[0].section, names: (map(.name) | sort | .[:3]), sum: (map(.size) | add)})
"""


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    """Of its file, without the ending."""
    tab: str
    """Of the page: what follows the # in its link."""
    make: Callable[[Path], Path]
    """Writes the page into a folder, and says where."""


def malloom(folder: Path, *words: str) -> None:
    """In the folder, so that no picture shows where that is."""
    done_well(folder, *words)


def packages(folder: Path, count: int) -> str:
    """A list of packages for jq."""
    entries = [
        {"name": f"package-{7919 * i % 10007}", "section": f"section {i * i % 23}", "size": 13 * i % 997}
        for i in range(count)
    ]
    (folder / f"packages-{count}.json").write_text(json.dumps(entries))
    return f"packages-{count}.json"


def workload(folder: Path, name: str) -> str:
    """One of this tree's programs, as it is called from the folder."""
    shutil.copy(WORKLOADS / name / name, folder / name)
    return f"./{name}"


def jq_report(folder: Path) -> Path:
    if not (folder / "jq.html").exists():
        malloom(folder, "record", "-o", "jq.profile", "--", "jq", "-c", JQ_SCRIPT, packages(folder, 400))
        malloom(folder, "report", "jq.profile", "--format", "html", "-o", "jq.html")
    return folder / "jq.html"


def ninja_profile(folder: Path, objects: int) -> str:
    """Of ninja with debug information, which names types and fields, as it reads what to build."""
    program = next(each for each in PROGRAMS if each.name == "ninja")
    if not (folder / "ninja").exists():
        shutil.copy(built(program, folder / "source"), folder / "ninja")
    profile = f"ninja-{objects}.profile"
    if not (folder / profile).exists():
        files = f"files-{objects}"
        words = [
            word.replace(str(folder / files), files)
            for word in program.work.prepared(folder / files, objects)
        ]
        malloom(folder, "record", "-o", profile, "--", "./ninja", *words)
    return profile


def ninja_report(folder: Path) -> Path:
    malloom(folder, "report", ninja_profile(folder, 600), "--format", "html", "-o", "ninja.html")
    return folder / "ninja.html"


def ninja_difference(folder: Path) -> Path:
    both = [ninja_profile(folder, objects) for objects in (600, 900)]
    malloom(folder, "diff", *both, "--format", "html", "-o", "difference.html")
    return folder / "difference.html"


def traverse_picture(folder: Path) -> Path:
    malloom(folder, "record", "-o", "traverse.profile", "--", workload(folder, "traverse"), "11", "2")
    malloom(folder, "plan", "traverse.profile", "-o", "traverse.plan", "--strategy", "first-use")
    malloom(folder, "picture", "traverse.profile", "--plan", "traverse.plan", "-o", "traverse.html")
    return folder / "traverse.html"


def jq_verdict(folder: Path) -> Path:
    inputs = [f"--{kind}={packages(folder, count)}" for kind, count in (("train", 9000), ("check", 7000))]
    how = ["--runs", "6", "--seconds", "20", "--html", "verdict.html", "-o", "jq.plan"]
    malloom(folder, "optimize", *how, *inputs, "--", "jq", "-c", JQ_SCRIPT, "{}")
    return folder / "verdict.html"


SHOTS = (
    Shot("call-sites", "sites", jq_report),
    Shot("objects", "objects", ninja_report),
    Shot("flame-graph", "flame", jq_report),
    Shot("timeline", "timeline", jq_report),
    Shot("heap", "colour=heat&step=40", traverse_picture),
    Shot("difference", "", ninja_difference),
    Shot("verdict", "", jq_verdict),
)


def take(page: Path, tab: str, picture: Path) -> None:
    """A picture of a page as the browser shows it."""
    looked_at(page, tab, "--hide-scrollbars", f"--screenshot={picture}")


def hash_of_pages() -> str:
    """Of everything that decides what pages look like."""
    files = sorted(path for path in PAGE_FILES.iterdir() if path.suffix in (".js", ".css", ".html"))
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def main(work: Path) -> None:
    for shot in SHOTS:
        print(f"{shot.name}...", flush=True)
        take(shot.make(work), shot.tab, FOLDER / f"{shot.name}.png")
    MADE_OF.write_text(f"{hash_of_pages()}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
