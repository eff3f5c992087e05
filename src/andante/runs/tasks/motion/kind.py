"""MotionTask: motions of a library that are played."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Self

from andante.control.events import EventKind
from andante.motions.library import MotionLibrary, PostureKind
from andante.motions.posture_kind import dives
from andante.runs.controls.motions import KeyframeControl, MotionControl
from andante.runs.evaluation.coming_down import gentleness
from andante.runs.evaluation.criterion import Criterion
from andante.runs.evaluation.end_posture import EndPosture
from andante.runs.evaluation.fall_causes import falling_at_end
from andante.runs.evaluation.verdict import asks_no_fall
from andante.runs.motion_libraries import load_motions
from andante.runs.tasks.kind import TaskKind

if TYPE_CHECKING:
    from andante.runs.evaluation.finished import FinishedRun
    from andante.runs.evaluation.metrics import Metrics
    from andante.runs.scenario import Scenario

_SLIDES = 0.2
"""A robot neither stands nor sits whose base moves faster than this along the ground at the end [m/s]; swaying is
slower."""
_LEVEL_FEET = 4
"""A robot on so many feet keeps its trunk level where it lies; one on two may lie on any side."""


class MotionTask(TaskKind):
    """Motions that say by their names or documents how they end, and tell joints where to be."""

    type: Literal["motion"] = "motion"
    """Kind of task."""

    @classmethod
    def found_in(cls, scenario: Scenario) -> Self | None:
        """Found where the controller plays motions."""
        return cls() if isinstance(scenario.controller, MotionControl) else None

    def hint(self, scenario: Scenario) -> str:
        """A get-up that begins on its feet."""
        control = scenario.controller
        if scenario.starts_lying or not isinstance(control, KeyframeControl) or not control.motions:
            return ""
        first = control.motions[0]
        if first not in _get_ups(load_motions(control.library), control):
            return ""
        return f"{first} is a get-up and begins on its feet; --start front, back, left or right lays the robot down"

    def brings_down(self, run: FinishedRun) -> bool:
        """Whether motions bring the robot down in a way that looks like a fall: a dive, over, or a humanoid down."""
        ends = run.parts.asked.ends
        if run.parts.asked.may_fall:
            return True
        kinds = () if ends is None else ends.kinds
        return PostureKind.DOWN in kinds or (PostureKind.LIE in kinds and len(run.parts.robot.feet) < _LEVEL_FEET)

    def end_posture(self, run: FinishedRun) -> EndPosture | None:
        """The kind of posture in which the last motion ends, as it says itself; a get-up ends standing."""
        ends, success = run.parts.asked.ends, run.scenario.success
        if isinstance(run.scenario.controller, KeyframeControl) and run.scenario.controller.gets_up:
            known = run.parts.standing_height is not None and success.posture_at_end and success.no_fall is not False
            return EndPosture(PostureKind.STAND) if known else None
        kind = PostureKind.UNKNOWN if ends is None or not success.posture_at_end else ends.kinds[1]
        # Who may fall need not stand.
        may_lie = success.no_fall is False and kind is PostureKind.STAND
        if kind is PostureKind.UNKNOWN or may_lie:
            return None
        return EndPosture(kind, most_speed=_SLIDES if kind in (PostureKind.STAND, PostureKind.SIT) else None)

    def criteria(self, run: FinishedRun, metrics: Metrics) -> Iterable[Criterion]:
        """Whether a robot that was to sit or lie came down gently; told only where not: whether joints came where
        motions told them to be, no fall came before a dive, and none had begun as the run ended."""
        limit, off, asked = run.scenario.success.max_astray, metrics.astray, run.parts.asked
        if asked.may_fall and metrics.fall_time is not None and run.scenario.success.no_fall is None:
            begun = (each for each in run.log.events if each.kind is EventKind.MOTION)
            dived = [each.time for each in begun if dives(str(each.data["motion"]))]
            if metrics.fall_time < min(dived, default=-math.inf):
                text = f"fell after {metrics.fall_time:.2f} s, before it dived: {metrics.fall_reason}"
                yield Criterion("no fall before the dive", False, text)
        done = metrics.done_at is not None and metrics.travel is not None and metrics.fell is False
        free = self.end_posture(run) is None and not run.scenario.success.stands_at_end and asks_no_fall(run)
        if done and free and (falls := falling_at_end(run)):
            yield Criterion("no fall begins", False, f"{falls}; a longer settle shows how it ends")
        if self._is_lowered(run) and (gentle := gentleness(run)) is not None:
            yield gentle
        if limit is None or off is None or off <= limit or asked.ends is None or "*" in asked.may_touch:
            return
        if asks_no_fall(run):
            far, most = math.degrees(off), math.degrees(limit)
            text = f"{metrics.astray_joint} stayed {far:.0f} deg from where it was told to be (limit {most:.0f} deg)"
            yield Criterion("joints follow", False, text, most, far, "deg")

    def _is_lowered(self, run: FinishedRun) -> bool:
        """Whether motions take a robot off its feet to sit or lie, and nobody says that it may fall, or plays dead."""
        ends = self.end_posture(run)
        lowers = ends is not None and ends.kind in (PostureKind.SIT, PostureKind.LIE)
        may_fall = run.parts.asked.may_fall or run.scenario.success.no_fall is False
        return lowers and not may_fall and not run.scenario.starts_lying


def _get_ups(library: MotionLibrary, control: KeyframeControl) -> set[str]:
    """Motions that the motion for getting up leads to by its follow-ups, without standing itself."""
    found: set[str] = set()
    waiting = [control.recover_motion]
    while waiting:
        name = waiting.pop()
        if name not in found and name != control.stand_motion and name in library.motions:
            found.add(name)
            waiting += [each for follow_up in library.motions[name].follow_ups for each in follow_up.motions]
    return found
