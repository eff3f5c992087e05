"""Strategies for motion libraries of the walker, in values that a file in degrees and milliseconds can hold."""

from __future__ import annotations

from hypothesis import strategies as st
from walker import NAMES

from andante.documents.quantities import Units
from andante.motions.capture_point import CapturePointBalance
from andante.motions.conditions import Condition, ConditionGroup, Variable, WaitCondition
from andante.motions.keyframe import (
    Block,
    Branch,
    Interpolation,
    JointCompensation,
    JointScale,
    JointStiffness,
    Keyframe,
    LimbPose,
)
from andante.motions.library import EndRequest, EnergySaving, FollowUp, Motion, MotionLibrary
from andante.motions.parts import AngleRange, LengthRange, NumberRange, TorsoWindow, WindowRange
from andante.motions.settings import BalanceParameters, DirectionLengths, DirectionNumbers, EngineSettings, GainPair

UNITS = Units(angle="deg", time="ms", length="mm")


def quantity(dimension: str, low: int = -3000, high: int = 3000) -> st.SearchStrategy[float]:
    return st.integers(low, high).map(lambda value: UNITS.to_si(value / 10, dimension))


names = st.sampled_from(["a", "b", "standUp", "off", "1", "x y", "ä"])
joint = st.sampled_from(NAMES)
degrees = quantity("angle")
factor = st.integers(-20, 20).map(lambda value: value / 10)
share = st.integers(0, 10).map(lambda value: value / 10)


@st.composite
def ranges(draw: st.DrawFn, kind: type, dimension: str) -> object:
    return kind(min=draw(quantity(dimension)), max=draw(quantity(dimension)))


@st.composite
def conditions(draw: st.DrawFn, kind: type[Condition] = Condition) -> Condition:
    variable = draw(st.sampled_from(Variable))
    ends = quantity(variable.dimension)
    more = {"max_wait": draw(quantity("time", 0, 20000))} if kind is WaitCondition else {}
    return kind(variable=variable, min=draw(ends), max=draw(ends), negate=draw(st.booleans()), **more)


def some(strategy: st.SearchStrategy[object], size: int = 2) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, max_size=size).map(tuple)


groups = st.builds(ConditionGroup, conditions=some(conditions()), all=st.booleans())
bounds = st.one_of(degrees, st.just("keep"))
window_ranges = st.builds(WindowRange, min=bounds, max=bounds)
windows = st.builds(TorsoWindow, pitch=window_ranges, roll=window_ranges)
scales = st.builds(
    JointScale,
    joint=joint,
    scale=factor,
    sign=st.sampled_from(["default", "only_positive", "only_negative", "absolute_positive", "absolute_negative"]),
)
vector = st.tuples(quantity("length"), quantity("length"), quantity("length"))
limb_poses = st.builds(LimbPose, position=st.none() | vector, rotation=st.none() | st.tuples(degrees, degrees, degrees))
branches = st.builds(
    Branch,
    block=st.none() | names,
    motion=st.none() | names,
    init_stiffness=st.booleans(),
    remove_current_block=st.booleans(),
    pre=groups,
    early=st.none() | groups,
    unused_early=st.none() | groups,
    max_block_loops=st.integers(-1, 3),
    max_motion_loops=st.integers(-1, 3),
)
keyframes = st.builds(
    Keyframe,
    duration=quantity("time", 1, 3000),
    joints=st.dictionaries(joint, st.one_of(degrees, st.sampled_from(["off", "ignore"])), max_size=11),
    limbs=st.none() | st.dictionaries(st.sampled_from(["left_arm", "right_leg"]), limb_poses, max_size=2),
    interpolation=st.sampled_from(Interpolation),
    phase=names,
    com_goal=st.tuples(quantity("length"), quantity("length")),
    start_from_measured_com=st.booleans(),
    compensation=some(
        st.builds(
            JointCompensation,
            joint=joint,
            hip_pitch_difference=st.booleans(),
            range=ranges(AngleRange, "angle"),
            targets=some(scales),
            predict=st.booleans(),
        )
    ),
    compensation_reduce_factor=st.none() | share,
    waits=some(conditions(WaitCondition)),
    branches=some(branches),
    balance_pitch=some(scales),
    balance_roll=some(scales),
    stiffness=some(st.builds(JointStiffness, joint=joint, stiffness=share)),
    window=windows,
    window_start=st.none() | windows,
    note=st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
capture_points = st.builds(
    CapturePointBalance,
    ankle_pitch=factor,
    hip_pitch=factor,
    ankle_roll=factor,
    blend=quantity("time", 0, 3000),
    hands=share,
    max_error=quantity("length", 1, 3000),
    max_correction=quantity("angle", 1, 500),
)
blocks = st.builds(
    Block,
    capture_point=st.none() | capture_points,
    base_stiffness=st.dictionaries(st.sampled_from(["head", "left_arm", "right_arm"]), st.none() | share, max_size=3),
    keyframes=some(keyframes),
    interpolation=st.sampled_from(Interpolation),
)
motions = st.builds(
    Motion,
    blocks=some(names, 3),
    balance_out=st.booleans(),
    end_request=st.builds(EndRequest, energy_saving_legs=st.sampled_from(EnergySaving), stand_high=st.booleans()),
    stable=st.booleans(),
    follow_ups=some(st.builds(FollowUp, motion=names, conditions=some(conditions()), all=st.booleans())),
)
numbers = st.builds(DirectionNumbers, pitch=ranges(NumberRange, "number"), roll=ranges(NumberRange, "number"))
lengths = st.builds(DirectionLengths, pitch=ranges(LengthRange, "length"), roll=ranges(LengthRange, "length"))
gains = st.builds(GainPair, base=factor, max_additional=factor)
balances = st.builds(
    BalanceParameters,
    max_scaling=numbers,
    exponent=numbers,
    p_pitch=gains,
    p_roll=gains,
    d_pitch=gains,
    d_roll=gains,
    com_range=lengths,
)
libraries = st.builds(
    MotionLibrary,
    robot=st.just("walker"),
    dialect=st.sampled_from(["andante", "bhuman-2024"]),
    settings=st.builds(EngineSettings, max_tries=st.integers(1, 9), min_reduce_difference=st.none() | degrees),
    balance=st.dictionaries(names, balances, max_size=1),
    motions=st.dictionaries(names, motions, max_size=2),
    blocks=st.dictionaries(names, blocks, max_size=2),
)
