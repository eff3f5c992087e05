"""SensorCheck: looks at every reading before any controller does, and replaces what cannot be true.

What is wrong is told once, by component and failure, and replaced by the last good reading. A component that a
controller cannot do without (a joint's angle, the IMU) may be lost for `SensorCheckSettings.ride_through`; then
`lost` says why the robot must stop. Others read as empty after that time: no speed, no torque, no contact.
`docs/faults.md` has the whole matrix. Where nothing is wrong the reading itself is passed on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from andante.control.agreement import AgreementWatch
from andante.control.controller import ControlError, ControlEvent
from andante.control.echo_watch import EchoWatch
from andante.control.events import EventKind
from andante.control.plausibility_kernels import plausible
from andante.control.sensor_parts import (
    NEEDED,
    Component,
    Failure,
    SensorCheckSettings,
    SensorPart,
    bounds,
    components,
    reach,
)
from andante.control.sensor_watches import FrozenWatch, SensorClock, SwitchWatch
from andante.kernels.held import HeldArrays
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot

_AGREEING = 3
"""After so many readings that agree with each other an angle that jumped is believed."""
_OF_JOINTS = (SensorPart.ENCODER, SensorPart.SPEED, SensorPart.EFFORT, SensorPart.HEALTH)
_FAR = 1e9
"""An angle beyond it is none [rad]."""
_MOST_TOLD = 6
"""So often a component's failure of one kind is told; a loose plug would fill the log."""
_BURST, _PER_SECOND = 24, 1.0
"""So many failures are told at once, and so many more per second; the others are counted, and told at the end."""
_MOST_NAMED = 3
"""A message that would name more components counts them."""
_BLOCKS = 3
"""So many blocks of readings are compared at once: code that runs seldom takes five times as long."""
_STALE_TOLD = 3.5
"""Periods for which time may stand still without a word: a driver may be a little late."""


class SensorCheck:
    """Checks the sensors of one run.

    Args:
        robot: The robot.
        period: Time between two readings [s].
        settings: What is believed, and for how long a lost reading is replaced.
        needs: Parts without which the controller cannot go on.
        absent: Fields of the sensors that the robot does not have: they read as empty, and nothing has failed.
        held: Whether the robot is held by its base: an IMU that never changes is none that has failed.

    Raises:
        ControlError: The controller cannot go on without a part that is absent.
    """

    def __init__(
        self,
        robot: Robot,
        period: float,
        settings: SensorCheckSettings | None = None,
        needs: Collection[SensorPart] = NEEDED,
        absent: Collection[str] = (),
        *,
        held: bool = False,
    ) -> None:
        self.settings = settings = settings or SensorCheckSettings()
        self._robot, self._period = robot, period
        self._parts = components(robot)
        layout = robot.sensors_layout
        self._size = layout.size
        self._owner = np.zeros(self._size, dtype=np.intp)
        for number, part in enumerate(self._parts):
            self._owner[part.columns] = number
        self._needed = np.array([part.part in needs for part in self._parts])
        self._empty = np.array([value for part in self._parts for value in part.empty])
        self._absent = np.zeros(self._size, dtype=bool)
        for name in absent:
            self._absent[layout.slices[name]] = True
        for part in self._parts:
            if part.part in needs and self._absent[part.columns].any():
                raise ControlError(f"this controller cannot go on without what the robot does not measure: {part}")
        self._any_absent = bool(self._absent.any())
        self._encoders = np.flatnonzero([part.part is SensorPart.ENCODER for part in self._parts])
        self._imu = next(number for number, part in enumerate(self._parts) if part.part is SensorPart.IMU)
        self._capture = next((part.columns for part in self._parts if part.part is SensorPart.CAPTURE), None)
        self._angles, self._turn = layout.slices["position"], layout.slices["orientation"]
        self._places = (self._angles.start, self._turn.start)
        self._low, self._high = bounds(robot, period, settings)
        self._tested = np.empty(len(self._low))
        self._current, self._steps = self._tested[: self._size], self._tested[self._size : -1]
        self._last_angles: Vector = np.empty(len(self._encoders))
        self._arrays = HeldArrays(self._tested, self._last_angles, self._low, self._high)
        self._one_step = reach(robot, period, settings)
        self._least, self._most = 0.5 * period, 1.5 * period
        self._clock = SensorClock(period, settings.longest_gap)
        self._frozen = FrozenWatch(robot, period, settings.window, held)
        self._switches = SwitchWatch(tuple(foot.name for foot in robot.feet), layout.slices["contact"], period)
        self._agreement = AgreementWatch(robot, period, frozenset(absent))
        self._echo = EchoWatch(robot, period, held)
        self._looks = _BLOCKS * self._agreement.length
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next reading is the first."""
        count = len(self._parts)
        self._agreement.reset()
        self._echo.reset()
        self._rows: list[Vector] = []
        self._clock.reset()
        self._frozen.reset()
        self._switches.reset()
        self._events: list[ControlEvent] = []
        self._told: Counter[tuple[SensorPart, str, Failure]] = Counter()
        self._untold: Counter[tuple[SensorPart, Failure]] = Counter()
        self._open: set[int] = set()
        self._spent = 0
        self._tick = 0
        self._believed: Vector = np.full(self._size, math.nan)
        self._last_angles[:] = math.nan
        self._wrong = np.zeros(count, dtype=bool)
        self._begin: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self._seen = np.zeros(count, dtype=bool)
        self._failures: dict[int, Failure] = {}
        self._ill = False
        self._doubted: Vector = np.full(len(self._encoders), math.nan)
        self._agreeing: NDArray[np.int64] = np.zeros(len(self._encoders), dtype=np.int64)
        self._clock_failure: Failure | None = None
        self._lead = self.settings.longest_gap
        self.ready = False
        """Whether everything that the controller needs has been read once."""
        self.lost = ""
        """Why the robot must stop; empty while it need not."""
        self.contradicted = ""
        """How the IMU contradicts itself now; empty: as far as is known, it does not."""

    def take_events(self) -> list[ControlEvent]:
        """What went wrong and what came back since the last call; the caller owns the list."""
        taken, self._events = self._events, []
        return taken

    def summary(self, time: float) -> list[ControlEvent]:
        """How often something went wrong that was not told, by kind of part and failure, for the end of a run."""
        return [
            _event(time, EventKind.SENSOR, part, "", failure, f"{part}: {failure} {count} more times", count=count)
            for (part, failure), count in self._untold.items()
        ]

    def apply(self, sensors: Sensors, command: Command | None) -> Sensors:
        """What the controller may see in place of ``sensors``: the same object where nothing is wrong.

        Args:
            sensors: What was read.
            command: What was commanded last; None: nothing yet.
        """
        if self._any_absent:
            # What is not there cannot fail, and no controller gets a NaN of it.
            sensors = Sensors(sensors.layout, np.where(self._absent, self._empty, sensors.vector))
        vector, clock = sensors.vector, self._clock
        self._tick += 1
        time = vector.item(0)
        self._current[:] = vector
        if (
            plausible.now(self._arrays.table, *self._places)
            and not self._ill
            and self._least < time - clock.read < self._most
            and time - self._tick * self._period < self._lead
        ):
            clock.pass_on(time)
            self._believed = vector
        else:
            sensors = self._mend(vector, time, sensors)
            self._last_angles[:] = self._believed[self._angles]
        rows = self._rows
        if self._ill and not self._comparable(vector):
            rows.clear()
        else:
            rows.append(vector)
            if len(rows) > self._looks:
                self._compare()
        if self._switches.changed(vector):
            self._tell_switches()
        if self._tick >= self._frozen.due and self._frozen.look(vector, command, self._tick):
            self._ill = True
        return sensors

    def _mend(self, vector: Vector, time: float, sensors: Sensors) -> Sensors:
        """The slow path: find out what is wrong, tell it, and replace it."""
        read, clock = self._clock.read, self._clock
        now, failure, step = clock.take(time)
        passed = max(now - (read + clock.offset), self._period) if math.isfinite(read) else self._period
        self._tell_clock(failure, step, now)
        wrong, failures = self._judge(vector, passed)
        # What has been wrong before keeps the name of how it began.
        failures |= {number: kind for number, kind in self._failures.items() if number in failures}
        new, back = wrong & ~self._wrong, self._wrong & ~wrong
        self._begin[new] = self._tick
        late = self._frozen_parts()
        late[self._imu] |= self._frozen.weightless
        for number in np.flatnonzero(new & late):
            self._begin[number] = self._frozen.since
        for number in np.flatnonzero(new & self._echoes()):
            self._begin[number] = self._tick - self._echo.since
        self._tell(new, back, failures, now)
        self._wrong, self._failures = wrong, failures
        self._seen |= ~wrong
        out = vector.copy()
        out[0] = now
        if clock.offset and self._capture is not None:
            out[self._capture.stop - 2] += clock.offset
        columns = wrong[self._owner]
        out[columns] = self._believed[columns]
        duration = (self._tick - self._begin) * self._period
        over = wrong & (duration >= self.settings.ride_through)
        self._empty_out(out, over)
        unseen = ~self._seen[self._owner]
        self._believed = np.where(unseen, math.nan, out)
        # A joint that was never measured reads NaN to the end: nothing may move by a guess.
        keep = np.zeros(self._size, dtype=bool)
        keep[self._angles] = True
        out[unseen & ~keep] = self._empty[unseen & ~keep]
        self.ready = bool(self._seen[self._needed].all()) and math.isfinite(self._clock.read)
        self._lead = self.settings.longest_gap + self._clock.lost
        self.lost = self._why_lost(over, now)
        self._ill = bool(wrong.any()) or clock.offset != 0.0 or not self.ready
        if not columns.any() and out[0] == vector[0] and not clock.offset:
            return sensors
        return Sensors(sensors.layout, out)

    def _judge(self, vector: Vector, passed: float) -> tuple[NDArray[np.bool_], dict[int, Failure]]:
        """Which components are wrong in this reading, and how."""
        size, tested = self._size, self._tested
        finite = np.isfinite(vector)
        outside = ~((self._low <= tested) & (tested <= self._high))
        # Sets, for `np.unique` imports numpy's masked arrays, 0.01 s.
        failures = dict.fromkeys(sorted(set(self._owner[outside[:size]].tolist())), Failure.RANGE)
        failures |= dict.fromkeys(sorted(set(self._owner[~finite].tolist())), Failure.NOT_FINITE)
        for number in self._encoders[self._jumps(vector, passed)]:
            failures.setdefault(int(number), Failure.JUMP)
        if outside[-1]:
            failures.setdefault(self._imu, Failure.DEAD)
        for number in np.flatnonzero(self._frozen_parts()):
            failures.setdefault(int(number), Failure.FROZEN)
        for number in np.flatnonzero(self._echoes()):
            failures.setdefault(int(number), Failure.REPEATED)
        if self._frozen.weightless:
            failures.setdefault(self._imu, Failure.WEIGHTLESS)
        failures.pop(0, None)  # the clock is judged apart
        wrong = np.zeros(len(self._parts), dtype=bool)
        wrong[list(failures)] = True
        return wrong, failures

    def _jumps(self, vector: Vector, passed: float) -> NDArray[np.bool_]:
        """Joints whose angle is farther from the last good one than they can have come, (nj,)."""
        angles, ill = vector[self._angles], self._wrong[self._encoders]
        # An outage gives no right to be anywhere: after it an angle that is far away must repeat itself first.
        ticks = np.minimum(self._tick - self._begin[self._encoders] + 1, _AGREEING)
        since = np.where(ill, np.maximum(ticks * self._period, passed), passed)
        allowed = self.settings.speed_share * self._robot.max_velocity * since + self.settings.jump
        # One that has jumped about and happens to be near is not yet good.
        jumping = [ill[n] and self._failures[int(number)] is Failure.JUMP for n, number in enumerate(self._encoders)]
        jumps = (np.abs(self._steps) > allowed) | np.array(jumping, dtype=bool)
        doubted = np.where(jumps & (np.abs(angles) < _FAR), angles, math.nan)
        agrees = np.abs(doubted - self._doubted) <= self._one_step
        self._agreeing = np.where(agrees, self._agreeing + 1, 0)
        self._doubted = doubted
        wrong: NDArray[np.bool_] = jumps & (self._agreeing < _AGREEING)
        return wrong

    def _frozen_parts(self) -> NDArray[np.bool_]:
        frozen = np.zeros(len(self._parts), dtype=bool)
        frozen[self._encoders] = self._frozen.encoders
        frozen[self._imu] = self._frozen.imu
        return frozen

    def _echoes(self) -> NDArray[np.bool_]:
        """Which components read what they have read some time before."""
        echoes = np.zeros(len(self._parts), dtype=bool)
        echoes[self._encoders] = self._echo.joints > 0.0
        echoes[self._imu] = self._echo.imu > 0.0
        return echoes

    def _empty_out(self, out: Vector, over: NDArray[np.bool_]) -> None:
        """Components that nobody needs read as empty when they have been lost for long."""
        for number in np.flatnonzero(over & ~self._needed):
            part = self._parts[number]
            if part.part is SensorPart.CAPTURE:
                out[part.columns.stop - 1] = 0.0
            else:
                out[part.columns] = part.empty

    def _why_lost(self, over: NDArray[np.bool_], now: float) -> str:
        gone = [int(number) for number in np.flatnonzero(over & self._needed)]
        if gone:
            first, failure = self._parts[gone[0]].part, self._failures[gone[0]]
            alike = [n for n in gone if self._parts[n].part is first and self._failures[n] is failure]
            begin = now - (self._tick - int(self._begin[alike].min())) * self._period
            told = f"{_names([self._parts[n] for n in alike])}: {failure} since {max(begin, 0.0):.2f} s"
            if failure is Failure.REPEATED:
                ago = self._echo.imu if first is SensorPart.IMU else self._echo.joints
                return f"{told} (each reading is that of {ago:.2f} s before)" if ago else told
            return told + (self._reading(gone[0]) if failure is Failure.RANGE else "")
        ahead = now - self._tick * self._period
        if ahead >= self._lead:
            return f"clock: {ahead - self._clock.lost:.2f} s ahead of the run"
        if self._clock.wild is not None:
            return f"clock: {self._clock.wild} again and again"
        if self._clock.stale >= self.settings.stale_limit - 1e-9:
            since = f" since {now:.2f} s" if math.isfinite(now) else ""
            return f"clock: {self._clock_failure or Failure.STALE}{since}"
        return ""

    def _reading(self, number: int) -> str:
        """What a part reads that it cannot, and its limits; empty where it does not in this tick."""
        tested, low, high = (each[: self._size] for each in (self._tested, self._low, self._high))
        outside = np.flatnonzero((self._owner == number) & ~((low <= tested) & (tested <= high)))
        if not len(outside):
            return ""
        at = int(outside[0])
        column = self._robot.sensors_layout.columns[at]
        return f" ({column} reads {tested[at]:g}, limits {low[at]:g} to {high[at]:g})"

    def _tell(self, new: NDArray[np.bool_], back: NDArray[np.bool_], failures: dict[int, Failure], now: float) -> None:
        for number in np.flatnonzero(new):
            part = self._parts[number]
            self._told[part.part, part.name, failures[int(number)]] += 1
        self._tell_all(EventKind.SENSOR, np.flatnonzero(new), failures, "", now)
        self._tell_all(EventKind.SENSOR_OVER, np.flatnonzero(back), self._failures, " no more", now)

    def _tell_all(
        self, kind: EventKind, numbers: NDArray[np.intp], failures: dict[int, Failure], more: str, now: float
    ) -> None:
        """One event for each part and failure; encoder, speed and effort of the same joints share one."""
        groups: dict[tuple[SensorPart, Failure], list[Component]] = {}
        begins = kind is EventKind.SENSOR
        for each in numbers.tolist():
            part, failure = self._parts[each], failures[each]
            if self._told[part.part, part.name, failure] > _MOST_TOLD:
                self._untold[part.part, failure] += begins
            elif begins or each in self._open:
                groups.setdefault((part.part, failure), []).append(part)
        self._open.difference_update(numbers.tolist())
        shared: dict[tuple[Failure, tuple[str, ...]], list[list[Component]]] = {}
        for (part_kind, failure), parts in groups.items():
            names = tuple(part.name for part in parts) if part_kind in _OF_JOINTS else (part_kind.value,)
            shared.setdefault((failure, names), []).append(parts)
        for (failure, _), lists in shared.items():
            if begins and not self._may_tell():
                for parts in lists:
                    self._untold[parts[0].part, failure] += len(parts)
                continue
            if begins:
                self._open.update(self._parts.index(part) for parts in lists for part in parts)
            kinds = ", ".join(str(parts[0].part) for parts in lists)
            self._say(kind, lists[0], failure, f"{_names(lists[0], kinds)}: {failure}{more}", now)

    def _may_tell(self) -> bool:
        """Whether one more failure may be told now; a loose plug would fill the log."""
        most = _BURST + _PER_SECOND * self._tick * self._period
        self._spent += self._spent < most
        return self._spent < most

    def _tell_clock(self, failure: Failure | None, step: float, now: float) -> None:
        clock = self._parts[0]
        if failure is Failure.STALE and self._clock.stale < _STALE_TOLD * self._period:
            return
        if failure is self._clock_failure:
            return
        if failure is None or failure is Failure.GAP:
            if self._clock_failure is not None and self._told[clock.part, "", self._clock_failure] <= _MOST_TOLD:
                self._say(EventKind.SENSOR_OVER, [clock], self._clock_failure, "clock: goes on", now)
            self._clock_failure = None
        if failure is not None:
            self._told[clock.part, "", failure] += 1
            by = f" by {abs(step):.3g} s" if step else ""
            if self._told[clock.part, "", failure] <= _MOST_TOLD:
                self._say(EventKind.SENSOR, [clock], failure, f"clock: {failure}{by}", now)
            else:
                self._untold[clock.part, failure] += 1
            self._clock_failure = None if failure is Failure.GAP else failure

    def _tell_switches(self) -> None:
        now = self._clock.read + self._clock.offset
        for foot, stuck in self._switches.take():
            part = next(each for each in self._parts if each.part is SensorPart.SWITCH and each.name == foot)
            kind, more = (EventKind.SENSOR, "") if stuck else (EventKind.SENSOR_OVER, " no more")
            self._say(kind, [part], Failure.STUCK, f"{part}: {Failure.STUCK}{more}", now)

    def _comparable(self, vector: Vector) -> bool:
        """Whether readings of which something is wrong still tell how the robot moves: too large ones do."""
        large = all(each in (Failure.RANGE, Failure.REPEATED) for each in self._failures.values())
        return large and self.ready and not self._clock.offset and float(np.abs(vector[1:]).max()) < _FAR

    def _compare(self) -> None:
        """Look whether sensors contradict each other."""
        now = self._clock.read + self._clock.offset
        self._ill |= self._echo.look(self._rows)
        for each in self._agreement.look(self._rows):
            parts = [one for one in self._parts if one.part is each.part and (one.name in each.joints or not one.name)]
            if each.part is SensorPart.IMU:
                self.contradicted = f"{_names(parts)} {Failure.CONTRADICTED}: {each.text}" if each.begins else ""
            self._told[each.part, parts[0].name, Failure.CONTRADICTED] += each.begins
            if self._told[each.part, parts[0].name, Failure.CONTRADICTED] <= _MOST_TOLD:
                kind = EventKind.SENSOR if each.begins else EventKind.SENSOR_OVER
                text = f"{Failure.CONTRADICTED}{f': {each.text}' if each.begins else ' no more'}"
                self._say(kind, parts, Failure.CONTRADICTED, f"{_names(parts)} {text}", now)
        del self._rows[:-1]

    def _say(self, kind: EventKind, parts: Sequence[Component], failure: Failure, text: str, now: float) -> None:
        names = " ".join(part.name for part in parts)
        self._events.append(_event(now if math.isfinite(now) else 0.0, kind, parts[0].part, names, failure, text))


def _event(
    time: float, kind: EventKind, part: SensorPart, names: str, failure: Failure, text: str, **more: int
) -> ControlEvent:
    data: dict[str, float | int | str] = {"component": part.value, "names": names, "failure": failure.value, **more}
    return ControlEvent(time, kind, text, data)


def _names(parts: Sequence[Component], kinds: str = "") -> str:
    """What fails, in a few words."""
    kind = kinds or str(parts[0].part)
    if len(parts) > _MOST_NAMED:
        return f"{kind} of {len(parts)} {'joints' if parts[0].part in _OF_JOINTS else 'places'}"
    names = " ".join(part.name for part in parts)
    return f"{kind} {names}" if names else kind
