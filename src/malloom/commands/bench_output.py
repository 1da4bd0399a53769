"""What `malloom bench` tells while it measures, and what it leaves."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from malloom.bench.findings import Findings
from malloom.bench.markdown import to_markdown
from malloom.bench.suite import Prepared
from malloom.bench.tables import goals_data, print_all, rows_data
from malloom.measure.interleaved import Progress, no_progress
from malloom.measure.rows import to_json
from malloom.output_file import written_whole


def print_tables(prepared: Prepared, findings: Findings) -> None:
    """All that the findings can fill, on standard output."""
    from rich.console import Console  # noqa: PLC0415

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 240)
    print_all(console, prepared.shown(findings))


@contextmanager
def shown() -> Iterator[tuple[Callable[[str], None], Progress]]:
    """Lines on standard error as the suite goes on; at a terminal also the run that it is at."""
    from rich.console import Console  # noqa: PLC0415

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)

    def say(line: str) -> None:
        console.print(line, style="dim")

    if not console.is_terminal:
        yield say, no_progress
        return
    with console.status("") as status:

        def say_and_wait(line: str) -> None:
            say(line)
            status.update("")

        yield say_and_wait, lambda name, number: status.update(f"run {number} of {name}")


def write(
    name: str, prepared: Prepared, findings: Findings, json: Path | None, markdown: Path | None
) -> None:
    """Rows, goals and failures for machines, tables for documents, where they are wanted."""
    if json is not None:
        failures = [asdict(failure) for failure in findings.failures]
        notes = [asdict(note) for note in findings.notes]
        rows, goals = rows_data(findings), goals_data(findings)
        left_out = [asdict(each) for each in findings.left_out]
        data = to_json(name, findings.measured_on, rows, goals, failures, notes, left_out)
        _write_text(json, data + "\n")
    if markdown is not None:
        _write_text(markdown, to_markdown(prepared.shown(findings)))


def _write_text(path: Path, text: str) -> None:
    with written_whole(path) as file:
        file.write(text.encode())
