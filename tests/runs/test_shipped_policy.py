"""The shipped walk of a NAO: what its script makes, small, and good for a run of walk, fall, get-up and walk."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import andante
from andante.control.policies.contract import missing_facts
from andante.control.policies.files import load_policy
from andante.control.steering import Heading
from andante.robots.robot import Robot
from andante.runs.build import build
from andante.runs.controls.steering import LiveChoice
from andante.runs.policies.check import check_policy
from andante.runs.policies.files import policy_path, shipped_policies
from andante.runs.scenario_files import validated, with_settings
from andante.runs.task import open_session, scenario_of

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.parametrize("name", shipped_policies())
def test_a_shipped_contract_is_complete_and_fits_its_robot(name: str) -> None:
    file = load_policy(policy_path(name))
    assert missing_facts(file.contract) == []
    assert file.network.path.stat().st_size < 200_000
    found = check_policy(file, Robot.load(str(file.contract.robot)))
    assert found.good
    assert {finding.rule for finding in found.findings} <= {"target-limit"}


def test_the_network_does_what_its_script_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    script = importlib.import_module("nao_walk_policy")
    teacher, network = script.Teacher(Robot.load("nao")), load_policy(policy_path("nao-walk")).network
    random, errors = np.random.default_rng(5), []
    for _ in range(300):
        angle = random.uniform(0.0, math.tau)
        lean, turn = 0.05 * random.normal(size=2), 0.3 * random.normal(size=3)
        command = (random.uniform(*script.FORWARD), random.uniform(*script.LATERAL), 0.0)
        seen = np.array([*lean, -1.0, *turn, *command, math.cos(angle), math.sin(angle)])
        errors.append(np.abs(network(seen) - teacher(seen)).max())
    assert max(errors) < 0.03
    standing = np.array([0.0, 0.0, -1.0, *np.zeros(8)])
    np.testing.assert_allclose(network(standing), 0.0, atol=1e-4)
    sys.modules.pop("nao_walk_policy")


@pytest.mark.slow
def test_it_walks_falls_gets_up_and_walks_on(tmp_path: Path) -> None:
    result = andante.run("walk-fall-walk", out=tmp_path / "run", report=False)
    assert result.passed, result.reasons
    told = [moment.text for moment in result.story]
    takes = [text for text in told if "takes over" in text]
    assert takes == ["get-up takes over from walk: falls", "walk takes over from get-up: done, upright, calm"]
    # Before and after it went 0.1 m/s forward; the catch and the get-up moved it back.
    truth = andante.read_log(tmp_path / "run" / "log.mcap").rows("truth")
    assert truth.times[-1] > 11.0


@pytest.mark.slow
def test_a_snapshot_of_a_run_with_parts_and_a_policy_repeats_it() -> None:
    with open_session("walk-fall-walk") as session:
        session.steps(150)
        snapshot = session.snapshot()
        first = [session.step().command.vector.tobytes() for _ in range(60)]
        session.restore(snapshot)
        assert [session.step().command.vector.tobytes() for _ in range(60)] == first


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "number", "least"),
    [((0.35, 0.0, 0.0), 0, 0.2), ((-0.25, 0.0, 0.0), 0, -0.25), ((0.0, 0.0, 0.5), 2, 0.25)],
)
def test_the_learned_walk_goes_where_it_is_asked(asked: tuple[float, ...], number: int, least: float) -> None:
    """In simulation: forward and back [m/s], a turn [rad/s]; the mean from the third second on."""
    forward, lateral, turn = asked
    controller = {"type": "policy", "policy": "nao-walk-learned"}
    steering = [{"time": 0.5, "forward": forward, "lateral": lateral, "turn": turn}]
    document = validated(
        {
            "format": "andante.scenario",
            "version": 1,
            "name": "walk",
            "robot": "nao",
            "controller": {**controller, "steering": steering},
            "world": {"start": {"posture": "stand"}, "noise": {"gyro": 0.01, "orientation": 0.003}},
            "timeout": 20.0,
        }
    )
    with open_session(document) as session:
        ticks = (session.steps(250) for _ in range(2))
        begin, end = (tick.truth["qpos"][:7].copy() for tick in ticks if tick is not None)

    def yaw(place: np.ndarray) -> float:
        w, x, y, z = place[3:]
        return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))

    turned = math.remainder(yaw(end) - yaw(begin), math.tau)
    heading = yaw(begin) + 0.5 * turned
    ahead = float((end - begin)[:2] @ [math.cos(heading), math.sin(heading)])
    reached = (ahead / 3.0, 0.0, turned / 3.0)[number]
    assert end[2] > 0.25
    assert least < reached if least > 0.0 else least < reached < -0.08


def test_the_scenario_takes_the_user_s_file(tmp_path: Path) -> None:
    document = with_settings(scenario_of("walk-fall-walk"), ["controller.parts.walk.controller.policy=mine.yaml"])
    with pytest.raises(andante.AndanteError, match="no such policy"):
        build(document)


@pytest.mark.slow
def test_a_sequence_is_steered_live_within_what_its_policy_was_made_for() -> None:
    document = scenario_of("walk-fall-walk")
    live = document.controller.model_copy(update={"steering": (), "live": LiveChoice()})
    document = document.model_copy(update={"controller": live, "world": document.world.but(pushes=())})
    with open_session(document) as session:
        session.steps(20)
        with pytest.raises(andante.AndanteError, match="faster than may be asked"):
            session.steer(Heading(forward=0.5))
        session.steer(Heading(forward=0.1))
        events = [event for _ in range(100) for event in session.step().events]
        assert "walks" in [event.text for event in events]
        session.end_steering("enough")
        tick = session.steps(400)
        assert tick is not None
        assert session.controller.done
