"""The simulation process: runs from any keyframe as from the beginning, faults, changes, what pages are sent."""

from __future__ import annotations

import json
import threading
from multiprocessing import Pipe
from pathlib import Path

import numpy as np
import pytest
from studio_text import TEXT

from andante.backends.fault import Fault
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.logs.log import Log
from andante.studio.balance import PostureBalance
from andante.studio.disk import Disk
from andante.studio.dragging import dragged, warm
from andante.studio.message import read_message
from andante.studio.messages import MESSAGES, Drag, Play
from andante.studio.processes import DONE
from andante.studio.scene import robot_scene
from andante.studio.simulation import MotionRun, Order, Simulation


def order(folder: Path, text: str = TEXT, motion: str = "wave") -> Order:
    return Order(text, "nao", motion, 3, folder / "run", Disk(folder))


def begin(block: str = "", keyframe: int = 0, occurrence: int = 0, **how: object) -> Play:
    """From where a run is shown, and how."""
    return Play(do="play", motion="wave", block=block, keyframe=keyframe, occurrence=occurrence, **how)


def commands(run: MotionRun, count: int | None = None) -> list[bytes]:
    rows: list[bytes] = []
    while run.session.ending is None and (count is None or len(rows) < count):
        rows.append(run.step().command.vector.tobytes())
    return rows


@pytest.mark.slow
def test_from_a_keyframe_on_the_commands_are_those_of_the_whole_run(tmp_path: Path) -> None:
    run = MotionRun(order(tmp_path))
    whole = commands(run)
    assert {("wave", 0, 0), ("wave", 1, 0), ("lift", 0, 0)} <= run.begun.keys()
    for block, keyframe, occurrence in [("wave", 1, 0), ("lift", 0, 0), ("wave", 3, 0), ("wave", 2, 0)]:
        play = begin(block, keyframe, occurrence)
        run.go_to(play)
        while not run.reached(play):
            run.step()
        at = run.session.number
        assert commands(run) == whole[at:]
    run.session.close()


@pytest.mark.slow
def test_snapshots_thin_out_and_the_nearest_before_a_keyframe_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("andante.studio.simulation._APART", 0.2)
    monkeypatch.setattr("andante.studio.simulation._KEPT", 6)
    run = MotionRun(order(tmp_path))
    whole = commands(run)
    times = [snapshot.time for snapshot, _ in run.snapshots]
    assert times[0] == 0.0
    assert times == sorted(times)
    assert len(times) <= 6
    # From one to the next it is at most twice the last distance: none is missing in between.
    assert max(np.diff([*times, run.session.time])) <= 0.2 * 2 ** np.ceil(np.log2(run.session.time / 0.2 / 3))
    for (block, keyframe, occurrence), time in run.begun.items():
        play = begin(block, keyframe, occurrence)
        run.go_to(play)
        assert run.session.time == max(kept for kept in times if kept <= time)
        while not run.reached(play):
            run.step()
        at = run.session.number
        assert commands(run) == whole[at:]
    run.session.close()


def test_a_fault_is_gone_in_the_next_run(tmp_path: Path) -> None:
    run = MotionRun(order(tmp_path))
    whole = commands(run)
    run.go_to(begin())
    commands(run, 40)
    run.session.fault(Fault(type="dead", joints=("RShoulderPitch",), name="f"))
    run.touched = True
    broken = [run.step().sensors.vector.tobytes() for _ in range(30)]
    run.go_to(begin())
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

    def play(self, order: Order, **how: object) -> None:
        self.ours.send((begin(**how), order))

    def ask(self, **message: object) -> None:
        self.ours.send((read_message(json.dumps(message), MESSAGES),))

    def wait(self, *kinds: str) -> dict:
        while True:
            assert self.ours.poll(60), f"no {kinds}"
            kind, data = self.ours.recv()
            if kind in (DONE, "lanes"):
                continue
            if kind == "pose":
                self.poses.append(data)
            elif data["type"] in kinds:
                return data


def test_a_run_as_pages_see_it(tmp_path: Path) -> None:
    pipes = Pipes()
    pipes.ask(do="plots", columns=["sensors.position.RShoulderRoll", "truth.com.z", "truth.nothing"])
    pipes.play(order(tmp_path), speed=8.0)
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
    pipes.ask(do="resume")
    assert "nothing runs" in pipes.wait("refused")["text"]
    pipes.play(order(tmp_path, motion="none"))
    assert "none" in pipes.wait("refused")["text"]
    pipes.ours.close()


def test_a_run_is_paused_stepped_changed_and_stopped(tmp_path: Path) -> None:
    pipes = Pipes()
    pipes.play(order(tmp_path), paused=True)
    pipes.wait("there")
    for ticks in (1, 5):
        before = pipes.poses[-1][1] if pipes.poses else 0.0
        pipes.ask(do="step", ticks=ticks)
        assert pipes.wait("paused")["time"] == pytest.approx(before + ticks * 0.012)
    pipes.ask(do="change", parameter="balance", value=False)
    assert pipes.wait("changed")["value"] is False
    pipes.ask(do="change", parameter="pause_time", value=-1.0)
    assert pipes.wait("refused")
    pipes.ask(do="step", ticks=1)
    pipes.wait("paused")
    pipes.ask(do="stop")
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
    feet = ("left", "right")
    far = Drag(do="drag", joints=joints, base=base, frame="left_hand", target=(9.0, 0.0, 0.0), feet=feet)
    start = dragged("nao", far)
    assert start["drift"] < 5e-4
    assert max(abs(a - b) for a, b in zip(start["joints"], joints, strict=True)) <= np.radians(15.0) + 1e-9
    assert start["left"] > 0.1
    from andante.kinematics.forward import Kinematics

    kinematics = Kinematics(robot)
    kinematics.update(robot.posture("stand"), (0.0, 0.0, 0.3), (1.0, 0.0, 0.0, 0.0))
    hand = kinematics.pose("left_hand")[0]
    target = tuple(hand + np.array([0.02, 0.0, 0.001]))
    near = dragged(
        "nao", Drag(do="drag", joints=joints, base=base, frame="left_hand", target=target, feet=feet, limb=arm)
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


class Standing:
    """A NAO that stands, and is dragged as the page does it."""

    def __init__(self) -> None:
        from andante.kinematics.forward import Kinematics

        self.robot = Robot.load("nao")
        self.kinematics = Kinematics(self.robot)
        self.joints = self.robot.posture("stand")
        self.base = np.array([0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
        self.arms = tuple(
            name for name in self.robot.joint_names if name[1:].startswith(("Shoulder", "Elbow", "Wrist"))
        )

    def place(self, frame: str) -> tuple[np.ndarray, np.ndarray]:
        """Position and rotation of a frame, or the centre of mass and the base's rotation."""
        self.kinematics.update(self.joints, self.base[:3], self.base[3:] / np.linalg.norm(self.base[3:]))
        place, turn = self.kinematics.pose(frame or self.robot.base_body)
        return (place if frame else self.kinematics.com()), turn

    def drag(self, frame: str, target: np.ndarray, feet: tuple[str, ...], **how: object) -> dict[str, object]:
        """Events until the target is reached, or nothing moves any more."""
        com = None
        for _ in range(12):
            drag = {"do": "drag", "joints": tuple(self.joints), "base": tuple(self.base), "frame": frame} | how
            drag |= {"target": tuple(target), "feet": feet, "locked": self.arms, "com": com}
            found = dragged("nao", Drag.model_validate(drag))
            self.joints, self.base, com = np.array(found["joints"]), np.array(found["base"]), found["com"]
            assert found["drift"] < 5e-4
            if not found["capped"]:
                break
        return found


def test_the_centre_of_mass_is_dragged_over_a_foot() -> None:
    """Both soles stay, the trunk stays upright, the arms do not swing out, and the left sole could carry alone."""
    nao = Standing()
    arms = nao.joints[[nao.robot.index(name) for name in nao.arms]]
    sole = nao.place("left_sole")[0]
    assert not [each for each in PostureBalance(nao.robot).of(nao.joints)["soles"].values() if each["margin"] >= 0.0]
    target = np.array([sole[0] + 0.01, sole[1], 0.0])
    found = nao.drag("", target, ("left", "right"), trunk=tuple(nao.base[3:]))
    assert found["left"] < 1e-3
    com, trunk = nao.place("")
    assert np.hypot(*(com - target)[:2]) < 1e-3
    assert np.degrees(np.arccos(trunk[2, 2])) < 1.0
    assert nao.joints[[nao.robot.index(name) for name in nao.arms]] == pytest.approx(arms, abs=1e-12)
    soles = PostureBalance(nao.robot).of(nao.joints)["soles"]
    assert soles["left"]["margin"] > 0.02
    assert soles["right"]["margin"] < -0.05


def test_a_foot_is_lifted_and_the_centre_of_mass_stays() -> None:
    nao = Standing()
    nao.drag("", np.array([*nao.place("left_sole")[0][:2], 0.0]), ("left", "right"))
    before = nao.place("")[0]
    foot, turn = nao.place("right_sole")
    level = tuple(quaternion_of(turn))
    found = nao.drag("right_sole", foot + np.array([-0.06, 0.0, 0.05]), ("left",), turn=level, hold_com=True)
    assert found["left"] < 2e-3
    assert np.hypot(*(nao.place("")[0] - before)[:2]) < 1e-3
    # The sole stays level as far as it can, and without being asked to it does not.
    tilt = np.degrees(np.arccos(nao.place("right_sole")[1][2, 2]))
    assert tilt < 3.0
    balance = PostureBalance(nao.robot).of(nao.joints)
    assert balance["feet"] == ["left"]
    assert balance["margin"] > 0.02


def quaternion_of(turn: np.ndarray) -> np.ndarray:
    from andante.spatial.rotations import from_matrix

    return from_matrix(turn)


def test_what_a_drag_cannot_mean_is_refused() -> None:
    nao = Standing()
    with pytest.raises(AndanteError, match="no such foot"):
        nao.drag("", np.zeros(3), ("third",))
    with pytest.raises(AndanteError, match="no orientation"):
        nao.drag("right_sole", np.zeros(3), ("left",), turn=(0.0, 0.0, 0.0, 0.0))


def test_a_robot_without_feet_or_base_is_made_ready() -> None:
    warm("bootcamp-leg")


def test_who_stands_is_told_of_a_trunk_that_leans() -> None:
    """Rolled to one side, the lifted foot hangs lower in the trunk's frame than the one that stands."""
    robot = Robot.load("nao")
    balance = PostureBalance(robot)
    joints = robot.posture("stand")
    roll = np.radians(15.0)
    for name in ("LHipRoll", "RHipRoll"):
        joints[robot.index(name)] = -roll
    for name in ("LAnkleRoll", "RAnkleRoll"):
        joints[robot.index(name)] = roll
    assert balance.of(joints)["feet"] == ["left", "right"]
    # The right sole keeps its tilt in the trunk's frame and comes up by about 20 mm.
    joints[robot.index("RHipPitch")] -= np.radians(10.0)
    joints[robot.index("RKneePitch")] += np.radians(20.0)
    joints[robot.index("RAnklePitch")] -= np.radians(10.0)
    found = balance.of(joints)
    assert found["feet"] == ["left"]
    assert list(found["soles"]) == ["left"]


def test_a_quadruped_stands_on_the_feet_in_one_plane() -> None:
    """Leaning, on all four; with one lifted, on the other three."""
    from andante.kinematics.forward import Kinematics
    from andante.kinematics.whole_body import WholeBodyIk
    from andante.kinematics.whole_body_problem import Configuration, PoseTask, PositionTask, feet_fixed

    dog = Robot.load("littledog")
    balance, solver = PostureBalance(dog), WholeBodyIk(dog)
    start = Configuration(dog.posture("stand"), np.array([0.0, 0.0, 0.14]))
    assert balance.of(start.joints)["feet"] == [foot.name for foot in dog.feet]
    half = np.radians(4.0)
    leaning = np.array([np.cos(half), 0.0, np.sin(half), 0.0])
    task = PoseTask(dog.base_body, start.base_position, leaning)
    leant = solver.solve(start, (task,), fixed=feet_fixed(dog))
    assert leant.reached
    assert balance.of(leant.joints)["feet"] == [foot.name for foot in dog.feet]
    # The body over the other three, then a foot up by 30 mm.
    away = PositionTask(dog.base_body, start.base_position + np.array([-0.03, -0.02, 0.0]))
    shifted = solver.solve(start, (away,), fixed=feet_fixed(dog)).configuration
    first, *others = dog.feet
    kinematics = Kinematics(dog)
    kinematics.update(shifted.joints, shifted.base_position, shifted.base_orientation)
    up = PositionTask(first.site, kinematics.pose(first.site)[0] + np.array([0.0, 0.0, 0.03]))
    names = [foot.name for foot in others]
    lifted = solver.solve(shifted, (up,), fixed=feet_fixed(dog, names))
    found = balance.of(lifted.joints)
    assert found["feet"] == names
    assert 0.0 < found["margin"] < 0.05


def test_a_run_from_the_floor_must_end_on_the_feet(tmp_path: Path) -> None:
    run = MotionRun(Order(TEXT, "nao", "nod", 3, tmp_path / "run", Disk(tmp_path), start="back"))
    assert run.scenario.starts_lying
    assert run.scenario.success.stands_at_end
    assert "stands_at_end: true" in (tmp_path / "run" / "scenario.yaml").read_text()
    run.session.end()
    run.session.close()
    pipes = Pipes()
    pipes.play(Order(TEXT, "nao", "nod", 3, tmp_path / "other", Disk(tmp_path), start="upside down"))
    told = pipes.wait("refused")
    assert told["of"] == "play"
    assert "there is no such start" in told["text"]
    pipes.ours.close()
