"""BoundPolicy: a complete contract on one robot, with its network; whatever does not fit is refused by name."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.control.policies.contract import (
    JOINT_TERMS,
    PolicyContract,
    PolicyError,
    bounds_of,
    complete_terms,
    numbers_of,
    refuse_length,
    refuse_missing,
)
from andante.control.policies.inputs import NetworkInputs
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.observation import ROUNDED, Observation, ticks_of
from andante.control.policies.patterns import resolved
from andante.robots.records import Vector
from andante.robots.robot import Robot

_BEYOND = 1e-6


@dataclass(frozen=True, eq=False)
class BoundPolicy:
    """A policy on a robot."""

    contract: PolicyContract
    """What is known of it; complete."""
    robot: Robot
    """The robot."""
    network: PolicyNetwork
    """Its network."""
    joints: NDArray[np.intp]
    """Where its joints are in the robot's, (n,)."""
    default: Vector
    """Default posture of its joints, (n,) [rad]."""
    scale: Vector
    """Factor on its numbers, (n,)."""
    offset: Vector
    """What is added, (n,)."""
    least: Vector
    """Lowest numbers, the network's are cut to, (n,)."""
    most: Vector
    """Highest ones, (n,)."""
    kp: Vector
    """Position gains, (n,) [N m/rad]."""
    kd: Vector
    """Velocity gains, (n,) [N m s/rad]."""
    torques: Vector
    """Largest torques, (n,) [N m]."""
    ticks: int
    """Ticks from one call to the next."""
    rest: Vector
    """Angles of all joints of the robot where the policy does not say others, (nj,) [rad]."""
    rest_share: Vector
    """Share of the servos' gains of joints that the policy does not drive, (nj,); 0 for its own."""
    followers: NDArray[np.intp]
    """Where the joints that move with its own are in the robot's, (nf,)."""
    leaders: NDArray[np.intp]
    """Which of its own each follows, (nf,)."""
    factors: Vector
    """To which share of its angle, (nf,)."""
    low: Vector
    """Lowest target angles, (n,) [rad]; minus infinity where nobody says one."""
    high: Vector
    """Highest ones, (n,) [rad]."""

    @property
    def numbers(self) -> int:
        """How many numbers the network gives at the output that is the action."""
        return _action_size(self.contract, self.network)

    def observation(self, place: str = "policy") -> Observation:
        """Its terms, with nothing seen yet; ``place`` is where the contract stands, for messages."""
        return Observation(self.contract, self.robot, self.joints.tolist(), self.numbers, place)

    def inputs(self, observation: Observation) -> NetworkInputs:
        """Its network's inputs, with nothing kept yet."""
        return NetworkInputs(self.contract, self.network, observation)

    def targets(self, numbers: Vector) -> Vector:
        """What the network's numbers mean, (n,): angles [rad], speeds [rad/s] or torques [N m]."""
        count = len(self.joints)
        return np.asarray(self.offset + self.scale * np.clip(numbers[:count], self.least, self.most))


def bind(
    contract: PolicyContract, robot: Robot, network: PolicyNetwork, place: str = "policy", *, truth: bool = False
) -> BoundPolicy:
    """A policy on a robot.

    Args:
        contract: What is known of it.
        robot: The robot.
        network: Its network.
        place: Where the contract stands, for messages.
        truth: Whether it may see what no robot measures.

    Raises:
        PolicyError: Facts are missing, the policy is another robot's, its joints, sizes, order or rate do not fit, or
            it sees what cannot be had.
    """
    refuse_missing(contract, place)
    contract = resolved(contract, place)
    _same_robot(contract, robot, place)
    joints = _joints(contract, robot, place)
    _same_order(contract, robot, place)
    count = len(joints)
    _same_tensors(contract, network, place)
    if contract.ground_truth and not truth:
        raise PolicyError(
            "the policy sees ground truth, which no robot measures",
            place=f"{place}.ground_truth",
            value=True,
            remedy="a simulation may allow it by the controller's ground_truth: true",
        )
    change = None if contract.gait is None else contract.gait.output
    outputs = _action_size(contract, network)
    if outputs != count + (change is not None):
        raise PolicyError(
            "the network gives another number of actions than the contract has joints",
            place=f"{place}.joints",
            value=outputs,
            limit=f"{count} joints" + ("" if change is None else " and the frequency"),
        )
    if change is not None:
        what = "the number that changes the frequency follows those of the joints"
        refuse_length(change, count, f"{place}.gait.output", what)
    default = numbers_of(contract.default_posture, count, f"{place}.default_posture")
    low, high = robot.lower[joints], robot.upper[joints]
    outside = np.flatnonzero((default < low - _BEYOND) | (default > high + _BEYOND))
    if len(outside):
        at = int(outside[0])
        raise PolicyError(
            "the default posture is outside the robot's limits; the order of the joints may be another one",
            place=f"{place}.default_posture[{at}], joint {(contract.joints or ())[at]}",
            value=float(default[at]),
            limit=f"{low[at]:.3f} to {high[at]:.3f} rad",
        )
    action = contract.action
    _position_only(contract, place)
    offset = default if action.offset == "default" else numbers_of(action.offset, count, f"{place}.action.offset")
    least, most = bounds_of(action.clip, count, f"{place}.action.clip")
    period = 1.0 / float(contract.rate or 0.0)
    followers = _followers(contract, robot, place)
    rest, share = _others(contract, robot, np.concatenate((joints, followers[0])), place)
    ranges = _ranges(contract, robot, joints, place)
    bound = BoundPolicy(
        contract,
        robot,
        network,
        joints,
        default,
        numbers_of(action.scale, count, f"{place}.action.scale"),
        offset,
        least,
        most,
        numbers_of(contract.kp, count, f"{place}.kp"),
        numbers_of(contract.kd, count, f"{place}.kd"),
        numbers_of(contract.torque_limits, count, f"{place}.torque_limits"),
        _ticks(period, robot, place),
        rest,
        share,
        *followers,
        *ranges,
    )
    seen = bound.observation(place)
    given = NetworkInputs(contract, network, seen, place)
    with network.tried():
        if not np.isfinite(given(np.zeros(seen.size))).all():
            raise PolicyError(
                "the network gives no numbers, even for zeros", place=f"{place}.model", value=str(network.path)
            )
        _same_numbers(given, seen.size, network, place)
    return bound


def _same_numbers(given: NetworkInputs, size: int, network: PolicyNetwork, place: str) -> None:
    """Refuse a network that gives other numbers each time, so that no run could be made again."""

    def numbers() -> Vector:
        given.reset()
        return given(np.linspace(-1.0, 1.0, size))

    if not np.array_equal(numbers(), numbers(), equal_nan=True):
        raise PolicyError(
            "the network draws random numbers: it gives others each time for the same input",
            place=f"{place}.model",
            value=str(network.path),
            remedy="export the mean action, without sampling and with dropout off (model.eval())",
        )


def joints_digest(robot: Robot, joints: Sequence[str]) -> str:
    """Digest of the names and limits of joints of a robot in an order; limits count to a ten-thousandth of a radian.

    Raises:
        UnknownJointError: The robot has no such joint.
    """
    rows = (f"{name} {robot.lower[at]:.4f} {robot.upper[at]:.4f}" for name in joints for at in (robot.index(name),))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def _same_robot(contract: PolicyContract, robot: Robot, place: str) -> None:
    if contract.robot != robot.name:
        raise PolicyError(
            "the policy was trained for another robot", place=f"{place}.robot", value=contract.robot, limit=robot.name
        )


def _joints(contract: PolicyContract, robot: Robot, place: str) -> NDArray[np.intp]:
    names = contract.joints or ()
    if len(set(names)) != len(names):
        raise PolicyError("a joint stands twice", place=f"{place}.joints", value=list(names))
    for number, name in enumerate(names):
        _refuse_unknown(name, robot, f"{place}.joints[{number}]")
    for number, term in enumerate(complete_terms(contract)):
        for name in (term.joints or ()) if term.name in JOINT_TERMS else ():
            _refuse_unknown(name, robot, f"{place}.observations[{number}].joints")
    return np.array([robot.index(name) for name in names], dtype=np.intp)


def _refuse_unknown(name: str, robot: Robot, place: str) -> None:
    if name not in robot.joint_index:
        raise PolicyError(f"robot {robot.name!r} has no such joint", place=place, value=name, legal=robot.joint_names)


def _followers(contract: PolicyContract, robot: Robot, place: str) -> tuple[NDArray[np.intp], NDArray[np.intp], Vector]:
    """Joints that move with those that are driven, which each follows, and by which factor."""
    own = contract.joints or ()
    for name, follower in contract.followers.items():
        where = f"{place}.followers.{name}"
        _refuse_unknown(name, robot, where)
        if name in own:
            raise PolicyError("the network drives this joint itself", place=where, value=name)
        if follower.of not in own:
            raise PolicyError("the network drives no such joint", place=f"{where}.of", value=follower.of, legal=own)
    said = contract.followers
    return (
        np.array([robot.index(name) for name in said], dtype=np.intp),
        np.array([own.index(each.of) for each in said.values()], dtype=np.intp),
        np.array([each.factor for each in said.values()]),
    )


def _ranges(contract: PolicyContract, robot: Robot, joints: NDArray[np.intp], place: str) -> tuple[Vector, Vector]:
    """Lowest and highest target angles, (n,) each; infinite where targets have no range."""
    said, low, high = contract.action.range, robot.lower[joints], robot.upper[joints]
    where, kind = f"{place}.action.range", contract.action.kind
    if said is not None and kind == "torque":
        raise PolicyError("only target angles have a range", place=where, value=kind)
    if said is None and kind != "speed":
        return np.full(len(joints), -np.inf), np.full(len(joints), np.inf)
    if not isinstance(said, tuple):
        return low, high
    refuse_length(len(said), len(joints), where)
    for number, (least, most) in enumerate(said):
        if least > most:
            raise PolicyError("the lowest stands first", place=f"{where}[{number}]", value=[least, most])
    bounds = np.array(said)
    if kind == "position":
        return bounds[:, 0], bounds[:, 1]
    return np.maximum(bounds[:, 0], low), np.minimum(bounds[:, 1], high)


def _same_order(contract: PolicyContract, robot: Robot, place: str) -> None:
    if contract.joints_digest is None:
        return
    found = joints_digest(robot, contract.joints or ())
    if found != contract.joints_digest:
        raise PolicyError(
            "the robot's joints have other names, limits or order than those that the policy was trained with",
            place=f"{place}.joints_digest",
            value=found,
            limit=contract.joints_digest,
        )


def _ticks(period: float, robot: Robot, place: str) -> int:
    """Motion cycles from one call to the next."""
    ticks = ticks_of(period, robot.tick, f"{place}.rate, period", ROUNDED)
    if not ticks:
        raise PolicyError(
            "the policy is called more often than the robot moves",
            place=f"{place}.rate",
            value=1.0 / period,
            limit=f"{1.0 / robot.tick:g} 1/s",
            remedy="let the run declare a shorter cycle, by --tick or limits: {tick: ...} in a scenario",
        )
    return ticks


def _action_size(contract: PolicyContract, network: PolicyNetwork) -> int:
    """How many numbers the output has that is the action."""
    return dict(network.outputs)[(contract.outputs or ())[0].name]


def _position_only(contract: PolicyContract, place: str) -> None:
    """Refuse for other kinds what only target angles can be."""
    action = contract.action
    for name, said in (("offset", action.offset == "measured"), ("low_pass", action.low_pass is not None)):
        if said and action.kind != "position":
            raise PolicyError("only target angles can be so", place=f"{place}.action.{name}", value=action.kind)


def _same_tensors(contract: PolicyContract, network: PolicyNetwork, place: str) -> None:
    for what, said, found in (
        ("inputs", contract.inputs or (), network.inputs),
        ("outputs", contract.outputs or (), network.outputs),
    ):
        told = tuple((tensor.name, tensor.size) for tensor in said)
        # All inputs have to be fed; outputs that nobody needs may be left out. The first that is said is the action.
        if not told or not set(told) <= set(found) or (what == "inputs" and len(told) != len(found)):
            raise PolicyError(
                f"the network has other {what} than the contract says",
                place=f"{place}.{what}",
                value=[list(pair) for pair in told],
                limit=", ".join(f"{name} ({size})" for name, size in found),
            )


def _others(contract: PolicyContract, robot: Robot, own: NDArray[np.intp], place: str) -> tuple[Vector, Vector]:
    """Angles of all joints, and with which share of their gains those of others are held, (nj,) each."""
    share = np.ones(len(robot.joints))
    share[own] = 0.0
    share[robot.followers[np.isin(robot.leaders[robot.followers], own)]] = 0.0
    said = contract.others
    if said is None:
        if share.any():
            free = [name for name, held in zip(robot.joint_names, share, strict=True) if held]
            raise PolicyError(
                f"the contract does not say how {len(free)} other joints are held",
                place=f"{place}.others",
                value=free,
                remedy="give others: {posture: stand, stiffness: 1.0}",
            )
        return np.zeros(len(robot.joints)), share
    if said.posture is not None and said.posture not in robot.postures:
        raise PolicyError(
            f"robot {robot.name!r} has no such posture",
            place=f"{place}.others.posture",
            value=said.posture,
            legal=robot.postures,
        )
    rest = robot.posture(said.posture) if said.posture is not None else np.zeros(len(robot.joints))
    for name, angle in said.angles.items():
        where = f"{place}.others.angles"
        _refuse_unknown(name, robot, where)
        if robot.index(name) in own:
            raise PolicyError("the policy drives this joint itself", place=where, value=name)
        rest[robot.index(name)] = angle
    return np.clip(rest, robot.lower, robot.upper), share * said.stiffness
