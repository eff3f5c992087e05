"""The simulation process: runs from any keyframe as from the beginning, faults, changes, what pages are sent."""

from __future__ import annotations

import threading
from multiprocessing import Pipe
from pathlib import Path

import numpy as np
import pytest
from studio_text import TEXT

from andante.backends.fault import Fault
from andante.robots.robot import Robot
from andante.runs.log import Log
from andante.studio.balance import PostureBalance
from andante.studio.dragging import dragged
from andante.studio.scene import robot_scene
from andante.studio.simulation import Begin, Order, Simulation, _Run


def order(folder: Path, text: str = TEXT, motion: str = "wave") -> Order:
    return Order(text, "nao", motion, 3, folder / "run")


def commands(run: _Run, count: int | None = None) -> list[bytes]:
    rows: list[bytes] = []
    while run.session.ending is None and (count is None or len(rows) < count):
        rows.append(run.step().command.vector.tobytes())
    return rows


def test_from_a_keyframe_on_the_commands_are_those_of_the_whole_run(tmp_path: Path) -> None:
    run = _Run(order(tmp_path))
    whole = commands(run)
    assert {("wave", 0, 0), ("wave", 1, 0), ("lift", 0, 0)} <= run.begun.keys()
    for block, keyframe, occurrence in [("wave", 1, 0), ("lift", 0, 0), ("wave", 3, 0), ("wave", 2, 0)]:
        begin = Begin(block, keyframe, occurrence)
        run.go_to(begin)
        while not run.reached(begin):
            run.step()
        at = run.session.number
        assert commands(run) == whole[at:]
    run.session.close()


def test_snapshots_thin_out_and_the_nearest_before_a_keyframe_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("andante.studio.simulation._APART", 0.2)
    monkeypatch.setattr("andante.studio.simulation._KEPT", 6)
    run = _Run(order(tmp_path))
    whole = commands(run)
    times = [snapshot.time for snapshot, _ in run.snapshots]
    assert times[0] == 0.0
    assert times == sorted(times)
    assert len(times) <= 6
    # From one to the next it is at most twice the last distance: none is missing in between.
    assert max(np.diff([*times, run.session.time])) <= 0.2 * 2 ** np.ceil(np.log2(run.session.time / 0.2 / 3))
    for (block, keyframe, occurrence), time in run.begun.items():
        begin = Begin(block, keyframe, occurrence)
        run.go_to(begin)
        assert run.session.time == max(kept for kept in times if kept <= time)
        while not run.reached(begin):
            run.step()
        at = run.session.number
        assert commands(run) == whole[at:]
    run.session.close()


def test_a_fault_is_gone_in_the_next_run(tmp_path: Path) -> None:
    run = _Run(order(tmp_path))
    whole = commands(run)
    run.go_to(Begin())
    commands(run, 40)
    run.session.fault(Fault(type="dead", joints=("RShoulderPitch",), name="f"))
    run.touched = True
    broken = [run.step().sensors.vector.tobytes() for _ in range(30)]
    run.go_to(Begin())
    assert commands(run) == whole
    assert len(set(broken)) == 30
    run.session.close()


class Pipes:
    """A simulation in a thread, asked over its pipe."""

    def __init__(self) -> None:
        self.ours, theirs = Pipe()
        self.thread = threading.Thread(target=Simulation(theirs).serve, daemon=True)
        self.thread.start()
        self.poses: list[tuple] = []

    def wait(self, *kinds: str) -> dict:
        while True:
            assert self.ours.poll(60), f"no {kinds}"
            kind, data = self.ours.recv()
            if kind == "pose":
                self.poses.append(data)
            elif data["type"] in kinds:
                return data


def test_a_run_as_pages_see_it(tmp_path: Path) -> None:
    pipes = Pipes()
    pipes.ours.send(("plots", ("sensors.position.RShoulderRoll", "truth.com.z", "truth.nothing")))
    pipes.ours.send(("play", (order(tmp_path), Begin(speed=8.0))))
    started = pipes.wait("started")
    assert "position.RShoulderRoll" in started["channels"]["sensors"]
    assert {"name", "value", "kind", "note"} <= started["parameters"][0].keys()
    verdict = pipes.wait("verdict")
    assert (verdict["verdict"], verdict["run"]) == ("pass", 1)
    rows = np.array([row for pose in pipes.poses for row in pose[3]])
    log = Log.open(tmp_path / "run" / "log.mcap")
    sensors = log.channels["sensors"]
    # Every tick of every variable, and what is not recorded as not a number.
    assert rows[:, 0] == pytest.approx(sensors.times[: len(rows)])
    roll = sensors["position"][:, Robot.load("nao").index("RShoulderRoll")]
    assert rows[:, 1] == pytest.approx(roll[: len(rows)])
    assert np.isnan(rows[:, 3]).all()
    assert len(rows) == len(sensors.times)
    pipes.ours.send(("resume", None))
    assert "nothing runs" in pipes.wait("refused")["text"]
    pipes.ours.send(("play", (order(tmp_path, motion="none"), Begin())))
    assert "none" in pipes.wait("refused")["text"]
    pipes.ours.close()


def test_a_run_is_paused_stepped_changed_and_stopped(tmp_path: Path) -> None:
    pipes = Pipes()
    pipes.ours.send(("play", (order(tmp_path), Begin(paused=True))))
    pipes.wait("there")
    for ticks in (1, 5):
        before = pipes.poses[-1][1] if pipes.poses else 0.0
        pipes.ours.send(("step", ticks))
        assert pipes.wait("paused")["time"] == pytest.approx(before + ticks * 0.012)
    pipes.ours.send(("change", ("balance", False)))
    assert pipes.wait("changed")["value"] is False
    pipes.ours.send(("change", ("pause_time", -1.0)))
    assert pipes.wait("refused")
    pipes.ours.send(("step", 1))
    pipes.wait("paused")
    pipes.ours.send(("stop", None))
    verdict = pipes.wait("verdict")
    assert verdict["verdict"] == "fail"
    assert "interrupted" in verdict["reasons"][0]
    texts = [event.text for event in Log.open(tmp_path / "run" / "log.mcap").events]
    assert "balance = False" in texts
    pipes.ours.close()


def test_a_dragged_hand_arrives_and_the_feet_stay() -> None:
    robot = Robot.load("nao")
    joints = tuple(robot.posture("stand").tolist())
    base = (0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0)
    arm = robot.groups["left_arm"]
    start = dragged("nao", joints, base, "left_hand", (9.0, 0.0, 0.0), ("left", "right"), ())
    assert start["drift"] < 5e-4
    assert max(abs(a - b) for a, b in zip(start["joints"], joints, strict=True)) <= np.radians(15.0) + 1e-9
    assert start["left"] > 0.1
    from andante.kinematics.forward import Kinematics

    kinematics = Kinematics(robot)
    kinematics.update(robot.posture("stand"), (0.0, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0))
    hand = kinematics.pose("left_hand")[0]
    near = dragged(
        "nao", joints, base, "left_hand", tuple(hand + np.array([0.02, 0.0, 0.001])), ("left", "right"), (), arm
    )
    assert near["left"] < 1e-3
    moved = {n for n, a, b in zip(robot.joint_names, near["joints"], joints, strict=True) if abs(a - b) > 1e-6}
    assert moved <= set(arm)


@pytest.mark.parametrize("name", ["nao", "ers7", "littledog", "spirit40"])
def test_what_the_page_draws_of_a_robot(name: str) -> None:
    robot = Robot.load(name)
    scene = robot_scene(robot)
    assert [joint["name"] for joint in scene["joints"]] == list(robot.joint_names)
    driven = [joint["joint"] for body in scene["bodies"] for joint in body["joints"]]
    assert sorted(driven) == list(range(len(robot.joints)))
    assert all(body["parent"] < number for number, body in enumerate(scene["bodies"]))
    frames = {handle["frame"] for handle in scene["handles"]}
    assert {foot.site for foot in robot.feet} <= frames
    assert any(body["shapes"] for body in scene["bodies"])


def test_balance_of_standing_and_leaning() -> None:
    robot = Robot.load("nao")
    balance = PostureBalance(robot)
    standing = balance.of(robot.posture("stand"))
    assert standing["margin"] > 0.02
    assert set(standing["feet"]) == {"left", "right"}
    knee = standing["torque"][robot.index("LKneePitch")]
    # A knee bent by 50 deg carries half of the weight of what is above it on a lever of some centimetres.
    assert 0.1 < knee < 0.8
    lifted = robot.posture("stand")
    for joint, way in (("RHipPitch", -0.5), ("RKneePitch", 1.0), ("RAnklePitch", -0.5)):
        lifted[robot.index(joint)] += way
    assert balance.of(lifted)["feet"] == ["left"]
    assert balance.of(lifted)["margin"] < standing["margin"]
