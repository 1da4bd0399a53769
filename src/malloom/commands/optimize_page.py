"""`malloom optimize --html`: the verdict as a page."""

from pathlib import Path

from malloom.errors import UsageProblem
from malloom.measure.host import machine_facts
from malloom.optimize import table
from malloom.optimize.data import as_data
from malloom.optimize.verdict import Outcome
from malloom.output_file import check_output, check_replaced
from malloom.page.file import drawing_library
from malloom.page.verdict import write_verdict


def check_page(page: Path, confirm: Path | None) -> None:
    """Raises before anything is measured where no page can be written."""
    if confirm:
        raise UsageProblem("--confirm writes no page", remedy="leave out --html")
    check_output(page)
    check_replaced(page, "page")
    drawing_library()


def write_page(outcome: Outcome, page: Path) -> None:
    """The verdict as a page."""
    write_verdict(as_data(outcome), list(table.lines(outcome)), machine_facts(), page)
