"""What a reader must know of the runs behind a table: what was measured on, and whether the numbers can be
relied on."""

from collections import Counter
from collections.abc import Iterable, Sequence

from malloom.bench.findings import AND, Findings
from malloom.bench.goals import LIMIT
from malloom.measure.interleaved import again
from malloom.measure.interval import FEWEST_PAIRS
from malloom.measure.rows import MEASURED_ON, Row, describe_interval

Rows = Sequence[tuple[str, Row]]
"""Each with the part that measured it."""


def remarks_on(rows: Rows, findings: Findings) -> list[str]:
    """A remark a line; none where there are no rows."""
    if not rows:
        return []
    compared = [(part, row) for part, row in rows if not row.is_exact and row.baseline != LIMIT]
    found = [
        _measured_on([row for _, row in rows]),
        _unreliable(rows, findings),
        _stand_ins(compared, findings),
        _without_control(compared, findings),
        _few_pairs(compared),
    ]
    return [remark for remark in found if remark]


def _measured_on(rows: Sequence[Row]) -> str:
    commit, processor, date = (AND.join(sorted({getattr(row, name) for row in rows})) for name in MEASURED_ON)
    return ", ".join(filter(None, [f"commit {commit}", processor, _last_levels(rows), date]))


def _last_levels(rows: Iterable[Row]) -> str:
    """The size that most inputs are told by, and which are told by others. Empty where no cache tells any."""
    rows = [row for row in rows if row.last_level]
    if not rows:
        return ""
    (usual, _), *others = Counter(row.last_level for row in rows).most_common()
    exceptions = [
        f"{_mebibytes(size)} for {_places(row for row in rows if row.last_level == size)}"
        for size, _ in others
    ]
    return "last level " + " but ".join(
        [_mebibytes(usual), *([" and ".join(exceptions)] if exceptions else [])]
    )


def _unreliable(rows: Rows, findings: Findings) -> str:
    """Every baseline that differs from itself in a race behind the rows, by how much, and in which race."""
    are_mixed = len({row.metric for _, row in rows}) > 1
    strayed: dict[str, dict[str, None]] = {}
    for part, row in rows:
        for control in findings.disturbed(part, row):
            name = control.variant.removesuffix(again(""))
            metric = f" ({control.metric})" if are_mixed else ""
            strayed.setdefault(name, {})[_described(control) + metric] = None
    told = [f"{name} against itself is {', '.join(races)}" for name, races in strayed.items()]
    return f"UNRELIABLE: {'; '.join(told)}" if told else ""


def _described(control: Row) -> str:
    """With its interval, so that a reader sees whether it may be noise."""
    of = " of the limit" if control.baseline == LIMIT else ""
    return f"{describe_interval(control)}{of} in {control.races[0].name}"


def _stand_ins(rows: Rows, findings: Findings) -> str:
    """Which baselines ran once only, and whose control of the same races is looked at in their place."""
    once, instead = set(), set()
    for part, row in rows:
        controls = {control.baseline for control in findings.controls_of(part, row)}
        if controls and row.baseline not in controls:
            once.add(row.baseline)
            instead |= controls
    if not once:
        return ""
    theirs = f"{', '.join(sorted(instead))} against itself, of the same races, stands for it"
    return f"without a control of its own: {', '.join(sorted(once))}; {theirs}"


def _without_control(rows: Rows, findings: Findings) -> str:
    alone = [row for part, row in rows if not findings.controls_of(part, row)]
    return f"no baseline ran twice for {_places(alone)}" if alone else ""


def _few_pairs(rows: Rows) -> str:
    if all(row.low is not None for _, row in rows):
        return ""
    return f"fewer than {FEWEST_PAIRS} pairs give no interval, and decide nothing"


def _places(rows: Iterable[Row]) -> str:
    return ", ".join(sorted({" ".join(row.place) for row in rows}))


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):g} MiB"
