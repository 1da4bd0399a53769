"""Where a layout is predicted to gain."""

import numpy as np
import pytest

from malloom.cache.geometry import geometry_from
from malloom.layout.ranking import RECORDED, rank
from malloom.layout.registry import strategy
from malloom.predictions.sites import by_site
from malloom.profile import HeapProfile


def test_sites_have_parts_of_the_waiting() -> None:
    count = 4000
    walk = np.random.default_rng(7).permutation(count)
    profile = HeapProfile.from_arrays(
        [48] * count, accesses=np.tile(walk, 6), context=[number % 2 for number in range(count)]
    )
    wanted = [strategy(RECORDED), strategy("first-use")]
    ranked = rank(profile, wanted, geometry_from("p4"), by_context=True)
    by_name = {each.strategy: each for each in ranked}
    sites, _ = by_site(profile, [by_name["first-use"]], by_name[RECORDED])
    assert sum(site.share for site in sites) == pytest.approx(1)
    whole = by_name["first-use"].cycles / by_name[RECORDED].cycles
    left = sum(site.share * (site.waiting["first-use"] or 0) for site in sites)
    assert left == pytest.approx(whole)
    assert [site.share for site in sites] == sorted((site.share for site in sites), reverse=True)
    assert whole < 0.5
