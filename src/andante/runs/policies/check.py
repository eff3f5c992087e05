"""Checks of a learned policy on a robot, without moving it: what does not fit, what is unsure, a call's time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from andante.control.policies.binding import BoundPolicy, bind
from andante.control.policies.contract import PolicyError, refuse_missing
from andante.control.policies.files import PolicyFile
from andante.control.policies.terms import POLICY_TERMS
from andante.motions.findings import Finding
from andante.robots.records import Vector
from andante.robots.robot import Robot

_DRAWS, _CALLS, _WIDE = 200, 200, 10.0
"""Observations that are tried, calls that are timed, and how large the numbers of the former are."""
_PROBED, _TIMED = 10.0, 2.0
"""How long it is tried and timed at most [s]."""
_SHARE = 0.5
"""A call that takes so much of the time until the next one is told."""
_SOFT = 4.0
"""The guard lets gains pass up to this multiple of the servo's."""
_ROUNDING = 1e-9
_FAR = 0.5
"""A start so far from the default posture is told [rad]."""


@dataclass(frozen=True)
class PolicyCheck:
    """What was found of a policy on a robot."""

    findings: tuple[Finding, ...]
    """What is to be said, errors first."""
    parts: tuple[tuple[str, int], ...]
    """Terms and how many numbers the network sees of each."""
    call: tuple[float, float]
    """Time of a call on this machine: median and 99th percentile [s]."""

    @property
    def good(self) -> bool:
        """Whether the policy may move the robot."""
        return not any(finding.severity == "error" for finding in self.findings)

    def data(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "good": self.good,
            "findings": [finding.as_dict() for finding in self.findings],
            "observation": dict(self.parts),
            "call_median": self.call[0],
            "call_p99": self.call[1],
        }


def check_policy(file: PolicyFile, robot: Robot) -> PolicyCheck:
    """Bind a policy to a robot and look what may go wrong.

    Raises:
        PolicyError: It cannot be bound; the message names the first thing that does not fit.
        AndanteError: A joint, a posture or a term is not known.
    """
    place = str(file.path)
    bound = bind(file.contract, robot, file.network, place, truth=True)
    found = (_probe, _gains, _powerless, _unmoved, _held, _reach, _told)
    findings = [finding for each in found for finding in each(bound, place)]
    call = _timed(bound)
    findings += _slow(bound, place, call[0])
    order = ("error", "warning", "info")
    findings.sort(key=lambda finding: order.index(finding.severity))
    return PolicyCheck(tuple(findings), bound.observation().parts, call)


def start_posture(file: PolicyFile, robot: Robot) -> dict[str, float]:
    """The posture in which a policy begins, by joint [rad].

    Raises:
        PolicyError: The contract does not say everything, or the robot has no such posture.
    """
    contract = file.contract
    # All that is missing is told at once.
    refuse_missing(contract, str(file.path))
    bound = bind(contract, robot, file.network, str(file.path), truth=True)
    angles = bound.rest.copy()
    if contract.start == "default":
        angles[bound.joints] = bound.default
        angles[bound.followers] = bound.factors * bound.default[bound.leaders]
    else:
        angles = _posture(str(contract.start), robot, str(file.path))
    return dict(zip(robot.joint_names, np.clip(angles, robot.lower, robot.upper)[robot.leaders].tolist(), strict=True))


def _posture(start: str, robot: Robot, place: str) -> Vector:
    """The named posture in which a policy begins, (nj,) [rad].

    Raises:
        PolicyError: The robot has no such posture.
    """
    if start not in robot.postures:
        what = f"robot {robot.name!r} has no such posture"
        raise PolicyError(what, place=f"{place}: start", value=start, legal=("default", *robot.postures))
    return robot.posture(start)


def _probe(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    """Whether numbers come out where numbers go in, and whether nonsense would be seen."""
    observation = bound.observation()
    size, given = observation.size, bound.inputs(observation)
    random = np.random.default_rng(0)
    count = bad = lost = 0
    end = time.perf_counter() + _PROBED / 2.0
    with bound.network.tried(_PROBED):
        for each in [np.zeros(size), *(random.uniform(-_WIDE, _WIDE, (_DRAWS, size)))]:
            bad += not np.isfinite(given(each)).all()
            lost += given.forgets
            count += 1
            if time.perf_counter() > end:
                break
    if bad:
        what = f"gives no numbers for {bad} of {count} observations within +-{_WIDE:g}"
        yield Finding("no-numbers", "error", f"{place}: model", what, value=float(bad), limit=0.0)
    if lost:
        what = f"remembers no numbers after {lost} of {count} calls, and what it remembered before is kept"
        severity: Literal["error", "warning"] = "error" if lost == count else "warning"
        yield Finding("no-memory", severity, f"{place}: model", what, value=float(lost), limit=0.0)


def _slow(bound: BoundPolicy, place: str, call: float) -> Iterator[Finding]:
    """Whether a call takes too much of the time until the next one; a simulation waits, a robot does not."""
    period = bound.ticks * bound.robot.tick
    if call > _SHARE * period:
        what = f"a call takes {1e3 * call:.3g} ms on this machine, and the next is due after {1e3 * period:.3g} ms"
        yield Finding(
            "slow", "warning", f"{place}: model", f"{what}: a robot does not wait", value=call, limit=_SHARE * period
        )


def _gains(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    robot = bound.robot
    for number, index in enumerate(bound.joints.tolist()):
        joint = robot.joints[index].name
        for name, asked, servo in (("kp", bound.kp, robot.servo_kp), ("kd", bound.kd, robot.servo_kd)):
            most = _SOFT * float(servo[index])
            if servo[index] > 0.0 and asked[number] > most:
                what = f"{name} of {joint} is {asked[number]:g}, and the guard lets {most:g} pass"
                value = float(asked[number])
                yield Finding("gain", "warning", f"{place}: {name}", what, joint, value=value, limit=most)
        effort = float(robot.max_effort[index])
        if bound.torques[number] > effort * (1.0 + 1e-9):
            what = f"was trained with {bound.torques[number]:g} N m at {joint}, which has {effort:g} N m"
            value = float(bound.torques[number])
            yield Finding("torque", "warning", f"{place}: torque_limits", what, joint, value=value, limit=effort)


def _powerless(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    """Joints that are given a target angle or a speed, and no gain to go there."""
    limp = np.flatnonzero(bound.kp == 0.0)
    if bound.contract.action.kind == "torque" or not limp.size:
        return
    names = [(bound.contract.joints or ())[at] for at in limp.tolist()]
    what = f"{len(limp)} of {len(bound.kp)} joints have no position gain, so that no target moves them: {names[0]}"
    what += ", ..." if len(names) > 1 else ""
    severity: Literal["error", "warning"] = "error" if len(limp) == len(bound.kp) else "warning"
    yield Finding("no-gain", severity, f"{place}: kp", what, names[0], value=0.0)


def _unmoved(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    """Joints that no number of the network moves: their scale is 0, all is cut to one number, or no torque is left."""
    action = bound.contract.action
    still = [
        ("action.scale", bound.scale == 0.0, "have the scale 0"),
        ("action.clip", bound.least == bound.most, "are cut to one number"),
    ]
    if action.kind == "torque":
        still.append(("torque_limits", bound.torques == 0.0, "have no torque"))
    for fact, which, why in still:
        at = np.flatnonzero(which)
        if not at.size:
            continue
        joint = (bound.contract.joints or ())[int(at[0])]
        what = f"{at.size} of {len(which)} joints {why}, so that no number of the network moves them: {joint}"
        what += ", ..." if at.size > 1 else ""
        severity: Literal["error", "warning"] = "error" if which.all() else "warning"
        yield Finding("no-effect", severity, f"{place}: {fact}", what, joint, value=0.0)


def _held(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    """Joints of others that are to be held beyond their limits; they are held at them."""
    robot = bound.robot
    for name, angle in (bound.contract.others.angles if bound.contract.others else {}).items():
        index = robot.index(name)
        low, high = float(robot.lower[index]), float(robot.upper[index])
        if not low - _ROUNDING <= angle <= high + _ROUNDING:
            what = f"{name} is to be held at {angle:.3g} rad and is held at its limit, {low:.3g} to {high:.3g} rad"
            limit = high if angle > high else low
            yield Finding("held-limit", "warning", f"{place}: others.angles", what, name, value=angle, limit=limit)


def _reach(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    """Targets beyond the joints' limits, so far as clips tell."""
    if bound.contract.action.kind != "position":
        return
    ranged = np.isfinite((bound.low, bound.high)).all()
    if not ranged and not np.isfinite((bound.least, bound.most)).all():
        what = "its numbers have no bounds; the guard alone holds targets within limits"
        yield Finding("no-clip", "info", f"{place}: action.clip", what)
        return
    if bound.contract.action.offset == "measured":
        return
    ends = bound.offset + np.nan_to_num((bound.least, bound.most)) * bound.scale
    low, high = np.maximum(ends.min(axis=0), bound.low), np.minimum(ends.max(axis=0), bound.high)
    beyond = (low < bound.robot.lower[bound.joints] - _ROUNDING) | (high > bound.robot.upper[bound.joints] + _ROUNDING)
    if beyond.any():
        count = f"{int(beyond.sum())} of {len(beyond)} joints"
        what = f"{count} may be asked for more than their limits; the guard holds them"
        yield Finding("target-limit", "info", f"{place}: action.clip", what)


def _told(bound: BoundPolicy, place: str) -> Iterator[Finding]:
    yield from (Finding("assumed", "info", place, f"assumed: {text}") for text in bound.contract.assumed)
    if bound.contract.ground_truth:
        what = "sees what no robot measures: it runs in simulation only, where the run says ground_truth: true"
        yield Finding("ground-truth", "warning", f"{place}: ground_truth", what)
    for number, term in enumerate(bound.contract.observations or ()):
        estimated = POLICY_TERMS[term.name].estimated
        if estimated:
            what = f"{term.name} is estimated from {estimated}"
            yield Finding("estimated", "info", f"{place}: observations[{number}]", what)
    if bound.contract.joints_digest is None:
        what = "nobody vouches for the order of the joints; `andante policy inspect --write` writes their digest"
        yield Finding("joint-order", "info", f"{place}: joints_digest", what)
    start = bound.contract.start
    if start not in (None, "default"):
        away = np.abs(_posture(str(start), bound.robot, place)[bound.joints] - bound.default)
        if away.max() > _FAR:
            joint = (bound.contract.joints or ())[int(away.argmax())]
            what = f"the start posture is far from the default posture: {joint} by {away.max():.2f} rad"
            yield Finding("start", "warning", f"{place}: start", what, joint, value=float(away.max()), limit=_FAR)


def _timed(bound: BoundPolicy) -> tuple[float, float]:
    observation = bound.observation()
    given, seen = bound.inputs(observation), np.zeros(observation.size)
    times = []
    for _ in range(_CALLS):
        begun = time.perf_counter()
        given(seen)
        times.append(time.perf_counter() - begun)
        if sum(times) > _TIMED:
            break
    return float(np.median(times)), float(np.quantile(times, 0.99))
