"""What the steps of a part leave to the steps after them, beside their rows: races whose mean is a goal."""

from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, TypeVar

from malloom.measure.interleaved import Rounds
from malloom.measure.rows import Place

Value = TypeVar("Value")


class Gathered(dict[Place, Value]):
    """By workload and input. Every kind of value has a class of its own, as its values are kept as JSON from
    one run of a suite to the next."""

    kind: ClassVar[Any]
    """The type of the values."""

    def data_of(self, place: Place) -> Any:
        """A value as JSON has it."""
        return _adapter(self.kind).dump_python(self.as_kept(self[place]), mode="json")

    def as_kept(self, value: Value) -> Value:
        """The value without what nobody asks for later."""
        return value

    def put_back(self, place: Place, data: Any) -> None:
        """Raises ValueError where the data are of no such value."""
        self[place] = _adapter(self.kind).validate_python(data)


class Races(Gathered[Rounds]):
    """The races of a part so far."""

    kind = Rounds

    def as_kept(self, value: Rounds) -> Rounds:
        return without_errors(value)


def without_errors(rounds: Rounds) -> Rounds:
    """Without what the programs wrote on standard error; the measures in it are the runs'."""
    runs = {name: [replace(run, errors=b"") for run in runs] for name, runs in rounds.runs.items()}
    return replace(rounds, runs=runs)


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter  # noqa: PLC0415  # slow to load, and no other command needs it

    return TypeAdapter(kind)
