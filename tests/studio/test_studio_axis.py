"""What the time axis is drawn from: the engine's way at any moment, the lanes of a run, tries after each edit."""

from __future__ import annotations

import base64
import struct

import numpy as np
import pytest
from served import Served
from socket_clients import StudioClient
from studio_text import TEXT

from andante.motions.interpolation import CURVES
from andante.motions.sampling import sample_motion, start_posture
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.studio.lanes import KeptLanes
from andante.studio.view import LANES, WAYS, trajectory_message


def test_the_way_between_ticks_is_the_curve_of_the_keyframe() -> None:
    robot, library = Robot.load("nao"), load_library(TEXT)
    start = start_posture(robot)
    trajectory = sample_motion(library, robot, "wave", start)
    joint = robot.index("RShoulderRoll")
    # By hand: the first keyframe takes 0.6 s and is a sine, the second 0.3 s and linear.
    share = CURVES[library.blocks["lift"].keyframes[0].interpolation](0.1 / 0.6)
    first = np.radians(-20.0)
    assert trajectory.at([0.1])[0, joint] == pytest.approx(start[joint] + share * (first - start[joint]), abs=1e-12)
    assert trajectory.at([0.75])[0, joint] == pytest.approx(np.radians(-35.0), abs=1e-12)
    assert trajectory.at([-1.0])[0] == pytest.approx(trajectory.position[0])
    assert trajectory.at([1e9])[0] == pytest.approx(trajectory.position[-1])
    # Inside a keyframe a tick of the motion is a moment of the way.
    for segment in trajectory.segments:
        begin = sum(each.duration for each in trajectory.segments[: trajectory.segments.index(segment)])
        ticks = np.arange(segment.first, segment.last)
        moments = begin + (ticks - segment.first + 1) * robot.tick
        assert trajectory.at(moments) == pytest.approx(trajectory.position[ticks], abs=1e-12)


def test_pages_are_told_targets_in_full_and_the_curves_by_number() -> None:
    robot, library = Robot.load("nao"), load_library(TEXT)
    trajectory = sample_motion(library, robot, "wave", start_posture(robot))
    message = trajectory_message(trajectory, 3, 4)
    _, revision, request, count, joints, segments = struct.unpack_from("<6I", message)
    assert (revision, request, joints, segments) == (3, 4, len(robot.joints), 5)
    table = np.frombuffer(message, "<u4", 5 * segments, 28).reshape(segments, 5)
    assert [WAYS[way].value for way in table[:, 4]] == ["sine_min_to_max", *["linear"] * 4]
    targets = np.frombuffer(message, "<f8", (segments + 1) * joints, 28 + 20 * segments + 4 * count * joints)
    assert np.array_equal(targets.reshape(-1, joints), trajectory.targets)


def test_what_is_kept_of_a_run_is_bounded() -> None:
    lanes = KeptLanes(most=1000)
    assert lanes.rows is None
    for _ in range(5):
        lanes.keep(np.ones((10, 10), np.float32))
    assert lanes.rows.shape == (20, 10)
    lanes.begin()
    assert lanes.rows is None


def lanes_of(client: StudioClient) -> np.ndarray:
    """The next rows of lanes."""
    while True:
        message = client.socket.recv(timeout=client.timeout)
        if not isinstance(message, str) and struct.unpack_from("<I", message)[0] == LANES:
            _, _, rows, width = struct.unpack_from("<4I", message)
            return np.frombuffer(message, "<f4", offset=16).reshape(rows, width)


@pytest.mark.slow
def test_a_run_tells_what_joints_did_also_those_who_come_later(studio: Served) -> None:
    (studio.folder / "lanes.yaml").write_text(TEXT)
    robot = Robot.load("nao")
    first = StudioClient(studio, timeout=60.0)
    first.ask(do="open", file="lanes.yaml")
    first.send(do="play", motion="nod", speed=20.0)
    first.wait("started")
    rows = lanes_of(first)
    nj = len(robot.joints)
    assert rows.shape[1] == 1 + 7 + 3 * nj + len(robot.feet)
    assert rows[0, 0] == 0.0
    assert rows[0, 3] == pytest.approx(0.27, abs=0.05)
    first.wait("verdict")
    second = StudioClient(studio, timeout=60.0)
    second.send(do="open", file="lanes.yaml")
    begun = second.wait("started")
    assert begun["late"]
    assert not begun["going"]
    later = lanes_of(second)
    assert np.array_equal(later[: len(rows)], rows)
    # The head nods by 10 degrees: asked, and followed by what is measured.
    pitch = 8 + robot.index("HeadPitch")
    assert np.degrees(later[:, pitch].max()) == pytest.approx(10.0, abs=0.2)
    assert np.degrees(later[:, pitch + nj].max()) == pytest.approx(10.0, abs=2.0)
    event = second.wait("event")
    while event["kind"] != "keyframe":
        event = second.wait("event")
    assert (event["block"], event["keyframe"]) == ("nod", 0)
    assert second.wait("verdict")["verdict"] == "pass"
    for client in (first, second):
        client.close()


@pytest.mark.slow
def test_each_edit_is_tried_beside_the_saved_file(studio: Served) -> None:
    """Two seeds of a nod; then of a bow that falls, which says where; an undo is known at once."""
    (studio.folder / "tried.yaml").write_text(TEXT)
    client = StudioClient(studio, timeout=120.0)
    revision = client.ask(do="open", file="tried.yaml")["revision"]

    def tried() -> dict[str, dict[int, dict]]:
        found: dict[str, dict[int, dict]] = {"now": {}, "saved": {}}
        while (told := client.wait("trial", "evidence"))["type"] != "evidence" or told["state"] == "trying":
            if told["type"] == "trial":
                found[told["of"]][told["seed"]] = told
        assert told["state"] == "done", told["text"]
        return found

    client.send(do="evidence", on=True, motion="nod", seeds=2)
    before = tried()
    assert [trial["good"] for trial in before["now"].values()] == [True, True]
    assert before["now"][0]["at"] is None
    assert 0.0 < before["now"][0]["margin"] < 1.0
    trace = np.frombuffer(base64.b64decode(before["now"][0]["trace"]), "<f4").reshape(
        -1, 1 + len(Robot.load("nao").joints)
    )
    assert np.all(np.diff(trace[:, 0]) > 0.0)
    bow = {"0": {"joints": {"LHipPitch": -1.5, "RHipPitch": -1.5}}}
    revision = client.ask(do="set", block="nod", fields=bow, revision=revision)["revision"]
    after = tried()
    assert not any(trial["good"] for trial in after["now"].values())
    assert 0.0 < after["now"][0]["at"] < 3.0
    assert after["now"][0]["reason"]
    assert {seed: trial["good"] for seed, trial in after["saved"].items()} == {0: True, 1: True}
    client.ask(do="undo")
    assert all(trial["good"] for trial in tried()["now"].values())
    # A motion that is not there, and no more of it.
    client.send(do="evidence", on=True, motion="none")
    assert client.wait("evidence")["state"] == "none"
    client.send(do="evidence", on=False)
    client.close()
