"""The accesses of a recorded process by address, whether an object of malloc's lies there or not."""

from pathlib import Path

from malloom import _native
from malloom.profile.heap_profile import open_recording, processes_of
from malloom.profile.process import choose_process


def recorded_addresses(path: Path, process: str | int | None = None) -> _native.AddressSource:
    """All in time order but those to stacks and to the images of modules, which the recorder leaves out.

    Raises CommandError where the profile is unreadable or has no such process.
    """
    recording = open_recording(path)
    chosen, _ = choose_process(processes_of(recording), process, recording.notes())
    return recording.addresses(chosen.identity)
