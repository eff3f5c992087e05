"""Scenes of MuJoCo as terrain: heights are those that MuJoCo's own rays meet from above."""

from __future__ import annotations

import struct
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.terrain.files.load import load_map
from andante.terrain.files.options import FileOptions
from andante.terrain.height_map import TerrainError

SCENE = """<mujoco>
  <option gravity="0 0 -9.81"/>
  <asset><hfield name="rough" file="rough.bin" size="0.6 0.3 0.08 0.05"/></asset>
  <worldbody>
    <light mode="targetbody" target="robot" pos="0 0 3"/>
    <geom type="plane" size="0 0 1" pos="0 0 -0.02"/>
    <geom type="hfield" hfield="rough" pos="0.7 0.1 0"/>
    <geom type="box" size="0.11 0.06 0.05" pos="1.6 0.05 0.013" euler="10 20 30"/>
    <geom type="cylinder" size="0.07 0.04" pos="1.6 -0.35 0.0" euler="0 15 0"/>
    <geom type="capsule" size="0.04 0.1" pos="0.2 -0.5 0.0" euler="90 0 20"/>
    <geom type="ellipsoid" size="0.1 0.06 0.05" pos="0.9 -0.5 0.0" euler="0 0 40"/>
    <geom type="box" size="0.05 0.05 0.3" pos="0.2 0.6 0.3" contype="0" conaffinity="0"/>
    <body name="block" pos="0.4 0.6 0.02"><geom type="box" size="0.05 0.05 0.05"/></body>
    <body name="robot" pos="0.7 0.1 0.5"><freejoint/><geom type="sphere" size="0.1"/></body>
  </worldbody>
  <actuator/>
  <sensor><framepos objtype="body" objname="robot"/></sensor>
</mujoco>"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    rows, columns = 31, 61
    heights = np.random.default_rng(7).uniform(size=(rows, columns)).astype("<f4")
    (tmp_path / "rough.bin").write_bytes(struct.pack("<ii", rows, columns) + heights.tobytes())
    (tmp_path / "scene.xml").write_text(SCENE)
    return tmp_path / "scene.xml"


def met_from_above(path: Path, places: np.ndarray) -> np.ndarray:
    """Heights that rays of MuJoCo meet among what stands still and touches."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    touches = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    model.geom_group[:] = np.where(touches & (model.body_weldid[model.geom_bodyid] == 0), 0, 5)
    groups, which = np.array([1, 0, 0, 0, 0, 0], dtype=np.uint8), np.zeros(1, dtype=np.int32)
    down = np.array([0.0, 0.0, -1.0])
    far = [mujoco.mj_ray(model, data, np.array([x, y, 9.0]), down, groups, 1, -1, which, None) for x, y in places]
    return 9.0 - np.array(far)


def test_the_ground_of_a_scene_is_what_rays_meet(scene: Path) -> None:
    found = load_map(scene)
    x, y = np.meshgrid(found.map.x, found.map.y, indexing="ij")
    chosen = np.random.default_rng(1).permutation(x.size)[:6000]
    truth = met_from_above(scene, np.stack([x.ravel(), y.ravel()], axis=-1)[chosen])
    off = np.abs(found.map.heights.ravel()[chosen] - truth)
    # Round shapes have corners; at upright sides half a spacing of a millimetre of place is a height.
    assert np.quantile(off, 0.99) < 1e-3
    assert (off > 0.01).mean() < 0.005
    assert found.notes[:2] == ("of the scene 7 shapes that stand still", "1 bodies with joints are left out: robot")
    # The rim of the plane, half a metre beside what stands there.
    low_x, high_x, _, _ = found.map.extent
    assert found.map.heights[0, 0] == pytest.approx(-0.02)
    assert high_x - low_x > 2.5


def test_a_height_field_alone_keeps_its_nodes(tmp_path: Path, scene: Path) -> None:
    field = "<worldbody><geom type='hfield' hfield='rough' pos='0.7 0.1 0.3'/></worldbody>"
    text = f"<mujoco><asset>{{}}</asset>{field}</mujoco>"
    path = tmp_path / "alone.xml"
    path.write_text(text.format("<hfield name='rough' file='rough.bin' size='0.6 0.3 0.08 0.05'/>"))
    found = load_map(path).map
    assert found.heights.shape == (61, 31)
    assert found.spacing == pytest.approx(0.02)
    assert found.extent == pytest.approx((0.1, 1.3, -0.2, 0.4))
    raw = np.frombuffer((tmp_path / "rough.bin").read_bytes()[8:], dtype="<f4").reshape(31, 61).astype(float)
    # MuJoCo puts the lowest to zero and the highest to one.
    share = (raw - raw.min()) / (raw.max() - raw.min())
    np.testing.assert_allclose(found.heights, 0.3 + 0.08 * share.T, atol=1e-6)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>", "no ground stands in the scene"),
        ("<robot name='a'><link name='b'/></robot>", "a robot's and no scene of MuJoCo; got 'robot'"),
        ("<mujoco><worldbody><geom type='box' size='-1 1 1'/></worldbody></mujoco>", "is no scene of MuJoCo: "),
        (
            "<mujoco><asset><hfield name='a' file='lost.png' size='1 1 1 1'/></asset></mujoco>",
            "is no scene of MuJoCo: ",
        ),
        ("nothing", "is no scene of MuJoCo: "),
        (
            "<mujoco><worldbody><geom type='box' size='1 1 1'/><geom type='plane' size='1 1 1' euler='90 0 0'/>"
            "</worldbody></mujoco>",
            "a plane of the scene is a wall",
        ),
    ],
)
def test_what_is_no_ground_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "a.xml").write_text(text)
    with pytest.raises(TerrainError, match=told) as caught:
        load_map(tmp_path / "a.xml")
    assert "a.xml" in str(caught.value)
    assert len(str(caught.value)) < 800


def test_options_of_meshes_count(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<mujoco><worldbody><geom type='box' size='0.5 0.3 0.1'/></worldbody></mujoco>")
    found = load_map(path, FileOptions(resolution=0.02, scale=2.0)).map
    assert found.spacing == pytest.approx(0.02)
    assert found.extent == pytest.approx((-1.0, 1.0, -0.6, 0.6))
    np.testing.assert_allclose(found.heights, 0.2)
    with pytest.raises(TerrainError, match="the option low means nothing"):
        load_map(path, FileOptions(low=-1.0))
