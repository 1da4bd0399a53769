"""The suite placement: from the workloads to the thesis's tables."""

from functools import partial

from malloom.bench.placement.scale import full_scale, quick_scale
from malloom.bench.placement.steps import GROUPS, PARTS, steps_of
from malloom.bench.placement.tables import shown_tables
from malloom.bench.suite import Suite


def placement(quick: bool) -> Suite:
    """With the papers' inputs, or `quick`ly with small ones."""
    scale = quick_scale() if quick else full_scale()
    return Suite("placement", PARTS, GROUPS, partial(steps_of, scale=scale), shown_tables)
