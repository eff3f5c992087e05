"""The board of get-ups with a learned policy among its entrants, and the open network of others where its files are."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from andante.errors import AndanteError
from andante.search.experiment.cases import Group, evidence_of_all, groups_of
from andante.search.experiment.registry import EXPERIMENTS
from andante.search.experiment.suite import asked_of, options_of
from andante.search.experiment.trial import run_trial
from andante.search.suite import read_options

BOARD = EXPERIMENTS["getup-board"]
ARMS = ("LShoulderPitch", "LElbowRoll")


def asked(**options: Any) -> list[Group]:
    return groups_of(asked_of(BOARD, read_options(options_of(BOARD), options)))


def contract(folder: Path, *, truth: bool = False) -> Path:
    """A policy on a NAO's left arm that stands nothing up."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "control"))
    try:
        from tiny_policy import contract_of, save_network
    finally:
        sys.path.pop(0)
    from andante.control.policies.network import digest_of

    matrix = np.zeros((3 if truth else 2, 2))
    network = save_network(folder / "arm.onnx", matrix, np.full(2, 0.01))
    terms = [{"name": "base_position"}] if truth else [{"name": "joint_position"}]
    data = contract_of(
        network,
        digest_of(network),
        name="arm",
        inputs=[{"name": "obs", "size": matrix.shape[0]}],
        outputs=[{"name": "actions", "size": 2}],
        rate=1 / 0.012 / 4,
        joints=list(ARMS),
        followers={"RShoulderPitch": {"of": ARMS[0]}, "RElbowRoll": {"of": ARMS[1], "factor": -1}},
        default_posture=[1.0, -0.5],
        action={"kind": "speed", "scale": 1.0, "offset": 0.0, "clip": [-1, 1], "range": "limits"},
        kp=5.0,
        kd=0.1,
        torque_limits=1.0,
        observations=terms,
        commands=None,
        ground_truth=truth,
    )
    path = folder / "arm.yaml"
    path.write_text(yaml.safe_dump(data))
    return path


def test_a_policy_is_an_entrant_beside_the_others(tmp_path: Path) -> None:
    path = contract(tmp_path)
    groups = asked(entrant="nao,policy", policy=str(path), start="back", spread="noisy", step=0.003)
    assert [group.name for group in groups] == ["nao, back, noisy", "policy, back, noisy"]
    ours, theirs = (group.setup.scenario(7)[0] for group in groups)
    assert (ours.controller.type, theirs.controller.type) == ("keyframes", "policy")
    assert theirs.controller.policy == str(path)
    # The same worlds on the same seeds.
    assert ours.world == theirs.world
    assert groups[0].setup.spread == groups[1].setup.spread


def test_without_a_policy_the_entrant_is_refused_before_the_first_trial() -> None:
    with pytest.raises(AndanteError, match="'--policy'"):
        asked(entrant="policy", start="front")


@pytest.mark.slow
def test_a_row_says_that_it_saw_the_truth(tmp_path: Path) -> None:
    path = contract(tmp_path, truth=True)
    options = {"entrant": "nao,policy", "policy": str(path), "start": "front", "step": 0.003}
    blind = asked(**options)
    assert [group.title for group in blind] == ["nao, front, randomised", "policy, front, randomised"]
    with pytest.raises(AndanteError, match="ground truth, which no robot measures"):
        run_trial(blind[1].setup, 0)
    groups = asked(**options, ground_truth=True)
    assert [group.title for group in groups] == [
        "nao, front, randomised",
        "policy, front, randomised, with ground truth",
    ]
    experiment = asked_of(BOARD, read_options(options_of(BOARD), options | {"ground_truth": True}))
    assert evidence_of_all([experiment]) == "simulation, some of it with ground truth"
    assert evidence_of_all([asked_of(BOARD, read_options(options_of(BOARD), options))]) == "simulation"


@pytest.mark.slow
def test_a_policy_has_tries_of_a_length(tmp_path: Path) -> None:
    tries = ("observers.get-up.tries=2", "observers.get-up.try_time=0.6")
    path = contract(tmp_path)
    (group,) = asked(entrant="policy", policy=str(path), start="front", step=0.003, spread="none", values=tries)
    trial = run_trial(group.setup, 1)
    told = trial.metrics["get-up"]
    assert (told["stood"], told["tries"], told["first_try"], trial.passed) == (False, 2, False, False)
    assert [stop["why"] for stop in told["stops"]] == ["did not stand after 0.6 s"] * 2
    assert told["time"] == pytest.approx(1.2, abs=0.02)
    (again,) = asked(entrant="policy", policy=str(path), start="front", step=0.003, spread="none", values=tries)
    assert run_trial(again.setup, 1) == trial


@pytest.mark.slow
def test_a_robot_that_stands_has_stood(tmp_path: Path) -> None:
    path = contract(tmp_path)
    standing = ("world.start.lying=null", "world.start.posture=stand")
    (group,) = asked(entrant="policy", policy=str(path), start="front", step=0.003, spread="none", values=standing)
    told = run_trial(group.setup, 1).metrics["get-up"]
    assert (told["stood"], told["tries"], told["stood_at"]) == (True, 1, 1)
    assert told["time"] < 0.1


@pytest.mark.slow
def test_the_open_network_stands_a_sigmaban_up(tmp_path: Path) -> None:
    """From sensors alone: the height that it sees is the head's over the feet, by angles and orientation."""
    folder = os.environ.get("ANDANTE_HUMANOIDS")
    if folder is None or not (Path(folder) / "unified-get-up.onnx").is_file():
        pytest.skip("needs the network unified-get-up; ANDANTE_HUMANOIDS names its folder")
    sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
    try:
        from unified_get_up import contract as net
    finally:
        sys.path.pop(0)
    path = tmp_path / "net.yaml"
    path.write_text(yaml.safe_dump(net(Path(folder), "sigmaban")))
    robot = str(Path(folder) / "sigmaban.xml")
    (group,) = asked(entrant="policy", policy=str(path), robot=robot, start="front", spread="none")
    told = run_trial(group.setup, 0).metrics["get-up"]
    assert told["first_try"]
    assert told["time"] < 6.0
