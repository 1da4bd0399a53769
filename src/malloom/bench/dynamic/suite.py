"""The suite dynamic: from the programs to the paper's tables."""

from functools import partial

from malloom.bench.dynamic.scale import Scale
from malloom.bench.dynamic.steps import GROUPS, PARTS, steps_of
from malloom.bench.dynamic.tables import shown_tables
from malloom.bench.suite import Suite


def dynamic(scale: Scale) -> Suite:
    return Suite("dynamic", PARTS, GROUPS, partial(steps_of, scale=scale), shown_tables)
