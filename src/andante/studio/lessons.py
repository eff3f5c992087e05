"""The lessons' kick: keyframes of joint angles from a page, played by the leg lab.

A page sends numbers only; the code that made them has run in the browser.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from andante.robots.robot import Robot
from andante.studio.messages import LESSON_JOINTS, LessonKick

LEG = "bootcamp-leg"
_FRAME = 0.02
"""Time between two pictures of a lesson [s]."""


def lesson_scene() -> dict[str, Any]:
    """What a lesson draws: the leg's geometry and limits, the ball's place and the target's (SI)."""
    from andante.backends.leglab.scene import SCENE
    from andante.kinematics.planar_chain import planar_chain
    from andante.motions.kicks.document import Kick

    chain = planar_chain(Robot.load(LEG))
    return {
        **{name: list(getattr(chain, name)) for name in ("base", "lengths", "zero", "lower", "upper")},
        "ball": list(SCENE.ball_start),
        "ballRadius": SCENE.ball_radius,
        "ground": SCENE.ground,
        "target": list(Kick(format="andante.kick", version=1).target),
    }


def play_kick(message: LessonKick) -> dict[str, Any]:
    """Play a lesson's kick in physics, as `andante kick run` does; angles beyond the limits are held by the stops.

    Returns:
        Distance [m], its time [s], the ball's nearest place (2,) [m], rows of time [s], ball x and z [m] and three
        joint angles [rad], and notes.

    Raises:
        AndanteError: The kick cannot be played.
    """
    from andante.motions.kicks.document import Kick, KickKeyframe
    from andante.runs.kick.execute import run_kick

    kick = Kick(
        format="andante.kick",
        version=1,
        robot=LEG,
        beyond_limits="stops",
        keyframes=tuple(
            KickKeyframe(duration=duration, joints=dict(zip(LESSON_JOINTS, angles, strict=True)))
            for duration, *angles in message.keyframes
        ),
    )
    run = run_kick(kick, place="lesson")
    times = np.arange(0.0, run.path[-1, 0] + 0.5 * _FRAME, _FRAME)
    columns = [times]
    columns += [np.interp(times, run.path[:, 0], run.path[:, at]) for at in (1, 2)]
    columns += [np.interp(times, run.postures[:, 0], run.postures[:, at]) for at in (1, 2, 3)]
    return {
        "distance": run.distance,
        "time": run.time,
        "nearest": list(run.nearest),
        "rows": np.round(np.column_stack(columns), 5).tolist(),
        "notes": list(run.notes)[:50],
    }
