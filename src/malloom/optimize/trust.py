"""How far a general allocator is trusted that is kept for what was measured on heaps of some sizes.

What speaks for an allocator may end where a heap leaves a cache: em3d takes 0.74 of the C library's time in
mimalloc with huge pages at 14 MiB, and 1.09 at 257 MiB (docs/results/notes-verdicts.md). So the program
leaves it, for the C library's, where nothing that was measured tells of such heaps.
"""

from collections.abc import Iterable

from malloom.optimize.checking import Judged
from malloom.optimize.settings import AllocatorRow
from malloom.optimize.training import Row, Training

LEAST = 4.0
"""How many times the largest heap is trusted at least, as most users have inputs of one size."""


def trusted_up_to(row: Row, training: Training | None, judged: Judged | None) -> int:
    """Bytes resident beyond which the program leaves the allocator of a row; 0: never, as there is none but
    the C library's. As far beyond the largest peak memory measured as that is beyond the smallest."""
    setting = row.setting if isinstance(row, AllocatorRow) else getattr(row, "over", None)
    peaks = list(_peaks(row.name, training, judged))
    if setting is None or not setting.allocator.file or not peaks or not min(peaks):
        return 0
    return round(max(peaks) * max(max(peaks) / min(peaks), LEAST))


def _peaks(name: str, training: Training | None, judged: Judged | None) -> Iterable[float]:
    """The median of each input on which the row was measured."""
    if training is not None and name in training.results:
        yield from training.results[name].peaks()
    if judged is not None and judged.has(name):
        yield from (judged.memory(given, name) for given in judged.rounds)
