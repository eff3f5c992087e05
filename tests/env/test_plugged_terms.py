"""Observation and reward terms of an installed package: known by name in every process, named where they fail."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs gymnasium (pip install 'andante[env]')")

from andante import Env  # noqa: E402
from andante.env.errors import EnvError  # noqa: E402
from andante.env.observations import OBSERVATIONS  # noqa: E402
from andante.env.rewards import REWARDS  # noqa: E402
from andante.extend import RewardTerm  # noqa: E402
from andante.plugins.errors import PluginError  # noqa: E402

CODE = """
from andante.extend import ObservationTerm, RewardTerm

class Mute(Exception):
    def __str__(self):
        raise ValueError("no words")

def fails(moment):
    raise Mute

TWICE = ObservationTerm("twice", "rad", lambda robot, actions: ("",), lambda moment: 2.0 * moment.sensors.position[:1])
YAW = RewardTerm("yaw", "rad", lambda moment: moment.sensors.position[0])
FAILS = RewardTerm("fails", "", fails)
NONE = ObservationTerm("none", "", lambda robot, actions: None, fails)
OTHER = RewardTerm("others-name", "", fails)
"""
POINTS = """[andante.observation_terms]
twice = terms_pack:TWICE
none = terms_pack:NONE
[andante.reward_terms]
yaw = terms_pack:YAW
fails = terms_pack:FAILS
other = terms_pack:OTHER
twice = terms_pack:TWICE
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "terms_pack.py").write_text(CODE)
    info = tmp_path / "terms_pack-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: terms_pack\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    # A process that is spawned looks there, too.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    for terms in (OBSERVATIONS, REWARDS):
        terms.reread()
    yield
    monkeypatch.undo()
    sys.modules.pop("terms_pack", None)
    for terms in (OBSERVATIONS, REWARDS):
        terms.reread()


def test_terms_of_a_package_go_by_their_names() -> None:
    env = Env("nao", observations=("joint_position", "twice"), rewards={"yaw": 3.0})
    env.reset(seed=0)
    seen, reward, *_ = env.step(np.full(env.actions.size, 0.1))
    assert seen[-1] == 2.0 * seen[0] != 0.0
    assert reward == 3.0 * seen[0]


@pytest.mark.slow
def test_a_process_that_is_spawned_knows_them() -> None:
    make = partial(Env, "nao", observations=("twice",), rewards={"yaw": 1.0})
    both = gymnasium.vector.AsyncVectorEnv([make, make], context="spawn")
    try:
        both.reset(seed=[1, 2])
        seen, rewards, *_ = both.step(np.full(both.action_space.shape, 0.1))
    finally:
        both.close()
    np.testing.assert_array_equal(seen[:, 0], 2.0 * rewards)


def test_one_that_fails_is_named_with_its_package() -> None:
    env = Env("nao", rewards={"fails": 1.0})
    env.reset(seed=0)
    with pytest.raises(
        EnvError, match=r"rewards.fails of terms_pack 1.2: a reward term gives no number; got 'Mute: its"
    ):
        env.step(env.action_space.sample())
    with pytest.raises(EnvError, match=r"^none of terms_pack 1.2: an observation term tells no labels"):
        Env("nao", observations=("none",))
    with pytest.raises(PluginError, match=r"its reward term 'other' cannot be used: .*calls itself otherwise"):
        Env("nao", rewards={"other": 1.0})
    with pytest.raises(PluginError, match="its reward term 'twice' cannot be used: is no reward term"):
        Env("nao", rewards={"twice": 1.0})


def test_a_reward_term_is_given_as_it_is() -> None:
    """As observation terms are: nothing of it is registered."""
    env = Env("nao", rewards={RewardTerm("two", "", _two): 3.0, "alive": 1.0})
    env.reset(seed=0)
    assert env.step(env.action_space.sample())[1] == 7.0
    assert "two" not in REWARDS
    with pytest.raises(EnvError, match="a term is named twice; got 'alive'"):
        Env("nao", rewards={RewardTerm("alive", "", _two): 3.0, "alive": 1.0})


def test_complex_numbers_are_no_action() -> None:
    env = Env("nao")
    env.reset(seed=0)
    with pytest.raises(Exception, match="an action is an array of numbers"):
        env.step(np.zeros(env.actions.size, dtype=complex))


def _two(moment: object) -> float:
    return 2.0
