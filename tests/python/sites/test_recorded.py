"""What is said of files that give call sites no keys."""

from malloom.sites.build import WITHOUT_INFORMATION
from malloom.sites.recorded import joined_notes


def test_files_without_debug_information_are_told_in_one_note() -> None:
    other = "/bin/gone is not here: its call sites have no keys"
    notes = [f"lib{letter}.so{WITHOUT_INFORMATION}" for letter in "abcde"]
    assert joined_notes([]) == []
    assert joined_notes([other, notes[0]]) == [other, notes[0]]
    assert joined_notes([notes[0], other, notes[1]]) == [
        other,
        "2 files have no debug information: liba.so, libb.so; build them with -g",
    ]
    assert joined_notes(notes) == [
        "5 files have no debug information: liba.so, libb.so, libc.so and 2 more; build them with -g"
    ]
