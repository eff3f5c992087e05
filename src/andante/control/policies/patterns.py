"""Numbers by regular expressions of joint names, as trainers write them, made one number for each joint."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from andante.control.policies.contract import PolicyContract, PolicyError
from andante.control.policies.joint_pattern import JointPattern

_BY_JOINT = ("default_posture", "kp", "kd", "torque_limits")


def resolved(contract: PolicyContract, place: str) -> PolicyContract:
    """The same contract, with a number for each joint where it has patterns; without joints it stays as it is.

    Raises:
        PolicyError: A pattern is no regular expression, a joint fits none of them, or several with other numbers.
    """
    joints = contract.joints
    if joints is None:
        return contract
    changes: dict[str, object] = {
        name: numbers(value, joints, f"{place}: {name}")
        for name in _BY_JOINT
        if isinstance(value := getattr(contract, name), dict)
    }
    action = contract.action
    if isinstance(action.scale, dict):
        action = action.model_copy(update={"scale": numbers(action.scale, joints, f"{place}: action.scale")})
    if isinstance(action.range, dict):
        ends = [{name: pair[end] for name, pair in action.range.items()} for end in (0, 1)]
        low, high = (numbers(each, joints, f"{place}: action.range") for each in ends)
        action = action.model_copy(update={"range": tuple(zip(low, high, strict=True))})
    if action is not contract.action:
        changes["action"] = action
    return contract.model_copy(update=changes) if changes else contract


def numbers(said: Mapping[str, float], joints: Sequence[str], place: str) -> tuple[float, ...]:
    """One number for each joint, from those by patterns; a pattern fits where it fits the whole name.

    Raises:
        PolicyError: A pattern is no regular expression, takes too long to match or looks back at a group, a joint
            fits none of them, or several with other numbers.
    """
    compiled = [(pattern, JointPattern(pattern, place), value) for pattern, value in said.items()]
    values = []
    for joint in joints:
        fitting = {pattern: value for pattern, rule, value in compiled if rule.fits(joint)}
        if len(set(fitting.values())) != 1:
            what = "several patterns fit a joint, with other numbers" if fitting else "no pattern fits a joint"
            named = re.fullmatch(r"[\w/ -]+", joint) is not None
            remedy = "" if named else "joints are named one by one, in the network's order, which no pattern tells"
            raise PolicyError(
                what, place=f"{place}, joint {joint}", value=sorted(fitting) or None, legal=said, remedy=remedy
            )
        values.append(float(next(iter(fitting.values()))))
    return tuple(values)
