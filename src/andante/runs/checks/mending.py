"""Does what a finding tells of matter? Its motion in physics as it is, and as it would be with the defect mended.

Mended is what a finding itself says the right value of: an angle that has another limit or mirror image, and a way that
is too fast, which gets the time that it needs. Of other findings no mend is known; how often the motion plays as it is
is all that physics tells of them. The same seeds draw the same floors and noise on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from andante.motions.checks.bodies import BALANCE, COLLISION
from andante.motions.checks.mirror import MIRROR
from andante.motions.checks.rates import ACCELERATION, JUMP, SPEED
from andante.motions.checks.targets import LIMITS
from andante.motions.editing.timing import retime_motion
from andante.motions.findings import Finding, Played
from andante.motions.library import MotionLibrary
from andante.motions.reached import off_feet
from andante.motions.sampling import start_posture
from andante.robots.robot import Robot
from andante.runs.checks.physics_check import PhysicsRules, run_physics

_TARGET = re.compile(r"blocks\.(?P<block>.+)\.keyframes\[(?P<keyframe>\d+)\](?:\.joints\.(?P<joint>.+))?$")
_ANGLES, _TIMES = frozenset((MIRROR, LIMITS)), frozenset((SPEED,))
_POSTURES = frozenset((COLLISION, BALANCE, ACCELERATION, JUMP))


def mended(library: MotionLibrary, robot: Robot, motion: str, finding: Finding) -> MotionLibrary | None:
    """The library without the defect that a finding tells of; None: nobody knows how to mend it.

    Args:
        library: The motions.
        robot: The robot.
        motion: The motion that is to be played.
        finding: What was found.

    Raises:
        MotionError: The motion cannot be retimed.
    """
    found = _TARGET.match(finding.place)
    if found is None or found["block"] not in library.blocks:
        return None
    if finding.rule in _TIMES:
        timed, changes = retime_motion(library, robot, motion, start_posture(robot), tick=robot.tick)
        return timed if changes else None
    if finding.rule not in _ANGLES or found["joint"] is None or not isinstance(finding.limit, int | float):
        return None
    block, index = library.blocks[found["block"]], int(found["keyframe"])
    keyframes = list(block.keyframes)
    joints = dict(keyframes[index].joints)
    if found["joint"] not in joints:
        return None
    joints[found["joint"]] = float(finding.limit)
    keyframes[index] = keyframes[index].but(joints=joints)
    return library.but(blocks={**library.blocks, found["block"]: block.but(keyframes=tuple(keyframes))})


def play_findings(
    library: MotionLibrary, robot: Robot, findings: Iterable[Finding], rules: PhysicsRules | None = None
) -> dict[Finding, Played]:
    """How often the motion of each finding is played without a fall, as it is and mended.

    Left out are findings that no motion is known of, and motions in which the robot need not be on its feet: of them a
    run from the start posture tells nothing.

    Args:
        library: The motions.
        robot: The robot.
        findings: What was found.
        rules: Seeds and limits.

    Raises:
        AndanteError: A motion cannot be run.
    """
    rules, elsewhere = rules or PhysicsRules(), off_feet(library)
    as_it_is: dict[str, int] = {}
    played: dict[Finding, Played] = {}
    for finding in findings:
        motion = finding.motion or _motion_of(library, finding, elsewhere)
        if motion is None or motion in elsewhere or motion not in library.motions:
            continue
        if finding.rule not in _ANGLES | _TIMES | _POSTURES:
            continue
        if motion not in as_it_is:
            as_it_is[motion] = _stood(library, robot, motion, rules)
        better = mended(library, robot, motion, finding)
        count = None if better is None else _stood(better, robot, motion, rules)
        played[finding] = Played(motion, len(rules.seeds), as_it_is[motion], count)
    return played


def _motion_of(library: MotionLibrary, finding: Finding, elsewhere: frozenset[str]) -> str | None:
    """A motion that runs the block of a finding, one on its feet if there is one."""
    found = _TARGET.match(finding.place)
    block = None if found is None else found["block"]
    running = [name for name, motion in library.motions.items() if block in motion.blocks]
    return next((name for name in running if name not in elsewhere), None)


def _stood(library: MotionLibrary, robot: Robot, motion: str, rules: PhysicsRules) -> int:
    runs = (run_physics(library, robot, motion, seed, rules) for seed in rules.seeds)
    return sum(run.finished and run.fall_time is None for run in runs)
