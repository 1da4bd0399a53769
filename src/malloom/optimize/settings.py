"""The settings in the race: each general allocator, as it is, with huge pages, with early return."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from malloom.launch.preloading import over
from malloom.measure.allocators import DEFAULT_FOLDER, INSTALLED_FOLDER, Setting, Way, installed, settings_of

FOLDERS = (INSTALLED_FOLDER, DEFAULT_FOLDER)
"""Where allocators lie that malloom's source tree builds: with the command, or for the benchmark."""

WAYS = {Way.plain: "", Way.huge: " with huge pages", Way.early: " with early return"}


@dataclass(frozen=True)
class AllocatorRow:
    """A row of the race: the program under a setting of a general allocator."""

    setting: Setting

    @property
    def name(self) -> str:
        return f"{self.setting.allocator.titled}{WAYS[self.setting.way]}"

    kind = "setting"
    executable = None

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """The variables, and the library before those that the user preloads himself."""
        return over("", self.setting.allocator.file, self.setting.variables)


def allocator_rows(folders: tuple[Path, ...] = FOLDERS) -> tuple[list[AllocatorRow], list[str]]:
    """All but the C library's allocator as it is, which the program has by itself; and what is missing, for
    a note."""
    there, missing = installed(folders)
    rows = [AllocatorRow(setting) for allocator in there for setting in settings_of(allocator)]
    rows = [row for row in rows if row.setting.allocator.file or row.setting.variables]
    return rows, [f"not in the race: {', '.join(missing)}, as not installed here"] if missing else []
