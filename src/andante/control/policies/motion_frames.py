"""MotionFrames: frames of the motion that a network has in itself, asked for by their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.control.policies.contract import PolicyContract, PolicyError, TrackedMotion, refuse_length
from andante.control.policies.network import PolicyNetwork
from andante.robots.records import Vector

_QUATERNION = 4


@dataclass(frozen=True, eq=False)
class MotionFrame:
    """One frame."""

    joint_position: Vector
    """Angles of the policy's joints, (n,) [rad]."""
    joint_velocity: Vector
    """Their speeds, (n,) [rad/s]."""
    anchor: Vector
    """Turn of the anchor body, a quaternion, (4,); no turn where the contract names none."""


class MotionFrames:
    """The motion of a network; the network is asked once for each frame, with zeros for what is seen.

    Args:
        motion: Which inputs and outputs it is.
        contract: Says the joints; complete.
        network: The network.
        place: Where the contract stands, for messages.

    Raises:
        PolicyError: The network has no such input or outputs, or they have other sizes than joints and bodies.
    """

    def __init__(self, motion: TrackedMotion, contract: PolicyContract, network: PolicyNetwork, place: str) -> None:
        self._network, self._motion = network, motion
        inputs, outputs = dict(network.inputs), dict(network.outputs)
        count, place = len(contract.joints or ()), f"{place}.motion"
        if motion.frame not in inputs:
            what = "the network has no such input"
            raise PolicyError(what, place=f"{place}.frame", value=motion.frame, legal=inputs)
        refuse_length(inputs[motion.frame], 1, f"{place}.frame", "the number of a frame is one number")
        wanted = {"joint_position": count, "joint_velocity": count}
        bodies = motion.bodies or ()
        if motion.body_orientation is not None:
            wanted["body_orientation"] = _QUATERNION * len(bodies)
            if motion.anchor not in bodies:
                what = "the anchor is one of the motion's bodies"
                raise PolicyError(what, place=f"{place}.anchor", value=motion.anchor, legal=bodies)
        self._outputs = {name: str(getattr(motion, name)) for name in wanted}
        for name, output in self._outputs.items():
            if output not in outputs:
                what = "the network has no such output"
                raise PolicyError(what, place=f"{place}.{name}", value=output, legal=outputs)
            of = "bodies, with four numbers each" if name == "body_orientation" else "joints"
            refuse_length(outputs[output], wanted[name], f"{place}.{name}", f"the output has another size than {of}")
        self._at = _QUATERNION * (bodies.index(motion.anchor) if motion.anchor in bodies else 0)

    def frame(self, number: int) -> MotionFrame:
        """A frame by its number, from 0; networks give their last one for those after it.

        Raises:
            PolicyError: The network cannot be run.
        """
        given = {name: np.zeros(size) for name, size in self._network.inputs}
        given[self._motion.frame] = np.array([float(number)])
        found = dict(zip(self._outputs, self._network.run(given, list(self._outputs.values())), strict=True))
        turns = found.get("body_orientation")
        anchor = np.array([1.0, 0.0, 0.0, 0.0]) if turns is None else turns[self._at : self._at + _QUATERNION]
        return MotionFrame(found["joint_position"], found["joint_velocity"], anchor)
