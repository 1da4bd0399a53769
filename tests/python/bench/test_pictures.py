"""Pictures of findings: what they tell of rows, and what is drawn of it."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from malloom.bench.bins.pictures import pictures as pictures_of_bins
from malloom.bench.bins.suite import PARTS
from malloom.bench.findings import Findings
from malloom.bench.pictures import Picture, Shape, draw, drawing, prepare
from malloom.bench.tables import Table
from malloom.errors import CommandError
from malloom.measure.interval import exact
from malloom.measure.rows import row

SVG = "{http://www.w3.org/2000/svg}"
TABLE = Table("Cycles of a call", "calls", "cycles", "nothing")
BARS = Picture("calls", TABLE, Shape.BARS, "sizes", "cycles")
STACKED = Picture("parts", TABLE, Shape.STACKED, "programs", "ratio")
LINES = Picture("rehashes", TABLE, Shape.LINES, "rehashes", "ratio")


def found(*measured: tuple[str, str, str, float]) -> Findings:
    """Of workload, input, variant and number."""
    findings = Findings()
    findings.add(
        "calls", [row((at, of), who, "nothing", "cycles", exact(number)) for at, of, who, number in measured]
    )
    return findings


CALLS = found(
    ("small", "", "original", 20.0), ("small", "", "generated", 10.0), ("large", "", "original", 40.0)
)


def texts(file: Path) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.parse(file).iter(f"{SVG}text")]


def heights(file: Path) -> list[float]:
    """Of the bars, by the paths that they are."""
    bars = [
        each
        for each in ElementTree.parse(file).iter(f"{SVG}path")
        if each.get("aria-roledescription") == "bar"
    ]
    return [float(each.get("d", "").split("v")[1].split("h")[0]) for each in bars]


def test_a_bar_is_as_high_as_its_number(tmp_path: Path) -> None:
    [file] = draw([BARS], CALLS, tmp_path / "pictures")
    assert file == tmp_path / "pictures/calls.svg"
    original, generated, large = heights(file)
    assert original == pytest.approx(2 * generated)
    assert large == pytest.approx(4 * generated)


def test_parts_that_multiply_up_lie_on_each_other(tmp_path: Path) -> None:
    parts = found(("dot", "", "allocator", 0.5), ("dot", "", "layout", 0.25), ("jq", "", "allocator", 0.5))
    [file] = draw([STACKED], parts, tmp_path)
    of_dot, layout, of_jq = heights(file)
    assert layout == pytest.approx(2 * of_dot)
    assert of_jq == pytest.approx(of_dot)
    assert {"dot", "jq", "allocator", "layout", "0.50"} <= {*texts(file)}


def test_what_it_is_of_is_written_in_it(tmp_path: Path) -> None:
    [file] = draw([BARS], CALLS, tmp_path)
    written = texts(file)
    for text in ("Cycles of a call", "sizes", "cycles", "small", "large", "original", "generated"):
        assert text in written


def test_lines_are_by_workload_and_variant(tmp_path: Path) -> None:
    findings = found(
        *((at, str(n), who, n / 10) for at in ("one", "other") for who in ("mean", "best") for n in range(4))
    )
    [file] = draw([LINES], findings, tmp_path)
    lines = [
        each
        for each in ElementTree.parse(file).iter(f"{SVG}path")
        if each.get("aria-roledescription") == "line mark"
    ]
    assert len(lines) == 4
    assert {"one", "other", "mean", "best", "rehashes"} <= set(texts(file))


def test_nothing_is_drawn_of_nothing(tmp_path: Path) -> None:
    assert draw([BARS, LINES], Findings(), tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_without_what_draws_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(CommandError, match="vl-convert-python") as error:
        drawing()
    assert "malloom[pictures]" in str(error.value)


def test_a_folder_that_cannot_be_is_told_before_anything_is_measured(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CommandError, match="cannot make the folder"):
        prepare(tmp_path / "file")
    prepare(tmp_path / "some/folder")
    assert (tmp_path / "some/folder").is_dir()


def test_pictures_of_bins_are_of_its_parts() -> None:
    drawn = pictures_of_bins()
    assert {picture.table.part for picture in drawn} == set(PARTS)
    assert len({picture.name for picture in drawn}) == len(drawn)
