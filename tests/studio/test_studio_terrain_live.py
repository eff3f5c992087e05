"""A walk that is changed while it goes on: faults, parameters, plotted variables, a payload."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from socket_clients import TerrainClient

from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log
from andante.runs.scenario_files import load_scenario

pytestmark = pytest.mark.slow
"""Its server and its helpers take longer than all that other pages' tests share."""


def rows_of(poses: list[bytes], columns: int) -> np.ndarray:
    """The plotted rows in some pose messages."""
    found = []
    for message in poses:
        kind, _, count, width, _ = struct.unpack("<4Id", message[:24])
        assert kind == 1
        if count:
            assert width == columns + 1
            found.append(np.frombuffer(message, dtype="<f4")[-count * width :].reshape(count, width))
    return np.concatenate(found)


@pytest.mark.parametrize(
    ("robot", "controller", "joint", "payload"),
    [
        ("littledog", "reactive-crawl", "FL_knee", 0.2),
        ("littledog", "trot", "HR_knee", 0.0),
        ("spirit40", "quadruped", "", 1.0),
    ],
)
def test_a_walk_is_changed_while_it_goes_on_and_replay_agrees(
    terrain: TerrainClient, robot: str, controller: str, joint: str, payload: float
) -> None:
    terrain.ask(do="board", robot=robot, board="floor")
    terrain.poses.clear()
    columns = ["truth.com.z", "sensors.time"]
    assert terrain.ask(do="plots", columns=columns)["columns"] == columns
    started = terrain.ask(do="walk", controller=controller, payload=payload)
    assert started["type"] == "started", started
    joint = joint or started["channels"]["command"][0].partition(".")[2]
    terrain.wish(forward=0.4)
    names = [each["name"] for each in started["parameters"]]
    assert names
    changed = next(each for each in started["parameters"] if each["kind"] == "number")
    answer = terrain.ask(do="change", parameter=changed["name"], value=changed["value"])
    assert answer["type"] == "changed"
    fault = {"type": "weak", "name": "weak one", "joints": [joint], "factor": 0.9}
    assert terrain.ask(do="fault", fault=fault)["on"]
    for _ in range(25):
        terrain.socket.recv(timeout=30)
    assert not terrain.ask(do="mend", name="weak one")["on"]
    assert terrain.ask(do="mend", name="nobody")["type"] == "refused"
    assert terrain.ask(do="change", parameter="nothing", value=1.0)["type"] == "refused"
    terrain.wish(over=True)
    found = terrain.wait("verdict", "broken")
    folder = Path(found["folder"])
    scenario = load_scenario(folder / "scenario.yaml")
    assert (scenario.world.payload.mass if scenario.world.payload else 0.0) == payload
    log = Log.open(folder / "log.mcap")
    told = [(str(event.kind), event.text) for event in log.events]
    assert any(kind == "parameter" and changed["name"] in text for kind, text in told)
    assert any("weak" in text for _, text in told)
    assert replay_log(folder).identical
    rows = rows_of(terrain.poses, len(columns))
    assert len(rows) > 50
    assert (np.diff(rows[:, 0]) > 0.0).all()
    assert (rows[:, 1] > 0.05).all()


def test_nothing_is_changed_while_nothing_walks(terrain: TerrainClient) -> None:
    terrain.ask(do="board", robot="littledog", board="floor")
    for message in ({"do": "mend", "name": "x"}, {"do": "change", "parameter": "x", "value": 1.0}, {"do": "stop"}):
        assert "nothing walks" in terrain.ask(**message)["text"]
