"""Ties, closed loops and motors that pull tendons in a file without a pack: kept or left out, and told."""

from __future__ import annotations

from pathlib import Path

import pytest
from bare_files import load
from quadrupeds import mjcf_quadruped

TIES = {
    "joint": ('<joint joint1="FL_calf" joint2="FR_calf"/>', "FL_calf with FR_calf"),
    "held": ('<joint joint1="FL_calf"/>', "FL_calf held"),
    "loop": ('<connect body1="FL_calf" body2="FR_calf" anchor="0 0 0"/>', "FL_calf at FR_calf"),
}


@pytest.mark.parametrize("kind", TIES)
def test_what_ties_joints_is_kept_and_told(tmp_path: Path, kind: str) -> None:
    """Each joint in a tie has a drive, and drives that do not agree pull against each other."""
    tie, says = TIES[kind]
    robot = load(tmp_path, mjcf_quadruped().replace("</mujoco>", f"<equality>{tie}</equality></mujoco>"))
    assert robot.model.neq == 1
    assert robot.sources["ties"] == (
        f"kept, as the file has them: {says}; each joint has a drive, so command angles that agree"
    )


def test_a_tie_that_is_switched_off_ties_nothing(tmp_path: Path) -> None:
    tie = '<equality><joint joint1="FL_calf" active="false"/></equality>'
    assert "ties" not in load(tmp_path, mjcf_quadruped().replace("</mujoco>", f"{tie}</mujoco>")).sources


def test_a_motor_that_pulls_a_tendon_gives_way_to_drives_of_joints(tmp_path: Path) -> None:
    tendon = '<tendon><fixed name="cord"><joint joint="FL_calf" coef="1"/></fixed></tendon>'
    text = mjcf_quadruped().replace("<actuator>", f'{tendon}<actuator><motor name="winch" tendon="cord"/>')
    robot = load(tmp_path, text)
    assert robot.sources["drives"] == "the file's winch move no joint by itself; here each joint has a drive instead"
