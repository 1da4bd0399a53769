"""To whom the kernel gives huge pages, whichever of its files says so."""

from pathlib import Path

import pytest

from malloom.huge_pages import chosen_huge_pages

CHOICES = ("always", "madvise", "never")


def choose(file: Path, chosen: str, choices: tuple[str, ...]) -> None:
    """Writes the file as the kernel shows it."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(" ".join(f"[{word}]" if word == chosen else word for word in choices) + "\n")


@pytest.mark.parametrize("chosen", CHOICES)
def test_older_kernels_have_a_setting_for_all_sizes(tmp_path: Path, chosen: str) -> None:
    choose(tmp_path / "enabled", chosen, CHOICES)
    assert chosen_huge_pages(tmp_path) == chosen


@pytest.mark.parametrize("of_size", [*CHOICES, "inherit"])
@pytest.mark.parametrize("of_all", CHOICES)
def test_the_setting_of_a_size_overrides_that_of_all(tmp_path: Path, of_all: str, of_size: str) -> None:
    choose(tmp_path / "enabled", of_all, CHOICES)
    choose(tmp_path / "hugepages-2048kB/enabled", of_size, ("inherit", *CHOICES))
    choose(tmp_path / "hugepages-64kB/enabled", "never", ("inherit", *CHOICES))
    assert chosen_huge_pages(tmp_path) == (of_all if of_size == "inherit" else of_size)


def test_a_kernel_without_huge_pages_has_no_setting(tmp_path: Path) -> None:
    assert chosen_huge_pages(tmp_path) == ""
