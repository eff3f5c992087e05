"""Keyframes on robots that measure no orientation: played open loop where nothing looks at it, else refused."""

from __future__ import annotations

import pytest
from keyframe_run import NARROW, block, get_up_library, keyframe, library, pitch_above, request_library

from andante.control.controller import ControlError
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.sensor_parts import NEEDED, SensorPart

ABSENT = ("orientation", "gyro", "accelerometer")
PLAIN = {"a": [keyframe(100, {"HeadYaw": 0.5})]}


def one(frame, **more):
    return library({"a": block(frame)}, {"a": {"blocks": ["a"], **more}})


def test_a_plain_motion_needs_no_imu_where_the_robot_has_none(tiny):
    engine = KeyframeEngine(tiny, request_library(**PLAIN), "a")
    assert engine.needs == NEEDED
    engine.do_without(("velocity",))
    assert engine.needs == NEEDED
    engine.do_without(ABSENT)
    assert engine.needs == NEEDED - {SensorPart.IMU}


@pytest.mark.parametrize(
    ("played", "told", "without"),
    [
        (one(keyframe(100, waits=[pitch_above(0.1)["conditions"][0]])), ".waits looks at torso_pitch", "waits"),
        (one(keyframe(100, window=NARROW)), "blocks.a.keyframes[0].window", "break_up"),
        (one(keyframe(100, branches=[{"block": "a", "early": pitch_above(0.1)}])), "branches[0]", "branches"),
        (one(keyframe(100), balance_out=True), "motions.a.balance_out", "balance"),
        (one(keyframe(100), follow_ups=[{"motion": "a", **pitch_above(0.1)}]), "follow_ups[0]", ""),
    ],
)
def test_what_looks_at_the_orientation_is_named_with_what_does_without(tiny, played, told, without):
    engine = KeyframeEngine(tiny, played, "a")
    with pytest.raises(ControlError, match="look at the orientation, which the robot does not measure: ") as caught:
        engine.do_without(ABSENT)
    assert told in str(caught.value)
    assert engine.needs == NEEDED
    if without:
        assert f"controller.{without}=false" in str(caught.value)
        KeyframeEngine(tiny, played, "a", KeyframeEngineSettings(**{without: False})).do_without(ABSENT)


def test_get_ups_and_watched_falls_are_refused_also_when_asked_for_later(tiny):
    engine = KeyframeEngine(tiny, get_up_library(), MotionRequest(None))
    with pytest.raises(ControlError, match="a get-up chooses its motion by it"):
        engine.do_without(ABSENT)
    plain = request_library(**PLAIN)
    with pytest.raises(ControlError, match=r"falls are watched for.*controller\.catch_falls=false"):
        KeyframeEngine(tiny, plain, "a", KeyframeEngineSettings(catch_falls=True)).do_without(ABSENT)
    blocks = {"a": block(*PLAIN["a"]), "b": block(keyframe(100, window=NARROW))}
    engine = KeyframeEngine(tiny, library(blocks, {"a": {"blocks": ["a"]}, "b": {"blocks": ["b"]}}), "a")
    engine.do_without(ABSENT)
    with pytest.raises(ControlError, match=r"blocks\.b\.keyframes\[0\]\.window"):
        engine.request("b")
    with pytest.raises(ControlError, match="falls are watched for"):
        engine.change(KeyframeEngineSettings(catch_falls=True))
    assert engine.settings.catch_falls is None
