"""Keyframes of an MJCF as named postures: by the joints' positions, or by what its position servos are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

_NUMBERS = {mujoco.mjtJoint.mjJNT_FREE: 7, mujoco.mjtJoint.mjJNT_BALL: 4}
"""Numbers of a keyframe per joint, where it is more than one."""
_JOINTS = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
_APART = 1e-6
"""Gains this near are equal, as a share."""


def drop_wrong_keys(spec: Any, sources: dict[str, str]) -> None:
    """Take out keyframes that are not of this model; MuJoCo fills up and cuts off those of another length."""
    size = sum(_NUMBERS.get(joint.type, 1) for joint in spec.joints)
    wrong = [key for key in spec.keys if len(key.qpos) not in (0, size) or not np.isfinite(key.qpos).all()]
    if wrong:
        told = ", ".join(f"{key.name or 'one without a name'} ({len(key.qpos)})" for key in wrong)
        sources["keyframes"] = f"left out, for they are not the {size} finite numbers of this model: {told}"
    for key in wrong:
        spec.delete(key)


def asked_postures(spec: Any) -> dict[str, dict[str, float]]:
    """Postures by those keyframes of a parsed model that have no positions: what its position servos are asked for
    [rad]; empty ones where the drives are others.

    Args:
        spec: The model as parsed, with its drives; keyframes of models that are attached have no numbers yet.
    """
    servos = [(number, drive.target, _turns(drive)) for number, drive in enumerate(spec.actuators)]
    found: dict[str, dict[str, float]] = {}
    for number, key in enumerate(spec.keys):
        if not len(key.qpos):
            asked = np.array(key.ctrl)
            given = len(asked) == len(spec.actuators) and np.isfinite(asked).all()
            angles = {joint: float(asked[index]) / turns for index, joint, turns in servos if turns} if given else {}
            found[key_name(key.name, number)] = angles
    return found


def postures(
    spec: Any,
    model: mujoco.MjModel,
    names: Sequence[str],
    asked: Mapping[str, Mapping[str, float]],
    sources: dict[str, str],
) -> dict[str, dict[str, float]]:
    """All postures of a file's keyframes by name [rad]; the prefix of a model that is attached to a scene is left out,
    where names stay different without it.

    Args:
        spec: The model, whose wrong keyframes are gone.
        model: The same, compiled.
        names: The joints that a posture has.
        asked: Postures of keyframes that had no positions before.
        sources: Where numbers come from; what is no posture is told there.
    """
    found: dict[str, dict[str, float]] = {}
    for number, key in enumerate(spec.keys):
        if len(key.qpos) == model.nq and np.isfinite(key.qpos).all():
            found[key_name(key.name, number)] = {
                name: float(key.qpos[model.jnt_qposadr[model.joint(name).id]]) for name in names
            }
    rest = {posture: angles for posture, angles in asked.items() if posture not in found}
    taken = [posture for posture, angles in rest.items() if angles]
    none = [posture for posture, angles in rest.items() if not angles]
    told = [sources["keyframes"]] if "keyframes" in sources else []
    if taken:
        told.append("without positions of joints, taken by what position servos are asked for: " + ", ".join(taken))
    if none:
        told.append("left out, for they give no joint a position: " + ", ".join(none))
    if told:
        sources["keyframes"] = "; ".join(told)
    found |= {posture: {joint: rest[posture].get(joint, 0.0) for joint in names} for posture in taken}
    short = {posture: posture.rpartition("/")[2] or posture for posture in found}
    if len(set(short.values())) < len(short):
        return found
    return {short[posture]: angles for posture, angles in found.items()}


def key_name(name: str, number: int) -> str:
    """A keyframe's name, by its number where it has none."""
    return name or f"key{number}"


def _turns(drive: Any) -> float:
    """What a position servo of a joint is asked for, over the joint's angle; 0 for any other drive."""
    gain, gear = float(drive.gainprm[0]), float(drive.gear[0])
    if drive.trntype not in _JOINTS or drive.biastype != mujoco.mjtBias.mjBIAS_AFFINE or not gain > 0.0:
        return 0.0
    return gear if abs(gain + float(drive.biasprm[1])) <= _APART * gain else 0.0
