"""The keys of the call sites that a plan is about, so that another build can take it over."""

from __future__ import annotations

from dataclasses import replace

from malloom.layout.plan import MATCHINGS, Plan
from malloom.profile import HeapProfile
from malloom.sites.recorded import chains_with, site_table
from malloom.sites.table import encode


def with_site_keys(profile: HeapProfile, plan: Plan) -> Plan:
    """The plan with the keys of its contexts, as far as what was recorded has debug information.

    A plan that matches by sequence, or says nothing of contexts, stays as it is.
    """
    hashes = {hash_ for hash_ in plan.contexts["hash"].tolist() if hash_}
    if not hashes or MATCHINGS[plan.matching - 1] == "sequence":
        return plan
    chains = chains_with(profile, hashes, plan.depth)
    table, _ = site_table(profile.modules, chains, unknown=len(hashes) - len(chains))
    return replace(plan, sites=encode(table))
