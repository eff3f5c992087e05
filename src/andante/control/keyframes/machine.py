"""The engine's state machine: which keyframe is under way, and what happens between keyframes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from andante.control.controller import ControlError, ControlEvent
from andante.control.events import EventKind
from andante.control.keyframes.clock import to_microseconds
from andante.control.keyframes.compiled import CompiledKeyframe
from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.energy import limb_mask
from andante.control.keyframes.parts import EngineParts
from andante.control.keyframes.plan_choice import PlanChoice
from andante.control.keyframes.program import Program
from andante.control.keyframes.sequencer import Sequencer
from andante.control.keyframes.states import TRANSITIONS, EngineState

_MOST_CHANGES = 16
"""Changes of state in one tick before the rest waits for the next tick."""
_MOST_EVENTS = 4096
"""Events kept for somebody who does not take them; the oldest go first."""
_AT_ONCE = 2.5
"""So many times the time that tells that a joint is blocked end a try in the middle."""
_AGAIN = 5_000_000
"""Time after which a robot that lies calls for help again (docs/sources/keyframe-engine.md, 2.10) [us]."""
_FRONT_GET_UP = 1_000_000
"""Shortest first keyframe of a get-up from the front after a break-up, see `ReleaseRules.slow_front` [us]."""
_LIES = math.cos(math.radians(60.0))
"""Share of the torso's axis that points up below which a robot lies."""
MOVING = frozenset({EngineState.WORKING, EngineState.WAITING, EngineState.BALANCE_OUT})
"""States in which a keyframe is in force."""
_TOUCHABLE = MOVING | {EngineState.BREAK_UP, EngineState.HELP}
"""States of a get-up in which the head buttons are obeyed."""
_CATCHING = MOVING | {EngineState.FINISHED}
"""States in which a fall may be met by a catch motion."""


class StateMachine:
    """Runs motions, keyframe by keyframe; reads the parts' measurements and steers the parts. One machine is one run.

    Args:
        parts: The engine's parts.
        first: Requests that are run one after another from the first tick on.
    """

    def __init__(self, parts: EngineParts, first: Sequence[MotionRequest]) -> None:
        self._parts, self._library = parts, parts.library
        self._torso, self._body, self._situation = parts.torso, parts.body, parts.situation
        self._clock, self._window, self._player = parts.clock, parts.window, parts.player
        self._differences, self._compensator, self._balancer = parts.differences, parts.compensator, parts.balancer
        self._wait, self._pause = parts.wait, parts.pause
        self._buttons, self._catcher = parts.buttons, parts.catcher
        self.sequencer = Sequencer(parts.situation.value, self._tell, lambda: parts.config.branches)
        """Queue of blocks and the motion under way."""
        self._legs = np.flatnonzero(limb_mask(parts.robot, "leg"))
        # What is done in a state is in the method of its name.
        self._handlers: dict[EngineState, Callable[[], EngineState | None]] = {
            state: getattr(self, f"_{state}") for state in EngineState
        }
        self.state = EngineState.OFF
        """What the engine is doing."""
        self.queue: deque[MotionRequest] = deque(first)
        """Motions that are begun when the engine rests and nothing else is asked for."""
        self.pending: MotionRequest | None = None
        """Motion that is asked for and has not begun."""
        self.replace = False
        """The pending motion begins at once."""
        self.stop_wanted: str | None = None
        """A stop is asked for: hold or stand afterwards."""
        self.keyframe: CompiledKeyframe | None = None
        """Keyframe in force."""
        self.events: deque[ControlEvent] = deque(maxlen=_MOST_EVENTS)
        """What happened and was not yet taken."""
        self.advance = False
        """Step mode: go on to the next keyframe."""
        self._request: MotionRequest | None = None
        self._override: MotionRequest | None = None
        self._now = 0
        self._entered = 0
        self._fresh_start = False
        self._shortest_first = 0
        self._get_up = False
        self._may_break = True
        self._broken_motor = False
        self._why, self._called = "", 0
        self._plans = PlanChoice()
        self._catching = False
        self._rested_upright = False
        self._handed_over = False
        for finding in self._parts.warnings:
            self._tell(EventKind.LIBRARY, f"{finding.place}: {finding.message}", rule=finding.rule)

    def falling_to(self, side: str, now: int) -> None:
        """Begin at a time [us] with a fall to a side: it is met, and the first request comes afterwards."""
        self._now = now
        self._request = self.queue.popleft() if self.queue else None
        self._enter(self._catch(side))

    @property
    def getting_up(self) -> bool:
        """Whether a keyframe of a get-up is in force."""
        return self._get_up and self.state in MOVING

    def run(self, now: int) -> None:
        """Change states until one rests; ``now`` is the time of this tick [us]."""
        self._now = now
        if self._parts.config.step_mode and self._buttons.chest_pressed(self._situation.sensors):
            self.advance = True
        for _ in range(_MOST_CHANGES):
            target = self._interrupted() or self._handlers[self.state]()
            if target is None:
                break
            self._enter(target)

    def _interrupted(self) -> EngineState | None:
        """What may end any running motion: a stop, a replacing request, the head buttons, a broken leg motor."""
        touchable = self._get_up and self.state in _TOUCHABLE
        if touchable and self._buttons.head_touched(self._situation.sensors, self._now):
            self._tell(EventKind.HEAD_TOUCH, "head touched: into the stand motion")
            self._override = MotionRequest(self._parts.config.stand_motion)
            return EngineState.DECIDE
        if self._catcher.falling and self.state in _CATCHING and self._may_catch(self._catcher.falling):
            return self._catch(self._catcher.falling)
        if self.state not in MOVING or self._catching:
            return None
        if self.stop_wanted is not None:
            return EngineState.STOPPING
        if self.pending is not None and self.replace:
            return EngineState.DECIDE
        blocked = self._parts.blocked.why(_AT_ONCE) if self._get_up and self._may_break else ""
        if blocked:
            return self._give_up(blocked)
        if self._library.settings.break_up_on_motor_malfunction and self._legs.size and self._may_break:
            self._broken_motor = 0.0 in self._situation.sensors.health[self._legs].tolist()
            if self._broken_motor:
                self._tell(EventKind.MOTOR, "a leg motor reports a malfunction")
                return EngineState.BREAK_UP
        return None

    def _may_catch(self, side: str) -> bool:
        """Whether a fall to this side is one: a motion without window on that side leans over on purpose."""
        if self._catching:
            return False
        if self.state is EngineState.FINISHED:
            return True
        if self._get_up:
            return False
        if self.state is EngineState.BALANCE_OUT:
            return True
        low, high, left, right = self._window.now
        bound = {"front": high, "back": -low, "left": -left, "right": right}[side]
        return self._may_break and bound <= math.pi

    def _catch(self, side: str) -> EngineState:
        """Meet a fall: the catch motion for that side, or go soft where there is none."""
        self._tell(EventKind.FALL, f"falls to the {side}", pitch=self._torso.pitch, roll=self._torso.roll)
        self._catcher.obeyed()
        found = self._catcher.motions.get(side)
        self._catching = True
        if found is None:
            return EngineState.BREAK_UP
        self._override = MotionRequest(*found)
        return EngineState.DECIDE

    def _upright(self) -> bool:
        tilt = self._parts.config.upright_tilt
        return abs(self._torso.pitch) < tilt and abs(self._torso.roll) < tilt

    def _enter(self, state: EngineState) -> None:
        if state not in TRANSITIONS[self.state]:
            raise ControlError(
                f"the engine cannot go from {self.state} to {state}", place="engine.state", limit="a known transition"
            )
        if state is not self.state:
            self._tell(EventKind.STATE, f"{self.state} -> {state}")
        self.state, self._entered = state, self._now
        if state in (EngineState.STOPPING, EngineState.BREAK_UP):
            self._compensator.reset()
            self._balancer.reset()
            self._parts.capture.reset()
        if state is EngineState.WAITING and self.keyframe is not None:
            self._wait.start(self._now, self.keyframe)
        elif state is EngineState.STOPPING:
            self._parts.stop.start(self._now)
        elif state is EngineState.BREAK_UP:
            # A fall that was met is no failed try.
            self._situation.tries += not self._catching
            self._catching = False
            self.keyframe = None
            self.sequencer.clear()
            self.sequencer.forget_loops()
            self._parts.fall.start(self._now, self._situation.measured, self._torso.pitch)
        elif state is EngineState.FINISHED:
            # A capture point that is answered to goes on moving joints from the posture without its correction.
            balances = self._parts.capture.rule is not None and self._parts.balances
            self._player.hold(self._player.request if balances else self._player.output)
            self._plans.reset()
            self._balancer.reset()
            self._rested_upright = self._upright()
        elif state in (EngineState.RETRY, EngineState.HELP):
            self._player.relax()
        if state is not EngineState.WAITING:
            self._situation.wait_time = 0.0

    def _off(self) -> EngineState | None:
        """Decide where a motion is asked for."""
        if self.pending is None and self.queue:
            self.pending = self.queue.popleft()
        return EngineState.DECIDE if self.pending is not None else None

    def _decide(self) -> EngineState | None:
        """Choose a motion: the one asked for, or the one that fits a robot that has to get up."""
        override, self._override = self._override, None
        if override is None and self.pending is not None:
            self._request, self.pending, self.replace = self.pending, None, False
            self._situation.tries, self._situation.front_hack = 0, 0.0
            self._get_up = self._request.motion is None
            self._parts.blocked.reset()
            self._plans.reset()
            self.sequencer.forget_loops()
        request = override or self._request
        if request is None:
            return EngineState.OFF
        name, self._may_break = request.motion, override is None
        if self._get_up and override is None:
            window = self._library.settings.safe_upright
            sides = (self._torso.pitch, window.pitch), (self._torso.roll, window.roll)
            upright = all(_inside(angle, side.min, side.max) for angle, side in sides)
            name = self._parts.config.stand_motion if upright else self._parts.config.recover_motion
        # The tries of a get-up alternate between the sides.
        alternate = override is None and self._get_up and self._situation.tries % 2 == 1
        program = self._parts.programs[request.mirror != alternate]
        self._fresh_start, self.advance = not self._catching, False
        self.keyframe = None
        self._compensator.reset()
        self._window.reset()
        self._begin_motion(program, name or self._parts.config.stand_motion)
        return self._next_keyframe()

    def _begin_motion(self, program: Program, name: str) -> None:
        motion = program.motion(name)
        if name in self._parts.get_ups:
            # Whatever led here, from now on this is a get-up: a robot that rises leans, and no fall is met.
            self._get_up, self._catching, self._may_break = True, False, True
        self.sequencer.load(program, motion)
        self._differences.reset()
        self._handed_over = False
        self._tell(EventKind.MOTION, f"motion {name}", motion=name)

    def _working(self) -> EngineState | None:
        keyframe, config = self.keyframe, self._parts.config
        if keyframe is None:
            return self._next_keyframe()
        if self._clock.ratio >= 1.0:
            if config.step_mode:
                if not self.advance:
                    return self._early(keyframe)
                self.advance = False
            elif config.waits and keyframe.waits and not self._wait.satisfied(keyframe):
                return EngineState.WAITING
            return self._next_keyframe()
        if self._get_up and self._pause.stands(self._parts.tick):
            self._clock.stand(self._now)
            if self._pause.used <= self._parts.tick:
                self._tell(EventKind.PAUSE, f"{keyframe.block}[{keyframe.index}] waits for the hip yaw pitch")
        ratio = self._clock.update(self._now)
        self._window.update(ratio)
        return self._outside() or self._early(keyframe)

    def _waiting(self) -> EngineState | None:
        keyframe = self.keyframe
        if keyframe is None:
            return self._next_keyframe()
        self._situation.wait_time = (self._now - self._entered) * 1e-6
        target = self._outside() or self._early(keyframe)
        if target is None and self._wait.over(self._now, keyframe):
            if self._wait.given_up:
                self._tell(EventKind.WAIT, f"wait given up: {self._wait.given_up}")
            target = self._next_keyframe()
        return target

    def _outside(self) -> EngineState | None:
        outside = self._window.outside(self._torso.pitch, self._torso.roll)
        self._situation.outside_window = outside
        if not (outside and self._parts.config.break_up and self._may_break) or self._parts.config.step_mode:
            return None
        if self._catcher.on and not self._get_up:
            return self._catch(self._catcher.side(self._torso))
        return self._give_up("torso outside its window")

    def _give_up(self, why: str) -> EngineState:
        """Break the motion up."""
        if self._get_up and self.sequencer.motion is not None:
            self._plans.failed(self.sequencer.motion.name, self.keyframe)
        self._tell(EventKind.BREAK_UP, why, pitch=self._torso.pitch, roll=self._torso.roll)
        return EngineState.BREAK_UP

    def _early(self, keyframe: CompiledKeyframe) -> EngineState | None:
        return self._next_keyframe(ended=False) if self.sequencer.leave_early(keyframe) else None

    def _next_keyframe(self, ended: bool = True) -> EngineState:
        """Start the next keyframe, of the next motion where this one is over."""
        if ended and self.keyframe is not None:
            self.sequencer.leave(self.keyframe)
        for _ in range(_MOST_CHANGES):
            motion = self.sequencer.motion
            found = self.sequencer.next()
            if self.sequencer.motion is not motion:
                self._differences.reset()
            if found is not None:
                keyframe, block = found
                self._start_keyframe(keyframe)
                self._player.begin(keyframe, block, self._situation.measured)
                self._stretch(keyframe)
                return EngineState.WORKING
            follow_up = self._follow_up()
            if follow_up is None:
                return self._over()
            name, mirror = follow_up
            self._begin_motion(self._parts.programs[self.sequencer.mirrored != mirror], name)
        self._tell(EventKind.FOLLOW_UP_LOOP, "follow-ups lead in a circle without time passing")
        return self._over()

    def _start_keyframe(self, keyframe: CompiledKeyframe) -> None:
        reached = 1.0 if self.keyframe is None else self.keyframe.curve(self._clock.ratio)
        self.keyframe = keyframe
        self._tell(
            EventKind.KEYFRAME, f"{keyframe.block}[{keyframe.index}]", block=keyframe.block, keyframe=keyframe.index
        )
        step = self._parts.config.step_mode
        self._clock.start(self._now, to_microseconds(self._parts.config.step_duration) if step else keyframe.duration)
        self._window.start(keyframe)
        self._pause.start()
        self._compensator.start(keyframe, reached)
        self._parts.capture.start(keyframe.capture, keyframe.written.com_goal)
        from_measured = keyframe.written.start_from_measured_com and keyframe.balanced and self._parts.balances
        self._balancer.start(keyframe, self._body.com_offset(self.sequencer.mirrored) if from_measured else None)

    def _stretch(self, keyframe: CompiledKeyframe) -> None:
        """Give the first keyframe with angles the time that the way from the measured posture needs."""
        if not (self._fresh_start and keyframe.moves.any()):
            return
        needed = self._player.needed_time(keyframe) / self._parts.config.start_speed_share
        duration = max(self._clock.duration, to_microseconds(needed), self._shortest_first)
        self._clock.start(self._now, duration)
        self._fresh_start, self._shortest_first = False, 0

    def _follow_up(self) -> tuple[str, bool] | None:
        """The motion that follows, and whether left and right are exchanged from there on."""
        motion = self.sequencer.motion
        # A request cuts the follow-ups of a motion, but a get-up comes to its end first.
        if motion is not None and (self.pending is None or self._get_up):
            for each in motion.follow_ups:
                if each.conditions.holds(self._situation.value):
                    return self._plans.choose(each.motions), each.mirror
        if self._sensed() and self._upright() and self._parts.config.stand_motion in self._library.motions:
            # It sits or leans between all sides: what stands up from an upright posture is nearest.
            return self._parts.config.stand_motion, False
        return None

    def _sensed(self) -> bool:
        """Whether the motion under way is the one whose follow-ups choose how a get-up goes on."""
        motion, begins = self.sequencer.motion, self._parts.config.recover_motion
        return self._get_up and motion is not None and motion.name == begins and bool(motion.follow_ups)

    def _over(self) -> EngineState:
        """The motion and its follow-ups are over."""
        motion, upright = self.sequencer.motion, self._upright()
        if self._catching:
            return self._caught(upright)
        self._may_break = True
        if self._leads_to_get_up():
            self._get_up = True
            return EngineState.DECIDE
        if self._get_up and not upright and self._parts.config.break_up and not self._parts.config.step_mode:
            return self._give_up("no get-up fits how it lies" if self._sensed() else "not upright at the get-up's end")
        if self._get_up:
            self._situation.tries, self._situation.front_hack = 0, 0.0
        if motion is not None and motion.written.balance_out and upright and self._parts.balances:
            return EngineState.BALANCE_OUT
        return EngineState.FINISHED

    def _leads_to_get_up(self) -> bool:
        """Whether the motion that was asked for is one after which this release gets up."""
        if self._get_up or self._request is None or self.pending is not None or not self._may_get_up():
            return False
        return self._parts.config.get_up_after_break_up and self._request.motion in self._parts.rules.gets_up_after

    def _may_get_up(self) -> bool:
        return {self._parts.config.recover_motion, self._parts.config.stand_motion} <= self._library.motions.keys()

    def _caught(self, upright: bool) -> EngineState:
        """A catch motion is over: fall softly, or stand where there was no fall after all."""
        if not upright:
            return EngineState.BREAK_UP
        self._catching, self._may_break = False, True
        if self.pending is None and self._parts.config.stand_motion in self._library.motions:
            self.pending = MotionRequest(self._parts.config.stand_motion)
        return EngineState.FINISHED

    def _balance_out(self) -> EngineState | None:
        settings = self._library.settings.balance_out
        if not self._upright() and self._parts.config.break_up:
            return self._give_up("tipped over while balancing")
        if self._get_up and not self._handed_over and self._situation.feet_carry():
            self._handed_over = True
            self._tell(EventKind.HAND_OVER, "stands on its feet; a walk may take over")
        legs_long = max(self._body.sole_heights(), default=-1.0) < -self._parts.config.standing_sole_depth
        calm = (
            self._torso.fluctuation < settings.max_fluctuation
            and settings.min_backward < self._torso.pitch < settings.max_forward
            and self._balancer.derivative < settings.max_d
        )
        elapsed = (self._now - self._entered) * 1e-6
        return EngineState.FINISHED if elapsed >= settings.max_time or (calm and legs_long) else None

    def _stopping(self) -> EngineState | None:
        if not self._parts.stop.update(self._now, self._player):
            return None
        return self._after_stop() or EngineState.FINISHED

    def _after_stop(self) -> EngineState | None:
        wanted, self.stop_wanted = self.stop_wanted, None
        if wanted != "stand":
            return None
        self.pending = MotionRequest(self._parts.config.stand_motion)
        return EngineState.DECIDE

    def _finished(self) -> EngineState | None:
        if self.stop_wanted is not None:
            return self._after_stop()
        if self._parts.rules.watches_at_rest:
            return self._outside() or self._off()
        return self._off() or self._fallen()

    def _fallen(self) -> EngineState | None:
        """Get up where a robot that came to rest upright lies by now, and nothing saw it fall."""
        config = self._parts.config
        watched = self._rested_upright and config.break_up and config.get_up_after_break_up and not config.step_mode
        lies = watched and not self._parts.blind and self._torso.up[2] < _LIES
        return self._give_up("fell after the motion was over") if lies and self._may_get_up() else None

    def _break_up(self) -> EngineState | None:
        if not self._parts.fall.update(self._now, self._player):
            return None
        why = self._hopeless()
        if why:
            self._call_for_help(why)
            return EngineState.HELP
        lies = self._parts.config.get_up_after_break_up and self._may_get_up() and not self._upright()
        if self._get_up or lies:
            self._get_up = True
            tries = self._situation.tries
            self._situation.front_hack = float(tries > 1)
            if tries and self._parts.rules.slow_front and self._torso.pitch > 0.0:
                self._shortest_first = _FRONT_GET_UP
            return EngineState.DECIDE
        return EngineState.RETRY

    def _retry(self) -> EngineState | None:
        if not self._upright():
            return None
        self._shortest_first = to_microseconds(self._parts.config.retry_duration)
        return EngineState.DECIDE

    def _help(self) -> EngineState | None:
        upright = self._upright() and not self._parts.blind
        if not upright or self._parts.config.stand_motion not in self._library.motions:
            if self._now - self._called >= _AGAIN:
                self._call_for_help(self._why)
            return EngineState.DECIDE if self.pending is not None else None
        self._broken_motor, self._get_up = False, False
        self._tell(EventKind.HELP, "upright again")
        self.pending = MotionRequest(self._parts.config.stand_motion)
        return EngineState.DECIDE

    def _hopeless(self) -> str:
        """Why another try is of no use; empty where it may be."""
        if self._broken_motor:
            return "a leg motor is broken"
        tries, blocked = self._situation.tries, self._parts.blocked.why() if self._get_up else ""
        return blocked or (f"{tries} tries are used up" if tries >= self._library.settings.max_tries else "")

    def _call_for_help(self, why: str) -> None:
        self._why, self._called = why, self._now
        self._tell(EventKind.HELP, f"the robot needs help: {why}", why=why)

    def _tell(self, kind: EventKind, text: str, **data: float | int | str) -> None:
        self.events.append(ControlEvent(self._now * 1e-6, kind, text, dict(data)))


def _inside(value: float, low: float | str, high: float | str) -> bool:
    return (isinstance(low, str) or low <= value) and (isinstance(high, str) or value <= high)
