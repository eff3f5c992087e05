"""Files in centimetres: a pack in metres by one option; what is told of them names the command."""

from __future__ import annotations

import re

import mujoco
import numpy as np
import pytest
from bare_files import MESH, load
from quadrupeds import mjcf_quadruped, stl_box, urdf_quadruped
from test_rods import BY_BODIES_TURNED, BY_SITES, with_rod
from typer.testing import CliRunner

from andante.cli.app import app
from andante.robots.parts import RobotError
from andante.robots.robot import Robot

NUMBERS = r"[-+0-9.e ]+"


def enlarged(text: str, factor: float) -> str:
    """A model in MJCF with all of its lengths multiplied, by its text alone."""

    def times(match: re.Match[str], power: int = 1) -> str:
        numbers = " ".join(repr(float(each) * factor**power) for each in match[2].split())
        return f'{match[1]}="{numbers}"'

    text = re.sub(rf'\b(pos|size|fromto|anchor)="({NUMBERS})"', times, text)
    text = re.sub(rf'\b(diaginertia|fullinertia)="({NUMBERS})"', lambda match: times(match, 2), text)
    return re.sub(
        rf'\b(qpos)="({NUMBERS})"',
        lambda match: (
            f'qpos="{" ".join(str(float(n) * factor if i < 3 else float(n)) for i, n in enumerate(match[2].split()))}"'
        ),
        text,
    )


def robots(*words) -> str:
    done = CliRunner().invoke(app, ["robots", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize(
    "text", [mjcf_quadruped(), with_rod(BY_BODIES_TURNED), with_rod(BY_SITES)], ids=["plain", "rod", "sites"]
)
@pytest.mark.parametrize("factor", [100.0, 1000.0])
def test_a_file_in_another_unit_is_the_robot_in_metres_by_one_option(tmp_path, text, factor):
    metres = load(tmp_path, text)
    (tmp_path / "other.xml").write_text(enlarged(text, factor))
    try:
        told = Robot.load(tmp_path / "other.xml").sources["size"]
    except RobotError as error:
        told = str(error).replace("FILE", "other.xml")
    assert f"andante robots other.xml --scale {1.0 / factor:g} --pack FOLDER writes a pack in metres" in told
    robots(tmp_path / "other.xml", "--scale", 1.0 / factor, "--pack", tmp_path / "pack")
    made = Robot.load(tmp_path / "pack")
    assert made.sources["scale"].startswith(f"all lengths of the file times {1.0 / factor:g}")
    assert "size" not in made.sources
    one, other = metres.model, made.model
    for name in ("body_mass", "body_pos", "body_ipos", "body_inertia", "jnt_pos", "geom_size", "geom_pos", "eq_data"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=2e-4, abs=1e-6), name
    assert [foot.radius for foot in made.feet] == pytest.approx([foot.radius for foot in metres.feet])
    assert made.posture("stand") == pytest.approx(metres.posture("stand"), abs=1e-3)
    assert made.servo_kp == pytest.approx(metres.servo_kp, rel=1e-3)


@pytest.mark.parametrize(("half", "factor"), [(20.0, 0.01), (200.0, 0.001)])
def test_meshes_in_another_unit_are_in_metres_by_one_option(tmp_path, half, factor):
    (tmp_path / "trunk.stl").write_bytes(stl_box(half))
    (tmp_path / "quad.urdf").write_text(urdf_quadruped(shape=MESH.format("trunk.stl")))
    told = robots(tmp_path / "quad.urdf")
    assert f"andante robots quad.urdf --mesh-scale {factor:g} --pack FOLDER writes a pack in metres" in told
    robots(tmp_path / "quad.urdf", "--mesh-scale", factor, "--pack", tmp_path / "pack")
    made = Robot.load(tmp_path / "pack")
    assert not [each for each in made.sources if each.startswith("unsure")]
    mesh = np.flatnonzero(made.model.geom_type == mujoco.mjtGeom.mjGEOM_MESH)
    assert made.model.geom_aabb[mesh, 3:].max() == pytest.approx(0.2)
    plain = load(tmp_path, urdf_quadruped(), "plain.urdf")
    assert made.model.body_mass.sum() == pytest.approx(plain.model.body_mass.sum())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nao", "--scale", "0.01"), "packs are in metres; got 'nao'"),
        (("{}/pack", "--scale", "0.01"), "packs are in metres"),
        (("{}/none.urdf", "--scale", "0.01"), "a file that is there"),
        (("{}/quad.xml", "--scale", "0"), "the factor on lengths is above zero; got 0.0; limit: 0.01 for centimetres"),
        (("{}/quad.xml", "--mesh-scale", "nan"), "that of meshes is above zero; got nan"),
        (("--scale", "0.01"), "name the file whose lengths it multiplies"),
    ],
)
def test_what_cannot_be_multiplied_is_one_message(tmp_path, words, message):
    (tmp_path / "quad.xml").write_text(mjcf_quadruped())
    robots(tmp_path / "quad.xml", "--pack", tmp_path / "pack")
    done = CliRunner().invoke(app, ["robots", *(each.format(tmp_path) for each in words)])
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
