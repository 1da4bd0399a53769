"""The suite pools: from its parts to its tables."""

from functools import partial

from malloom.bench.pools.scale import Scale
from malloom.bench.pools.steps import PARTS, steps_of
from malloom.bench.pools.tables import shown_tables
from malloom.bench.suite import Suite


def pools(scale: Scale) -> Suite:
    return Suite("pools", PARTS, {}, partial(steps_of, scale=scale), partial(shown_tables, scale=scale))
