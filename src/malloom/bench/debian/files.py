"""What tools that look after files are given: a repository, an archive, a list of what is built of what."""

import io
import subprocess
import tarfile
from pathlib import Path

from malloom.bench.debian.draw import Draw
from malloom.bench.debian.executables import of_debian

BEGAN = 1_500_000_000
"""Seconds since 1970: when the first change was made."""


def write_repository(folder: Path, draw: Draw, size: int) -> None:
    """A repository of so many commits, each of which changes lines of some files. It is made by `git
    fast-import`, and has one pack."""
    made, lines = draw.between(10, 60), draw.between(20, 200)
    contents = [[f"{draw.sentence(6)}\n" for _ in range(draw.between(5, lines))] for _ in range(made)]
    stream = io.BytesIO()
    for number in range(size):
        first = range(made) if number == 0 else ()
        changed = sorted({*first, *(draw.often_first(range(made)) for _ in range(draw.between(1, 4)))})
        for file in changed:
            _edit(draw, contents[file])
        _write_commit(stream, draw, number, {file: "".join(contents[file]) for file in changed})
    repository = str(folder / "repository.git")
    subprocess.run([of_debian("git"), "init", "-q", "--bare", "-b", "main", repository], check=True)
    command = [of_debian("git"), "-C", repository, "fast-import", "--quiet"]
    subprocess.run(command, input=stream.getvalue(), check=True)


def _edit(draw: Draw, lines: list[str]) -> None:
    for _ in range(draw.between(1, 6)):
        place = draw.below(len(lines))
        if draw.chance(0.3) and len(lines) > 3:
            del lines[place]
        elif draw.chance(0.5):
            lines.insert(place, f"{draw.sentence(6)}\n")
        else:
            lines[place] = f"{draw.sentence(6)}\n"


def _write_commit(stream: io.BytesIO, draw: Draw, number: int, files: dict[int, str]) -> None:
    message = f"{draw.sentence(5)}\n\n{draw.sentence(20)}\n".encode()
    who = f"{draw.word()} <{draw.word()}@example.org> {BEGAN + 3600 * number} +0000"
    stream.write(f"commit refs/heads/main\ncommitter {who}\ndata {len(message)}\n".encode() + message)
    for file, text in files.items():
        stream.write(f"M 100644 inline folder{file % 7}/file{file}.txt\ndata {len(text)}\n{text}\n".encode())


def write_archive(folder: Path, draw: Draw, size: int) -> None:
    """A tar archive of so many files, in folders within folders."""
    deepest, names, longest = draw.between(2, 6), draw.vocabulary(60), draw.between(20, 400)
    with tarfile.open(folder / "files.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(size):
            parts = [draw.one_of(names) for _ in range(draw.between(1, deepest))]
            entry = tarfile.TarInfo("/".join([*parts, f"{draw.word()}{number}.txt"]))
            text = "".join(f"{draw.sentence(8)}\n" for _ in range(draw.below(longest) // 8 + 1)).encode()
            entry.size, entry.mtime, entry.mode = len(text), BEGAN + number, 0o644
            archive.addfile(entry, io.BytesIO(text))


def write_build(folder: Path, draw: Draw, size: int) -> None:
    """For ninja, so many objects of sources that others make, and libraries and programs of them."""
    headers, an_archive = draw.between(1, 12), draw.between(5, 60)
    (folder / "first.txt").write_text("the only source\n", encoding="utf-8")
    lines = ["rule run", "  command = make_it $in > $out", "  description = making $out"]
    lines += [f"build include/h{number}.h: run first.txt" for number in range(headers * 20)]
    for number in range(size):
        used = " ".join(f"include/h{draw.below(headers * 20)}.h" for _ in range(draw.between(1, headers)))
        name = f"{draw.word()}/o{number}"
        lines += [f"build src/{name}.c: run first.txt", f"build out/{name}.o: run src/{name}.c | {used}"]
        lines += [f"  flags = -O2 -D{draw.word().upper()} -I{draw.word()}"]
    objects = [line.split()[1].rstrip(":") for line in lines if line.startswith("build out/")]
    for first in range(0, size, an_archive):
        within = " ".join(objects[first : first + an_archive])
        lines.append(f"build lib/l{first}.a: run {within}")
    programs = [f"lib/l{first}.a" for first in range(0, size, an_archive)]
    lines += [
        f"build bin/p{number}: run {draw.one_of(programs)} {draw.one_of(programs)}" for number in range(30)
    ]
    (folder / "build.ninja").write_text("\n".join(lines) + "\n", encoding="utf-8")
