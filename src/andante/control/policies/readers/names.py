"""Names of other programs: joints without the entity's prefix, observations by the name of Andante's term."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from andante.control.policies.contract import PolicyError

ISAAC_TERMS: dict[str, dict[str, Any]] = {
    "projected_gravity": {"name": "gravity", "frame": "base", "offset": 0.0},
    "base_ang_vel": {"name": "gyro", "frame": "base", "offset": 0.0},
    "base_lin_vel": {"name": "base_velocity", "frame": "base", "offset": 0.0},
    "base_pos_z": {"name": "base_height", "offset": 0.0},
    "root_pos_w": {"name": "base_position", "offset": 0.0},
    "generated_commands": {"name": "command", "offset": 0.0},
    "velocity_commands": {"name": "command", "offset": 0.0},
    "joint_pos_rel": {"name": "joint_position", "offset": "default"},
    "joint_pos": {"name": "joint_position", "offset": 0.0},
    "joint_vel_rel": {"name": "joint_velocity", "offset": 0.0},
    "joint_vel": {"name": "joint_velocity", "offset": 0.0},
    "joint_effort": {"name": "joint_effort", "offset": 0.0},
    "last_action": {"name": "last_action", "offset": 0.0},
    "gait_phase": {"name": "gait_phase", "offset": 0.0, "waves": ("sin", "cos")},
    "height_scan": {"name": "height_scan", "offset": 0.0},
}
"""Observations of Isaac Lab by the names of its functions; the phase is unitree_rl_lab's."""


def without_prefix(joint: str) -> str:
    """A joint's name without that of its entity: ``robot/LKneePitch`` is ``LKneePitch``."""
    return joint.rpartition("/")[2]


def term_named(name: str, terms: Mapping[str, dict[str, Any]], place: str) -> dict[str, Any]:
    """What an observation of another program is here.

    Raises:
        PolicyError: It is not known.
    """
    if name not in terms:
        raise PolicyError(
            "an observation of this name is not known",
            place=place,
            value=name,
            legal=terms,
            remedy="write the contract as andante.policy, with a term of your own where none fits",
        )
    return dict(terms[name])
