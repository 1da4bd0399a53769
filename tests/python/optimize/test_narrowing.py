"""Which rows stay in the race."""

from tests.python.optimize.test_choosing import setting

from malloom.measure.process import Run
from malloom.optimize.narrowing import contenders
from malloom.optimize.training import Measured, Training


def run(seconds: float) -> Run:
    return Run(0, seconds, 0.0, seconds, 1 << 20, {}, "", b"")


def training(**times: list[float]) -> Training:
    """Of settings, with the CPU time of each round on one input; beside them the program takes 1 s."""
    results = {
        f"glibc {name}": Measured({"one": [run(each) for each in own]}, {"one": [run(1.0)] * len(own)})
        for name, own in times.items()
    }
    return Training({}, results)


def stay(found: Training, fewest: int) -> list[str]:
    rows = [setting(name.removeprefix("glibc ")) for name in found.results]
    return [row.name for row in contenders(found, rows, ("cpu_time",), fewest)]


def test_what_was_behind_in_each_round_goes_and_what_beat_the_best_once_stays() -> None:
    found = training(best=[0.80, 0.81, 0.80], behind=[0.82, 0.83, 0.82], close=[0.79, 0.85, 0.84])
    assert stay(found, 1) == ["glibc best", "glibc close"]


def test_rows_of_two_races_are_held_against_the_program_beside_each() -> None:
    found = training(best=[0.80, 0.80, 0.80])
    # The machine took twice as long for all when this one ran.
    own = {"one": [run(1.62), run(1.58), run(1.62)]}
    found.results["glibc later"] = Measured(own, {"one": [run(2.0)] * 3})
    assert stay(found, 1) == ["glibc best", "glibc later"]


def test_so_many_stay_however_far_behind() -> None:
    found = training(best=[0.5] * 3, second=[0.9] * 3, third=[1.0] * 3, equal=[0.5, 0.6, 0.4])
    assert stay(found, 2) == ["glibc best", "glibc second", "glibc equal"]
    assert stay(training(), 2) == []
