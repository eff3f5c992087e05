"""The replay's data: poses as MuJoCo has them, bounded in size, and the built script belongs to its sources."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.pictures.pages import packed_array
from andante.robots.records import Field, Layout, scalar
from andante.runs.logs.log import ChannelRows
from andante.runs.reports import replay_scene as module
from andante.runs.reports.replay_scene import replay_scene, simplified

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web" / "replay"
BUILT = {
    "replay": ROOT / "src" / "andante" / "runs" / "report_page" / "replay.js",
    "plots": ROOT / "src" / "andante" / "pictures" / "plots.js",
}
MODEL = """
<mujoco>
  <asset>
    <mesh name="pyramid" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1 0.5 0.1" elevation="0 0 0 0  0 1 0 0  0 0 0 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="ground" type="hfield" hfield="hills" pos="5 0 0"/>
    <body name="stone" pos="1 2 3" quat="0 1 0 0"><geom name="rock" type="box" size=".1 .2 .3" pos="0 0 1"/></body>
    <body name="trunk" pos="0 0 1">
      <freejoint/>
      <geom name="chest" type="sphere" size=".2" rgba="1 0 0 1"/>
      <geom name="hidden" type="sphere" size=".2" group="4"/>
      <body name="arm" pos="0 0 .5">
        <joint name="elbow" type="hinge" axis="0 1 0"/>
        <geom name="upper" type="capsule" size=".05 .2"/>
        <geom name="shell" type="mesh" mesh="pyramid"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def unpacked(text: str, kind: str) -> np.ndarray:
    """What the page does: inflate, and put the sorted bytes back."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    width = np.dtype(kind).itemsize
    return np.ascontiguousarray(planes.reshape(width, -1).T).view(kind).ravel()


def truth_of(states: np.ndarray, period: float = 0.01) -> ChannelRows:
    labels = tuple(f"q{k}" for k in range(states.shape[1]))
    layout = Layout("truth", (scalar("time", "s"), Field("qpos", labels)))
    moments = np.arange(len(states)) * round(period * 1e9)
    return ChannelRows(layout, moments, np.hstack([moments[:, None] / 1e9, states]))


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(MODEL)


def states(count: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    turns = random.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    return np.hstack([random.uniform(-3, 3, (count, 3)), turns, random.uniform(-2, 2, (count, 1))])


def test_poses_are_those_of_forward_kinematics(model: mujoco.MjModel) -> None:
    recorded = states(40)
    scene = replay_scene(truth_of(recorded, 0.05), model, model.body("trunk").id)
    assert scene is not None
    assert (scene["count"], scene["bodies"], scene["follow"]) == (40, 2, 0)
    poses = unpacked(scene["poses"], "<i2").reshape(2, 7, 40)
    data = mujoco.MjData(model)
    for row, state in enumerate(recorded):
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        for index, name in enumerate(("trunk", "arm")):
            place = np.array(scene["low"]) + scene["step"] * (poses[index, :3, row] + 32767.0)
            np.testing.assert_allclose(place, data.body(name).xpos, atol=scene["step"])
            turn = poses[index, 3:, row] / 32767.0
            assert abs(turn @ data.body(name).xquat) == pytest.approx(1.0, abs=1e-4)
    # From one picture to the next the page takes the shorter way.
    assert ((poses[:, 3:, 1:].astype(float) * poses[:, 3:, :-1]).sum(axis=1) >= 0.0).all()
    # Six metres in 65535 steps are a tenth of a millimetre.
    assert scene["step"] < 1.2e-4


def test_shapes_are_those_that_are_seen(model: mujoco.MjModel) -> None:
    scene = replay_scene(truth_of(states(2)), model, model.body("trunk").id)
    assert scene is not None
    shapes = {shape["kind"]: shape for shape in scene["shapes"]}
    assert set(shapes) == {"plane", "box", "sphere", "capsule", "mesh"}
    assert len(scene["shapes"]) == 5, "a geom of group 4 is not drawn"
    assert shapes["sphere"]["colour"] == [1, 0, 0, 1]
    assert (shapes["sphere"]["body"], shapes["capsule"]["body"], shapes["box"]["body"]) == (0, 1, -1)
    # The stone's body stands still, turned by half a turn about x: one metre up in it is one metre down in the world.
    assert shapes["box"]["at"] == pytest.approx([1, 2, 2])
    assert shapes["box"]["size"] == pytest.approx([0.1, 0.2, 0.3])
    (field,) = scene["fields"]
    assert field["x"] == pytest.approx([-2, -2 / 3, 2 / 3, 2], abs=1e-5)
    assert (field["y"], field["height"]) == ([-1, 0, 1], 0.5)
    assert unpacked(field["heights"], "<u2").tolist() == [0, 0, 0, 0, 0, 65535, 0, 0, 0, 0, 0, 0]
    (mesh,) = scene["meshes"]
    assert unpacked(mesh["faces"], "<u4").size == 12


def test_a_scene_in_coordinates_of_a_survey_is_shown_about_where_it_is(model: mujoco.MjModel) -> None:
    away = np.array([468_000.0, 5_428_000.0, 0.0])
    near = replay_scene(truth_of(states(2)), model, model.body("trunk").id)
    far_model = mujoco.MjModel.from_xml_string(
        MODEL.replace('pos="5 0 0"', 'pos="468005 5428000 0"').replace('pos="1 2 3"', 'pos="468001 5428002 3"')
    )
    moved = states(2)
    moved[:, :2] += away[:2]
    far = replay_scene(truth_of(moved), far_model, far_model.body("trunk").id)
    assert near is not None
    assert far is not None
    # All by the same, so that the robot stands on its ground.
    (near_field,), (far_field,) = near["fields"], far["fields"]
    shift = np.subtract(far_field["at"], near_field["at"])
    assert np.abs(shift).max() < 5.0
    np.testing.assert_allclose(np.subtract(far["low"], near["low"]), shift, atol=1e-6)


def test_a_robot_of_hidden_shapes_is_drawn_nevertheless() -> None:
    text = '<mujoco><worldbody><body><freejoint/><geom type="box" size="1 1 1" group="3"/></body></worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    scene = replay_scene(truth_of(np.array([[0, 0, 0, 1, 0, 0, 0.0]])), model, 1)
    assert scene is not None
    assert [shape["kind"] for shape in scene["shapes"]] == ["box"]


def test_long_runs_have_fewer_pictures_and_stay_small(model: mujoco.MjModel, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = np.repeat(states(1), 1000, axis=0)
    short = replay_scene(truth_of(recorded, 0.01), model, 1)
    assert short is not None
    # Ten seconds at thirty pictures per second.
    assert 290 <= short["count"] <= 301
    monkeypatch.setattr(module, "MOST_POSES", 2800)
    long = replay_scene(truth_of(recorded, 0.01), model, 1)
    assert long is not None
    assert long["count"] == 100
    times = unpacked(long["times"], "<f4")
    assert (times[0], times[-1]) == (0.0, pytest.approx(9.99))


def test_nothing_recorded_or_nothing_finite_is_no_replay(model: mujoco.MjModel) -> None:
    assert replay_scene(truth_of(states(0)), model, 1) is None
    assert replay_scene(truth_of(np.full((3, 8), np.nan)), model, 1) is None
    assert replay_scene(truth_of(np.zeros((3, 9))), model, 1) is None
    broken = states(5)
    broken[3] = np.inf
    scene = replay_scene(truth_of(broken, 0.05), model, 1)
    assert scene is not None
    assert scene["count"] == 4


def test_fine_meshes_are_simplified_and_keep_their_extent() -> None:
    angle, height = np.meshgrid(np.linspace(0, 2 * np.pi, 120, endpoint=False), np.linspace(0, 1, 80))
    points = np.stack([np.cos(angle), np.sin(angle), height], axis=-1).reshape(-1, 3)
    index = np.arange(len(points)).reshape(80, 120)
    right, up = np.roll(index, -1, axis=1), np.roll(index, -1, axis=0)
    faces = np.concatenate([np.stack([index, right, up], -1)[:-1].reshape(-1, 3)])
    fewer, left = simplified(points, faces, 2000)
    assert 500 < len(left) <= 2000
    assert left.max() < len(fewer)
    np.testing.assert_allclose(fewer.max(axis=0), points.max(axis=0), atol=0.06)
    np.testing.assert_allclose(fewer.min(axis=0), points.min(axis=0), atol=0.06)
    same, all_of_them = simplified(points, faces, len(faces))
    assert same is points
    assert all_of_them is faces


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=0, max_size=50))
def test_packing_loses_nothing(values: list[float]) -> None:
    array = np.array(values, "<f4")
    assert unpacked(packed_array(array), "<f4").tobytes() == array.tobytes()


def test_the_built_scripts_are_of_these_sources() -> None:
    """Their headings have the checksum of what they were built from; after a change: make pages."""
    names = re.findall(
        r'"([\w./-]+)"', re.search(r"SOURCES = \[(.*?)\]", (WEB / "vite.config.js").read_text(), re.S)[1]
    )
    own = sorted((WEB / "src").iterdir())
    shared = {name for path in own for name in re.findall(r'from "@andante/shared/(\w+)"', path.read_text())}
    assert len(shared) > 1
    used = [f"../shared/src/{name}.ts" for name in shared]
    # What they import themselves would have to be in the list too.
    assert not any('from "./' in (WEB / name).read_text() for name in used)
    assert sorted(names) == sorted(
        ["../package-lock.json", "vite.config.js", *used, *(f"src/{path.name}" for path in own)]
    )
    checksum = hashlib.sha256(b"".join((WEB / name).read_bytes() for name in names)).hexdigest()
    authors = {"replay": "three.js authors", "plots": "Plotly Technologies"}
    for name, built in BUILT.items():
        head = built.read_text(encoding="utf-8")[:2000]
        assert f"sources {checksum}" in head
        assert "MIT License" in head
        assert authors[name] in head
