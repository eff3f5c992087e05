"""booster_gym's ``deploy/configs/T1.yaml``: the settings with which its program runs a walk on a Booster T1.

The order of what is seen stands in the program (``deploy/utils/policy.py``): gravity, gyro, command, cosine and sine of
the gait, then the legs' angles, speeds and last actions. Lists have all 23 joints; the policy drives the last 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.readers.numbers import number, row
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

_ARM = ("Shoulder_Pitch", "Shoulder_Roll", "Elbow_Pitch", "Elbow_Yaw")
_LEG = ("Hip_Pitch", "Hip_Roll", "Hip_Yaw", "Knee_Pitch", "Ankle_Pitch", "Ankle_Roll")
_JOINTS = (
    *("AAHead_yaw", "Head_pitch"),
    *(f"{side}_{name}" for side in ("Left", "Right") for name in _ARM),
    "Waist",
    *(f"{side}_{name}" for side in ("Left", "Right") for name in _LEG),
)
_OTHERS = 11
"""Joints before the legs' ones."""


@budgeted(place="file")
def read(file: Path, _: Path | None) -> Facts:
    """Facts of such a file.

    Raises:
        PolicyError: It is no such file, or is for another policy than a walk by 12 joints.
        DocumentError: It cannot be read, or is no YAML.
    """
    data = parse_tree(read_text(file), str(file)).data
    common, policy = (data.get(name) if isinstance(data, Mapping) else None for name in ("common", "policy"))
    if not isinstance(common, Mapping) or not isinstance(policy, Mapping) or "control" not in policy:
        raise PolicyError("these are no settings of booster_gym", place=str(file), limit="common, policy")
    count, seen = policy.get("num_actions"), policy.get("num_observations")
    if (count, seen) != (12, 47):
        raise PolicyError(
            "this is another policy than booster_gym's walk", place=str(file), value=(count, seen), limit="12, 47"
        )
    scales, control = policy["normalization"], policy["control"]
    place = f"{file}: policy.normalization"
    step = number(common["dt"], f"{file}: common.dt")
    period = step * number(control["decimation"], f"{file}: policy.control.decimation")
    most = number(scales["clip_actions"], f"{place}.clip_actions")
    posture = _all(common, "default_qpos", file)
    speeds = tuple(number(scales[name], f"{place}.{name}") for name in ("lin_vel", "lin_vel", "ang_vel"))
    return {
        "robot": "t1",
        "rate": 1.0 / period,
        "joints": _JOINTS[_OTHERS:],
        "default_posture": posture[_OTHERS:],
        "kp": _all(common, "stiffness", file)[_OTHERS:],
        "kd": _all(common, "damping", file)[_OTHERS:],
        "torque_limits": _all(common, "torque_limit", file)[_OTHERS:],
        "action": {
            "kind": "position",
            "scale": number(control["action_scale"], f"{file}: policy.control.action_scale"),
            "offset": "default",
            "clip": (-most, most),
            "low_pass": {"keep": 0.8, "every": 0.002},
        },
        "every_term": {"frame": "imu", "offset": 0.0, "clip": "none", "history": 1},
        "observations": (
            {"name": "gravity", "scale": number(scales["gravity"], f"{place}.gravity")},
            {"name": "gyro", "scale": number(scales["ang_vel"], f"{place}.ang_vel")},
            {"name": "command", "scale": speeds},
            {"name": "gait_phase", "scale": 1.0},
            {"name": "joint_position", "offset": "default", "scale": number(scales["dof_pos"], f"{place}.dof_pos")},
            {"name": "joint_velocity", "scale": number(scales["dof_vel"], f"{place}.dof_vel")},
            {"name": "last_action", "scale": 1.0, "clip": (-most, most)},
        ),
        "gait": {"frequency": number(policy["gait_frequency"], f"{file}: policy.gait_frequency")},
        "others": {"angles": dict(zip(_JOINTS[:_OTHERS], posture[:_OTHERS], strict=True)), "stiffness": 1.0},
        "assumed": (
            "action.low_pass: four fifths kept every 2 ms, as the maker's deploy.py has it; some copies have none",
            "others: held with the gains of the robot's own servos, not with those of the file",
        ),
    }


def _all(common: Mapping[str, Any], name: str, file: Path) -> tuple[float, ...]:
    return row(common.get(name), f"{file}: common.{name}", len(_JOINTS))


FORMAT = PolicyFormat("booster_gym: deploy/configs/T1.yaml", read, ("common", "policy"))
