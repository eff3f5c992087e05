"""FrozenImuWatch: an IMU whose last digits went to and fro, and then do no more, though its states are counted on.

No IMU measures the same six numbers to the last bit for a third of a second, while encoders may: those of a NAO or of a
servo count in steps of a milliradian. A simulated robot that comes to rest has an IMU that changes by less and less
before it stands still; a program that sends an old state again and again stops amid its noise.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from andante.robots.records import Sensors

ROW = 30
"""An IMU that reads the same so often in a row is none."""
_LEAST = 0.3
"""And for so long: some are read less often than joints [s]."""
_BEFORE, _LIVELY = 60, 10
"""Of so many readings before, so many must have changed."""
_NOISE = 1e-5
"""By more than this: what comes to rest in simulation changes by less [rad/s, m/s^2]."""
_LONGER = 6
"""One that often repeats itself, as it is read less often, must do so for so many times longer."""


class FrozenImuWatch:
    """Compares each reading with the one before.

    Args:
        fields: What is looked at of the IMU, ``gyro`` and ``accelerometer`` where it has them; empty: nothing is.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = fields
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._last: Sensors | None = None
        self._since, self._same, self._joints_too = 0.0, 0, True
        self._changed: deque[bool] = deque(maxlen=_BEFORE)
        self._runs: deque[int] = deque(maxlen=_BEFORE)
        self.whole = False
        """Whether joints repeat themselves, too: then the whole state does."""
        self.lost = False
        """Whether what repeats itself is nothing: zeros that stand for readings that cannot be."""

    def see(self, sensors: Sensors) -> str:
        """Take a reading and give what repeats itself, in words; empty: nothing. One that is no newer counts not."""
        last = self._last
        if not self._fields or (last is not None and sensors.time <= last.time):
            return ""
        self._last = sensors
        if last is None:
            self._since = sensors.time
            return ""
        same = all(last[name].tobytes() == sensors[name].tobytes() for name in self._fields)
        if not same:
            far = max(float(np.abs(sensors[name] - last[name]).max()) for name in self._fields)
            # A row that goes on is not counted among those before it.
            self._changed.extend([False] * min(self._same, _BEFORE))
            self._changed.append(far > _NOISE)
            self._runs.append(self._same)
            self._since, self._same, self._joints_too = sensors.time, 0, True
            return ""
        self._same += 1
        self._joints_too = self._joints_too and all(
            last[name].tobytes() == sensors[name].tobytes() for name in ("position", "velocity")
        )
        long = max(ROW, _LONGER * max(self._runs, default=0))
        passed = sensors.time - self._since
        if self._same + 1 < long or passed < _LEAST - 1e-9 or sum(self._changed) < _LIVELY:
            return ""
        self.whole = self._joints_too
        if not any(sensors[name].any() for name in self._fields):
            # Zeros stand for what did not pass the check of sensors.
            self.lost = True
            return f"nothing of its IMU was believed for {passed:.2f} s, or all of it is zeros"
        names = ("joints", *self._fields) if self.whole else self._fields
        told = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        return (
            f"{told} read the same to the last bit for {passed:.2f} s, {self._same + 1} times (limit {long - 1}),"
            " though the IMU had changed before and states are counted on"
        )
