"""The terrain page's process without a browser: boards, clicked footsteps, walks, steering, what is refused."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from served import Served
from socket_clients import TerrainClient, connect

from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log
from andante.runs.tasks.walk.plan import plan
from andante.runs.tasks.walk.task import WalkTask

pytest.importorskip("websockets", reason="needs websockets (pip install 'andante[studio]')")

from websockets.exceptions import InvalidStatus

ROCKS = {"do": "board", "robot": "littledog", "board": "rocks", "difficulty": 0.3, "seed": 2}
SHORT = {"do": "board", "robot": "littledog", "board": "flat", "difficulty": 0.0, "seed": 0}


@pytest.mark.slow
def test_choices_are_those_of_the_commands(terrain: TerrainClient) -> None:
    found = terrain.ask(do="choices")
    assert found["robots"]["littledog"] == ["crawl", "reactive-crawl", "trot"]
    assert found["robots"]["spirit40"] == ["quadruped"]
    assert "nao" not in found["robots"]
    names = [board["name"] for board in found["boards"]]
    assert {"floor", "rocks", "steps"} <= set(names)


@pytest.mark.slow
def test_the_plan_is_that_of_the_command(terrain: TerrainClient) -> None:
    terrain.ask(**ROCKS)
    found = terrain.ask(do="plan", search=True)
    own = plan(WalkTask(board="rocks", difficulty=0.3, seed=2))
    names = [foot.name for foot in own.robot.feet]
    assert [step["foot"] for step in found["footsteps"]["steps"]] == [
        names[step.leg] for step in own.plan.footsteps.steps
    ]
    for shown, step in zip(found["footsteps"]["steps"], own.plan.footsteps.steps, strict=True):
        assert shown["place"][:2] == pytest.approx(step.place[:2].tolist(), abs=1e-5)
    assert found["whole"]
    assert found["speed"] == pytest.approx(own.speed)
    assert found["way"]["duration"] == pytest.approx(own.plan.duration)


@pytest.mark.slow
def test_a_refused_plan_says_why(terrain: TerrainClient) -> None:
    terrain.ask(do="board", robot="littledog", board="steps", difficulty=1.0, seed=0, values={"riser": 0.25})
    found = terrain.ask(do="plan", search=True)
    assert not found["whole"]
    assert found["reason"]


@pytest.mark.slow
def test_an_unreachable_foothold_is_refused_and_the_nearest_one_is_taken(terrain: TerrainClient) -> None:
    terrain.ask(**ROCKS)
    steps = terrain.ask(do="plan", search=True)["footsteps"]["steps"]
    x, y, _ = steps[6]["place"]
    found = terrain.ask(do="foothold", number=6, x=x + 0.4, y=y)
    assert found["type"] == "unreachable"
    assert "out of reach" in found["reason"] or "no foot may stand" in found["reason"]
    near = found["nearest"]
    assert abs(near[0] - x) < 0.3
    taken = terrain.ask(do="foothold", number=6, x=near[0], y=near[1])
    assert taken["type"] == "footsteps"
    assert taken["footsteps"]["clicked"]
    assert taken["footsteps"]["steps"][6]["place"][:2] == pytest.approx(near[:2], abs=1e-5)
    assert terrain.ask(do="foothold", number=6, x=100.0, y=0.0)["reason"] == "the place is off the map"
    assert terrain.ask(do="foothold", number=900, x=0.5, y=0.0)["type"] == "refused"


@pytest.mark.slow
def test_clicked_footsteps_are_walked_and_replay_agrees(terrain: TerrainClient) -> None:
    terrain.ask(**ROCKS)
    steps = terrain.ask(do="plan", search=True)["footsteps"]["steps"]
    x, y, _ = steps[6]["place"]
    moved = terrain.ask(do="foothold", number=6, x=x - 0.02, y=y)
    if moved["type"] == "unreachable":
        moved = terrain.ask(do="foothold", number=6, x=moved["nearest"][0], y=moved["nearest"][1])
    place = moved["footsteps"]["steps"][6]["place"]
    checked = terrain.ask(do="plan")
    assert checked["way"]["count"] == len(steps), checked["reason"]
    assert terrain.ask(do="walk", controller="crawl")["type"] == "started"
    found = terrain.wait("verdict", "broken")
    assert found["verdict"] == "pass", found
    folder = Path(found["folder"])
    text = (folder / "scenario.yaml").read_text()
    assert "footsteps" in text
    assert f"{place[0]:.3f}"[:4] in text
    assert replay_log(folder).identical
    assert len(terrain.poses) > 30
    kind, *_, time = struct.unpack("<4Id", terrain.poses[-1][:24])
    assert kind == 1
    assert time > 5.0


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "controller"), [("littledog", "trot"), ("spirit40", "quadruped")])
def test_steering_while_it_walks_is_in_the_log_and_replay_agrees(
    terrain: TerrainClient, robot: str, controller: str
) -> None:
    terrain.ask(do="board", robot=robot, board="floor")
    started = terrain.ask(do="walk", controller=controller)
    assert started["fastest"][0] > 0.0
    terrain.wish(forward=0.5)
    while not terrain.wait("asked")["text"].startswith("+"):
        pass
    terrain.wish(forward=0.3, turn=0.4)
    assert "+0.00 rad/s" not in terrain.wait("asked")["text"]
    for _ in range(20):
        terrain.socket.recv(timeout=60)
    terrain.wish(over=True)
    found = terrain.wait("verdict", "broken")
    assert found["verdict"] == "pass", found
    log = Log.open(Path(found["folder"]) / "log.mcap")
    asked = [event for event in log.events if str(event.kind) == "steer"]
    assert len(asked) >= 3
    assert replay_log(found["folder"]).identical


def test_what_is_not_there_is_refused(terrain: TerrainClient, studio: Served) -> None:
    for message in (
        {"do": "board", "robot": "../x.xml", "board": "rocks"},
        {"do": "board", "robot": "littledog", "board": "/etc/passwd"},
        {"do": "board", "robot": "littledog", "board": "rocks", "values": {"nonsense": 1.0}},
        {"do": "board", "robot": "littledog", "board": "rocks", "difficulty": 7.0},
        {"do": "nothing"},
        {"do": "foothold", "number": -1, "x": 0.0, "y": 0.0},
    ):
        # What is no message at all has no number to answer to.
        terrain.socket.send(json.dumps({**message, "request": 77}))
        assert terrain.wait("refused")["text"]
    terrain.ask(**SHORT)
    assert terrain.ask(do="walk", controller="quadruped")["type"] == "refused"
    terrain.socket.send('{"do": "foothold", "number": 0, "x": NaN, "y": 0}')
    assert terrain.wait("refused")["text"]
    with pytest.raises(InvalidStatus):
        connect(studio, "terrain", token="wrong")
