"""NetworkInputs: what a network is given at a call, and what it keeps from call to call: past observations, states."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from andante.control.policies.contract import PolicyContract, PolicyError, Tensor, refuse_beyond
from andante.control.policies.motion_frames import MotionFrame, MotionFrames
from andante.control.policies.network import PolicyNetwork
from andante.control.policies.observation import Observation
from andante.robots.records import Vector


class NetworkInputs:
    """The inputs of a network, with nothing kept yet.

    Args:
        contract: Says what each input is; complete.
        network: The network.
        observation: What is seen at a call.
        place: Where the contract stands, for messages.

    Raises:
        PolicyError: An input has another size than what it gets, or a state names no output of its size.
    """

    def __init__(
        self, contract: PolicyContract, network: PolicyNetwork, observation: Observation, place: str = "policy"
    ) -> None:
        self._network, self._tensors = network, contract.inputs or ()
        motion = contract.motion
        self._clock = "" if motion is None else motion.frame
        self._frames_of_motion = None if motion is None else MotionFrames(motion, contract, network, place)
        self._action = (contract.outputs or ())[0].name
        self._parts = [
            np.zeros(0, dtype=np.intp)
            if tensor.name == self._clock
            else _places(tensor, observation, f"{place}.inputs[{i}]")
            for i, tensor in enumerate(self._tensors)
        ]
        self._states = {tensor.name: tensor.state for tensor in self._tensors if tensor.state is not None}
        self._wanted = [self._action, *dict.fromkeys(state for state in self._states.values() if state != self._action)]
        sizes = dict(network.outputs)
        for number, (tensor, part) in enumerate(zip(self._tensors, self._parts, strict=True)):
            if tensor.name == self._clock:
                continue
            where = f"{place}.inputs[{number}]"
            frames = 1 if tensor.stack is None else tensor.stack.frames
            if tensor.state is not None:
                if sizes.get(tensor.state) != tensor.size:
                    raise PolicyError(
                        "a state comes back from an output of its size",
                        place=f"{where}.state",
                        value=f"{tensor.state}: {sizes.get(tensor.state, 'no such output')}",
                        limit=f"{tensor.size}",
                        legal=sizes,
                    )
            elif len(part) * frames != tensor.size:
                raise _misfit(tensor, len(part), frames, observation, where, place)
        if all(tensor.state is not None or tensor.name == self._clock for tensor in self._tensors):
            raise PolicyError("no input gets what is seen", place=f"{place}.inputs")
        self.reset()

    def reset(self) -> None:
        """Forget what was kept."""
        self._kept = {tensor.name: np.zeros(tensor.size) for tensor in self._tensors if tensor.state is not None}
        self._frames: dict[str, deque[Vector]] = {
            tensor.name: deque(maxlen=tensor.stack.frames) for tensor in self._tensors if tensor.stack is not None
        }
        self._calls = 0
        self.forgets = False
        """Whether a state had no numbers at the last call, so that the one before is kept."""

    def frame(self) -> MotionFrame | None:
        """The frame of the motion that the next call is for; None: the policy tracks none.

        Raises:
            PolicyError: The network cannot be run.
        """
        return None if self._frames_of_motion is None else self._frames_of_motion.frame(self._calls)

    def __call__(self, seen: Vector) -> Vector:
        """What the network gives at its first output for an observation, (size,) to (outputs,).

        Raises:
            PolicyError: The network cannot be run.
        """
        given = {
            tensor.name: self._kept[tensor.name] if tensor.state is not None else self._row(tensor, seen[part])
            for tensor, part in zip(self._tensors, self._parts, strict=True)
            if tensor.name != self._clock
        }
        if self._clock:
            given[self._clock] = np.array([float(self._calls)])
        self._calls += 1
        found = dict(zip(self._wanted, self._network.run(given, self._wanted), strict=True))
        self.forgets = not all(np.isfinite(found[state]).all() for state in self._states.values())
        if not self.forgets:
            # A state without numbers would give none for ever.
            self._kept = {name: found[state] for name, state in self._states.items()}
        return found[self._action]

    def _row(self, tensor: Tensor, seen: Vector) -> Vector:
        if tensor.stack is None:
            return seen
        frames, stack = self._frames[tensor.name], tensor.stack
        while len(frames) < stack.frames - 1:
            frames.append(seen if stack.before == "first" else np.zeros(len(seen)))
        frames.append(seen)
        return np.concatenate(list(reversed(frames)) if stack.order == "newest-first" else list(frames))


def _places(tensor: Tensor, observation: Observation, place: str) -> NDArray[np.intp]:
    """Where in the observation that stands which an input gets; nothing for a state.

    Raises:
        PolicyError: It names a term that is not there, or is two things at once.
    """
    if tensor.state is not None:
        if tensor.stack is not None or tensor.terms is not None:
            raise PolicyError("an input is a state or gets what is seen", place=place, value=tensor.name)
        return np.zeros(0, dtype=np.intp)
    if tensor.terms is None:
        return np.arange(observation.size)
    refuse_beyond(tensor.terms, len(observation.parts), f"{place}.terms", "there is no such observation")
    return observation.places(tensor.terms)


def _misfit(tensor: Tensor, size: int, frames: int, observation: Observation, where: str, place: str) -> PolicyError:
    """What is wrong with an input of another size than what it gets."""
    parts = ", ".join(f"{name} {count}" for name, count in observation.parts)
    remedy = ""
    if size and tensor.size % size == 0 and tensor.stack is None:
        remedy = (
            f"does it see {tensor.size // size} whole observations? Say so: {where.removeprefix(f'{place}.')}.stack: "
            f"{{frames: {tensor.size // size}, order: oldest-first or newest-first, before: first or zeros}}"
        )
    return PolicyError(
        "the terms have another size than the network's input",
        place=f"{place}.observations" if tensor.stack is None and tensor.terms is None else where,
        value=f"{size * frames}: {parts}" + (f", {frames} times" if frames > 1 else ""),
        limit=str(tensor.size),
        remedy=remedy,
    )
