"""B-Human's learned walk of the code release of 2025: bare networks, whose facts stand in that release's modules.

The files are B-Human's and do not come with Andante. Which robot one is for follows from the sizes. Gains of the
Boosters are those with which it walked in a trial in another program; the robots' own are not published with it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from andante.control.policies.contract import PolicyError
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.readers.register import Facts, PolicyFormat

_BOOSTER = ("Hip_Pitch", "Hip_Roll", "Hip_Yaw", "Knee_Pitch", "Ankle_Pitch", "Ankle_Roll")
_NAO = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
_BENT = {"Hip_Pitch": -0.2, "HipPitch": -0.2, "Knee_Pitch": 0.4, "KneePitch": 0.4, "Ankle_Pitch": -0.25}
_BENT["AnklePitch"] = -0.25
_ARM = math.radians(83.0)
"""Angle by which a Booster's arms hang down from sideways [rad]."""
_STEP = 1.0 / 3.0
"""Time of a step at the clock's own frequency [s]."""


@dataclass(frozen=True)
class _Walk:
    """What is known of one robot's walk."""

    robot: str
    joints: tuple[str, ...]
    gains: dict[str, tuple[float, float, float]]
    """kp, kd and largest torque by a word of the joint's name; the first that fits counts."""
    arms: dict[str, float]
    stand_after: float
    clock: bool
    """Whether the network changes the frequency."""


def _legs(names: tuple[str, ...], left: str, right: str) -> tuple[str, ...]:
    return tuple(f"{side}{name}" for side in (left, right) for name in names)


_WALKS = {
    (51, 14): _Walk(
        "t1",
        ("Waist", *_legs(_BOOSTER, "Left_", "Right_")),
        {
            "Ankle_Pitch": (50.0, 1.0, 24.0),
            "Ankle_Roll": (50.0, 1.0, 15.0),
            "Knee": (200.0, 5.0, 60.0),
            "Hip_Pitch": (200.0, 5.0, 45.0),
            "": (200.0, 5.0, 25.0),
        },
        {"Left_Shoulder_Roll": -_ARM, "Right_Shoulder_Roll": _ARM},
        2.0,
        True,
    ),
    (48, 13): _Walk(
        "k1",
        _legs(_BOOSTER, "Left_", "Right_"),
        {
            # 30 N m/rad, of the same trial, let it run ever faster at 0.8 m/s in 5 of 140 runs; 40 in none of 200.
            "Ankle": (40.0, 2.0, 20.0),
            "Knee": (80.0, 2.0, 40.0),
            "Hip_Roll": (80.0, 2.0, 35.0),
            "Hip_Yaw": (80.0, 2.0, 20.0),
            "": (80.0, 2.0, 30.0),
        },
        {"Left_Shoulder_Roll": -_ARM, "Right_Shoulder_Roll": _ARM},
        1.0,
        True,
    ),
    (47, 12): _Walk(
        "nao",
        _legs(_NAO, "L", "R"),
        {"Roll": (92.3, 1.385, 3.348), "YawPitch": (92.3, 1.385, 3.348), "": (60.0, 0.9, 3.023)},
        {
            "LShoulderPitch": 0.5 * math.pi,
            "RShoulderPitch": 0.5 * math.pi,
            "LShoulderRoll": math.radians(8.0),
            "RShoulderRoll": -math.radians(8.0),
        },
        1.0,
        False,
    ),
}


def read(file: Path, model: Path | None) -> Facts:
    """Facts of one of the walks.

    Raises:
        PolicyError: The network has the sizes of none of them, or cannot be used.
        DocumentError: The file cannot be read.
    """
    network = PolicyNetwork(model or file)
    sizes = network.inputs[0][1], network.outputs[0][1]
    walk = _WALKS.get(sizes)
    if walk is None:
        raise PolicyError(
            "this is none of B-Human's walks",
            place=str(file),
            value=sizes,
            limit="; ".join(f"{each.robot}: {i} inputs, {o} outputs" for (i, o), each in _WALKS.items()),
        )
    gains = [next(gain for word, gain in walk.gains.items() if word in name) for name in walk.joints]
    return {
        "robot": walk.robot,
        "model": str(model or file),
        "rate": 50.0,
        "joints": walk.joints,
        "default_posture": tuple(
            next((angle for word, angle in _BENT.items() if name.endswith(word)), 0.0) for name in walk.joints
        ),
        "action": {"kind": "position", "scale": 1.0, "offset": "default", "clip": (-1.0, 1.0)},
        "kp": tuple(gain[0] for gain in gains),
        "kd": tuple(gain[1] for gain in gains),
        "torque_limits": tuple(gain[2] for gain in gains),
        "every_term": {"delay": 0.0, "history": 1, "clip": "none", "offset": 0.0, "scale": 1.0, "frame": "imu"},
        "observations": (
            {"name": "gravity"},
            {"name": "gyro"},
            {"name": "command"},
            {"name": "gait_phase"},
            {"name": "joint_position", "offset": "default"},
            {"name": "joint_velocity", "scale": 0.1},
            {"name": "last_action", "clip": (-1.0, 1.0)},
        ),
        "commands": {
            "forward": {"range": (-1.0, 1.0), "acceleration": 0.5 / _STEP, "slow": 0.075 / _STEP},
            "lateral": {"range": (-0.5, 0.5), "acceleration": 0.5 / _STEP, "slow": 0.03 / _STEP},
            "turn": {
                "range": (-math.radians(120.0), math.radians(120.0)),
                "acceleration": 2.0 / _STEP,
                "slow": math.radians(10.0) / _STEP,
            },
            "stand_after": walk.stand_after,
        },
        "gait": {"frequency": 1.5, "output": len(walk.joints), "most": 0.5} if walk.clock else {"frequency": 1.5},
        "others": {"posture": "stand", "angles": walk.arms, "stiffness": 1.0},
        "start": "default",
        "licence": "B-Human code release 2025, its own licence",
        "ground_truth": False,
        "assumed": (
            "kp, kd: gains with which it walked in a trial in another program, K1's ankles stiffer; a NAO's own servos",
            "torque_limits: the robots' own",
            "commands.turn.acceleration: not published",
            "others: arms are as in the posture stand but for the shoulders, and stay while the feet part",
        ),
    }


FORMAT = PolicyFormat("B-Human's learned walk, code release 2025", read)
