"""CourseWatch: ends a walk that has arrived or left its course."""

from __future__ import annotations

import math

from andante.backends.backend import Backend
from andante.robots.records import Record
from andante.runs.loop.tick import Observer
from andante.runs.tasks.walk.goal import WalkCourse


class CourseWatch(Observer):
    """Ends a walk some time after the robot arrived or left the course, whatever the controller thinks.

    Args:
        course: What is asked of the walk.
    """

    def __init__(self, course: WalkCourse) -> None:
        self._course, self._over_since, self._leg = course, math.inf, 0

    def begin(self, backend: Backend) -> None:
        """Forget everything."""
        self._over_since, self._leg = math.inf, 0

    def over(self, backend: Backend) -> bool:
        """Whether by the ground truth nothing more can change how the walk ended."""
        truth = backend.truth()
        return truth is not None and self.ended(truth)

    def ended(self, truth: Record) -> bool:
        """The same for a ground truth."""
        course, linger = self._course, self._course.goal.linger
        place = truth["com"][None]
        self._leg = int(course.legs(place, self._leg)[-1])
        ahead, aside = course.along(place, self._leg)
        time = float(truth["time"][0])
        if ahead[0] >= course.arrival or abs(aside[0]) > course.aside:
            self._over_since = min(self._over_since, time)
        return linger is not None and time - self._over_since >= linger
