"""How long steps take, by what was thought of them and by how well that was thought so far."""

from malloom.bench.steps import Step


class Pace:
    """Learns from each step that was measured, for the other steps of its part first of all."""

    def __init__(self) -> None:
        self._thought: dict[str, float] = {}
        self._took: dict[str, float] = {}

    def learn(self, part: str, thought: float, took: float) -> None:
        """That a step of the part took so many seconds, and what was thought; 0 where nobody thought."""
        if thought > 0:
            self._thought[part] = self._thought.get(part, 0.0) + thought
            self._took[part] = self._took.get(part, 0.0) + took

    def expected(self, step: Step) -> float:
        """Seconds; 0 where nobody thought."""
        if step.part in self._thought:
            return step.seconds * self._took[step.part] / self._thought[step.part]
        thought = sum(self._thought.values())
        return step.seconds * (sum(self._took.values()) / thought if thought else 1.0)
