"""Configuration files to libraries and back: what every attribute means, in every dialect."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from andante.formats.bhuman.names import DIALECTS, GROUPS, JOINTS
from andante.formats.registry import FORMATS, read, write
from andante.formats.report import FormatError, ReadReport
from andante.motions.conditions import Variable
from andante.motions.keyframe import Block, Interpolation, Keyframe, LimbPose
from andante.motions.library import EnergySaving, Motion, MotionLibrary
from andante.motions.parts import AngleRange

DEGREE = math.pi / 180.0


def near(value):
    return pytest.approx(value, rel=1e-14, abs=1e-15)


def test_dialect_is_told_from_the_attributes(cfg_folder: Path, dialect: str):
    told = read(cfg_folder).dialect
    assert told == ("bhuman-2024" if dialect == "bhuman-2023" else dialect)
    assert read(cfg_folder, dialect).dialect == dialect


@pytest.mark.parametrize(
    "attribute",
    [
        "motionSpecificRetries = 2;",
        "shoulderRollThreshold = 50deg;",
        "brokenJointData = {};",
        "jointCompensationSimulationFactor = 0.3;",
    ],
)
def test_one_attribute_tells_2022(read_cfg, attribute):
    assert read_cfg(attribute).dialect == "bhuman-2022"


@pytest.mark.parametrize(
    "attribute",
    [
        "oscillationPeriod = 200;",
        "safeFallParameters = {hipPitchStiffness = 30;};",
        "keyframeBlock = {sit = {keyframes = [{jointCompensation = [{jointDelta = headYaw;}];}];};};",
        "keyframeBlock = {sit = {keyframes = [{balanceWithJoints = {jointX = [{jointBalanceType = Default;}];};}];};};",
    ],
)
def test_one_attribute_tells_2025(read_cfg, attribute):
    assert read_cfg(attribute).dialect == "bhuman-2025"


def test_settings(cfg_folder: Path, dialect: str):
    engine = read(cfg_folder, dialect).settings
    assert engine.max_tries == 5
    assert engine.break_up_on_motor_malfunction is False
    assert engine.step_mode_stiffness == 0.35
    assert engine.balance_out.max_time == near(1.2)
    assert engine.balance_out.min_backward == near(-2 * DEGREE)
    assert engine.balance_out.max_d == 60.0
    assert engine.support_offsets == near((0.07, -0.04, 0.041))
    assert engine.safe_fall.head == near(25 * DEGREE)
    assert engine.safe_fall.low_head_stiffness_after == near(0.03)
    assert engine.safe_upright.pitch.max == near(40 * DEGREE)
    old, new = dialect == "bhuman-2022", dialect == "bhuman-2025"
    assert engine.min_reduce_difference == (None if new else near(0.75 * DEGREE))
    assert (engine.retries, engine.front_retries) == ((2, 1) if old else (None, None))
    assert engine.shoulder_pitch_threshold == (near(70 * DEGREE) if old else None)
    assert engine.shoulder_roll_threshold == (near(50 * DEGREE) if old else None)
    assert engine.compensation_simulation_factor == (0.3 if old else None)
    expected = {"HeadYaw": near(50 * DEGREE), "LWristYaw": near(200 * DEGREE)} if old else None
    assert engine.broken_joint_thresholds == expected
    assert engine.safe_fall.hip_pitch_stiffness == (0.3 if new else None)
    assert engine.safe_fall.elbow_roll_stiffness == (0.2 if new else None)
    if new:
        assert engine.difference_filter is not None
        assert engine.difference_filter.max == 0.9
        assert engine.oscillation is not None
        assert engine.oscillation.period == near(0.2)
        assert engine.oscillation.error_range.max == near(10 * DEGREE)
    else:
        assert engine.difference_filter is None
        assert engine.oscillation is None


def test_motion(cfg_folder: Path):
    motion = read(cfg_folder).motions["front"]
    assert motion.blocks == ("sit", "wait")
    assert motion.balance_out
    assert motion.stable
    assert motion.note == "made up"
    assert motion.end_request.energy_saving_legs is EnergySaving.ALWAYS
    assert motion.end_request.energy_saving_arms is EnergySaving.IN_WAIT
    assert motion.end_request.stand_high
    (follow,) = motion.follow_ups
    assert follow.motion == "back"
    assert follow.all is False
    (condition,) = follow.conditions
    assert condition.variable is Variable.TORSO_PITCH
    assert (condition.min, condition.max) == near((math.pi / 2, -math.pi / 2))
    assert condition.negate


def test_keyframe(cfg_folder: Path, dialect: str):
    block = read(cfg_folder, dialect).blocks["sit"]
    assert block.base_stiffness == {
        "head": 0.2,
        "left_arm": None,
        "right_arm": 0.5,
        "left_leg": 1.0,
        "right_leg": 0.0,
    }
    assert block.interpolation is Interpolation.SINE_ZERO_TO_MAX
    (keyframe,) = block.keyframes
    assert keyframe.note == "first of all\nsecond line"
    assert keyframe.phase == "stand_static"
    assert keyframe.duration == near(0.41)
    assert keyframe.com_goal == near((0.01, -0.0025))
    assert keyframe.start_from_measured_com
    assert keyframe.forbid_wait_break
    assert keyframe.interpolation is Interpolation.LINEAR
    assert len(keyframe.joints) == 26
    assert keyframe.joints["HeadYaw"] == 0.0
    assert keyframe.joints["HeadPitch"] == "ignore"
    assert keyframe.joints["LHand"] == "off"
    assert keyframe.joints["LElbowRoll"] == near(-3.25 * DEGREE)
    assert keyframe.joints["RShoulderRoll"] == near(-9 * DEGREE)
    assert keyframe.joints["LKneePitch"] == near(121.1 * DEGREE)
    assert keyframe.joints["RAnklePitch"] == near(-67.8 * DEGREE)
    assert [(change.joint, change.stiffness) for change in keyframe.stiffness] == [
        ("LHand", 0.0),
        ("RHipYawPitch", 0.35),
    ]
    assert keyframe.balance_roll == ()
    assert [(scale.joint, scale.scale) for scale in keyframe.balance_pitch] == [
        ("LAnklePitch", 0.5),
        ("RAnkleRoll", -0.5),
    ]
    assert keyframe.balance_pitch[0].sign == ("only_negative" if dialect == "bhuman-2025" else "default")
    (wait,) = keyframe.waits
    if dialect == "bhuman-2025":
        assert (wait.variable, wait.max) == (Variable.ANOTHER_FRONT_HACK, 16.67)
    else:
        assert wait.variable is Variable.TORSO_PITCH_FLUCTUATION
        assert wait.max == near(16.67 * DEGREE)
    assert wait.max_wait == near(0.41)


def test_compensation(cfg_folder: Path, dialect: str):
    keyframe = read(cfg_folder, dialect).blocks["sit"].keyframes[0]
    (rule,) = keyframe.compensation
    assert rule.joint == "LHipYawPitch"
    assert rule.range == AngleRange(min=1 * (math.pi / 180), max=-20 * (math.pi / 180))
    assert [(scale.joint, scale.scale) for scale in rule.targets] == [("LHipPitch", 1.0), ("RHipPitch", 0.5)]
    assert rule.predict
    assert not rule.hip_pitch_difference
    assert keyframe.compensation_reduce_factor == (None if dialect == "bhuman-2025" else 0.25)


def test_branches(cfg_folder: Path):
    first, second = read(cfg_folder).blocks["sit"].keyframes[0].branches
    assert (first.block, first.motion) == ("wait", "back")
    assert first.init_stiffness
    assert first.remove_current_block
    assert first.pre.all is False
    assert (first.pre.conditions[0].min, first.pre.conditions[0].max) == near((-2.0, 0.23))
    assert first.early is not None
    assert first.early.conditions[0].min == near(0.1)
    assert first.unused_early is None
    assert (first.max_block_loops, first.max_motion_loops) == (3, -1)
    assert (second.block, second.motion, second.early) == ("wait", None, None)
    assert second.unused_early is not None
    assert second.unused_early.all is False
    assert (second.max_block_loops, second.max_motion_loops) == (-1, 2)


def test_windows_and_limbs(cfg_folder: Path):
    keyframe = read(cfg_folder).blocks["sit"].keyframes[0]
    assert keyframe.window.pitch.min == near(-45 * DEGREE)
    assert keyframe.window.pitch.max == "keep"
    assert keyframe.window_start is not None
    assert keyframe.window_start.roll.min == "keep"
    assert keyframe.window_start.pitch.max == near(2000 * DEGREE)
    assert keyframe.limbs is not None
    assert set(keyframe.limbs) == {"right_arm", "left_leg"}
    assert keyframe.limbs["right_arm"].position == near((0.1, -0.05, 0.01))
    assert keyframe.limbs["right_arm"].rotation is None
    assert keyframe.limbs["left_leg"] == LimbPose(rotation=(90 * (math.pi / 180), 0.0, 0.0))


def test_balance(cfg_folder: Path):
    balance = read(cfg_folder).balance
    assert list(balance) == ["unknown"]
    parameters = balance["unknown"]
    assert (parameters.max_scaling.roll.min, parameters.max_scaling.roll.max) == (0.0, 1.0)
    assert parameters.exponent.roll.min == 2.5
    assert (parameters.p_pitch.base, parameters.p_pitch.max_additional) == (4.0, 5.0)
    assert (parameters.p_roll.base, parameters.d_pitch.base, parameters.d_roll.base) == (0.4, 1.0, 0.0)
    assert (parameters.com_range.pitch.min, parameters.com_range.pitch.max) == near((-0.05, 0.02))


def test_parameters_file_alone(cfg_folder: Path):
    library = read(cfg_folder / "keyframeMotionParameters.cfg")
    assert list(library.balance) == ["unknown"]
    assert library.blocks == {}


def test_engine_file_takes_the_parameters_beside_it(cfg_folder: Path):
    assert read(cfg_folder / "keyframeMotionEngine.cfg") == read(cfg_folder)
    (cfg_folder / "keyframeMotionParameters.cfg").unlink()
    assert read(cfg_folder).balance == {}


def test_every_line_survives_writing(cfg_folder: Path, dialect: str, tmp_path: Path):
    library = read(cfg_folder, dialect)
    files = write(library, tmp_path / "out", dialect)
    assert [file.name for file in files] == ["keyframeMotionEngine.cfg", "keyframeMotionParameters.cfg"]
    for file in files:
        written = file.read_text().splitlines()
        position = 0
        for line in (cfg_folder / file.name).read_text().splitlines():
            assert line in written[position:], line
            position = written.index(line, position) + 1
    again = read(tmp_path / "out", dialect)
    assert again.blocks["sit"] == library.blocks["sit"]
    assert again.motions["front"] == library.motions["front"]
    assert again.settings == library.settings
    assert again.balance["unknown"] == library.balance["unknown"]
    assert again.note == library.note


def test_a_complete_file_is_read_without_a_word_and_written_the_same(cfg_folder: Path, dialect: str, tmp_path: Path):
    if dialect == "bhuman-2022":
        engine = cfg_folder / "keyframeMotionEngine.cfg"
        engine.write_text(re.sub(r"brokenJointData = .*\n", "", engine.read_text()))
        report = ReadReport()
        library = read(cfg_folder, dialect, report=report)
        assert any("'brokenJointData' is missing" in str(warning) for warning in report.warnings)
    else:
        library = read(cfg_folder, dialect)
    write(library, tmp_path / "one", dialect)
    report = ReadReport()
    whole = read(tmp_path / "one", dialect, report=report)
    assert report.warnings == []
    expected = ["the files of 2023 and 2024 do not differ"] if dialect == "bhuman-2023" else []
    losses = [loss for loss in FORMATS[dialect].losses(whole) if "written empty" not in loss]
    assert len(losses) == len(expected)
    assert all(start in loss for start, loss in zip(expected, losses, strict=True))
    for first, second in zip(
        write(whole, tmp_path / "one", dialect), write(whole, tmp_path / "two", dialect), strict=True
    ):
        assert first.read_bytes() == second.read_bytes()
    assert read(tmp_path / "two", dialect) == whole


def test_missing_attributes_keep_the_defaults_and_are_told(read_cfg):
    report = ReadReport()
    library = read_cfg("keyframeBlock = {sit = {keyframes = [{duration = 5;}];};};", report=report)
    (keyframe,) = library.blocks["sit"].keyframes
    assert keyframe == Keyframe(duration=0.005, joints=dict.fromkeys(keyframe.joints, 0.0))
    assert library.blocks["sit"].base_stiffness == dict.fromkeys(library.blocks["sit"].base_stiffness, 0.0)
    told = [str(warning) for warning in report.warnings]
    assert any(
        text.endswith(
            "motion.cfg:1:38: keyframeBlock.sit.keyframes[0]: the attribute 'phase' is missing; its default is kept"
        )
        for text in told
    )
    assert any("keyframeBlock: attributes are missing: sitDown, stand, " in text for text in told)
    assert library.settings == MotionLibrary(robot="nao").settings


def test_lost_comments_and_a_stray_brace_are_told(read_cfg):
    report = ReadReport()
    read_cfg("maxTryCounter = 6; // six\nmotions = { // all\n}; /* x */ } more", report=report)
    told = "\n".join(str(warning) for warning in report.warnings)
    assert "motion.cfg:1:20: 2 comments are not kept" in told
    assert "motion.cfg:2:11: motions: the comment is not kept" in told
    assert "motion.cfg:3:12: a stray '}' ends the file here; what follows is not read" in told


def test_aliases_of_2025(read_cfg, engine_text):
    text = engine_text("bhuman-2025").replace("jointDelta = lHipYawPitch", "jointDelta = lHipYaw")
    assert read_cfg(text).blocks["sit"].keyframes[0].compensation[0].joint == "LHipYawPitch"
    text = text.replace("joint = lHand", "joint = waistYaw")
    assert read_cfg(text).blocks["sit"].keyframes[0].stiffness[0].joint == "WaistYaw"


def test_losses_say_all_that_changes(tmp_path: Path):
    from andante.motions.capture_point import CapturePointBalance
    from andante.motions.conditions import Condition, ConditionGroup, WaitCondition
    from andante.motions.keyframe import Branch, JointCompensation, JointScale, JointStiffness

    hack = Condition(variable=Variable.ANOTHER_FRONT_HACK, min=0.0, max=1.0)
    keyframe = Keyframe(
        duration=0.5,
        joints={"LKneePitch": 1.0, "Tail": 0.1},
        phase="my_phase",
        compensation=(
            JointCompensation(
                joint="LHipYawPitch",
                range=AngleRange(min=0.0, max=1.0),
                targets=(
                    JointScale(joint="Tail", scale=1.0),
                    JointScale(joint="LHipPitch", scale=1.0, sign="only_positive"),
                ),
            ),
        ),
        waits=(WaitCondition(variable=Variable.WAIT_TIME, min=0.0, max=1.0, max_wait=0.0105),),
        branches=(
            Branch(block="my block"),
            Branch(motion="front"),
            Branch(),
            Branch(block="sit", early=ConditionGroup(conditions=(hack,)), unused_early=ConditionGroup()),
        ),
        stiffness=(JointStiffness(joint="LKneePitch", stiffness=0.355),),
        note="  indented",
        limbs={"tail": LimbPose()},
    )
    library = MotionLibrary(
        robot="nao",
        blocks={
            "sit": Block(
                keyframes=(keyframe,),
                base_stiffness={"head": 0.5, "tail": 0.1},
                capture_point=CapturePointBalance(hip_pitch=1.0),
            ),
            "my block": Block(),
        },
        motions={"front": Motion(blocks=("sit", "my block", "none")), "mine": Motion(), "1st": Motion()},
    )
    losses = FORMATS["bhuman"].losses(library)
    place = "blocks.sit.keyframes[0]"
    assert [loss for loss in losses if "written empty" not in loss] == [
        "dialect: andante becomes bhuman-2024",
        "motions.1st: the name is none for an enumeration (letters, digits and _, no digit first); it is left out",
        "motions: bhuman-2024 has no such names; add them to the enumeration KeyframeMotionListID in the robot's code: "
        "mine",
        "motions.front.blocks: block 'my block' is not in the file; it is left out",
        "motions.front.blocks: block 'none' is not in the file; it is left out",
        "blocks.my block: the name is none for an enumeration (letters, digits and _, no digit first); it is left out",
        "blocks.sit.base_stiffness: joint group 'tail' has no place; it is left out",
        "blocks.sit.capture_point: bhuman-2024 has no such balance; it is left out",
        "joint groups without a base stiffness are written as unchanged",
        f"{place}.phase: 'my_phase' is none of the file's phases; 'unknown' is written",
        f"{place}.compensation[0].targets: joint 'Tail' has no name in bhuman-2024; it is left out",
        f"{place}.compensation[0].targets: the sign rule 'only_positive' of joint 'LHipPitch' is left out",
        f"{place}.compensation_reduce_factor: there is none; 0.2 is written",
        f"{place}.waits[0].max_wait: 10.5 ms is written as 10 ms",
        f"{place}.branches[0]: block 'my block' is not in the file; it is left out",
        f"{place}.branches[1].block: the file needs one; 'sit' is written, which is not used",
        f"{place}.branches[2]: the branch leads nowhere; it is left out",
        f"{place}.branches[3].unused_early: conditions that are switched off are left out beside used ones",
        f"{place}.branches[3].early: condition variable 'another_front_hack' has no name in bhuman-2024; "
        "it is left out",
        f"{place}.stiffness.LKneePitch: 35.5 % is written as 36 %",
        f"{place}.joints: joint 'Tail' has no target in the file; it is left out",
        "joints that a keyframe does not name are written as ignored ones",
        f"{place}.limbs: limb 'tail' has no place in the file; it is left out",
        f"{place}.note: blanks and empty lines around the note's text are not kept",
    ]
    write(library, tmp_path / "out")
    back = read(tmp_path / "out").blocks["sit"].keyframes[0]
    assert back.joints["LKneePitch"] == pytest.approx(1.0, rel=1e-11)
    assert back.joints["RKneePitch"] == "ignore"
    assert len(back.branches) == 2


def test_what_the_file_has_no_name_for_is_left_out_and_the_rest_stays(tmp_path: Path):
    from andante.motions.keyframe import Branch, JointCompensation, JointScale, JointStiffness
    from andante.motions.library import FollowUp

    span = AngleRange(min=0.0, max=1.0)
    keyframe = Keyframe(
        duration=0.5,
        joints=dict.fromkeys(JOINTS, 0.0),
        compensation=tuple(
            JointCompensation(joint=joint, range=span, targets=(JointScale(joint="LHipPitch", scale=1.0),))
            for joint in ("Tail", "LKneePitch")
        ),
        compensation_reduce_factor=0.3,
        stiffness=tuple(JointStiffness(joint=joint, stiffness=0.5) for joint in ("Tail", "RElbowRoll")),
        branches=(Branch(motion="nowhere"), Branch(block="nowhere"), Branch(motion="front")),
    )
    library = MotionLibrary(
        robot="nao",
        dialect="bhuman-2024",
        blocks={"sit": Block(keyframes=(keyframe,), base_stiffness=dict.fromkeys(GROUPS, 0.5))},
        motions={"front": Motion(blocks=("sit",), follow_ups=(FollowUp(motion="gone"), FollowUp(motion="front")))},
    )
    place = "blocks.sit.keyframes[0]"
    losses = FORMATS["bhuman"].losses(library)
    for loss in (
        "motions.front.follow_ups[0]: motion 'gone' is not in the file; it is left out",
        f"{place}.compensation[0]: joint 'Tail' has no name in bhuman-2024; it is left out",
        f"{place}.stiffness: joint 'Tail' has no name in bhuman-2024; it is left out",
        f"{place}.branches[0]: motion 'nowhere' is not in the file; it is left out",
        f"{place}.branches[1]: block 'nowhere' is not in the file; it is left out",
    ):
        assert loss in losses
    write(library, tmp_path / "out")
    back = read(tmp_path / "out")
    kept = back.blocks["sit"].keyframes[0]
    assert [follow.motion for follow in back.motions["front"].follow_ups] == ["front"]
    assert [rule.joint for rule in kept.compensation] == ["LKneePitch"]
    assert kept.compensation_reduce_factor == pytest.approx(0.3)
    assert [(change.joint, change.stiffness) for change in kept.stiffness] == [("RElbowRoll", pytest.approx(0.5))]
    assert [branch.motion for branch in kept.branches] == ["front"]


def test_nothing_else_is_lost(tmp_path: Path):
    keyframe = Keyframe(duration=0.25, joints=dict.fromkeys(JOINTS, 0.125), note="a note\nof two lines")
    sit = Block(keyframes=(keyframe,), base_stiffness=dict.fromkeys(GROUPS, 0.25), note="sits; {with} // signs")
    library = MotionLibrary(
        robot="nao", dialect="bhuman-2024", blocks={"sit": sit}, motions={"sit": Motion(blocks=("sit",))}, note="mine"
    )
    assert all("written empty" in loss for loss in FORMATS["bhuman"].losses(library))
    write(library, tmp_path / "out")
    back = read(tmp_path / "out")
    assert back.note == "mine"
    assert back.blocks["sit"].note == sit.note
    assert back.blocks["sit"].keyframes[0].note == keyframe.note
    assert back.blocks["sit"].keyframes[0].joints == pytest.approx(keyframe.joints, rel=1e-11)
    assert back.blocks["sit"].base_stiffness == sit.base_stiffness
    assert back.motions["sit"] == library.motions["sit"]
    assert back.settings == library.settings


angles = st.one_of(st.floats(-1e3, 1e3, allow_subnormal=False), st.sampled_from(("off", "ignore")))
notes = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)
keyframes = st.builds(
    Keyframe,
    duration=st.floats(1e-3, 1e3),
    joints=st.fixed_dictionaries(dict.fromkeys(JOINTS, angles)),
    com_goal=st.tuples(st.floats(-1, 1, allow_subnormal=False), st.floats(-1, 1, allow_subnormal=False)),
    interpolation=st.sampled_from(Interpolation),
    start_from_measured_com=st.booleans(),
    note=notes,
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(keyframes, max_size=2), notes, st.sampled_from(DIALECTS))
@example([], "\xa0", "bhuman-2022")
def test_any_library_is_written_readably(tmp_path: Path, made: list[Keyframe], note: str, dialect: str):
    block = Block(keyframes=tuple(made), base_stiffness=dict.fromkeys(GROUPS, 0.5), note=note)
    library = MotionLibrary(robot="nao", dialect=dialect, blocks={"sit": block}, note=note)
    losses = FORMATS[dialect].losses(library)
    write(library, tmp_path / "out", dialect)
    back = read(tmp_path / "out", dialect)
    if not any(loss.startswith("note:") for loss in losses):
        assert (back.note, back.blocks["sit"].note) == (note, note)
    for first, second in zip(back.blocks["sit"].keyframes, made, strict=True):
        assert first.duration == pytest.approx(second.duration, rel=1e-11)
        assert first.com_goal == pytest.approx(second.com_goal, rel=1e-11, abs=1e-300)
        assert first.interpolation is second.interpolation
        for joint, target in second.joints.items():
            same = target if isinstance(target, str) else pytest.approx(target, rel=1e-11, abs=1e-300)
            assert first.joints[joint] == same


def test_numbers_that_the_file_cannot_hold_are_refused(tmp_path: Path):
    huge = Block(keyframes=(Keyframe(duration=0.5, joints={"HeadYaw": 1e308}),))
    with pytest.raises(FormatError, match="a number is too large for the file"):
        write(MotionLibrary(robot="nao", blocks={"sit": huge}), tmp_path / "out")
    many = MotionLibrary(robot="nao").settings.model_copy(update={"max_tries": 2**40})
    with pytest.raises(FormatError, match="a whole number has more than 32 bits"):
        write(MotionLibrary(robot="nao", settings=many), tmp_path / "out")
