"""A payload adds its mass where it lies, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from andante.backends.model_builder import build_model
from andante.backends.payload import PAYLOAD, Payload
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot


def test_mass_and_centre_are_those_of_robot_and_payload_together() -> None:
    import mujoco

    robot = Robot.load("littledog")
    bare = build_model(robot, WorldConfig())
    laden = build_model(robot, WorldConfig(payload=Payload(mass=0.3, place=(0.1, 0.0, 0.05))))
    base = bare.body(robot.base_body).id
    centres = []
    for model in (bare, laden):
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centres.append(data.subtree_com[base] - data.xpos[base])
    mass = float(bare.body_subtreemass[base])
    assert float(laden.body_subtreemass[base]) == pytest.approx(mass + 0.3)
    wanted = (mass * centres[0] + 0.3 * np.array([0.1, 0.0, 0.05])) / (mass + 0.3)
    assert centres[1] == pytest.approx(wanted, abs=1e-9)
    assert (laden.nq, laden.nu, laden.ngeom) == (bare.nq, bare.nu, bare.ngeom)
    # A cube: m side^2 / 6 about each axis.
    assert laden.body(PAYLOAD).inertia == pytest.approx([0.3 * 0.05**2 / 6.0] * 3)


def test_a_payload_has_a_mass() -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        Payload(mass=0.0)
