"""All tests of a case share what is compiled of it, so one worker has them."""

import pytest

from compiler.case_files import Case


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
        if isinstance(case, Case) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(case.source.name))
