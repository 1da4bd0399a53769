"""The numbers of Zhao, Rabbah and Wong's paper: tables 1, 2 and 3."""

from collections.abc import Mapping

from malloom.measure.variants import ALL, DYNAMORIO, GLIBC, POOL, PREFETCH

COLUMNS = (GLIBC, DYNAMORIO, POOL, PREFETCH, ALL)
"""The columns of tables 1 and 2; the first is the paper's native run."""

Times = Mapping[str, tuple[float, ...]]
"""Seconds of user and system time by program, a number a column: the best of three runs."""

ATHLON_MP: Times = {
    "em3d": (10.444, 10.57, 11.02, 10.63, 10.97),
    "health": (11.95, 11.77, 8.88, 11.89, 8.85),
    "mst": (12.7, 13.28, 13.14, 12.29, 12.07),
    "treeadd": (338.76, 384.88, 322.28, 279.83, 262.05),
    "tsp": (42.96, 43.43, 41.56, 43.74, 41.44),
    "ft": (99.33, 99.63, 26.79, 38.37, 8.42),
    "ammp": (754.68, 762.15, 746.65, 722.3, 694.35),
    "art": (780.12, 789.14, 812.18, 787.66, 813.227),
    "equake": (343.01, 354.54, 275.14, 353.8, 275.36),
    "twolf": (957.15, 986.77, 950.45, 988.31, 972.98),
}
"""Table 1: two Athlon MP at 1.2 GHz."""

PENTIUM_4: Times = {
    "em3d": (5.54, 5.29, 5.27, 5.3, 5.31),
    "health": (5.46, 5.54, 4.741, 5.52, 4.51),
    "mst": (6.54, 6.47, 6.47, 6.59, 6.46),
    "treeadd": (103.17, 115.97, 112.75, 126.39, 121.41),
    "tsp": (20.56, 20.87, 19.31, 20.81, 19.34),
    "ft": (16.36, 16.48, 3.58, 14.38, 3.18),
    "ammp": (409.65, 429.12, 404.74, 415.79, 397.24),
    "art": (389.58, 376.57, 300.758, 362.23, 280.87),
    "equake": (122.5, 125.94, 110.15, 124.67, 109.21),
    "twolf": (394.44, 427.03, 403.36, 434.88, 405.95),
}
"""Table 2: a Pentium 4 at 3 GHz."""

PREFETCHES: Mapping[str, tuple[int, int]] = {
    "em3d": (13, 13),
    "health": (7, 7),
    "mst": (4, 6),
    "treeadd": (1, 1),
    "tsp": (0, 0),
    "ft": (8, 10),
    "ammp": (41, 44),
    "art": (11, 11),
    "equake": (4, 11),
    "twolf": (168, 237),
}
"""Table 3: prefetch instructions injected without and with pools. The text says that treeadd had none."""


def ratio(times: Times, program: str, variant: str, baseline: str) -> float | None:
    """One column against another; None for what the paper has not."""
    if program not in times or variant not in COLUMNS or baseline not in COLUMNS:
        return None
    return times[program][COLUMNS.index(variant)] / times[program][COLUMNS.index(baseline)]
