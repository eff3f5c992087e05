"""Settings with which unitree_rl_gym's programs run a policy: ``deploy/*/configs/*.yaml``, of legged_gym's kind.

The order of what is seen is not in the file but in the programs that read it (``deploy_mujoco.py``, ``deploy_real.py``,
``deploy_go2.py``): 9 + 3 n numbers, 2 more with a gait phase of 0.8 s (sine, then cosine), or 3 more with the velocity
of the base first. Names of joints, torque limits and how other joints are held are not in it either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from andante.control.policies.contract import PolicyError
from andante.control.policies.readers.numbers import number, row, several
from andante.control.policies.readers.register import Facts, PolicyFormat
from andante.documents.budget import budgeted
from andante.documents.files import read_text
from andante.documents.yaml_tree import parse_tree

_NEEDED = ("kps", "kds", "default_angles", "action_scale", "num_actions", "num_obs")
_READ = frozenset(
    {
        *_NEEDED,
        *("control_dt", "simulation_dt", "control_decimation", "max_cmd"),
        *("ang_vel_scale", "cmd_scale", "dof_pos_scale", "dof_vel_scale", "lin_vel_scale"),
    }
)
"""Keys whose meaning is a fact of the policy."""
_OF_THE_PROGRAM = re.compile(
    r"policy_path|xml_path|simulation_duration|cmd_init|msg_type|imu_type|low(cmd|state)_topic|.*joint2motor_idx"
    r"|arm_waist_.*"
)
"""Keys that its programs alone need, and those of joints that a policy does not drive."""
_PERIOD = 0.8
"""Period of the gait in those programs [s]."""
_AXES = ("forward", "lateral", "turn")


@budgeted(place="file")
def read(file: Path, _: Path | None) -> Facts:
    """Facts of such a file.

    Raises:
        PolicyError: It is no such file, or a value is none that it can be.
        DocumentError: It cannot be read, or is no YAML.
    """
    data = parse_tree(read_text(file), str(file)).data
    if not isinstance(data, Mapping) or any(name not in data for name in _NEEDED):
        raise PolicyError("these are no settings of unitree_rl_gym", place=str(file), limit=", ".join(_NEEDED))
    count = int(number(data["num_actions"], f"{file}: num_actions"))
    facts: Facts = {
        "default_posture": row(data["default_angles"], f"{file}: default_angles", count),
        "kp": row(data["kps"], f"{file}: kps", count),
        "kd": row(data["kds"], f"{file}: kds", count),
        "action": {
            "kind": "position",
            "scale": several(data["action_scale"], f"{file}: action_scale"),
            "offset": "default",
            "clip": "none",
        },
        "every_term": {"frame": "base", "clip": "none", "history": 1},
    }
    if "control_dt" in data:
        facts["rate"] = 1.0 / number(data["control_dt"], f"{file}: control_dt")
    elif "simulation_dt" in data and "control_decimation" in data:
        step = number(data["simulation_dt"], f"{file}: simulation_dt")
        facts["rate"] = 1.0 / (step * number(data["control_decimation"], f"{file}: control_decimation"))
        facts["physics_step"] = step
    if data.get("max_cmd") is not None:
        most = row(data["max_cmd"], f"{file}: max_cmd", 3)
        facts["commands"] = {name: {"range": (-value, value)} for name, value in zip(_AXES, most, strict=True)}
    _see(facts, data, count, file)
    told = ["action.clip: none, as the programs of unitree_rl_gym cut nothing"]
    left = sorted(key for key in map(str, data) if key not in _READ and not _OF_THE_PROGRAM.fullmatch(key))
    if left:
        # Copies of those programs have keys of their own, which may be facts: a clip, a history.
        told.append(f"{file.name}: keys of another program, which are not read, {', '.join(left)}")
    facts["assumed"] = (*facts.get("assumed", ()), *told)
    return facts


def _see(facts: Facts, data: Mapping[str, Any], count: int, file: Path) -> None:
    """Add what is seen, as far as the number of numbers tells."""

    def scale(name: str) -> float | tuple[float, ...]:
        if name not in data:
            raise PolicyError("a scale is missing", place=f"{file}: {name}", legal=data)
        return several(data[name], f"{file}: {name}")

    size = int(number(data["num_obs"], f"{file}: num_obs"))
    extra = size - (9 + 3 * count)
    told = "observations: their order, as the programs of unitree_rl_gym have it for this number of them"
    if extra not in (0, 2, 3):
        # Another program's order; the document says it.
        return
    terms = [
        {"name": "gyro", "offset": 0.0, "scale": scale("ang_vel_scale")},
        {"name": "gravity", "offset": 0.0, "scale": 1.0},
        {"name": "command", "offset": 0.0, "scale": scale("cmd_scale")},
        {"name": "joint_position", "offset": "default", "scale": scale("dof_pos_scale")},
        {"name": "joint_velocity", "offset": 0.0, "scale": scale("dof_vel_scale")},
        {"name": "last_action", "offset": 0.0, "scale": 1.0},
    ]
    assumed = [told]
    if extra == 2:
        terms.append({"name": "gait_phase", "offset": 0.0, "scale": 1.0, "waves": ("sin", "cos")})
        facts["gait"] = {"frequency": 1.0 / _PERIOD}
        assumed.append("gait: a period of 0.8 s, as the programs of unitree_rl_gym have it")
    elif extra == 3:
        terms.insert(0, {"name": "base_velocity", "offset": 0.0, "scale": scale("lin_vel_scale")})
    facts["observations"], facts["assumed"] = tuple(terms), tuple(assumed)


FORMAT = PolicyFormat("unitree_rl_gym (legged_gym): YAML of its deploy programs", read, _NEEDED)
