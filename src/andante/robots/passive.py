"""What moves or holds joints of a model without a motor: springs, tendons that pull or stop, ties and closed loops."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from andante.robots.records import Vector

_OF_TENDONS = (
    *("tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly"),
    *("tendon_frictionloss", "tendon_armature", "tendon_limited"),
)
"""By what a tendon acts without a motor."""


def sprung_joints(model: mujoco.MjModel) -> list[int]:
    """Numbers of the joints that have a spring."""
    stiff = (model.jnt_stiffness, model.jnt_stiffnesspoly)
    return [joint for joint in range(model.njnt) if any(np.any(each[joint]) for each in stiff)]


def acting_tendons(model: mujoco.MjModel) -> Iterator[tuple[int, str, float]]:
    """Tendons that act without a motor: the number of each, by what first (``stiffness``), and its largest value."""
    for tendon in range(model.ntendon):
        for name in _OF_TENDONS:
            values = getattr(model, name)[tendon]
            if np.any(values):
                yield tendon, name.removeprefix("tendon_"), float(np.max(values))
                break


def ties(model: mujoco.MjModel) -> list[str]:
    """What holds joints or bodies of a model together, in words: ``tail_tip with tail_pitch``, ``rod at tail``."""
    told = []
    for number in range(model.neq):
        if not model.eq_active0[number]:
            continue
        kind = mujoco.mjtEq(int(model.eq_type[number]))
        if kind == mujoco.mjtEq.mjEQ_JOINT:
            what, word = mujoco.mjtObj.mjOBJ_JOINT, "with"
        elif kind == mujoco.mjtEq.mjEQ_TENDON:
            what, word = mujoco.mjtObj.mjOBJ_TENDON, "with"
        else:
            what, word = mujoco.mjtObj(int(model.eq_objtype[number])), "at"
        one, other = (
            mujoco.mj_id2name(model, what, int(each)) or f"number {each}" if each >= 0 else ""
            for each in (model.eq_obj1id[number], model.eq_obj2id[number])
        )
        told.append(f"{one} {word} {other}" if other else f"{one} held")
    return told


def joint_ties(model: mujoco.MjModel) -> list[int]:
    """Numbers of the ties that make one joint's angle a function of another's, or hold it."""
    tied = np.array(model.eq_active0, dtype=np.bool_) & (model.eq_type == mujoco.mjtEq.mjEQ_JOINT)
    return [int(number) for number in np.flatnonzero(tied)]


def tied_angle(model: mujoco.MjModel, qpos: Vector, tie: int) -> float:
    """The angle that a tie wants of its first joint, with the other one where it is [rad].

    Args:
        model: The model.
        qpos: Its positions, (nq,).
        tie: One of `joint_ties`.
    """
    one, other = int(model.eq_obj1id[tie]), int(model.eq_obj2id[tie])
    turned = 0.0
    if other >= 0:
        place = int(model.jnt_qposadr[other])
        turned = float(qpos[place] - model.qpos0[place])
    return float(model.qpos0[model.jnt_qposadr[one]] + np.polynomial.Polynomial(model.eq_data[tie, :5])(turned))
