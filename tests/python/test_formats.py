"""The formats' definitions as Python reads them."""

from malloom import formats


def test_structs_have_the_sizes_that_they_claim() -> None:
    for name in ("profile", "plan"):
        found = formats.load(name)
        assert found.structs and found.versions
        for struct in found.structs.values():
            assert struct.dtype().itemsize == struct.size


def test_values_are_known_by_name() -> None:
    assert formats.load("plan").enums["Matching"] == {"context": 1, "sequence": 2}
    assert formats.load("plan").enums["PlanFlag"]["preallocate"] == 1


def test_limits_are_known_by_name() -> None:
    assert formats.load("plan").limits == {"largest_pooled": 4096, "most_pool_frames": 5}


def test_meanings_with_commas_and_parentheses_are_whole() -> None:
    field = next(each for each in formats.load("plan").structs["PlanHeader"].fields if each.name == "program")
    assert field.meaning.endswith("(formats/context_hash.h)") and field.type == "u64"


def test_magic_is_the_bytes_on_disk() -> None:
    assert formats.magic("MALLPLAN").to_bytes(8, "little") == b"MALLPLAN"
