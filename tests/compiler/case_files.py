"""The case files: what their first lines say.

// proves: SIZE split|pool|no  reason: TEXT   a set of objects of so many bytes, and a part of why not more
// proves before clang VERSION: ...           the same, of what older compilers write only;
// proves since clang VERSION: ...            or only that one and newer ones
// options: ...                               of compilations
// link: ...                                  of links
// beside: FILE                               compiled by gcc, which the plugin knows nothing of
// graph: ...                                 a line of the points-to graph, with names of sets
// shows: RULE                                what the program does wrong where the analysis lacks this rule
// and: RULE                                  and this one, each of which would do by itself
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from compiler import compiling

FOLDER = Path(__file__).parent / "cases"
PROVES = re.compile(
    r"^// proves(?: (before|since) clang (\d+))?: (\d+) (split|pool|no)(?: +reason: (.*))?$", re.MULTILINE
)
GRAPH = re.compile(r"^// (graph: .*)$", re.MULTILINE)
SHOWS = re.compile(r"^// shows: (.*)$((?:\n// and: .*$)*)", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One of the files."""

    source: Path
    _plain: dict[str, compiling.Ran] = field(default_factory=dict, compare=False, repr=False)
    _bitcode: dict[str, Path] = field(default_factory=dict, compare=False, repr=False)
    """By level."""

    @cached_property
    def text(self) -> str:
        return self.source.read_text()

    def words(self, name: str) -> list[str]:
        lines = re.findall(rf"^// {name}: (.*)$", self.text, re.MULTILINE)
        return [word for line in lines for word in line.split()]

    def proofs(self) -> list[tuple[int, str, str]]:
        """Size of the objects, verdict, and a part of a reason."""
        found = PROVES.findall(self.text)
        assert found, f"{self.source.name} does not say what must be proven"
        return [
            (int(size), verdict, reason)
            for when, version, size, verdict, reason in found
            if not when or (when == "since") == (int(compiling.LLVM) >= int(version))
        ]

    def graph(self) -> str:
        return "\n".join(GRAPH.findall(self.text))

    def shown(self) -> list[tuple[str, ...]]:
        """Rules without all of which the program goes wrong, and without one of which it does not."""
        return [(first, *re.findall(r"// and: (.*)", more)) for first, more in SHOWS.findall(self.text)]

    def foreign_objects(self, folder: Path) -> list[Path]:
        objects = []
        for name in self.words("beside"):
            objects.append(folder / f"{len(objects)}.o")
            command = ["gcc", "-O2", "-fPIC", "-c", str(FOLDER / name), "-o", str(objects[-1])]
            compiling.call(command)
        return objects

    def plain(self, level: str, folder: Path) -> compiling.Ran:
        """What the program does without the plugin. It is compiled once in a process, in the folder that
        is given first, and so is the bitcode: a case's tests share them."""
        if level not in self._plain:
            objects = [str(each) for each in self.foreign_objects(folder)]
            options = [*self.words("options"), *objects, *self.words("link")]
            program = compiling.compile_plainly(self.source, level, folder / "plain", *options)
            self._plain[level] = compiling.run(program)
        return self._plain[level]

    def bitcode(self, level: str, folder: Path) -> Path:
        if level not in self._bitcode:
            target = folder / "bitcode.o"
            compiling.compile_object(self.source, level, target, *self.words("options"))
            self._bitcode[level] = target
        return self._bitcode[level]

    def link_plainly(self, bitcode: Path, level: str, program: Path) -> None:
        inputs = [bitcode, *self.foreign_objects(program.parent)]
        compiling.link_plainly(self.source, inputs, level, program, *self.words("link"))

    def link(
        self,
        bitcode: Path,
        level: str,
        policy: str,
        program: Path,
        *settings: str,
        plugin: Path = compiling.PLUGIN,
    ) -> str:
        """What the plugin says."""
        inputs = [bitcode, *self.foreign_objects(program.parent)]
        options = self.words("link")
        return compiling.link(
            self.source, inputs, level, policy, program, *options, plugin=plugin, settings=settings
        )


CASES = [Case(path) for path in sorted(FOLDER.iterdir()) if path.suffix in (".c", ".cpp")]


def in_turn(turn: int, of: int = 3) -> list[Case]:
    """Every third case: each has one of three checks in `make test`, and all of them in `make soak`."""
    return CASES[turn::of]
