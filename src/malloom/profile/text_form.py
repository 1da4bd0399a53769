"""A profile as text and back (docs/formats.md). Both ways stream: memory holds one chunk."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO

from malloom import _native
from malloom.errors import CommandError
from malloom.output_file import written_whole
from malloom.profile.heap_profile import open_recording


def to_text(profile: Path, output: BinaryIO) -> list[str]:
    """Writes the text form of `profile`; returns the reader's notes on it (cut, corrupt).

    Raises CommandError where the profile cannot be read or the text not be written.
    """
    recording = open_recording(profile)
    output.flush()
    problem = recording.export_text(output.fileno())
    if problem == os.strerror(errno.EPIPE):
        raise BrokenPipeError(errno.EPIPE, problem)
    if problem:
        raise CommandError(f"cannot write the text of {profile}: {problem}")
    return recording.notes()


def from_text(text: BinaryIO, profile: Path) -> None:
    """Writes the profile that `text` describes; where that fails `profile` is left as it was.

    Raises CommandError where the text is not right or the profile cannot be written.
    """
    with written_whole(profile) as output:
        problem = _native.import_text(text.fileno(), output.fileno())
        if problem:
            raise CommandError(f"cannot make {profile} from the text: {problem}")
