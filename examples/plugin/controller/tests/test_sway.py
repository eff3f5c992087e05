"""A scenario names the controller; the joint goes as far as it is told."""

import andante

SCENARIO = {
    "name": "sway",
    "robot": "nao",
    "controller": {"type": "sway", "joint": "HeadYaw", "depth": 0.4, "time": 1.0},
    "timeout": 3.0,
    "settle": 0.2,
}


def test_a_scenario_names_it_and_the_joint_sways(tmp_path):
    scenario = andante.Scenario.model_validate(SCENARIO)
    result = andante.run(scenario, out=tmp_path / "run", report=False)
    assert result.passed, result.reasons
    yaw = andante.read_log(tmp_path / "run").rows("command")["position"]
    assert abs(yaw[:, andante.Robot.load("nao").index("HeadYaw")].max() - 0.4) < 0.01


def test_it_does_the_same_again_from_a_snapshot():
    with andante.open_session(andante.Scenario.model_validate(SCENARIO)) as session:
        session.start()
        begin = session.snapshot()
        first = [session.step().command.vector.tobytes() for _ in range(20)]
        session.restore(begin)
        assert [session.step().command.vector.tobytes() for _ in range(20)] == first
