"""Findings as pictures: what a table shows, drawn as SVG by Vega-Lite."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType
from typing import Any

from malloom.bench.findings import Findings
from malloom.bench.tables import Table
from malloom.errors import CommandError
from malloom.measure.rows import Row
from malloom.output_file import check_output, written_whole

VEGA_LITE = "5.21"
"""The version of its language that pictures are told in."""
WIDTH, HEIGHT = 640, 280
"""Of what lies within the axes, in pixels."""
BAND = 14
"""Of one bar."""


class Shape(StrEnum):
    """How rows become marks."""

    BARS = "bars"
    """A group an input, in it a bar a variant."""
    STACKED = "stacked"
    """A bar a workload, of whose parts each variant is one: their ratios multiply up to the whole."""
    LINES = "lines"
    """Inputs are numbers; a line a variant, a field a workload."""


@dataclass(frozen=True)
class Picture:
    """The rows of a table as marks. `name` is its file's, without the extension; `across` and `up` say what
    the axes are of."""

    name: str
    table: Table
    shape: Shape
    across: str
    up: str

    def told(self, findings: Findings) -> dict[str, Any] | None:
        """As Vega-Lite; None where nothing was measured for it."""
        rows = self.table.rows(findings)
        if not rows:
            return None
        marks = {Shape.BARS: _bars, Shape.STACKED: _stacked, Shape.LINES: _lines}[self.shape](rows, self)
        return {
            "$schema": f"https://vega.github.io/schema/vega-lite/v{VEGA_LITE.split('.', maxsplit=1)[0]}.json",
            "title": {"text": self.table.title, "anchor": "start"},
            "background": "white",
            "data": {"values": [_value(row, self.table) for row in rows]},
            **marks,
        }


def drawing() -> ModuleType:
    """What draws; raises CommandError where it is not installed."""
    try:
        import vl_convert  # noqa: PLC0415
    except ImportError as missing:
        remedy = "install malloom[pictures], or leave --pictures out"
        raise CommandError("pictures need the Python package vl-convert-python", remedy=remedy) from missing
    return vl_convert


def prepare(folder: Path) -> None:
    """Before hours of measuring. Raises CommandError where what draws, or the folder, cannot be there."""
    drawing()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot make the folder {folder}: {error.strerror}"
        raise CommandError(problem, remedy="choose another") from error
    check_output(folder / "picture.svg")


def draw(pictures: Sequence[Picture], findings: Findings, folder: Path) -> list[Path]:
    """A file a picture that something was measured for, in the folder, which need not be there."""
    drawn = []
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        told = picture.told(findings)
        if told is not None:
            file = folder / f"{picture.name}.svg"
            with written_whole(file) as written:
                written.write(drawing().vegalite_to_svg(json.dumps(told), vl_version=VEGA_LITE).encode())
            drawn.append(file)
    return drawn


def _value(row: Row, table: Table) -> dict[str, str | float]:
    workload, given = table.place(row)
    return {
        "workload": workload,
        "input": given,
        "place": f"{workload} {given}".strip(),
        "variant": table.variant(row),
        "ratio": row.ratio,
    }


def _names(rows: Sequence[Row], table: Table) -> list[str]:
    """The variants in the order in which they were measured."""
    return list(dict.fromkeys(table.variant(row) for row in rows))


def _color(rows: Sequence[Row], table: Table) -> dict[str, Any]:
    return {
        "field": "variant",
        "type": "nominal",
        "title": None,
        "sort": _names(rows, table),
        "legend": {"orient": "bottom"},
    }


def _bars(rows: Sequence[Row], picture: Picture) -> dict[str, Any]:
    names = _names(rows, picture.table)
    return {
        "width": {"step": BAND},
        "height": HEIGHT,
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": "place", "title": picture.across, "sort": None, "axis": {"labelAngle": -30}},
            "xOffset": {"field": "variant", "sort": names},
            "y": {"field": "ratio", "type": "quantitative", "title": picture.up},
            "color": _color(rows, picture.table),
        },
    }


def _stacked(rows: Sequence[Row], picture: Picture) -> dict[str, Any]:
    """Logarithms add up where ratios multiply; the axis shows ratios all the same."""
    names = _names(rows, picture.table)
    order = {"calculate": f"indexof({json.dumps(names)}, datum.variant)", "as": "order"}
    return {
        "width": {"step": 2 * BAND},
        "height": HEIGHT,
        "transform": [{"calculate": "log(datum.ratio)", "as": "part"}, order],
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {"field": "workload", "title": picture.across, "sort": None, "axis": {"labelAngle": -30}},
            "y": {
                "field": "part",
                "type": "quantitative",
                "title": picture.up,
                "axis": {
                    "values": [math.log(ratio / 20) for ratio in range(1, 41)],
                    "labelExpr": "format(exp(datum.value), '.2f')",
                    "labelOverlap": True,
                },
            },
            "color": _color(rows, picture.table),
            "order": {"field": "order"},
        },
    }


def _lines(rows: Sequence[Row], picture: Picture) -> dict[str, Any]:
    workloads = list(dict.fromkeys(picture.table.place(row)[0] for row in rows))
    facet = {"field": "workload", "title": None, "sort": workloads, "columns": 2}
    return {
        "width": WIDTH // min(2, len(workloads)),
        "height": HEIGHT,
        "mark": {"type": "line", "point": True},
        "encoding": {
            "facet": facet,
            "x": {
                "field": "input",
                "type": "ordinal",
                "title": picture.across,
                "sort": None,
                "axis": {"labelAngle": 0},
            },
            "y": {
                "field": "ratio",
                "type": "quantitative",
                "title": picture.up,
                "scale": {"zero": False},
            },
            "color": _color(rows, picture.table),
        },
    }
