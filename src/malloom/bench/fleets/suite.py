"""The suite fleets: what tasks on the workers of a scheduler take."""

from functools import partial

from malloom.bench.fleets import workers
from malloom.bench.suite import Prepared, Suite
from malloom.bench.tables import Table
from malloom.extra import needed

PARTS = {workers.PART: "all strategies simulated by tasks, with 1, 2 and 4 workers of this machine"}


def prepare(quick: bool) -> Prepared:
    """Raises CommandError where Dask is not installed."""
    needed("distributed", "the suite fleets")
    tables = [
        Table("Wall time by tasks, against the command by itself", workers.PART, workers.WALL, workers.HERE),
        Table("Bytes moved, against the profile's size", workers.PART, workers.MOVED, workers.PROFILE),
        Table("Wall time, against what the model says of it", workers.PART, workers.WALL, workers.MODEL),
        Table(
            "What the model says of many workers",
            workers.PART,
            workers.WALL,
            f"{workers.ONE}, {workers.PROFILES} profiles",
        ),
    ]
    return Prepared({workers.PART: partial(workers.steps, quick)}, tables)


SUITE = Suite("simulations by tasks, on one worker and on several", PARTS, prepare)
