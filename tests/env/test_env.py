"""Environments: the interface of gymnasium, what is observed, what is refused, and that seeds decide everything."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs gymnasium (pip install 'andante[env]')")

from andante import Env, Robot, Scenario, WalkTask, open_session  # noqa: E402
from andante.backends.fault import Fault  # noqa: E402
from andante.backends.world import SensorNoise, WorldConfig  # noqa: E402
from andante.control.controller import ControlError  # noqa: E402
from andante.env.errors import EnvError  # noqa: E402
from andante.env.terms import ObservationTerm, RewardTerm  # noqa: E402
from andante.errors import AndanteError  # noqa: E402
from andante.runs.errors import SessionError, SnapshotError  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "env.md"


def _rolled(env: Env, seed: int, steps: int = 15) -> bytes:
    observation, _ = env.reset(seed=seed)
    seen = [observation]
    rng = np.random.default_rng(5)
    for _ in range(steps):
        action = rng.uniform(env.action_space.low, env.action_space.high)
        seen.append(env.step(action)[0])
    return np.concatenate(seen).tobytes()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_finds_nothing_wrong() -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(Env("nao"))
    check_env(Env("nao", action="torques", spread="noisy"))


def test_a_seed_decides_everything_and_nothing_else_does() -> None:
    world = WorldConfig(noise=SensorNoise(position=0.01, gyro=0.1), friction=(0.3, 1.0))
    first, second = Env("nao", world=world), Env("nao", world=world)
    once = _rolled(first, 7)
    _rolled(first, 8)
    assert _rolled(first, 7) == once == _rolled(second, 7)
    assert _rolled(first, 8) != once


def test_observations_are_readings_and_truth_has_its_name() -> None:
    world = WorldConfig(noise=SensorNoise(gyro_offset=0.5))
    env = Env("nao", world=world, observations=("gyro", "true_base_turning", "joint_position"))
    observation, _ = env.reset(seed=1)
    assert [(term.name, term.unit, len(term.labels)) for term in env.terms] == [
        *(("gyro", "rad/s", 3), ("true_base_turning", "rad/s", 3), ("joint_position", "rad", 26)),
    ]
    assert np.abs(observation[:3]).max() > 0.05
    assert np.abs(observation[3:6]).max() < 1e-9
    peeking = ObservationTerm("height", "m", lambda robot, actions: ("",), lambda m: m.truth["base_height"])
    with pytest.raises(EnvError, match="only a term whose name begins with true_ may read the ground truth"):
        Env("nao", observations=(peeking,))


def test_limits_and_latency_are_in_force() -> None:
    env = Env("nao", observations=("joint_target", "joint_position"))
    start, _ = env.reset(seed=0)
    joint, robot = env.session.backend.robot.index("LElbowRoll"), env.session.backend.robot
    action = start[:26][: env.actions.size] * 0.0
    action[env.actions.labels.index("LElbowRoll")] = robot.lower[joint]
    targets, angles = [], []
    for _ in range(6):
        observation = env.step(action)[0]
        targets.append(observation[joint])
        angles.append(observation[26 + joint])
    assert np.abs(np.diff(targets)).max() <= robot.max_velocity[joint] * robot.tick + 1e-12
    assert targets[0] != pytest.approx(robot.lower[joint])
    # Three ticks pass before a servo acts: until then the elbow has moved by its sag only.
    assert abs(angles[1] - start[26 + joint]) < 0.002 < abs(angles[5] - start[26 + joint])


def test_an_episode_goes_on_from_a_snapshot() -> None:
    env = Env("nao", spread="noisy")
    env.reset(seed=3)
    action = np.full(env.actions.size, 0.1)
    env.step(action)
    kept = env.snapshot()
    after = [env.step(action)[0].tobytes() for _ in range(5)]
    env.reset()
    env.reset(options={"snapshot": kept})
    assert [env.step(action)[0].tobytes() for _ in range(5)] == after
    with pytest.raises(EnvError, match="snapshot of the same environment"):
        Env("nao").reset(options={"snapshot": kept})


def test_a_snapshot_is_its_own_copy_and_says_why_it_cannot_be_pickled() -> None:
    env = Env("nao")
    env.reset(options={"world_seed": 5})
    kept = env.snapshot()
    assert copy.copy(kept) is kept
    assert copy.deepcopy([kept])[0] is kept
    with pytest.raises(SnapshotError, match=r"cannot be pickled: .* reset\(options=\{\"world_seed\": 5\}\)"):
        pickle.dumps(kept)
    inner = env.session.snapshot()
    assert copy.deepcopy(inner) is inner
    with pytest.raises(SnapshotError, match=r"cannot be pickled: .* with the same seed to tick 0 there"):
        pickle.dumps(inner)


def test_two_processes_give_what_one_gives() -> None:
    make = partial(Env, "nao", spread="standard")
    alone = make()
    both = gymnasium.vector.AsyncVectorEnv([make, make])
    try:
        seen, _ = both.reset(seed=[4, 9])
        action = np.zeros((2, alone.actions.size))
        stepped = both.step(action)[0]
    finally:
        both.close()
    for row, seed in enumerate((4, 9)):
        assert alone.reset(seed=seed)[0].tobytes() == seen[row].tobytes()
        assert alone.step(action[row])[0].tobytes() == stepped[row].tobytes()


def test_rewards_are_weighted_sums_and_own_terms_count() -> None:
    term = RewardTerm("second_action", "rad", lambda moment: float(moment.action[1]))
    assert Env.register_reward(term) is term
    env = Env("nao", rewards={"alive": 2.0, "second_action": -3.0})
    env.reset(seed=0)
    action = np.zeros(env.actions.size)
    action[1] = 0.25
    _, reward, _, _, info = env.step(action)
    assert reward == 2.0 - 0.75
    assert info["rewards"] == {"alive": 2.0, "second_action": -0.75}
    with pytest.raises(AndanteError, match="two reward_terms cannot have one name; got 'second_action'"):
        Env.register_reward(RewardTerm("second_action", "", lambda moment: 0.0))


def test_faults_befall_it_and_time_cuts_it_off() -> None:
    fault = Fault(type="stuck", joints=("HeadYaw",), start=0.0)
    env = Env("nao", faults=(fault,), observations=("joint_position",), time_limit=0.12, tilt=None)
    env.reset(seed=0)
    action = np.zeros(env.actions.size)
    action[0] = 1.0
    done = [env.step(action) for _ in range(10)]
    assert [each[3] for each in done] == [False] * 9 + [True]
    assert abs(done[-1][0][0]) < 0.01
    with pytest.raises(EnvError, match="no episode goes on"):
        env.step(action)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observations": ("joint_positon",)}, "no such observation term.*did you mean 'joint_position'"),
        ({"rewards": {"alife": 1.0}}, "no such reward term.*did you mean 'alive'"),
        ({"rewards": {"alive": math.nan}}, "a weight must be finite"),
        ({"action": "target"}, "no such kind of action.*did you mean 'targets'"),
        ({"action": "twist"}, "needs a controller.*name a scenario"),
        ({"spread": "nosy"}, "no such spread.*did you mean 'noisy'"),
        ({"time_limit": 0.0}, "an episode lasts for some time"),
        ({"observations": ("gyro", "gyro")}, "a term is named twice"),
        ({"observations": "gravity"}, r"observations: is no list; got 'gravity'"),
        ({"observations": (lambda moment: 0.0,)}, "is no observation term, and no name of one"),
        ({"rewards": ["alive"]}, "rewards: gives no weights by name"),
        ({"rewards": {len: 1.0}}, "rewards: is no reward term, and no name of one.*RewardTerm"),
        ({"rewards": {"alive": "much"}}, "rewards.alive: is no number; got 'much'"),
        ({"tilt": "60deg"}, "tilt: is no number; got '60deg'"),
        ({"reach": 0.1}, "only a residual has a reach"),
        ({"period": "0.02"}, "period: is no number"),
        ({"period": 1e9}, "period: a step lasts longer than an episode; .*at most time_limit, 20 s"),
        ({"start": "frnt"}, "there is no such start; got 'frnt'; did you mean 'front'"),
        ({"start": "front", "world": {"start": {"lying": "prone"}}}, "start: the world has a start, too"),
        ({"faults": [{"type": "stuk", "joints": ["HeadYaw"]}]}, r"faults\[0\].type: .*legal: stuck"),
        ({"world": {"fricton": 0.3}}, "world: there is no such setting; got 'fricton'; did you mean 'friction'"),
        ({"size": 480}, "size: is no list"),
        ({"spread": {"friction": 0.3}}, "is no spread, and no name of one"),
    ],
)
def test_bad_settings_are_one_message(change: dict[str, object], message: str) -> None:
    with pytest.raises(AndanteError, match=message):
        Env("nao", **change)  # type: ignore[arg-type]


def test_a_motion_that_is_done_does_not_end_an_episode() -> None:
    """Time does: who learns values what comes after it, which is nothing where an episode is terminated."""
    env = Env(scenario="nao/stand", action="residual", time_limit=1.5)
    env.reset(seed=0)
    steps = [env.step(np.zeros(env.actions.size)) for _ in range(125)]
    assert not any(each[2] or each[3] for each in steps[:-1])
    assert steps[-1][2:4] == (False, True)
    assert steps[-1][4]["ending"] == "timeout"


def test_a_task_is_told_how_it_becomes_a_scenario() -> None:
    with pytest.raises(AndanteError, match=r"is no scenario; got 'WalkTask'; .*; give its scenario\(\)"):
        Env(scenario=WalkTask(board="steps"))  # type: ignore[arg-type]


def test_what_is_no_term_is_not_registered() -> None:
    with pytest.raises(EnvError, match="is no reward term; got 'builtin_function_or_method'"):
        Env.register_reward(len)  # type: ignore[arg-type]
    with pytest.raises(EnvError, match="is no observation term"):
        Env.register_observation(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("asked", [{"robot": "nao"}, {"scenario": "nao/stand"}])
def test_a_robot_may_begin_lying(asked) -> None:
    """The world beside it stays, and nobody falls who lies."""
    env = Env(**asked, start="front", world={"friction": 0.3})
    env.reset(seed=0)
    assert env.session.backend.truth()["base_height"][0] < 0.15
    assert env.step(np.zeros(env.actions.size))[2:4] == (False, False)


def test_a_vectorised_environment_tells_what_is_wrong() -> None:
    """Gymnasium makes the error of a worker anew, of the error itself."""
    env = gymnasium.vector.AsyncVectorEnv([partial(Env, "nao")] * 2, context="fork")
    try:
        env.reset(seed=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(AndanteError, match=r"action\[0\], HeadYaw: an action must be finite; got nan"):
                env.step(np.full(env.action_space.shape, np.nan))
    finally:
        env.close(terminate=True)


def test_a_copy_begins_anew_and_is_the_same_environment() -> None:
    env = Env("nao", world={"friction": [0.2, 0.9]}, faults=[{"type": "dead", "joints": ["HeadYaw"], "start": 0.0}])
    env.reset(seed=np.int64(7))
    for made in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        with pytest.raises(EnvError, match="no episode goes on"):
            made.step(made.action_space.sample())
        assert made.reset(seed=7)[0].tobytes() == env.reset(seed=7)[0].tobytes()
        action = np.full(25, 0.1)
        assert made.step(action)[0].tobytes() == env.step(action)[0].tobytes()


@pytest.mark.parametrize(
    ("term", "told"),
    [
        (ObservationTerm("k", "", lambda r, a: ("",), lambda m: m.sensors["nope"]), "k: an observation term failed; "),
        (ObservationTerm("k", "", lambda r, a: 3, lambda m: [0.0]), "k: an observation term tells no labels"),
        (ObservationTerm("k", "", lambda r, a: ("x", "y"), lambda m: [1.0]), "it gives 1 numbers in place of 2"),
        (ObservationTerm("k", "", lambda r, a: ("",), lambda m: None), "it gives None"),
        (ObservationTerm("k", "", lambda r, a: ("x", "y"), lambda m: np.ones(2) * 1j), "its numbers are complex"),
        (ObservationTerm.of_sensors("k", "nope", "", lambda r, a: ("",), ""), "k: sensors have no such field"),
        (ObservationTerm.of_sensors("k", "gyro", "", lambda r, a: ("",), ""), "k: a term has one label for each"),
    ],
)
def test_an_observation_term_that_does_something_wrong_is_named(term, told) -> None:
    with pytest.raises(EnvError, match=told):
        Env("nao", observations=[term])


def _in_place(values):
    values -= 0.1
    return values


@pytest.mark.parametrize(
    "read",
    [
        lambda m: _in_place(m.sensors.gyro),
        lambda m: _in_place(m.command.position[:3]),
        lambda m: _in_place(m.action[:3]),
    ],
)
def test_a_term_that_would_change_what_the_robot_goes_on_with_is_refused(read) -> None:
    with pytest.raises(EnvError, match=r"k: an observation term gives something else than its numbers: .*read-only"):
        Env("nao", observations=[ObservationTerm("k", "", lambda r, a: ("x", "y", "z"), read)])


def test_bad_actions_change_nothing() -> None:
    env = Env("nao")
    env.reset(seed=0)
    bad = np.zeros(env.actions.size)
    bad[2] = math.nan
    with pytest.raises(ControlError, match=r"action\[2\], \w+: an action must be finite; got nan"):
        env.step(bad)
    with pytest.raises(ControlError, match=r"another shape; got \(3,\); limit: \(25,\)"):
        env.step(np.zeros(3))
    assert env.session.number == 0


def test_sessions_take_actions() -> None:
    session = open_session("nao/wave", action="residual")
    with pytest.raises(ControlError, match="another shape"):
        session.step([0.0])
    shifted = session.step(np.full(25, 0.01)).request.position
    plain = open_session("nao/wave").step().request.position
    assert shifted - plain == pytest.approx(np.full(26, 0.01))
    with pytest.raises(SessionError, match="takes no actions"):
        open_session("nao/wave").step(np.zeros(25))


@pytest.mark.usefixtures("registers_as_before")
def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    code = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert len(code.strip().splitlines()) <= 20
    exec(compile(code, "env.md", "exec"), {})
    assert "best" in capsys.readouterr().out


def test_every_robot_by_name() -> None:
    robot = Robot.load("spirit40")
    env = Env(robot, rewards={"true_forward_speed": 1.0, "joint_effort": -1e-4})
    env.reset(seed=2)
    assert env.observation_space.contains(env.step(robot.posture("stand"))[0])


@pytest.mark.parametrize(("action", "size"), [("twist", 3), ("residual", 12)])
def test_a_walking_controller_takes_actions_and_begins_anew(action: str, size: int) -> None:
    data = {"name": "walk", "robot": "spirit40", "controller": {"type": "quadruped", "live": {}, "blind": True}}
    env = Env(scenario=Scenario.model_validate(data), action=action)
    assert env.action_space.shape == (size,)
    asked, still = np.zeros(size), np.zeros(size)
    asked[0] = 0.2
    seen = []
    for chosen in (asked, still, asked):
        env.reset(options={"world_seed": 1})
        seen.append(b"".join(env.step(chosen)[0].tobytes() for _ in range(20)))
    assert seen[0] == seen[2] != seen[1]


@pytest.mark.parametrize(
    ("name", "read", "told"),
    [
        (
            "three_numbers",
            lambda moment: np.zeros(3),
            "rewards.three_numbers: a reward term gives no number",
        ),
        ("divides", lambda moment: 1 / 0, "rewards.divides: a reward term gives no number; got 'ZeroDivisionError"),
        ("endless", lambda moment: math.inf, "rewards.endless: a reward must be finite; got inf"),
    ],
)
def test_a_reward_term_that_gives_no_number_is_named(name, read, told) -> None:
    Env.register_reward(RewardTerm(name, "", read))
    env = Env("nao", rewards={name: 1.0})
    env.reset(seed=0)
    with pytest.raises(EnvError) as caught:
        env.step(env.action_space.sample())
    assert str(caught.value).startswith(told)


def test_episodes_are_drawn(offscreen: object) -> None:
    env = Env("nao", render_mode="rgb_array", size=(96, 64), time_limit=0.5)
    assert env.metadata["render_fps"] == round(1 / env.session.controller.period)
    with pytest.raises(EnvError, match="there is nothing to draw yet"):
        env.render()
    env.reset(seed=0)
    first = env.render()
    assert first is not None
    assert first.shape == (64, 96, 3)
    # The robot is in the middle, and not of the sky's or the floor's colours alone.
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 50
    for _ in range(4):
        env.step(env.action_space.high)
    moved = env.render()
    assert moved is not None
    assert (moved != first).any()
    assert Env("nao").render() is None
    with pytest.raises(EnvError, match="no such way of drawing"):
        Env("nao", render_mode="human")
    env.close()


def test_gymnasium_knows_before_an_environment_is_made_that_it_draws() -> None:
    """`gymnasium.make(..., render_mode="rgb_array")` warned that nothing can be drawn."""
    assert Env.metadata["render_modes"] == ["rgb_array"]
    made = Env("nao")
    assert made.metadata["render_modes"] == Env.metadata["render_modes"]
    assert made.metadata["render_fps"] > 0
    assert "render_fps" not in Env.metadata
