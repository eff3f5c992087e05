"""Drawn boards, layers, stances and reach of the terrain page: what is shown is what commands compute."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest
from served import Served
from socket_clients import TerrainClient

from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.reach import REACHABLE, Stance, reach_codes, reach_volume
from andante.kinematics.reference_leg import REFERENCE_LEG
from andante.robots.robot import Robot
from andante.runs.scenario_files import load_scenario
from andante.runs.tasks.walk.plan import plan
from andante.runs.tasks.walk.task import WalkTask
from andante.studio.errors import StudioError
from andante.studio.terrain_drawing import Drawing
from andante.terrain.files.load import load_heights
from andante.terrain.layers import Layers, LayerSettings
from andante.terrain.shaping import Stroke, level_map, shaped


def numbers(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_undo_and_redo_go_through_all_strokes() -> None:
    drawing = Drawing(level_map(1.0, 0.4, 0.01))
    states = [drawing.map.heights]
    for x in (0.2, 0.4, 0.6):
        drawing.stroke(Stroke("raise", ((x, 0.0), (x + 0.1, 0.05)), 0.03, 0.1))
        states.append(drawing.map.heights)
    for state in reversed(states[:-1]):
        drawing.undo()
        assert (drawing.map.heights == state).all()
    with pytest.raises(StudioError, match="nothing to undo"):
        drawing.undo()
    for state in states[1:]:
        drawing.redo()
        assert (drawing.map.heights == state).all()
    drawing.undo()
    drawing.stroke(Stroke("box", ((0.1, 0.0), (0.2, 0.1)), 0.03, 0.1))
    with pytest.raises(StudioError, match="nothing to redo"):
        drawing.redo()


def test_a_stroke_that_goes_on_is_one_stroke_and_tells_all_that_changed() -> None:
    ground = level_map(1.0, 0.4, 0.01)
    drawing = Drawing(ground)
    page = ground.heights.copy()
    for end in ((0.5, 0.1), (0.7, -0.1), (0.3, 0.0)):
        patch = drawing.stroke(Stroke("box", ((0.4, 0.0), end), 0.05, 0.1), more=end != (0.5, 0.1))
        page[patch.part] = patch.heights
        assert (page == drawing.map.heights).all()
    alone = shaped(ground, Stroke("box", ((0.4, 0.0), (0.3, 0.0)), 0.05, 0.1))
    assert (drawing.map.heights[alone.part] == 0.05).all()
    assert int((drawing.map.heights != 0.0).sum()) == alone.heights.size
    drawing.undo()
    assert not drawing.map.heights.any()
    with pytest.raises(StudioError, match="no stroke to go on with"):
        drawing.stroke(Stroke("box", ((0.4, 0.0), (0.5, 0.0)), 0.05, 0.1), more=True)


def stroke(tool: str, *points: tuple[float, float], **more: object) -> dict[str, object]:
    return {"do": "draw", "tool": tool, "points": points, "height": 0.02, "radius": 0.08, **more}


@pytest.mark.slow
def test_a_drawn_board_is_saved_and_planned_by_the_command_alike(studio: Served, terrain: TerrainClient) -> None:
    terrain.ask(do="level_board", robot="littledog", length=1.6, width=0.6, spacing=0.005)
    drawn = terrain.ask(**stroke("box", (0.7, -0.3), (0.8, 0.3)))
    assert drawn["type"] == "drawn"
    assert drawn["canUndo"]
    assert numbers(drawn["heights"], "<f4") == pytest.approx(0.02)
    terrain.ask(**stroke("raise", (1.0, 0.0)))
    terrain.ask(**stroke("raise", (1.0, 0.0), (1.1, 0.05), more=True))
    unsaved = terrain.ask(do="plan", search=True)
    answer = terrain.ask(do="save_board", file="mine.npz")
    assert answer["board"]["name"] == "mine"
    found = terrain.ask(do="plan", search=True)
    own = plan(WalkTask(board=str(studio.folder / "mine.npz"), difficulty=0.5, seed=0))
    assert own.plan is not None
    assert len(found["footsteps"]["steps"]) == len(own.plan.footsteps.steps) > 10
    for shown, step in zip(found["footsteps"]["steps"], own.plan.footsteps.steps, strict=True):
        assert shown["place"][:2] == pytest.approx(step.place[:2].tolist(), abs=1e-5)
    assert found["footsteps"] == unsaved["footsteps"]
    assert found["speed"] == pytest.approx(own.speed)
    # Another page finds the file, opens it and goes on drawing.
    assert "mine.npz" in terrain.ask(do="choices")["files"]
    opened = terrain.ask(do="open_board", robot="littledog", file="mine.npz")
    heights = numbers(opened["board"]["heights"], "<f4").reshape(opened["board"]["shape"])
    assert (heights == load_heights(studio.folder / "mine.npz").heights.astype("<f4")).all()
    assert terrain.ask(do="save_board", file="mine.npz")["type"] == "exists"
    assert terrain.ask(do="save_board", file="mine.csv")["type"] == "board"
    text = load_heights(studio.folder / "mine.csv")
    assert (text.heights == load_heights(studio.folder / "mine.npz").heights).all()


@pytest.mark.slow
def test_a_walk_over_a_board_that_is_not_saved_keeps_it(terrain: TerrainClient) -> None:
    terrain.ask(do="level_board", robot="littledog", length=1.2, width=0.6, spacing=0.005)
    terrain.ask(**stroke("box", (0.6, -0.3), (0.7, 0.3)))
    started = terrain.ask(do="walk", controller="trot", seconds=5.0, payload=0.3)
    assert started["type"] == "started"
    assert terrain.ask(**stroke("box", (0.8, -0.3), (0.9, 0.3)))["type"] == "refused"
    terrain.socket.send('{"do": "stop", "request": 0}')
    folder = Path(terrain.wait("verdict", "broken")["folder"])
    scenario = load_scenario(folder / "scenario.yaml")
    assert scenario.world.payload.mass == 0.3
    terrain.ask(**stroke("box", (0.8, -0.3), (0.9, 0.3)))
    terrain.ask(do="take")
    kept = load_heights(Path(scenario.world.terrain.file))
    assert kept.at((0.65, 0.0)) == pytest.approx(0.02)
    assert kept.at((0.85, 0.0)) == 0.0


@pytest.mark.slow
def test_undo_over_the_wire_gives_the_old_heights(terrain: TerrainClient) -> None:
    board = terrain.ask(do="board", robot="littledog", board="rocks", difficulty=0.3, seed=1)["board"]
    before = numbers(board["heights"], "<f4").reshape(board["shape"])
    drawn = terrain.ask(**stroke("flatten", (0.9, 0.0), (1.2, 0.1)))
    undone = terrain.ask(do="undo")
    assert not undone["canUndo"]
    i, j, (n, m) = undone["i"], undone["j"], undone["shape"]
    assert [n, m] == drawn["shape"]
    assert (numbers(undone["heights"], "<f4").reshape(n, m) == before[i : i + n, j : j + m]).all()
    assert terrain.ask(do="undo")["type"] == "refused"


@pytest.mark.slow
def test_layers_are_those_of_the_planner_and_their_scale_says_what_they_mean(terrain: TerrainClient) -> None:
    shown = terrain.ask(do="board", robot="littledog", board="rocks", difficulty=0.3, seed=2)["board"]
    assert [name for name, _ in shown["layers"]] == [
        *("front", "hind", "swath", "traversability", "slope", "roughness", "edge"),
    ]
    task = WalkTask(board="rocks", difficulty=0.3, seed=2)
    own = plan(task)
    size = LeggedBody.of(own.robot).leg_length / REFERENCE_LEG
    layers = Layers.of(own.terrain.map, LayerSettings().scaled(size))
    slope = terrain.ask(do="layer", layer="slope")
    assert (slope["unit"], slope["low"]) == ("deg", 0.0)
    coded = numbers(slope["values"], "u1").reshape(shown["shape"])
    degrees = np.minimum(np.degrees(layers.slope), slope["high"])
    assert np.abs(coded / 250.0 * slope["high"] - degrees).max() <= 0.5 * slope["high"] / 250.0 + 1e-9
    stand = terrain.ask(do="layer", layer="traversability")
    none = numbers(stand["values"], "u1").reshape(shown["shape"]) == 255
    assert (none == (layers.traversability <= 0.0)).all()
    cost = terrain.ask(do="layer", layer="front")
    assert cost["unit"] == "s"
    swath = terrain.ask(do="layer", layer="swath")
    assert len(swath["marks"]) == 2
    assert terrain.ask(do="layer", layer="beauty")["type"] == "refused"
    assert terrain.ask(do="board", robot="littledog", board="floor")["board"]["layers"] == []


@pytest.mark.slow
def test_stances_of_the_plan_and_of_the_generator_belong_to_the_same_footsteps(terrain: TerrainClient) -> None:
    terrain.ask(do="board", robot="littledog", board="flat", difficulty=0.0, seed=0)
    assert terrain.ask(do="stances")["type"] == "refused"
    steps = terrain.ask(do="plan", search=True)["footsteps"]["steps"]
    found = terrain.ask(do="stances")
    assert len(found["planned"]) == 2 * len(steps)
    assert len(found["generated"]) == 3 * found["steps"] + 1
    assert found["margin"] >= found["limit"] - 1e-9
    hips = np.array(found["generated"])
    body = LeggedBody.of(Robot.load("littledog"))
    length = np.ptp(body.table.hip[:, 0])
    assert np.linalg.norm(hips[:, 0] - hips[:, 3], axis=1) == pytest.approx(length, abs=2e-4)
    # The generated body goes where the planned one goes.
    assert abs(hips[-1].mean(axis=0)[0] - np.array(found["planned"])[-1].mean(axis=0)[0]) < 0.15


@pytest.mark.slow
def test_the_reach_of_the_body_and_of_a_foot_are_those_of_the_legs(terrain: TerrainClient) -> None:
    terrain.ask(do="board", robot="littledog", board="flat", difficulty=0.0, seed=0)
    found = terrain.ask(do="reach", what="body")
    own = plan(WalkTask(board="flat", difficulty=0.0, seed=0), warm=False)
    body = LeggedBody.of(own.robot)
    feet = own.plan.footsteps.feet
    volume = reach_volume(body, Stance.of(body, feet), 0.01 / 0.187 * body.leg_length)
    assert found["volume"] == pytest.approx(volume.volume)
    # With the foot a little inside the middle of a triangle its leg reaches it, a little outside it does not.
    foot = terrain.ask(do="reach", what="FL")
    corners = numbers(foot["vertices"], "<f4").reshape(-1, 3).astype(float)
    triangles = corners[numbers(foot["triangles"], "<u4").reshape(-1, 3)]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    base, row = np.array([foot["body"]]), body.index("FL")
    chosen = np.random.default_rng(3).choice(len(triangles), 200, replace=False)
    right = []
    for number in chosen:
        for side, wanted in ((-0.003, True), (0.003, False)):
            moved = feet.copy()
            moved[row] = triangles[number].mean(axis=0) + side * normals[number]
            stance = Stance.of(body, moved, without=("FR", "HL", "HR"))
            right.append(bool(reach_codes(body, stance, base)[0] == REACHABLE) is wanted)
    # Along sharp edges the surface is rounded by less than its spacing.
    assert np.mean(right) > 0.9
    assert terrain.ask(do="reach", what="nose")["type"] == "refused"
    assert terrain.ask(do="reach", what="FL", step=3)["type"] == "refused"


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        {"do": "open_board", "robot": "littledog", "file": "../x.npz"},
        {"do": "open_board", "robot": "littledog", "file": "/etc/passwd"},
        {"do": "open_board", "robot": "littledog", "file": "nothing.npz"},
        {"do": "save_board", "file": "../x.npz"},
        {"do": "save_board", "file": "x.py"},
        {"do": "save_board", "file": ".hidden.npz"},
        {"do": "level_board", "robot": "littledog", "length": 100.0, "width": 100.0, "spacing": 0.001},
        {"do": "level_board", "robot": "nao"},
        {"do": "draw", "tool": "dig", "points": [[0.5, 0.0]], "height": 0.1, "radius": 0.1},
        {"do": "draw", "tool": "raise", "points": [], "height": 0.1, "radius": 0.1},
        {"do": "draw", "tool": "raise", "points": [[900.0, 0.0]], "height": 0.1, "radius": 0.1},
    ],
)
def test_what_is_not_there_or_makes_no_board_is_refused(terrain: TerrainClient, message: dict[str, object]) -> None:
    terrain.ask(do="board", robot="littledog", board="flat", difficulty=0.0, seed=0)
    terrain.socket.send(json.dumps({**message, "request": 7000}))
    assert terrain.wait("refused")["text"]


@pytest.mark.slow
def test_the_floor_is_not_drawn_on(terrain: TerrainClient) -> None:
    terrain.ask(do="board", robot="littledog", board="floor")
    assert "not drawn on" in terrain.ask(**stroke("raise", (0.0, 0.0)))["text"]


@pytest.mark.slow
def test_a_map_keeps_its_check(terrain: TerrainClient) -> None:
    """Costs of footholds are those of the ground as drawn, not of the ground before."""
    terrain.ask(do="level_board", robot="littledog", length=1.2, width=0.6, spacing=0.005)
    level = numbers(terrain.ask(do="layer", layer="front")["values"], "u1")
    assert not (level == 255).reshape(241, 121)[60:180, 40:80].any()
    terrain.ask(**stroke("box", (0.5, -0.1), (0.6, 0.1)))
    drawn = numbers(terrain.ask(do="layer", layer="front")["values"], "u1").reshape(241, 121)
    # No foot stands on the edge of the block at x = 0.5 m.
    assert (drawn[99:102, 50:70] == 255).all()
