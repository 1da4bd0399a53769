"""What is wanted: less time, or less memory at no more time. Without NumPy: the command's help asks."""

from enum import StrEnum

MOST_MEMORY = 1.15
"""Peak memory that what is kept may need, of the program's own."""


class Goal(StrEnum):
    """What makes a row better than another."""

    time = "time"
    memory = "memory"

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is compared, all alike."""
        return ("cpu_time",) if self is Goal.time else ("peak_memory", "mean_memory")

    @property
    def metric(self) -> str:
        """The verdict's, of ratios.COMPARED."""
        return "cpu_time" if self is Goal.time else "memory"

    @property
    def worse(self) -> str:
        """What scripts call a ratio that is clearly above 1."""
        return "slower" if self is Goal.time else "more-memory"
