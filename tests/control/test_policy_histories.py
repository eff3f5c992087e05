"""What stands before the first call, a phase as it is, how the robot is turned, and what is said of all terms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_policy import save_contract, save_network

from andante.control.policies.binding import bind
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import load_policy
from andante.control.steering import SteeringScript
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.spatial.rotations import normalise, to_matrix

TURN = normalise([0.9, 0.1, -0.2, 0.3])
GAIT = {"frequency": 0.25}


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.01)


def seen(folder: Path, robot: Robot, terms: list[dict[str, Any]], size: int, calls: int = 1, **changes: Any) -> list:
    """What a network sees at each call where the gyro's first number counts ticks from 1."""
    network = save_network(folder / "glass.onnx", np.zeros((size, 12)), np.zeros(12))
    said = {"inputs": [{"name": "obs", "size": size}], "observations": terms, "commands": None, **changes}
    file = load_policy(save_contract(folder, network, **said))
    bound = bind(file.contract, robot, file.network)
    controller, found = PolicyController(bound, SteeringScript(())), []
    network_run = file.network.run

    def spy(given: Any, wanted: Any) -> Any:
        found.append(np.array(given["obs"]))
        return network_run(given, wanted)

    object.__setattr__(file.network, "run", spy)
    for tick in range(2 * calls):
        sensors = robot.sensors()
        sensors.vector[0] = tick * robot.tick
        sensors.orientation[:] = TURN
        sensors.gyro[:] = tick + 1.0, 0.0, -tick - 1.0
        controller.step(sensors)
    return found


def test_observations_before_the_first_call_may_be_zeros(tmp_path: Path, nao: Robot) -> None:
    """As buffers of legged_gym's kind begin, and those of ASAP, which hold only past observations."""
    gyro = {"name": "gyro", "frame": "imu", "history": 3, "order": "newest-first"}
    ways: list[dict[str, Any]] = [{}, {"before": "zeros"}, {"before": "zeros", "delay": 0.02}]
    terms = [{**gyro, **way, "pick": [0]} for way in ways]
    rows = seen(tmp_path, nao, terms, 9, calls=4)
    assert [row.tolist() for row in rows] == [
        [1, 1, 1, 1, 0, 0, 0, 0, 0],
        [3, 1, 1, 3, 1, 0, 1, 0, 0],
        [5, 3, 1, 5, 3, 1, 3, 1, 0],
        [7, 5, 3, 7, 5, 3, 5, 3, 1],
    ]


def test_what_is_said_of_all_terms_counts_for_each(tmp_path: Path, nao: Robot) -> None:
    """`before` and `interleaved` of all were dropped without a word."""
    every = {"frame": "imu", "offset": 0.0, "scale": 1.0, "clip": "none", "delay": 0.0, "history": 2}
    every |= {"order": "oldest-first", "interleaved": True, "before": "zeros"}
    terms = [
        {"name": "gyro", "pick": [0, 2]},
        {"name": "gyro", "pick": [0, 2], "interleaved": False, "before": "first"},
    ]
    rows = seen(tmp_path, nao, terms, 8, calls=2, every_term=every)
    assert [row.tolist() for row in rows] == [[0, 1, 0, -1, 1, -1, 1, -1], [1, 3, -1, -3, 1, -1, 3, -3]]


def test_a_phase_may_be_seen_as_it_is(tmp_path: Path, nao: Robot) -> None:
    """As policies of ASAP and PBHC see how far their motion is."""
    terms = [{"name": "gait_phase", "waves": ["phase", "phase"], "ahead": [0.0, 0.99]}]
    rows = seen(tmp_path, nao, terms, 2, calls=4, gait=GAIT)
    np.testing.assert_allclose(rows, [[0.0, 0.99], [0.005, 0.995], [0.01, 0.0], [0.015, 0.005]], atol=1e-12)


def test_how_the_robot_is_turned(tmp_path: Path, nao: Robot) -> None:
    terms = [
        {"name": "orientation", "frame": "imu"},
        {"name": "orientation", "frame": "imu", "pick": [1, 2, 3, 0]},
        {"name": "rotation", "frame": "base", "pick": [0, 1, 3, 4, 6, 7]},
    ]
    (row,) = seen(tmp_path, nao, terms, 14)
    np.testing.assert_allclose(row[:4], TURN)
    np.testing.assert_allclose(row[4:8], np.roll(TURN, -1))
    np.testing.assert_allclose(row[8:], to_matrix(TURN)[:, :2].ravel(), atol=1e-6)


def test_a_contract_that_a_program_dumped_with_anchors_is_told_how_to_write_it(tmp_path: Path) -> None:
    pick = [0, 2]
    terms = [{"name": "gyro", "pick": pick}, {"name": "gravity", "pick": pick}]
    with pytest.raises(AndanteError, match=r"anchors \(&name\) are not allowed.*json\.dump never does"):
        load_policy(save_contract(tmp_path, observations=terms))
