"""The settings in the race: each general allocator, as it is, with huge pages, with early return."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from malloom.launch.preloading import over
from malloom.measure.allocators import DEFAULT_FOLDER, INSTALLED_FOLDER, Setting, Way, installed, settings_of
from malloom.measure.plan_setting import MOST_BYTES
from malloom.native_files import native_file
from malloom.settings import with_trust

FOLDERS = (INSTALLED_FOLDER, DEFAULT_FOLDER)
"""Where allocators lie that malloom's source tree builds: with the command, or for the benchmark."""

WAYS = {Way.plain: "", Way.huge: " with huge pages", Way.early: " with early return"}


@dataclass(frozen=True)
class AllocatorRow:
    """A row of the race: the program under a setting of a general allocator."""

    setting: Setting
    is_watched: bool = False
    """Whether the run time may leave the allocator, as it does where that is kept; here it never does."""

    @property
    def name(self) -> str:
        return f"{self.setting.allocator.titled}{WAYS[self.setting.way]}"

    kind = "setting"
    executable = None

    @cached_property
    def environment(self) -> Mapping[str, str]:
        """The variables, and the library before those that the user preloads himself."""
        library, variables = self.setting.allocator.file, self.setting.variables
        if not (self.is_watched and library):
            return over("", library, variables)
        return {**with_trust({}, MOST_BYTES), **over(native_file("libmalloom.so"), library, variables)}


def allocator_rows(folders: tuple[Path, ...] = FOLDERS) -> tuple[list[AllocatorRow], list[str]]:
    """All but the C library's allocator as it is, which the program has by itself; and what is missing, for
    a note. Of two of one version the first."""
    there, missing = installed(folders)
    first = {allocator.titled: allocator for allocator in reversed(there)}
    rows = [AllocatorRow(setting) for allocator in there for setting in settings_of(allocator)]
    rows = [row for row in rows if row.setting.allocator.file or row.setting.variables]
    notes = [f"not in the race: {', '.join(missing)}, as not installed here"] if missing else []
    for allocator in there:
        if allocator is not first[allocator.titled]:
            notes.append(f"not in the race: {allocator.described}, as {first[allocator.titled].described} is")
    return [row for row in rows if row.setting.allocator is first[row.setting.allocator.titled]], notes
