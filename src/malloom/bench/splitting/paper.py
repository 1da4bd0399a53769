"""The numbers of Curial et al.'s paper (MPADS, ISMM 2008). Its figures have no numbers to quote."""

from collections.abc import Mapping

POOL_COLUMN, MPADS_COLUMN = 0, 1

Decreases = Mapping[str, Mapping[str, tuple[float, float]]]

TABLE_2: Decreases = {
    "instructions": {
        "bh": (0.02, -1.1),
        "em3d": (0.1, -6.9),
        "health": (5.3, 2.3),
        "power": (-0.1, -0.3),
        "tsp": (5.5, -6.2),
        "llu": (1.0, -11),
    },
    "l1_misses": {
        "bh": (-11, -5.4),
        "em3d": (13, 13),
        "health": (-20, -14),
        "power": (6.3, -3.6),
        "tsp": (-3.8, 1.8),
        "llu": (13, -46),
    },
    "l2_misses": {
        "bh": (-2.5, -1.1),
        "em3d": (-20, 14),
        "health": (0.94, 4.1),
        "power": (12, 2.6),
        "tsp": (25, 58),
        "llu": (62, 42),
    },
    "l3_misses": {
        "bh": (22, 13),
        "em3d": (-13, 7.8),
        "health": (-13, -19),
        "power": (8.2, 3.4),
        "tsp": (33, 61),
        "llu": (19, 75),
    },
    "tlb_misses": {
        "bh": (-2.3, -2.0),
        "em3d": (12, 13),
        "health": (8.4, -5.5),
        "power": (-36, 0.43),
        "tsp": (18, 11),
        "llu": (-5.1, 57),
    },
}
"""Per cent by which pools, and splitting, decrease a count on a POWER4; what increases is negative."""


def ratio(metric: str, program: str, column: int) -> float | None:
    """What is left of the baseline's count; None for what the paper has not."""
    decreases = TABLE_2.get(metric, {}).get(program)
    return None if decreases is None else 1 - decreases[column] / 100
