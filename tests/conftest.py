"""How long and how randomly tests run, which share a worker, and the signals that programs start with."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# In `make test` the same examples every time, however slow the machine: whoever changes something else must
# not meet a failure by chance. `make soak` looks for new ones, and longer.
settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", max_examples=2000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steady")

# Under nohup, or in the background of a script, signals are ignored, and every child would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for _number in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(_number, signal.SIG_DFL)


@pytest.fixture(scope="session", autouse=True)
def finished_steps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Suites that tests run keep their steps in a folder of the tests, and not in the user's."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


HERE = Path(__file__).parent.name


def shares_with_its_file(item: pytest.Item) -> bool:
    """Whether the test has a fixture that is made once for several tests, but not for all: those are here."""
    fixtures = item._fixtureinfo.name2fixturedefs.values() if isinstance(item, pytest.Function) else ()
    return any(last.scope != "function" and last.baseid not in ("", HERE) for *_, last in fixtures)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is costly to make is made by one worker, which has all tests of the file; all other tests are
    spread one by one (`--dist loadgroup`)."""
    for item in items:
        if shares_with_its_file(item) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.location[0]))
