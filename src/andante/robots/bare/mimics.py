"""Joints that a URDF couples: those that share a motor follow their leader, others are told and have drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from andante.robots.parts import Joint
from andante.robots.urdf_joints import Mimic

_SAME = 1e-6
"""Angles, factors and offsets this near are equal."""


def with_leaders(joints: tuple[Joint, ...], mimics: Sequence[Mimic], sources: dict[str, str]) -> tuple[Joint, ...]:
    """The joints, those with the same angle as another one as its followers.

    Args:
        joints: All joints.
        mimics: Which turn with another one.
        sources: Where numbers come from; what follows, and what cannot, is told there.
    """
    known = {joint.name for joint in joints}
    turning = {mimic.joint for mimic in mimics}
    leaders, alone, lost = {}, [], []
    for mimic in mimics:
        if mimic.joint not in known:
            continue
        same = abs(mimic.multiplier - 1.0) < _SAME and abs(mimic.offset) < _SAME
        if mimic.leader not in known:
            lost.append(f"{mimic.joint} (of {mimic.leader!r})")
        elif same and mimic.leader not in turning:
            leaders[mimic.joint] = mimic.leader
        else:
            alone.append(f"{mimic.joint} ({mimic.multiplier:g} x {mimic.leader} {mimic.offset:+g})")
    told = []
    if leaders:
        told.append("with the motor of another joint: " + ", ".join(f"{a} follows {b}" for a, b in leaders.items()))
    if alone:
        told.append(
            "the file couples these, which is kept; each has a drive of its own as well, so command both: "
            + ", ".join(alone)
        )
    if lost:
        told.append("the joint to follow is none that turns, so each has a drive of its own: " + ", ".join(lost))
    if told:
        sources["mimic joints"] = "; ".join(told)
    return tuple(replace(joint, follows=leaders.get(joint.name)) for joint in joints)


def apart(joints: Sequence[Joint], posture: Mapping[str, float]) -> str:
    """Which follower a posture gives another angle than its leader; empty: none."""
    for joint in joints:
        leader = joint.follows
        if leader is not None and abs(posture.get(joint.name, 0.0) - posture.get(leader, 0.0)) > _SAME:
            return f"{joint.name} has the motor of {leader}, and another angle"
    return ""
