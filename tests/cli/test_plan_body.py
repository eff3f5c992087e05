"""`andante plan` of a dynamic quadruped: the way of its body, its picture, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from andante.cli.app import app
from andante.control.quadruped.controller import QuadrupedController
from andante.planning.quadruped.body_plan import Primitive
from andante.runs.tasks.quadruped.body_planned import flights, plan_body
from andante.runs.tasks.quadruped.task import QuadrupedTask
from andante.search.experiment.trial import parts_of


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["plan", *words])


@pytest.mark.slow
def test_the_way_of_a_body_is_told_drawn_and_written(tmp_path: Path) -> None:
    picture, file = tmp_path / "plan.png", tmp_path / "plan.json"
    done = call("--robot", "spirit40", "--board", "gap-30", "--draw", str(picture), "--out", str(file))
    assert done.exit_code == 0, done.output
    assert "1 leap" in done.output
    assert "leap 1: takes off at" in done.output
    assert "states tested" in done.output
    assert re.search(r"^  map: x .*, heights -?\d.* mm apart$", done.output, re.M)
    assert re.search(r"^  way: from x 0\.\d+, y 0\.000 m \(height 0\.000 m\) to x \d", done.output, re.M)
    assert picture.read_bytes()[:4] == b"\x89PNG"
    data = json.loads(file.read_text())
    assert data["status"] == "valid"
    assert {"CONNECT", "LEAP_STANCE", "FLIGHT", "LAND_STANCE"} == set(data["primitives"])
    states = np.array(data["states"])
    assert states.shape == (len(data["primitives"]), 12)
    assert np.hypot(*(states[-1, :2] - data["goal"])) < 0.05
    first, last = flights([Primitive[name] for name in data["primitives"]])[0]
    # It flies over the trench, which begins at 3 m and is 30 cm wide.
    assert states[first, 0] < 3.0 < 3.3 < states[last, 0]


def test_a_way_over_a_file_begins_and_ends_where_the_body_has_room(tmp_path: Path) -> None:
    heights = np.zeros((81, 41))
    heights[30:33, 10:13] = np.nan
    np.savez(tmp_path / "field.npz", heights=heights, spacing=0.05, origin=np.array([468_000.0, 5_428_000.0]))
    done = call("--robot", "spirit40", "--board", str(tmp_path / "field.npz"), "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    assert data["status"] == "valid"
    # LittleDog's 15 cm, at the robot's size.
    assert data["start"] == pytest.approx([468_000.0 + 4.0 - (data["goal"][0] - 468_000.0), 5_428_001.0])
    assert 0.3 < data["start"][0] - 468_000.0 < 0.6
    assert any("9 of 3321 nodes" in note for note in data["notes"])


@pytest.mark.slow
def test_a_way_that_is_not_whole_says_why() -> None:
    done = call("--robot", "spirit40", "--board", "gap-80", "--json")
    assert done.exit_code == 1
    data = json.loads(done.output)
    assert data["status"] == "partial"
    assert "the plan stops" in data["reason"]
    assert data["statistics"]["remaining"] > 1.5


@pytest.mark.slow
def test_what_is_walked_is_what_is_planned() -> None:
    task = QuadrupedTask("spirit40", board="gap-30", goal=(5.0, 0.0), seed=3)
    planned = plan_body(task).answer.body
    controller = parts_of(task.scenario()).controller
    assert planned is not None
    assert isinstance(controller, QuadrupedController)
    walked = controller._course
    assert walked is not None
    np.testing.assert_array_equal(walked.states, planned.states)
    np.testing.assert_array_equal(walked.primitives, planned.primitives)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--robot", "spirit40"), "a body's way is planned over a board"),
        (
            ("--robot", "spirit40", "--board", "gap-30", "--controller", "trot"),
            "nothing is planned for such a controller",
        ),
        (("--robot", "spirit40", "--board", "gap-30", "--effort", "2"), "means nothing to the plan of a body"),
        (("--robot", "spirit40", "--board", "gap-30", "--goal", "90,0"), "goal"),
        (("--robot", "nao", "--board", "gap-30", "--controller", "quadruped"), "nao"),
    ],
)
def test_what_is_no_way_of_a_body_is_refused_by_name(words: tuple[str, ...], said: str) -> None:
    done = call(*words)
    assert done.exit_code != 0
    assert said in " ".join(done.output.split())
    assert "Traceback" not in done.output
