"""rl_sar's settings of a policy: a table over the robot's own, with joints by a mapping, and observations of ages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from tiny_policy import DEFAULT, LEGS, TORQUE, save_network, weights
from trainer_files import rl_sar

from andante.control.policies.contract import PolicyContract, PolicyError, missing_facts
from andante.control.policies.files import load_policy


def contract(folder: Path, **changes: Any) -> PolicyContract:
    return load_policy(rl_sar(folder, **changes)).contract


def test_joints_are_a_mapping_of_the_robot_s_and_the_policy_s_own_numbers_count(tmp_path: Path) -> None:
    found = contract(tmp_path)
    assert missing_facts(found) == []
    assert found.joints == LEGS
    assert found.torque_limits == TORQUE
    assert found.rate == 50.0
    assert found.default_posture == DEFAULT


def test_the_last_action_is_seen_as_it_was_cut(tmp_path: Path) -> None:
    """What is seen is cut by clip_obs after scaling; the last action by the narrower of both bounds."""
    upper = [2.0] * 11 + [0.5]
    terms = contract(tmp_path, clip_obs=1.0, clip_actions_upper=upper).observations or ()
    assert terms[0].clip == (-1.0, 1.0)
    assert terms[5].clip == (*((-1.0, 1.0),) * 11, (-1.0, 0.5))
    found = contract(tmp_path, clip_obs=None, clip_actions_lower=None)
    assert found.action.clip == "none"
    assert {term.clip for term in found.observations or ()} == {"none"}


@pytest.mark.parametrize(("ages", "order"), [([0, 1], "newest-first"), ([1, 0], "oldest-first")])
def test_whole_observations_are_a_stack_that_begins_as_zeros(tmp_path: Path, ages: list[int], order: str) -> None:
    path = rl_sar(tmp_path, observations_history=ages)
    matrix = weights()[0]
    save_network(tmp_path / "sar.onnx", np.concatenate((matrix, matrix)))
    stack = (load_policy(path).contract.inputs or ())[0].stack
    assert stack is not None
    assert (stack.frames, stack.order, stack.before) == (2, order, "zeros")


def test_observations_term_by_term_have_a_history_each(tmp_path: Path) -> None:
    found = contract(tmp_path, observations_history=[2, 1, 0], observations_history_priority="term")
    assert {(term.history, term.order, term.before) for term in found.observations or ()} == {
        (3, "oldest-first", "zeros")
    }


def test_a_gait_is_sine_then_cosine_of_its_own_period(tmp_path: Path) -> None:
    seen = ["ang_vel", "gravity_vec", "commands", "dof_pos", "dof_vel", "actions", "g1_phase"]
    found = contract(tmp_path, observations=seen)
    assert found.gait is not None
    assert found.gait.frequency == 1.25
    assert (found.observations or ())[6].waves == ("sin", "cos")


def test_older_files_have_one_scale_and_a_smaller_one_for_hips(tmp_path: Path) -> None:
    hips = {"action_scale": 0.25, "hip_scale_reduction": 0.5, "hip_scale_reduction_indices": [0, 6]}
    assert contract(tmp_path, **hips).action.scale == (0.125, *(0.25,) * 5) * 2


def test_keys_that_are_not_read_are_told(tmp_path: Path) -> None:
    assumed = contract(tmp_path, motion_file="dance.csv", framework="isaacsim").assumed
    assert "config.yaml: keys of another program, which are not read, motion_file" in assumed


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"wheel_indices": [12, 13]}, r"wheel_indices: its wheels are driven by speeds"),
        ({"observations": ["ang_vel", "phase"]}, r"observations\[1\].*got 'phase'.*legal: lin_vel"),
        ({"observations_history": [0, 2]}, "observations_history: only observations that follow each other"),
        ({"joint_mapping": [12, *range(11)]}, "joint_mapping: there is no such joint; got 12; limit: 0 to 11"),
        ({"dof_vel_scale": None}, "dof_vel_scale: a scale is missing"),
        ({"rl_kp": [1.0]}, "rl_kp: a list has another length; got 1; limit: 12"),
        ({"joint_names": "all"}, "joint_names: a list of names is needed"),
    ],
)
def test_what_is_not_known_is_refused_with_its_place(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    with pytest.raises(PolicyError, match=what):
        contract(tmp_path, **changes)


def test_without_the_robot_s_file_it_is_told_what_belongs_beside_it(tmp_path: Path) -> None:
    path = rl_sar(tmp_path)
    (tmp_path / "base.yaml").write_text(yaml.safe_dump({"go2": {"dt": 0.005}}))
    with pytest.raises(PolicyError, match="the base of another robot; got 'go2'; limit: nao"):
        load_policy(path)
    (tmp_path / "base.yaml").unlink()
    with pytest.raises(PolicyError, match=r"base\.yaml of the robot belongs beside it"):
        load_policy(path)
