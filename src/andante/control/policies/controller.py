"""PolicyController: a learned policy moves the robot, under sensor check and guard like any other controller."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from andante.control.controller import ControllerBase
from andante.control.events import EventKind
from andante.control.policies.asked import AskedSpeeds
from andante.control.policies.binding import BoundPolicy
from andante.control.policies.terms import PolicyMoment
from andante.control.sensor_parts import SensorPart
from andante.control.steering import Steering
from andante.robots.records import Command, Field, Layout, Record, Sensors, Vector, axes, scalar

HOLD = 0.2
"""Time for which the last targets are held where the network gives no numbers [s]; then the joints are released."""
RELEASE = 1.0
"""Time over which they are released: position gains fade, velocity gains stay until the end [s]."""


class PolicyController(ControllerBase):
    """A learned policy.

    Args:
        policy: Contract and network on the robot.
        steering: How fast it shall go.
    """

    def __init__(self, policy: BoundPolicy, steering: Steering) -> None:
        super().__init__(policy.robot.tick)
        self.policy, self.robot = policy, policy.robot
        self.steering = steering
        """How fast it shall go."""
        self._observation = policy.observation()
        self.needs: Collection[SensorPart] = self._observation.needs
        """Sensors that its terms read."""
        self.sees_truth = bool(policy.contract.ground_truth)
        """Whether it sees what no robot measures, see `see_truth`."""
        self._inputs = policy.inputs(self._observation)
        self._asked = AskedSpeeds(policy.contract.commands, policy.ticks * policy.robot.tick)
        self.largest = self._asked.largest
        """Largest speeds that it was trained for."""
        self._numbers = policy.numbers
        names = tuple(policy.contract.joints or ())
        numbers = (*names, *(f"number_{i}" for i in range(len(names), self._numbers)))
        self._layout = Layout(
            "policy",
            (
                axes("asked", "", ("forward", "lateral", "turn")),
                scalar("standing"),
                scalar("phase"),
                scalar("held", "s"),
                Field("action", numbers),
            ),
        )
        self._torque = policy.contract.action.kind == "torque"
        self._speed = policy.contract.action.kind == "speed"
        self._measured = policy.contract.action.offset == "measured"
        self._every_call, self._every_tick = _kept(policy)
        self.reset()

    def see_truth(self, truth: Record) -> None:
        """Take the simulation's truth of the tick that comes."""
        self._moment.truth = truth

    @property
    def failed(self) -> bool:
        """Whether the network gave no numbers for so long that the joints were released."""
        return self._silent >= HOLD + RELEASE

    def reset(self) -> None:
        """Forget everything; the network is called at the next step."""
        super().reset()
        self._observation.reset()
        self._inputs.reset()
        self._asked.reset()
        self._moment = PolicyMoment(self.robot.sensors(), np.zeros(3), np.zeros(self._numbers))
        self._phase, self._count, self._silent = 0.0, 0, 0.0
        self._forgot = False
        self._targets: Vector = self.policy.default.copy()
        self._moment.target = self._goal = self._targets
        self._way: tuple[Vector, Vector] | None = None
        self.done = False
        """Whether nothing but standing is asked any more, and it stands as far as it knows standing."""

    def take_over(self, sensors: Sensors, last: Command) -> None:
        """Begin from the posture that another controller asked for: the network sees it as its own last action."""
        self.reset()
        policy = self.policy
        if self._torque:
            return
        targets = last.position[policy.joints]
        if self._speed:
            # It begins where the joints were sent, at rest.
            self._targets = self._moment.target = np.clip(targets, policy.low, policy.high)
            self._way = self._targets, self._targets
            return
        scale = np.where(policy.scale == 0.0, 1.0, policy.scale)
        numbers = np.clip((targets - policy.offset) / scale, policy.least, policy.most)
        known = (policy.scale != 0.0) & (not self._measured)
        self._moment.last_action[: len(numbers)] = np.where(known, numbers, 0.0)
        self._targets = self._goal = targets.copy()

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        policy, moment = self.policy, self._moment
        self._time = sensors.time
        due = self._count % policy.ticks == 0
        self._count += 1
        if due:
            self._listen()
        moment.sensors, moment.phase, moment.standing = sensors, self._phase, self._asked.standing
        moment.command = self._asked.told
        if self._speed and self._way is None:
            here = np.clip(sensors.position[policy.joints], policy.low, policy.high)
            self._targets, self._way = here, (here, here)
        moment.target = self._targets
        if due:
            moment.motion = self._inputs.frame()
        self._observation.look(moment)
        if due and not self._silent > HOLD:
            self._call()
        elif self._silent:
            self._silent += self._period
        if not self._silent:
            self._go_on()
        self._record()
        return self._command()

    def _listen(self) -> None:
        """Take what the steering asks now."""
        heading = self.steering.heading(self._time)
        before = self._asked.standing
        self._asked.update(heading)
        if self._asked.standing != before:
            if before:
                self._phase = 0.0
            kind = EventKind.STAND if self._asked.standing else EventKind.POLICY
            self._tell(kind, "stands" if self._asked.standing else "walks")
        rests = self._asked.standing or not self._asked.knows_standing
        self.done = heading.still and rests and self.steering.over(self._time)

    def _call(self) -> None:
        """Let the network decide; without numbers the last targets stay."""
        policy = self.policy
        numbers = self._inputs(self._observation.vector())
        if numbers.shape != (self._numbers,) or not np.isfinite(numbers).all():
            if not self._silent:
                what = f"policy {policy.contract.name!r} gives no numbers: the last targets are held"
                self._tell(EventKind.NO_NUMBERS, what, policy=policy.contract.name)
            self._silent += self._period
            return
        if self._silent:
            self._tell(EventKind.NO_NUMBERS, f"policy {policy.contract.name!r} gives numbers again")
            self._silent = 0.0
        if self._inputs.forgets and not self._forgot:
            self._forgot = True
            what = f"policy {policy.contract.name!r} remembers no numbers: what it remembered before is kept"
            self._tell(EventKind.NO_NUMBERS, what, policy=policy.contract.name)
        self._moment.last_action = numbers
        if self._speed:
            end = self._targets + policy.targets(numbers) * (policy.ticks * self._period)
            self._way = self._targets, np.clip(end, policy.low, policy.high)
        else:
            here = self._moment.sensors.position[policy.joints] if self._measured else 0.0
            self._goal = np.clip(here + policy.targets(numbers), policy.low, policy.high)
            if not self._every_tick:
                self._targets = self._goal + self._every_call * (self._targets - self._goal)
        self._advance(numbers)

    def _go_on(self) -> None:
        """Move targets by a tick: of speeds evenly to where they are at the next call, others as they are filtered."""
        if self._way is not None:
            (begin, end), ticks = self._way, self.policy.ticks
            share = ((self._count - 1) % ticks + 1) / ticks
            self._targets = begin + share * (end - begin)
        elif self._every_tick:
            self._targets = self._goal + self._every_tick * (self._targets - self._goal)

    def _advance(self, numbers: Vector) -> None:
        """The gait's clock goes on by a call."""
        gait = self.policy.contract.gait
        if gait is None or self._asked.standing:
            return
        change = 0.0 if gait.output is None else self._cut(float(numbers[gait.output]))
        frequency = gait.frequency + min(max(change, -gait.most), gait.most)
        self._phase = (self._phase + frequency * self.policy.ticks * self._period) % 1.0

    def _cut(self, number: float) -> float:
        """A number that is no joint's, cut as all are where all have the same bounds."""
        clip = self.policy.contract.action.clip
        if isinstance(clip, tuple) and not isinstance(clip[0], tuple):
            return min(max(number, clip[0]), float(clip[1]))
        return number

    def _command(self) -> Command:
        policy, robot = self.policy, self.robot
        position, torque = policy.rest.copy(), np.zeros(len(robot.joints))
        kp, kd = policy.rest_share * robot.servo_kp, policy.rest_share * robot.servo_kd
        own = policy.joints
        kd[own] = policy.kd
        if self._torque:
            torque[own] = np.clip(self._targets, -policy.torques, policy.torques)
        else:
            position[own], kp[own] = self._targets, policy.kp
        if len(policy.followers):
            # They go to the same angles as those that they follow, with the same gains and torques.
            followers, leaders = policy.followers, policy.joints[policy.leaders]
            for values, factors in ((position, policy.factors), (torque, policy.factors), (kp, 1.0), (kd, 1.0)):
                values[followers] = factors * values[leaders]
        fading = (self._silent - HOLD) / RELEASE
        if fading > 0.0:
            if fading >= 1.0 and fading - self._period / RELEASE < 1.0:
                self._tell(EventKind.HELP, f"policy {policy.contract.name!r} gives no numbers: the joints are released")
            share = max(1.0 - fading, 0.0)
            kp, torque, kd = kp * share, torque * share, kd * float(fading < 1.0)
        position, kp, kd = (each[robot.leaders] for each in (position, kp, kd))
        return robot.command(np.concatenate((position, np.zeros(len(position)), kp, kd, torque)))

    def _record(self) -> None:
        singles = (*self._asked.told.tolist(), float(self._asked.standing), self._phase, self._silent)
        self._telemetry = Record(self._layout, np.concatenate((singles, self._moment.last_action)))


def _kept(policy: BoundPolicy) -> tuple[float, float]:
    """Shares of the old target that are kept at each call and at each tick."""
    said = policy.contract.action.low_pass
    if said is None:
        return 0.0, 0.0
    if said.every == "call":
        return said.keep, 0.0
    return 0.0, float(said.keep ** (policy.robot.tick / said.every))
