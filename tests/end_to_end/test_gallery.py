"""The gallery in the documentation: its pictures are of pages as they are today, of programs that run."""

import struct
from pathlib import Path

import pytest

from end_to_end.browser import HEIGHT, WIDTH
from end_to_end.gallery import FOLDER, MADE_OF, SHOTS, Shot, hash_of_pages, jq_report, take


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG."""
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return width, height


def test_pictures_are_of_the_pages_as_they_are() -> None:
    assert MADE_OF.read_text().strip() == hash_of_pages(), "a page has changed: run 'make gallery'"


@pytest.mark.parametrize("shot", SHOTS, ids=lambda shot: shot.name)
def test_every_picture_is_there_and_shown(shot: Shot) -> None:
    name = f"{shot.name}.png"
    assert size_of(FOLDER / name) == (WIDTH, HEIGHT)
    assert f"]({name})" in (FOLDER / "README.md").read_text()
    assert (FOLDER / name).stat().st_size < 400_000


def test_no_picture_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.png")} == {shot.name for shot in SHOTS}


def test_a_picture_can_be_taken_anew(tmp_path: Path) -> None:
    take(jq_report(tmp_path), "sites", tmp_path / "again.png")
    assert size_of(tmp_path / "again.png") == (WIDTH, HEIGHT)
    # A page that has failed is white, and white packs well.
    assert (tmp_path / "again.png").stat().st_size > 30_000
