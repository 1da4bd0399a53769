"""The numbers of the thesis (Cyll 2004, chapter 5), under the strategies' names of today."""

from collections.abc import Mapping

STRATEGIES = (
    "sequential",
    "random",
    "size",
    "friends-depth-first",
    "friends-grouped",
    "usage-depth-first",
    "usage-grouped",
    "one-per-line",
)
FRIENDS = ("friends-depth-first", "friends-grouped")


def _by_strategy(*values: float) -> dict[str, float]:
    return dict(zip(STRATEGIES, values, strict=True))


def ratios(
    measured: Mapping[tuple[str, str], Mapping[str, float]], baseline: str
) -> dict[tuple[str, str], dict[str, float]]:
    """Every number as a ratio to the baseline's of the same input."""
    return {
        place: {name: value / values[baseline] for name, value in values.items()}
        for place, values in measured.items()
    }


# Table 5.1: best times in seconds, by (workload, input).
TIMES = {
    ("cover", "100 100"): _by_strategy(
        0.002352, 0.002395, 0.002346, 0.002340, 0.002353, 0.002361, 0.002373, 0.002442
    ),
    ("cover", "300 300"): _by_strategy(
        0.080595, 0.211720, 0.080677, 0.080653, 0.083250, 0.076603, 0.090737, 0.151122
    ),
    ("cover", "500 500"): _by_strategy(
        0.926647, 1.949964, 0.926026, 0.925796, 0.933972, 0.923315, 1.047584, 1.245283
    ),
    ("hexapawn", "4 3"): _by_strategy(
        0.007496, 0.010427, 0.007491, 0.007841, 0.007370, 0.007476, 0.007497, 0.009993
    ),
    ("traverse", "16 10"): _by_strategy(
        0.111173, 0.213957, 0.110867, 0.079430, 0.114451, 0.079179, 0.111261, 0.144253
    ),
}

# Tables 5.3, 5.5, 5.7: misses of the first and of the last level of data caches.
L1_MISSES = {
    ("cover", "300 300"): _by_strategy(
        5814499, 6815227, 5811861, 5809314, 5827200, 5809386, 6083590, 6470792
    ),
    ("hexapawn", "4 3"): _by_strategy(24330, 55144, 24570, 24485, 24390, 24444, 24333, 51013),
    ("traverse", "16 10"): _by_strategy(994636, 1571797, 994636, 987289, 1002154, 987094, 997315, 1408294),
}
LAST_LEVEL_MISSES = {
    ("cover", "300 300"): _by_strategy(556132, 1125087, 551960, 556153, 583593, 535461, 604834, 1520016),
    ("hexapawn", "4 3"): _by_strategy(23383, 35450, 23376, 23380, 23369, 23377, 23384, 49086),
    ("traverse", "16 10"): _by_strategy(970229, 1480751, 970229, 970224, 970322, 970237, 970260, 1381616),
}

# Table 5.9: time against the system's allocator, cover 300 300, by (strategy, preallocated).
AGAINST_SYSTEM = {
    ("sequential", False): 0.6337,
    ("sequential", True): 0.5384,
    ("usage-depth-first", True): 0.5118,
}

# Table 5.10: misses against the system's allocator, there the GNU C library's. It has 164,030 first-level
# misses for sequential placement, and table 5.3 has 5,814,499 for the same; both cannot be.
L1_AGAINST_SYSTEM = {
    ("cover", "300 300"): {"sequential": 164030 / 5942015, "usage-depth-first": 163406 / 5942015}
}
LAST_LEVEL_AGAINST_SYSTEM = {
    ("cover", "300 300"): {"sequential": 2767 / 739109, "usage-depth-first": 2767 / 739109}
}

# Table 5.12: time against the system's allocator in short runs.
SHORT_RUNS = {
    ("cover", "100 100"): {"sequential": 0.9285, "friends-depth-first": 0.9238},
    ("hexapawn", "4 3"): {"sequential": 0.7123, "friends-grouped": 0.7003},
}

# Tables 5.13 and 5.14: seconds with the slimmed library, which can do nothing but place.
SLIM_TIMES = {
    ("cover", "300 300"): _by_strategy(
        0.080332, 0.210171, 0.079961, 0.080265, 0.082766, 0.075938, 0.090269, 0.150881
    ),
    ("hexapawn", "4 3"): _by_strategy(
        0.004799, 0.008199, 0.004875, 0.005279, 0.004826, 0.004694, 0.004698, 0.007800
    ),
}
