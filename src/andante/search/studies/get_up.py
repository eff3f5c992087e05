"""The goal `get-up`: a study that finds a get-up for a humanoid from its model alone.

The strategy: hands beside the chest, push up, fold the hips with straight knees while the hands stay on the floor, push
back until the centre of mass is over the feet, rise. It was found on a Booster T1 and K1; angles are those of a K1,
told as directions of limbs, and times grow with the root of the robot's size. Nothing in it jumps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andante.documents.files import write_text
from andante.documents.reader import load_document
from andante.documents.writer import dump_document
from andante.motions.capture_point import MOST_GAIN, CapturePointBalance
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.motions.settings import BalanceOut, EngineSettings
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role
from andante.runs.motion_libraries import library_path
from andante.runs.scenario import name_of
from andante.search.errors import SearchError
from andante.search.studies.document import (
    Constraint,
    Objective,
    ParameterRange,
    SeedRange,
    Study,
    StudySeeds,
    TrialSuccess,
)
from andante.search.studies.files import JOURNAL, MOTION_UNITS
from andante.search.studies.motion_figures import motion_figures
from andante.search.studies.rolls import roll_blocks, roll_motions
from andante.search.studies.sagittal import Sagittal, posture_map
from andante.search.studies.stages import Rounds, StudyBudget

SIDES = ("front", "back", "left", "right")
"""Sides from which it is known how."""
START = "start.yaml"
"""Name of the motion file that the search begins from."""
_SIZE = 0.511
"""Standing height of the robot whose times and gains these are [m]."""
_DEG = math.pi / 180.0
_MOVES = 0.3
"""Least way of an arm's joint, and of any joint of a roll, that a search changes [rad]."""
_SECONDS = 900.0
"""Processor time of a search [s]; the verdict comes on top."""
_VALIDATION = 160
"""Validation seeds: fewer say too little of a candidate that was chosen by them; 20 of 20 became 44 of 50 others, 78 of
80 became 45 of 50."""
_GOOD = 0.99
"""Share of them at which the search ends: what was chosen with 98 % of them stood in 45 and 46 of 50 others."""
_FASTEST = 0.9
"""Share of the speed limits that the start may ask for."""


@dataclass(frozen=True)
class StrategyPose:
    """One keyframe of the strategy."""

    name: str
    """What it is."""
    duration: float
    """Time to it, of the robot with `_SIZE` [s]."""
    flexion: float
    """Thigh forward [deg]."""
    knee: float
    """Knee bent [deg]."""
    hand: float
    """Direction of the hand from the shoulder, from down, forward positive [deg]."""
    reach: float
    """Distance of the hand over the arm's length."""
    dorsiflexion: float | None = None
    """Toes up [deg]; None: as ``ahead`` asks."""
    ahead: float = 0.0
    """Place of the centre of mass ahead of the soles' middle, over half of their length."""


FRONT = (
    StrategyPose("hands beside the chest", 0.40, 22.0, 15.0, 12.0, 0.40, dorsiflexion=49.0),
    StrategyPose("push up", 0.30, -21.0, 13.0, 76.0, 0.50, dorsiflexion=49.0),
    StrategyPose("fold the hips, hands on the floor", 0.46, 82.0, 3.0, 99.0, 0.99, dorsiflexion=39.0),
    StrategyPose("push back over the feet", 0.35, 115.0, 10.0, 96.0, 0.99, ahead=0.85),
    StrategyPose("crouch", 0.16, 116.0, 34.0, 76.0, 0.99, ahead=0.12),
)


SHORT_ARMS = (
    FRONT[0],
    replace(FRONT[1], duration=0.6),
    replace(FRONT[2], name="fold the hips and draw the hands to the feet", duration=1.0),
    replace(FRONT[3], duration=0.7, hand=150.0),
    replace(FRONT[4], duration=0.4, hand=130.0),
)
"""The same for arms that do not reach the ground in the push back: hips fold as far as it takes, and slowly."""
_REACHES, _PUSHES = 0.05, -0.1
"""How high hanging arms may end over the soles in the push back, over their length; and how high with folded hips."""
_DEEPEST = 165.0
"""Largest flexion that is looked at [deg]."""
_BEFORE = 13.0
"""How much less hips are folded before the push back than in it, for short arms [deg]."""


def front_poses(sagittal: Sagittal) -> tuple[StrategyPose, ...]:
    """The strategy for a robot: `FRONT`, or with hips folded further where its arms are too short and hips let it."""

    def over(flexion: float) -> float:
        push = FRONT[3]
        return sagittal.arms_over_soles(sagittal.balanced(sagittal.stand, flexion * _DEG, push.knee * _DEG, push.ahead))

    flexion = FRONT[3].flexion
    if over(flexion) <= _REACHES:
        return FRONT
    while over(flexion) > _PUSHES:
        flexion += 2.0
        if flexion > _DEEPEST:
            return FRONT
    first, push, fold, back, crouch = SHORT_ARMS
    fold = replace(fold, flexion=max(fold.flexion, flexion - _BEFORE))
    return first, push, fold, replace(back, flexion=flexion), replace(crouch, flexion=flexion)


def get_up_study(study: Study, folder: Path) -> Study:
    """The study in full; its start is written into a folder.

    Raises:
        SearchError: The robot is not named, lies on another side, or lacks arms, legs or a posture in which it stands.
        AndanteError: It cannot be loaded, or the file cannot be written.
    """
    side = (study.goal or "").split()[1:] or ["front"]
    if side[0] not in SIDES or len(side) > 1:
        raise SearchError("no get-up is known from this side", place="goal", value=" ".join(side), legal=SIDES)
    if study.robot is None:
        raise SearchError("a get-up is for a robot", place="robot", remedy="name it, or its file: --robot FILE")
    robot = Robot.load(study.robot)
    sagittal = Sagittal(robot, f"a get-up from the {side[0]}")
    library = start_library(robot, sagittal)
    if study.library is not None:
        library = _slowed(_begun(study.library, library), robot)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / START
    if not (folder / JOURNAL).exists():
        # The start of a study that goes on is the one that it began from.
        write_text(file, dump_document(library, units=MOTION_UNITS), follow=False)
    given = {name: getattr(study, name) for name in study.model_fields_set if name not in ("goal", "library")}
    step = robot.tick / max(1, round(robot.tick / 0.002))
    onto_front = () if side[0] == "front" else _roll_parameters(library, side[0])
    defaults: dict[str, Any] = {
        "name": name_of(robot.name[:60], "get-up", side[0], usual="get-up"),
        "experiment": "getup",
        "options": {"start": side[0], "spread": "noisy", "pauses": False},
        "set": {
            "world.timestep": step,
            "world.command_delay": _delays(robot),
            "timeout": 12.0 if side[0] == "front" else 16.0,
            "controller.break_up": False,
        },
        "library": str(file.resolve()),
        "parameters": onto_front or _parameters(robot, library, sagittal),
        "objectives": (
            Objective(metric="rise.tail", weight=1.0),
            Objective(metric="rise.best", weight=0.6),
            Objective(metric="rise.mean", weight=0.2),
            Objective(metric="rise.stood", weight=0.6),
            Objective(metric="rise.held", weight=0.6),
            Objective(metric="rise.flat", weight=0.6),
            Objective(metric="rise.late", weight=-0.3),
            Objective(metric="rise.airborne", weight=-1.0),
            Objective(metric="rise.time", weight=-0.02),
            *(() if side[0] == "front" else (Objective(metric="rise.prone", weight=1.0),)),
        ),
        "constraints": (Constraint(metric="motion.speed", at_most=1.0, penalty=2.0),),
        "success": TrialSuccess.model_validate({"metric": "rise.stood"}),
        "harder": 1.15,
        "budget": StudyBudget(evaluations=20_000, seconds=_SECONDS),
    }
    if "stages" not in given:
        defaults["stages"] = _stages(side[0], rolled="roll_over" if side[0] == "back" else "roll_side")
        defaults["seeds"] = StudySeeds(validation=SeedRange(first=100_000, count=_VALIDATION))
        defaults["objectives"] += (Objective(metric="rise.near", weight=1.0),)
        if side[0] != "front":
            defaults["parameters"] = (*_parameters(robot, library, sagittal), *onto_front)
        if "budget" in given and "seconds" not in study.budget.model_fields_set:
            given["budget"] = study.budget.model_copy(update={"seconds": _SECONDS})
    return study.model_copy(update={**defaults, **given, "goal": None, "robot": study.robot})


def _stages(side: str, rolled: str) -> tuple[Rounds, ...]:
    """How a get-up is searched: from the front alone; else first from there, then the roll, at last both together."""
    if side == "front":
        return (Rounds(type="rounds", good=_GOOD),)
    prone = {"world.start.lying": "prone"}
    return (
        Rounds(type="rounds", rounds=5, until=0.5, good=0.95, only=("blocks.front_*",), set=prone),
        Rounds(type="rounds", rounds=1, until=0.7, only=(f"blocks.{rolled}*",)),
        Rounds(type="rounds", good=_GOOD),
    )


def start_library(robot: Robot, sagittal: Sagittal) -> MotionLibrary:
    """The strategy as motions of a robot: a start of a search, which need not stand up."""
    size = max(sagittal.height, 0.05) / _SIZE
    time = math.sqrt(size)
    rolls = all(joint_with_role(robot, f"{side}_ankle_roll") is not None for side in ("left", "right"))
    poses = front_poses(sagittal)
    postures = _postures(sagittal, poses)
    goal = sagittal.com_ahead(sagittal.stand)
    frames = [
        Keyframe(duration=round(pose.duration * time, 3), joints=dict(posture_map(robot, angles)), note=pose.name)
        for pose, angles in zip(poses, postures, strict=True)
    ]
    stand = Keyframe(
        duration=round(0.9 * time, 3),
        joints=dict(posture_map(robot, sagittal.stand)),
        com_goal=(round(goal, 4), 0.0),
        note="rise",
    )
    crouch = frames[-1].but(com_goal=(round(0.003 * size, 4), 0.0))
    balance = CapturePointBalance(
        ankle_pitch=min(1.2 / size, MOST_GAIN),
        hip_pitch=min(0.4 / size, MOST_GAIN),
        # Some legs have no such joint.
        ankle_roll=min(2.0 / size, MOST_GAIN) if rolls else 0.0,
    )
    full = {group: 1.0 for group in robot.groups if group != "all"} or {"all": 1.0}
    smooth = Interpolation.SINE_MIN_TO_MAX
    blocks = {
        "stand": Block(base_stiffness=full, keyframes=(stand,), interpolation=smooth, capture_point=balance),
        "recover": Block(base_stiffness=full, keyframes=(Keyframe(duration=0.001),)),
        "front_push": Block(base_stiffness=full, keyframes=tuple(frames[:-1]), interpolation=smooth),
        "front_rise": Block(
            base_stiffness=full, keyframes=(crouch, stand), interpolation=smooth, capture_point=balance
        ),
        **roll_blocks(robot, sagittal, full, time),
    }
    motions = {
        "stand": Motion(blocks=("stand",)),
        **roll_motions(),
        "get_up_front": Motion(blocks=("front_push", "front_rise"), balance_out=True),
    }
    settings = EngineSettings(
        max_tries=3,
        balance_out=BalanceOut(max_time=3.0, max_forward=15.0 * _DEG, min_backward=-15.0 * _DEG),
    )
    library = MotionLibrary(
        robot=robot.name,
        settings=settings,
        motions=motions,
        blocks=blocks,
        note="Drawn by andante optimise from the robot's model; a start for a search.",
    )
    return _slowed(library, robot)


def _postures(sagittal: Sagittal, poses: Sequence[StrategyPose]) -> list[Vector]:
    """Postures of the poses, (nj,) each; where arms move the centre of mass, ankles follow."""
    arms = [sagittal.stand] * len(poses)
    found: list[Vector] = []
    for _ in range(2):
        legs, hands = [], []
        for pose, before in zip(poses, arms, strict=True):
            flexion, knee, hand = (each * _DEG for each in (pose.flexion, pose.knee, pose.hand))
            if pose.dorsiflexion is None:
                posture = sagittal.balanced(before, flexion, knee, pose.ahead)
            else:
                posture = sagittal.leg(before, flexion, knee, pose.dorsiflexion * _DEG)
            legs.append(posture)
            hands.append((hand, pose.reach))
        found = arms = sagittal.reach(legs, hands)
    return found


def _slowed(library: MotionLibrary, robot: Robot) -> MotionLibrary:
    """The library with longer keyframes where they would ask more of a joint than its speed limit."""
    for motion in ("get_up_front", "get_up_back", "get_up_left"):
        library = _slowed_motion(library, robot, library.motions[motion].blocks)
    return library


def _slowed_motion(library: MotionLibrary, robot: Robot, names: Sequence[str]) -> MotionLibrary:
    frames = [(name, frame) for name in names for frame in library.blocks[name].keyframes]
    for at in range(1, len(frames)):
        name, frame = frames[at]
        block = library.blocks[name].but(keyframes=(frames[at - 1][1].but(duration=1e3), frame))
        pair = library.but(motions={"m": Motion(blocks=("b",))}, blocks={"b": block})
        speed = motion_figures(pair, robot)["speed"]
        if speed > _FASTEST:
            frames[at] = name, frame.but(duration=round(frame.duration * speed / _FASTEST + 5e-4, 3))
    slowed = {
        name: library.blocks[name].but(keyframes=tuple(frame for of, frame in frames if of == name)) for name in names
    }
    return library.but(blocks={**library.blocks, **slowed})


def _parameters(robot: Robot, library: MotionLibrary, sagittal: Sagittal) -> tuple[ParameterRange, ...]:
    """What the search may change: times, what the strategy moves, gains and goals of the balance."""
    size = max(sagittal.height, 0.05) / _SIZE
    found = [ParameterRange(path="blocks.front_*.keyframes[*].duration", factor=(0.6, 1.7))]
    legs = sagittal.legs["left"].names
    arms = _moving(library.blocks["front_push"], sagittal.arms["left"].names)
    paths = [f"blocks.front_push.keyframes[*].joints.{_quoted(name)}" for name in (*legs, *arms)]
    paths += [f"blocks.front_rise.keyframes[0].joints.{_quoted(name)}" for name in (*legs, *arms[:1])]
    found += [ParameterRange(path=path, around=(-0.4, 0.4), mirrored=True) for path in paths]
    most = min(4.0 / size, MOST_GAIN)
    found.append(ParameterRange(path="blocks.front_rise.capture_point.ankle_pitch", range=(0.0, most)))
    found.append(ParameterRange(path="blocks.front_rise.capture_point.hip_pitch", range=(-0.5 * most, 0.5 * most)))
    found.append(ParameterRange(path="blocks.front_rise.keyframes[*].com_goal[0]", around=(-0.04 * size, 0.04 * size)))
    return tuple(found)


def _roll_parameters(library: MotionLibrary, side: str) -> tuple[ParameterRange, ...]:
    """What the search may change of a roll: times, and all that moves in it."""
    block = "roll_over" if side == "back" else "roll_side"
    frames = library.blocks[block].keyframes
    several = ",".join(str(number) for number in range(len(frames) - 1))
    found = [ParameterRange(path=f"blocks.{block}.keyframes[*].duration", factor=(0.6, 1.7))]
    for name in _moving(library.blocks[block], tuple(frames[0].joints)):
        path = f"blocks.{block}.keyframes[{several}].joints.{_quoted(name)}"
        found.append(ParameterRange(path=path, around=(-0.5, 0.5)))
    return tuple(found)


def _moving(block: Block, names: Sequence[str]) -> list[str]:
    """The joints of some that move in a block."""
    angles = {name: [float(frame.joints[name]) for frame in block.keyframes] for name in names}
    return [name for name in names if max(angles[name]) - min(angles[name]) > _MOVES]


def _begun(file: str, drawn: MotionLibrary) -> MotionLibrary:
    """The motions of an earlier study, which has the same names.

    Raises:
        SearchError: It lacks a motion or a block that a get-up has.
        AndanteError: It is neither a file nor the name of a shipped library, or cannot be read.
    """
    library: MotionLibrary = load_document(library_path(file), MotionLibrary)
    lacking = [name for name in drawn.motions if name not in library.motions]
    lacking += [name for name in drawn.blocks if name not in library.blocks]
    if lacking:
        remedy = "give the best.yaml of a study with this goal"
        raise SearchError("these motions lack what a get-up has", place=file, value=lacking, remedy=remedy)
    return library


def _quoted(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else f"'{name}'"


def _delays(robot: Robot) -> tuple[int, int]:
    """Ticks of delay that seeds draw: about 20 to 40 ms, and no less than the robot's own."""
    low = max(robot.delay_ticks, round(0.02 / robot.tick))
    return low, max(low, round(0.04 / robot.tick))
