"""What the clients of a server see, in the judgement."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.python.optimize.test_choosing import setting

from malloom.errors import UsageProblem
from malloom.measure.interleaved import Rounds
from malloom.measure.process import Run
from malloom.measure.service import Client
from malloom.optimize.checking import Judged, why_refused
from malloom.optimize.goal import Goal
from malloom.optimize.inputs import Input, Inputs
from malloom.optimize.keeping import record_of, recorded_inputs, tells_inputs
from malloom.optimize.limit import Limit
from malloom.optimize.training import AS_IT_IS

QUICK = setting("quick")


def runs(cpu: float, wall: float, latency: float, spread: Sequence[float] = (0.0, 0.01, 0.02)) -> list[Run]:
    return [
        Run(0, cpu + each, 0.0, wall + each, 1 << 20, {"p99 latency": latency + each}, "", b"", 1 << 20)
        for each in (*spread, *spread, *spread)
    ]


def judged(wall: float, latency: float, is_served: bool = True) -> Judged:
    rounds = Rounds({AS_IT_IS: runs(1.0, 2.0, 3.0), QUICK.name: runs(0.8, wall, latency)})
    return Judged({"one": rounds}, is_served=is_served)


@pytest.mark.parametrize(
    ("wall", "latency", "why"),
    [
        (1.9, 2.9, ""),
        (2.4, 3.0, "its clients wait longer: time of the load 1.19"),
        (2.0, 3.6, "its clients wait longer: p99 latency 1.19"),
    ],
)
def test_what_makes_clients_wait_longer_is_refused(wall: float, latency: float, why: str) -> None:
    found = why_refused(judged(wall, latency), QUICK.name, None, Goal.time, Limit())
    assert found.startswith(why) and bool(found) == bool(why)


def test_more_figures_than_pairs_can_tell_of_are_refused() -> None:
    found = judged(1.9, 2.9)
    for each in found.rounds["one"].runs.values():
        each[:] = [
            replace(run, measures={f"p{number} latency": 3.0 for number in range(60)}) for run in each[:8]
        ]
    assert why_refused(found, QUICK.name, None, Goal.time, Limit()).startswith(
        "there are too few pairs to say that its clients do not wait longer: "
    )


def test_a_program_without_clients_may_take_longer_by_the_clock() -> None:
    assert why_refused(judged(2.4, 3.6, is_served=False), QUICK.name, None, Goal.time, Limit()) == ""


def test_inputs_take_places_in_the_client_and_the_record_has_it() -> None:
    client = Client(("load", "-n", "{}"), ("ping",))
    inputs = Inputs.of(["sleep", "--size={}"], [Input.of("7")], [Input.of("8")], client)
    command = inputs.command(inputs.train[0])
    assert command.arguments == ["sleep", "--size=7"]
    assert command.client == Client(("load", "-n", "7"), ("ping",))
    found = judged(1.9, 2.9)
    found.rounds = {"8": found.rounds["one"]}
    record = json.loads(json.dumps(record_of(inputs, found, QUICK, Goal.time)))
    assert tells_inputs(record) and recorded_inputs(record, None).client == client
    assert not tells_inputs({**record, "client": {"arguments": ["load"], "ready": [1]}})
    assert not tells_inputs({**record, "client": "load"})
    with pytest.raises(UsageProblem, match=r"the command has no \{\}"):
        Inputs.of(["serve"], [Input.of("7")], [], Client(("load",)))
