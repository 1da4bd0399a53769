"""What is said of a program whose link is measured."""

from dataclasses import dataclass

from malloom.bench.splitting.debian_programs import SourceProgram
from malloom.measure.rows import Place


@dataclass(frozen=True)
class LinkedProgram(SourceProgram):
    """`arguments` are shell words with which it does a little that is the same each time; its own sources lie
    in `folders`, or anywhere where that names none. `build_seconds` is what a clean build was thought to
    take."""

    arguments: str
    folders: tuple[str, ...]
    build_seconds: float

    @property
    def place(self) -> Place:
        """What rows call it."""
        return self.name, self.language
