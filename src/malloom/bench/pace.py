"""How long steps take, by what was thought of them and by how well that was thought so far."""

from collections.abc import Iterable

from malloom.bench.steps import Step


class Pace:
    """Learns from each step that was measured, for the other steps of its part first of all."""

    def __init__(self, measured: Iterable[tuple[Step, float]] = ()) -> None:
        """With the steps of earlier runs, and their seconds."""
        self._thought: dict[str, float] = {}
        self._took: dict[str, float] = {}
        for step, seconds in measured:
            self.add(step, seconds)

    def add(self, step: Step, seconds: float) -> None:
        if step.seconds > 0:
            self._thought[step.part] = self._thought.get(step.part, 0.0) + step.seconds
            self._took[step.part] = self._took.get(step.part, 0.0) + seconds

    def expected(self, step: Step) -> float:
        """Seconds; 0 where nobody thought."""
        if step.part in self._thought:
            return step.seconds * self._took[step.part] / self._thought[step.part]
        thought = sum(self._thought.values())
        return step.seconds * (sum(self._took.values()) / thought if thought else 1.0)
