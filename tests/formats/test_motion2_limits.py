"""HULKs' `.motion2` at its limits: units by the header, stiffness at ends, what is kept, written and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from andante.formats.hulks.motion2 import Motion2Codec, stiffness_at_ends
from andante.formats.hulks.names import NUMBERED
from andante.formats.registry import read, write
from andante.formats.report import FormatError, Losses, ReadReport
from andante.motions.keyframe import Block, JointStiffness, Keyframe
from andante.motions.library import Motion, MotionLibrary

DAY = 86_400_000


def data_of(times=(100, 200), *, joints=(0, 1), header=None, dialect="position", stiffness=None, values=None):
    values = values or [[0.1 * (number + 1)] * len(joints) for number in range(len(times))]
    entries = [{"parameters": row, "time": time} for time, row in zip(times, values, strict=True)]
    data = {"header": {"joints": list(joints), **({"time": sum(times)} if header is None else header)}}
    data[dialect] = entries if dialect == "position" else [{"command": entry} for entry in entries]
    if stiffness is not None:
        data["stiffness"] = [{"parameters": row, "time": time} for time, row in stiffness]
    return data


def load(data, time="header"):
    report = ReadReport(time=time)
    library = Motion2Codec().decode(json.dumps(data), Path("kick.motion2"), report)
    return library, [str(warning) for warning in report.warnings]


def keyframes(data):
    return load(data)[0].blocks["kick"].keyframes


def written(library):
    losses = Losses()
    return json.loads(Motion2Codec().encode_file(library, losses)), losses.texts


def refusal(data):
    with pytest.raises(FormatError) as caught:
        load(data)
    return str(caught.value)


def motion(*frames, extras=None):
    return MotionLibrary(
        robot="nao",
        motions={"kick": Motion(blocks=("kick",), extras=extras or {})},
        blocks={"kick": Block(keyframes=frames)},
    )


# Reading --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", ["position", "commands"])
def test_times_are_milliseconds_and_angles_radians(dialect):
    first, second = keyframes(data_of((100, 250), dialect=dialect, values=[[0.5, -0.25], [1.0, 2.0]]))
    assert (first.duration, second.duration) == (0.1, 0.25)
    assert dict(first.joints) == {NUMBERED[0]: 0.5, NUMBERED[1]: -0.25}
    assert dict(second.joints) == {NUMBERED[0]: 1.0, NUMBERED[1]: 2.0}


def test_a_pose_that_takes_no_time_comes_back():
    data = data_of((0, 100))
    library, warnings = load(data)
    assert warnings == []
    assert written(library)[0] == data
    still = data_of((0, 0), header={"time": 500})
    library, warnings = load(still)
    assert "the header says 500 ms, the poses take 0 ms" in warnings[0]
    assert written(library)[0] == still


@pytest.mark.parametrize(
    ("poses", "track", "expected"),
    [
        ([10, 10], [], [None, None]),
        ([10, 10], [(10, 1), (10, 2)], [1, 2]),
        ([10, 10], [(9, 1), (1, 2), (10, 3)], [2, 3]),
        ([10, 10], [(11, 1), (1, 2)], [1, 2]),
        ([10, 10], [(5, 1)], [1, 1]),
        ([10, 10, 10], [(5, 1), (2, 2)], [2, 2, 2]),
        ([0, 10], [(0, 1), (10, 2)], [1, 2]),
        ([30], [(10, 1), (10, 2), (10, 3), (10, 4)], [3]),
    ],
)
def test_a_keyframe_has_the_stiffness_in_force_at_its_end(poses, track, expected):
    found = stiffness_at_ends([(time, []) for time in poses], [(time, [value]) for time, value in track])
    assert found == [[] if value is None else [value] for value in expected]


def test_only_changes_of_stiffness_are_kept_with_the_keyframes():
    track = [(100, [0.5, 1.0]), (200, [0.5, 0.25]), (50, [0.5, 0.25])]
    first, second, third = keyframes(data_of((100, 200, 50), stiffness=track))
    assert first.stiffness == (
        JointStiffness(joint=NUMBERED[0], stiffness=0.5),
        JointStiffness(joint=NUMBERED[1], stiffness=1.0),
    )
    assert second.stiffness == (JointStiffness(joint=NUMBERED[1], stiffness=0.25),)
    assert third.stiffness == ()


@pytest.mark.parametrize(
    ("track", "told"),
    [
        ([(100, 0.5), (200, 1.0)], False),
        ([(300, 0.5)], False),
        # What ends last ends nothing that a keyframe misses.
        ([(100, 0.5), (50, 1.0)], False),
        ([(50, 0.5), (250, 1.0)], True),
        ([(50, 0.5), (50, 0.6), (200, 1.0)], True),
    ],
)
def test_a_stiffness_that_changes_inside_a_keyframe_is_told(track, told):
    _, warnings = load(data_of(stiffness=[(time, [value] * 2) for time, value in track]))
    assert any("the stiffness changes between keyframes" in warning for warning in warnings) is told


def test_what_the_format_alone_says_is_kept_and_written_again():
    data = data_of(
        header={"time": 300, "title": "a kick", "version": "1.7"}, stiffness=[(100, [0.5, 1]), (200, [1, 1])]
    )
    library, _ = load(data)
    assert library.motions["kick"].extras["hulks-motion2"] == {
        "time": 300,
        "title": "a kick",
        "version": "1.7",
        "joints": [0, 1],
        "stiffness": [[100, [0.5, 1]], [200, [1, 1]]],
    }
    assert written(library)[0] == data
    bare = {"header": {"joints": [1, 0]}, "position": data_of()["position"]}
    assert written(load(bare)[0])[0] == bare


def test_types_of_commands_are_kept():
    data = data_of(dialect="commands")
    data["commands"][1]["command"]["type"] = 1000
    library, _ = load(data)
    assert library.motions["kick"].extras["hulks-motion2"]["commands"] == [None, 1000]
    assert written(library)[0] == data
    # Without one of its keyframes the list no longer fits, and positions are written.
    block = library.blocks["kick"]
    shorter = library.model_copy(
        update={"blocks": {"kick": block.model_copy(update={"keyframes": block.keyframes[:1]})}}
    )
    assert set(written(shorter)[0]) == {"header", "position"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.pop("position"), "there are no poses; legal: position, commands"),
        (lambda data: data.update(commands=[]), "a file has either 'position' or 'commands'"),
        (lambda data: data["header"].update(joints=[0, 26]), "header.joints[1]"),
        (lambda data: data["header"].update(joints=[-1, 0]), "header.joints[0]"),
        (lambda data: data["header"].update(joints=[3, 3]), "header.joints[1]: the joint stands twice; got 3"),
        (lambda data: data["header"].update(time=-1), "header.time"),
        (lambda data: data["position"][1].update(parameters=[1.0]), "there are 1 of 2 values"),
        (lambda data: data["position"][1].update(parameters=[1.0] * 3), "there are 3 of 2 values"),
        (lambda data: data["position"][0].update(parameters=[1.0, 10**9 + 1]), "position[0].parameters[1]"),
        (lambda data: data["position"][0].update(parameters=[-(10**9) - 1, 0]), "position[0].parameters[0]"),
        (lambda data: data["position"][0].update(time=-0.5), "position[0].time"),
        (lambda data: data["position"][0].update(time=DAY + 1), "position[0].time"),
        (lambda data: data.update(stiffness=[{"time": 1, "parameters": [0.5, 1.01]}]), "stiffness[0].parameters[1]"),
        (lambda data: data.update(stiffness=[{"time": 1, "parameters": [-0.01, 1]}]), "stiffness[0].parameters[0]"),
        (lambda data: data["header"].pop("joints"), "joints"),
        (lambda data: data.pop("header"), "header"),
        (lambda data: data.update(speed=1), "speed"),
        (lambda data: data["position"][0].update(speed=1), "speed"),
    ],
)
def test_what_breaks_the_format_is_named(change, message):
    data = data_of()
    change(data)
    assert message in refusal(data)


@pytest.mark.parametrize(
    ("values", "named"),
    [([10**9 + 1, 0], "parameters[0]"), ([0, -(10**9) - 1], "parameters[1]"), ([10**9, -(10**9)], "")],
)
def test_values_in_commands_have_the_limits_of_those_in_positions(values, named):
    data = data_of((100,), dialect="commands", values=[values])
    if named:
        assert f"commands[0].command.{named}" in refusal(data)
    else:
        assert dict(keyframes(data)[0].joints) == dict(zip(NUMBERED[:2], values, strict=True))


@pytest.mark.parametrize("kind", [-1, 1001, 1.5, "a"])
def test_types_of_commands_are_small_whole_numbers(kind):
    data = data_of(dialect="commands")
    data["commands"][0]["command"]["type"] = kind
    assert "commands[0].command.type" in refusal(data)


def test_values_at_the_limits_are_read():
    data = data_of((DAY, 0), values=[[1e9, -1e9], [0, 0]], joints=(25, 0), stiffness=[(1, [0.0, 1.0])])
    first, _ = keyframes(data)
    assert first.duration == 86_400.0
    assert dict(first.joints) == {NUMBERED[25]: 1e9, NUMBERED[0]: -1e9}
    commands = data_of(dialect="commands")
    for entry, kind in zip(commands["commands"], (0, 1000), strict=True):
        entry["command"]["type"] = kind
    assert load(commands)[1] == []


# Writing --------------------------------------------------------------------------------------------------------------


def test_a_library_of_others_is_written_with_all_joints_in_their_order():
    library = motion(
        Keyframe(duration=0.1, joints={"HeadYaw": 0.5, "RKneePitch": 1.0}),
        Keyframe(duration=0.25, joints={"HeadYaw": 1.0}),
    )
    data, _ = written(library)
    assert data["header"] == {"joints": list(range(26)), "time": 350, "title": "kick", "version": "2.0"}
    first, second = data["position"]
    assert (first["time"], second["time"]) == (100, 250)
    knee = NUMBERED.index("RKneePitch")
    assert (first["parameters"][0], first["parameters"][knee]) == (0.5, 1.0)
    # An angle holds until it is given anew.
    assert (second["parameters"][0], second["parameters"][knee]) == (1.0, 1.0)
    assert "stiffness" not in data
    assert all(type(time) is int for time in (first["time"], second["time"]))


def test_joints_that_came_later_follow_those_of_the_file():
    extras = {"hulks-motion2": {"joints": [5, 2]}}
    frame = Keyframe(duration=0.1, joints={NUMBERED[number]: 0.1 * number for number in (0, 2, 5, 25)})
    data, _ = written(motion(frame, extras=extras))
    assert data["header"]["joints"] == [5, 2, 0, 25]
    assert data["position"][0]["parameters"] == pytest.approx([0.5, 0.2, 0.0, 2.5])


@pytest.mark.parametrize("joints", [[5, 5, 2], [5, 99, 2], [-1, 5, 2], [26, 5, 2]])
def test_numbers_of_no_joint_in_the_extras_are_left_out(joints):
    frame = Keyframe(duration=0.1, joints={NUMBERED[number]: 0.1 for number in (2, 5)})
    data, _ = written(motion(frame, extras={"hulks-motion2": {"joints": joints}}))
    assert data["header"]["joints"] == [5, 2]


def test_wrong_joints_in_the_extras_are_forgotten():
    frame = Keyframe(duration=0.1, joints={NUMBERED[number]: 0.1 for number in (2, 5)})
    for joints in (["a"], "x", [1.5], {"a": 1}):
        data, _ = written(motion(frame, extras={"hulks-motion2": {"joints": joints}}))
        assert data["header"]["joints"] == [2, 5]


def test_stiffness_that_no_track_holds_is_written_for_each_keyframe():
    half = (JointStiffness(joint="HeadYaw", stiffness=0.5),)
    frames = [
        Keyframe(duration=0.1, joints={"HeadYaw": 0.1}),
        Keyframe(duration=0.2, joints={"HeadYaw": 0.2}, stiffness=half),
    ]
    data, losses = written(motion(*frames, extras={"hulks-motion2": {"joints": [0, 1]}}))
    assert data["stiffness"] == [
        {"parameters": [1, 1], "time": 100},
        {"parameters": [0.5, 1], "time": 200},
    ]
    assert any("joints without a stiffness are written with 1" in loss for loss in losses)
    both = (*half, JointStiffness(joint="HeadPitch", stiffness=0.75))
    data, losses = written(
        motion(frames[0].model_copy(update={"stiffness": both}), extras={"hulks-motion2": {"joints": [0, 1]}})
    )
    assert data["stiffness"] == [{"parameters": [0.5, 0.75], "time": 100}]
    assert not any("joints without a stiffness" in loss for loss in losses)


def test_the_track_of_the_file_is_written_while_the_keyframes_agree_with_it():
    track = [(40, [0.5, 1.0]), (60, [0.25, 1.0]), (300, [0.75, 1.0])]
    library, _ = load(data_of((100, 200), stiffness=track))
    assert written(library)[0]["stiffness"] == [{"parameters": values, "time": time} for time, values in track]
    block = library.blocks["kick"]
    other = block.keyframes[1].model_copy(update={"stiffness": (JointStiffness(joint=NUMBERED[0], stiffness=0.8),)})
    changed = library.model_copy(
        update={"blocks": {"kick": block.model_copy(update={"keyframes": (block.keyframes[0], other)})}}
    )
    assert written(changed)[0]["stiffness"] == [
        {"parameters": [0.25, 1], "time": 100},
        {"parameters": [0.8, 1], "time": 200},
    ]


def test_losses_of_joints_and_of_stiffness_in_commands_are_told():
    library, _ = load(data_of(dialect="commands"))
    block = library.blocks["kick"]
    stiff = block.keyframes[0].model_copy(
        update={
            "stiffness": (JointStiffness(joint=NUMBERED[0], stiffness=0.8),),
            "joints": {**block.keyframes[0].joints, "Tail": 0.1},
        }
    )
    changed = library.model_copy(
        update={"blocks": {"kick": block.model_copy(update={"keyframes": (stiff, block.keyframes[1])})}}
    )
    data, losses = written(changed)
    assert "stiffness" not in data
    assert set(data) == {"header", "commands"}
    assert any("a file of commands has no stiffness" in loss for loss in losses)
    assert any("joint 'Tail' has no number in the format" in loss for loss in losses)


# Knowing it -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"header": {"joints": [0]}, "position": []}', True),
        (b'  {"commands": [], "header" : { "time": 1}', True),
        (b'{"header": {"joints": [0]', True),
        (b'{"header": 1, "position": []}', False),
        (b'{"header": {"time": 1}}', False),
        (b'["header": {"joints": [0]}]', False),
        (b"", False),
    ],
)
def test_a_file_is_known_by_its_beginning(head, known):
    assert Motion2Codec().sniff(head, Path("a.motion2")) == (0.9 if known else 0.0)


def test_files_come_back_byte_for_byte(tmp_path):
    library, _ = load(data_of((100, 250.5), stiffness=[(100, [0.5, 1]), (200, [1, 1])]))
    write(library, tmp_path / "kick.motion2")
    raw = (tmp_path / "kick.motion2").read_bytes()
    write(read(tmp_path / "kick.motion2"), tmp_path / "again.motion2")
    assert (tmp_path / "again.motion2").read_bytes() == raw
