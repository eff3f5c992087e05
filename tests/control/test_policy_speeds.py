"""Policies that give speeds, move both sides alike, see heights, or see what no robot measures."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tiny_policy import contract_of, save_network

from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyContract, PolicyError
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import load_policy
from andante.control.policies.network import PolicyNetwork, digest_of
from andante.control.steering import SteeringScript
from andante.errors import AndanteError
from andante.kinematics.forward import Kinematics
from andante.robots.robot import Robot
from andante.runs.backends.udp import UdpBackend
from andante.runs.build import build
from andante.runs.errors import ScenarioError
from andante.runs.execute import run_scenario, session_of
from andante.runs.policies.check import check_policy
from andante.runs.policies.task import policy_scenario
from andante.runs.scenario_files import validated, with_settings
from andante.spatial.rotations import from_matrix

LEFT = ("LShoulderPitch", "LShoulderRoll")
TERMS: list[dict[str, Any]] = [
    {"name": "joint_position"},
    {"name": "joint_position", "over": 0.03},
    {"name": "joint_target"},
    {"name": "last_action", "scale": 2.0},
]


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.01)


def contract(folder: Path, out: tuple[float, float] = (0.5, -0.25), matrix: np.ndarray | None = None, **changes: Any):
    """A contract on the left arm's first joints, which the right arm follows; its network gives the same always."""
    terms = changes.setdefault("observations", TERMS)
    sizes = {"joint_position": 2, "joint_target": 2, "last_action": 2, "tilt_angles": 3, "gyro": 3, "base_position": 3}
    size = sum(sizes.get(term["name"], 1) for term in terms)
    matrix = np.zeros((size, 2)) if matrix is None else matrix
    network = save_network(folder / "speeds.onnx", matrix, np.array(out))
    said: dict[str, Any] = {
        "inputs": [{"name": "obs", "size": size}],
        "outputs": [{"name": "actions", "size": 2}],
        "rate": 20,
        "joints": list(LEFT),
        "followers": {"RShoulderPitch": {"of": LEFT[0]}, "RShoulderRoll": {"of": LEFT[1], "factor": -1}},
        "default_posture": [1.0, 0.1],
        "action": {
            "kind": "speed",
            "scale": 2.0,
            "offset": 0.0,
            "clip": [-1, 1],
            "range": [[-1.0, 1.2], [0.0, 0.5]],
        },
        "kp": 20.0,
        "kd": 0.3,
        "torque_limits": 2.0,
        "commands": None,
    } | changes
    return contract_of(network, digest_of(network), **said), network


def bound(folder: Path, robot: Robot, *, truth: bool = False, **said: Any):
    data, network = contract(folder, **said)
    return bind(PolicyContract.model_validate(data), robot, PolicyNetwork(network), truth=truth)


def sensors_at(robot: Robot, tick: int, angles: tuple[float, float] = (0.6, 0.2), orientation: Any = (1, 0, 0, 0)):
    sensors = robot.sensors()
    sensors.vector[0] = tick * robot.tick
    sensors.orientation[:] = orientation
    sensors.position[[robot.index(name) for name in LEFT]] = angles
    return sensors


def test_a_speed_moves_the_target_evenly_within_its_range(tmp_path: Path, nao: Robot) -> None:
    controller = PolicyController(bound(tmp_path, nao), SteeringScript(()))
    at = [nao.index(name) for name in (*LEFT, "RShoulderPitch", "RShoulderRoll")]
    rows = np.array([controller.step(sensors_at(nao, tick)).position[at] for tick in range(70)])
    ticks = np.arange(1, 71)
    # It begins where the joints are measured: 1 rad/s up, 0.5 rad/s down, until a bound is met within a call of 50 ms.
    np.testing.assert_allclose(rows[:60, 0], np.minimum(0.6 + 0.01 * ticks[:60], 1.2), atol=1e-9)
    np.testing.assert_allclose(rows[:40, 1], np.maximum(0.2 - 0.005 * ticks[:40], 0.0), atol=1e-9)
    np.testing.assert_allclose(rows[:, 2], rows[:, 0])
    np.testing.assert_allclose(rows[:, 3], -rows[:, 1])
    np.testing.assert_allclose(rows[60:, 0], 1.2, atol=1e-12)
    np.testing.assert_allclose(rows[40:, 1], 0.0, atol=1e-12)


def test_followers_have_the_gains_of_those_that_they_follow(tmp_path: Path, nao: Robot) -> None:
    controller = PolicyController(bound(tmp_path, nao, kp=[20.0, 11.0]), SteeringScript(()))
    command = controller.step(sensors_at(nao, 0))
    assert command.kp[[nao.index("RShoulderPitch"), nao.index("RShoulderRoll")]].tolist() == [20.0, 11.0]
    assert command.kp[nao.index("LElbowRoll")] == nao.servo_kp[nao.index("LElbowRoll")]


def test_it_sees_changes_over_a_time_its_target_and_what_it_gave(tmp_path: Path, nao: Robot) -> None:
    policy = bound(tmp_path, nao, out=(0.5, 3.0))
    controller = PolicyController(policy, SteeringScript(()))
    seen = []
    controller._observation.vector = lambda own=controller._observation.vector: seen.append(own()) or seen[-1]  # type: ignore[method-assign]
    for tick in range(11):
        controller.step(sensors_at(nao, tick, (0.01 * tick**2, 0.2)))
    first, second, third = seen
    np.testing.assert_allclose(first, [0.0, 0.2, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0], atol=1e-6)
    # At 50 ms: (0.25 - 0.04) / 0.03; the targets went 1 and 2 rad/s, the second number was cut; told is what it gave.
    np.testing.assert_allclose(second, [0.25, 0.2, 7.0, 0.0, 0.05, 0.3, 1.0, 6.0], atol=1e-6)
    np.testing.assert_allclose(third[2:6], [17.0, 0.0, 0.1, 0.4], atol=1e-6)


def test_a_policy_that_takes_over_begins_where_the_joints_were_sent(tmp_path: Path, nao: Robot) -> None:
    controller = PolicyController(bound(tmp_path, nao), SteeringScript(()))
    last = nao.command(np.zeros(5 * len(nao.joints)))
    last.position[[nao.index(name) for name in LEFT]] = (0.3, 0.4)
    controller.take_over(sensors_at(nao, 0), last)
    command = controller.step(sensors_at(nao, 0))
    np.testing.assert_allclose(command.position[[nao.index(name) for name in LEFT]], [0.31, 0.395])


@pytest.mark.parametrize(
    ("changes", "what", "place"),
    [
        ({"action": {"kind": "speed", "scale": 1, "offset": 0, "clip": "none"}}, r"does not say action\.range", ""),
        (
            {"action": {"kind": "torque", "scale": 1, "offset": 0, "clip": "none", "range": "limits"}},
            "only target angles have a range",
            "action.range",
        ),
        (
            {"action": {"kind": "speed", "scale": 1, "offset": 0, "clip": "none", "range": [[0, 1]]}},
            "another length",
            "action.range",
        ),
        (
            {"action": {"kind": "speed", "scale": 1, "offset": 0, "clip": "none", "range": [[0, 1], [1, 0]]}},
            "lowest stands first",
            r"action.range\[1\]",
        ),
        ({"followers": {"RShoulder": {"of": LEFT[0]}}}, "no such joint", "followers.RShoulder"),
        ({"followers": {LEFT[1]: {"of": LEFT[0]}}}, "drives this joint itself", f"followers.{LEFT[1]}"),
        ({"followers": {"RElbowRoll": {"of": "LElbowRoll"}}}, "drives no such joint", "followers.RElbowRoll.of"),
        ({"observations": [{"name": "joint_position", "over": 0.013}]}, "no whole number", r"\[0\]\.over"),
        ({"observations": [{"name": "gyro", "site": "Head"}]}, "only a term of heights", r"\[0\]\.site"),
        ({"observations": [{"name": "site_height"}]}, r"does not say observations\[0\]\.site", ""),
        ({"observations": [{"name": "site_height", "site": "hat"}]}, "no such site or body", r"\[0\]\.site"),
        (
            {"observations": [{"name": "site_height", "site": "Head", "above": ["shoe"]}]},
            "no such site or body",
            r"\[0\]\.above",
        ),
        ({"observations": [{"name": "true_site_height", "site": "Head"}]}, "it is ground truth", r"\[0\]"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(
    tmp_path: Path, nao: Robot, changes: dict[str, Any], what: str, place: str
) -> None:
    with pytest.raises(PolicyError, match=what) as refused:
        bound(tmp_path, nao, **changes)
    assert re.search(place, refused.value.place)


def test_old_contracts_say_nothing_new(tmp_path: Path) -> None:
    data, _ = contract(tmp_path)
    told = PolicyContract.model_validate(data | {"followers": {}}).model_dump(exclude_defaults=True)
    assert "followers" not in told
    assert {name for term in told["observations"] for name in term} == {"name", "over", "scale"}


def seen_of(folder: Path, robot: Robot, terms: list[dict[str, Any]], sensors: Any) -> np.ndarray:
    policy = bound(folder, robot, observations=terms)
    controller = PolicyController(policy, SteeringScript(()))
    controller.step(sensors)
    return controller._observation.vector()


def test_tilt_angles_turn_all_the_way_round(tmp_path: Path, nao: Robot) -> None:
    def turn(axis: int, angle: float) -> np.ndarray:
        c, s = math.cos(angle), math.sin(angle)
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        matrix = np.eye(3)
        matrix[i, i] = matrix[j, j] = c
        matrix[j, i], matrix[i, j] = s, -s
        return matrix

    terms = [{"name": "tilt_angles", "frame": "imu"}]
    for angle in (0.3, 2.0, -2.8):
        pitched = seen_of(tmp_path, nao, terms, sensors_at(nao, 0, orientation=from_matrix(turn(1, angle))))
        assert pitched[1] == pytest.approx(angle, abs=1e-6)
        rolled = seen_of(tmp_path, nao, terms, sensors_at(nao, 0, orientation=from_matrix(turn(0, angle))))
        assert rolled[0] == pytest.approx(angle, abs=1e-6)
        turned = seen_of(tmp_path, nao, terms, sensors_at(nao, 0, orientation=from_matrix(turn(2, angle))))
        np.testing.assert_allclose(turned, [0.0, 0.0, angle], atol=1e-6)


def test_a_height_counts_from_the_feet_and_may_be_told_otherwise_below(tmp_path: Path, nao: Robot) -> None:
    kinematics = Kinematics(nao)
    sensors = sensors_at(nao, 0)
    kinematics.update(sensors.position)
    feet = [kinematics.pose(foot.site)[0][2] for foot in nao.feet]
    expected = kinematics.pose("Head")[0][2] - np.mean(feet)
    assert expected > 0.3
    terms = [{"name": "site_height", "site": "Head"}, {"name": "site_height", "site": "Head", "if_negative": -10}]
    assert seen_of(tmp_path, nao, terms, sensors) == pytest.approx([expected, expected])
    # Upside down the feet are above, and the second term says what stands for that.
    upside = seen_of(tmp_path, nao, terms, sensors_at(nao, 0, orientation=(0, 1, 0, 0)))
    assert upside == pytest.approx([-expected, -10.0])


def truth_contract(folder: Path, **changes: Any) -> Path:
    body = "Torso"
    terms = [
        {"name": "true_site_height", "site": body},
        {"name": "site_height", "site": body},
        {"name": "base_height"},
        {"name": "base_position"},
    ]
    data, _ = contract(folder, observations=terms, ground_truth=True, out=(0.0, -0.1), **changes)
    path = folder / "truth.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def scenario(path: Path, *, allowed: bool) -> Any:
    made = policy_scenario(str(path), time=0.2, tick=0.01)
    data = made.model_dump()
    data["controller"]["ground_truth"] = allowed
    data |= {"timeout": 1.5, "success": {"no_fall": True}}
    data["recording"] |= {"report": True, "video": False}
    return validated(data)


def test_ground_truth_is_refused_where_nobody_allows_it(tmp_path: Path, nao: Robot) -> None:
    path = truth_contract(tmp_path)
    with pytest.raises(PolicyError, match="ground truth") as refused:
        build(scenario(path, allowed=False))
    assert "ground_truth: true" in str(refused.value)
    file = load_policy(path)
    found = check_policy(file, nao)
    assert any(each.severity == "warning" and "what no robot measures" in str(each) for each in found.findings)


@pytest.mark.slow
def test_a_policy_sees_the_truth_where_it_is_allowed_and_all_that_comes_of_it_says_so(tmp_path: Path) -> None:
    asked = scenario(truth_contract(tmp_path), allowed=True)
    parts = build(asked)
    with session_of(asked, parts) as session:
        session.step()
        session.step()
        seen = parts.controller._observation.vector()
        truth = session.backend.truth()
    # No noise and no bent link: what is measured is what is true.
    assert seen[0] == pytest.approx(seen[1], abs=2e-3)
    assert seen[2] == pytest.approx(truth["base_height"][0], abs=1e-3)
    np.testing.assert_allclose(seen[3:6], truth["qpos"][:3], atol=1e-3)
    result = run_scenario(asked, tmp_path / "run")
    assert result.evidence == "simulation with ground truth"
    assert any("ground truth" in note for note in result.notes)
    assert "in simulation with ground truth" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_policy_goes_back_to_a_snapshot(tmp_path: Path) -> None:
    asked = scenario(truth_contract(tmp_path), allowed=True)
    parts = build(asked)
    with session_of(asked, parts) as session:
        session.steps(7)
        kept = session.snapshot()
        first = [session.step().command.vector.tobytes() for _ in range(9)]
        session.restore(kept)
        assert [session.step().command.vector.tobytes() for _ in range(9)] == first


def test_a_run_that_sees_nothing_of_the_truth_says_nothing_of_it(tmp_path: Path) -> None:
    asked = policy_scenario("nao-walk", time=0.1)
    asked = with_settings(asked, ["controller.ground_truth=true"])
    assert asked.evidence == "simulation"


def test_ground_truth_is_refused_on_anything_but_a_simulation(tmp_path: Path) -> None:
    asked = scenario(truth_contract(tmp_path), allowed=True)
    robot = asked.model_copy(update={"backend": UdpBackend(type="udp", address="127.0.0.1:9")})
    with pytest.raises(ScenarioError, match="ground truth, which no robot measures") as refused:
        build(robot)
    assert refused.value.place == "backend.type"


def test_a_world_without_truth_ends_before_a_command(tmp_path: Path) -> None:
    asked = scenario(truth_contract(tmp_path), allowed=True)
    parts = build(asked)
    parts.backend.truth = lambda: None  # type: ignore[method-assign]
    with session_of(asked, parts) as session, pytest.raises(ScenarioError, match="here is none"):
        session.step()


def test_no_sequence_takes_a_policy_that_sees_the_truth(tmp_path: Path) -> None:
    one = scenario(truth_contract(tmp_path), allowed=True).model_dump()
    one["controller"] = {
        "type": "sequence",
        "begin": "a",
        "parts": {"a": {"controller": one["controller"]}},
    }
    with pytest.raises(AndanteError, match="follows no other") as refused:
        build(validated(one))
    assert refused.value.place == "controller.parts.a"
