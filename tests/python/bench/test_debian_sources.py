"""Sources by apt-get, here from an archive in a folder: fetched once, checked, kept and unpacked."""

import hashlib
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from malloom.bench.debian_sources import Package, archive_of, unpack
from malloom.errors import CommandError


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that apt-get takes for an archive of Debian's, with one package of one file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "archive"
    (folder / "made-1.0").mkdir(parents=True)
    (folder / "made-1.0/main.c").write_text("int main(void) { return 0; }\n")
    with tarfile.open(folder / "made_1.0.orig.tar.gz", "w:gz") as packed:
        packed.add(folder / "made-1.0", "made-1.0")
    (folder / "made_1.0-2.dsc").write_text("Format: 3.0 (quilt)\nSource: made\nVersion: 1.0-2\n")
    files = [
        f" {hash_of(file)} {file.stat().st_size} {file.name}"
        for file in (folder / "made_1.0-2.dsc", folder / "made_1.0.orig.tar.gz")
    ]
    stanza = ["Package: made", "Binary: made", "Version: 1.0-2", "Format: 3.0 (quilt)", "Directory: ."]
    (folder / "Sources").write_text("\n".join([*stanza, "Checksums-Sha256:", *files, ""]))
    return folder


def hash_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def package(archive: Path) -> Package:
    return Package("made", "1.0-2", "made_1.0.orig.tar.gz", hash_of(archive / "made_1.0.orig.tar.gz"))


def source(archive: Path) -> str:
    return f"deb-src [trusted=yes] copy:{archive} ./\n"


def test_sources_are_unpacked_as_their_one_folder(archive: Path, tmp_path: Path) -> None:
    unpack(package(archive), tmp_path / "tree", source(archive))
    assert [file.name for file in (tmp_path / "tree").iterdir()] == ["main.c"]


def test_what_was_fetched_is_kept(archive: Path) -> None:
    wanted, asked = package(archive), source(archive)
    kept = archive_of(wanted, asked)
    (archive / "made_1.0.orig.tar.gz").unlink()
    assert archive_of(wanted, asked) == kept


def test_an_archive_that_lacks_the_file_is_passed_over(archive: Path, tmp_path: Path) -> None:
    shutil.copytree(archive, tmp_path / "lacking")
    (tmp_path / "lacking/made_1.0.orig.tar.gz").unlink()
    kept = archive_of(package(archive), source(tmp_path / "lacking") + source(archive))
    assert hash_of(kept) == package(archive).sha256


def test_what_was_damaged_is_fetched_again(archive: Path) -> None:
    wanted, asked = package(archive), source(archive)
    kept = archive_of(wanted, asked)
    kept.write_bytes(b"damaged")
    assert hash_of(archive_of(wanted, asked)) == wanted.sha256


def test_another_archive_than_expected_is_refused(archive: Path) -> None:
    other = replace(package(archive), sha256="0" * 64)
    with pytest.raises(CommandError, match=r"made 1\.0-2 is not the one expected"):
        archive_of(other, source(archive))
    assert not list((archive.parent / "cache/malloom/sources").glob("made*"))


def test_a_version_that_there_is_not_is_one_error(archive: Path) -> None:
    other = replace(package(archive), version="3.0-1")
    with pytest.raises(CommandError, match=r"the sources of made 3\.0-1 cannot be fetched from Debian"):
        archive_of(other, source(archive))
