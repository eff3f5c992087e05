"""docs/extend.md: each block of code runs by itself with public names, and what it makes is used by its name."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper
from typer.testing import CliRunner

import andante
import andante.extend
from andante.cli.app import app
from andante.plugins.kinds import KINDS, register_of

PAGE = (Path(__file__).parents[2] / "docs" / "extend.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ADDED = [
    *(("boards", "hill"), ("boards", "sleepers"), ("formats", "durations"), ("checks", "long-pause")),
    *(
        ("controllers", "nodder"),
        ("backends", "still"),
        ("tasks", "reach"),
        ("footholds", "aside"),
        ("estimators", "watched"),
        ("policy_terms", "knees"),
        ("policy_formats", "ours"),
        ("observers", "reach"),
        ("observation_terms", "elbows"),
        ("reward_terms", "folded"),
    ),
]


@pytest.fixture(autouse=True)
def forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield
    for kind, name in ADDED:
        register_of(kind).unregister(name)


def block(words: str) -> dict[str, Any]:
    """What the one block with some words makes."""
    (code,) = [each for each in BLOCKS if words in each]
    scope: dict[str, Any] = {"__name__": "page"}
    exec(compile(code, "extend.md", "exec", dont_inherit=True), scope)
    return scope


def told(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    assert done.exit_code in (0, 1), done.output
    return done.output


def test_every_block_is_short_and_imports_public_names_only() -> None:
    public = {"andante": set(andante.__all__), "andante.extend": set(andante.extend.__all__)}
    for code in BLOCKS:
        assert len([line for line in code.splitlines() if line.strip()]) <= 31, code
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("andante"):
                assert {alias.name for alias in node.names} <= public[node.module or ""], code


def test_every_kind_is_told() -> None:
    assert set(KINDS) <= set(re.findall(r"`andante\.(\w+)`", PAGE))


def test_a_program_adds_a_board(capsys: pytest.CaptureFixture[str]) -> None:
    block("hill")
    assert float(capsys.readouterr().out) == pytest.approx(0.05, abs=1e-6)
    assert "hill" in told("boards")


def test_a_board_is_drawn() -> None:
    andante.register("boards", "sleepers", block("SLEEPERS")["SLEEPERS"])
    assert "401 x 121 nodes" in told("boards", "sleepers", "--draw", "sleepers.png")
    assert Path("sleepers.png").stat().st_size > 1000


def test_a_format_is_read_and_written() -> None:
    andante.register("formats", "durations", block("DurationsCodec")["DurationsCodec"])
    Path("nod.durations").write_text("durations 0.5 0.25")
    assert [frame.duration for frame in andante.read("nod.durations").blocks["nod"].keyframes] == [0.5, 0.25]
    told("convert", "nod.durations", "again.durations")
    assert Path("again.durations").read_text() == "durations 0.5 0.25"
    Path("bad.durations").write_text("durations 0.5 soon")
    with pytest.raises(andante.AndanteError, match=r"bad\.durations: this is no duration"):
        andante.read("bad.durations")


def test_a_check_is_run() -> None:
    andante.register("checks", "long-pause", block("check_pauses")["check_pauses"])
    motions = (
        "format: andante.motions\nrobot: nao\nmotions: {m: {blocks: [b]}}\nblocks: {b: {keyframes: [{duration: 7}]}}\n"
    )
    Path("slow.yaml").write_text(motions)
    assert "takes 7 s" in told("check", "slow.yaml", "--all")
    assert "Keyframes that take longer than 5 s" in told("list", "checks")


def test_a_controller_a_backend_and_a_task_make_a_run() -> None:
    andante.register("controllers", "nodder", block("NodControl")["NodControl"])
    andante.register("backends", "still", block("StillBackend")["StillBackend"])
    andante.register("tasks", "reach", block("ReachTask")["ReachTask"])
    Path("nod.yaml").write_text(
        "format: andante.scenario\nname: nod\nrobot: nao\ncontroller: {type: nodder}\nbackend: {type: still}\n"
        "tasks: [{type: reach, joint: HeadPitch}]\ntimeout: 2\nsuccess: {finishes: false, no_fall: false}\n"
    )
    result = andante.run("nod.yaml", out="run")
    assert result.data()["metrics"]["reach"]["largest"] == pytest.approx(0.3, abs=0.01)
    assert "HeadPitch reaches 0.30 rad (asked: 0.2 rad)" in result.reasons
    assert Path("run/reach.png").is_file()
    assert "Angle of HeadPitch" in Path("run/report.html").read_text()
    weak = andante.run("nod.yaml", out="weak", report=False, settings=["controller.depth=0.1"])
    assert not weak.passed


def test_an_experiment_is_run(tmp_path: Path) -> None:
    (text,) = re.findall(r'```yaml title="floors.yaml"\n(.*?)```', PAGE, re.DOTALL)
    Path("floors.yaml").write_text(text)
    told_of = told("bench", "floors.yaml", "--seeds", "1")
    assert "ice" in told_of
    assert "rubber" in told_of


def test_an_observer_tells_a_figure() -> None:
    andante.register("observers", "reach", block("ReachKind")["ReachKind"])
    (text,) = re.findall(r'```yaml title="floors.yaml"\n(.*?)```', PAGE, re.DOTALL)
    head = text.partition("axes:")[0] + "observers: {reach: {joint: LKneePitch}}\n"
    Path("reach.yaml").write_text(head + "figures: {knee: {metric: reach.largest, statistic: mean, unit: rad}}\n")
    (row,) = json.loads(told("bench", "reach.yaml", "--seeds", "1", "--json"))["rows"]
    assert 0.5 < row["value"] < 1.5


def test_a_foothold_rule_walks() -> None:
    andante.register("footholds", "aside", block("FootholdRule")["Aside"])
    (yaml,) = re.findall(r"```yaml\n(controller:.*?)```", PAGE, re.DOTALL)
    head = "format: andante.scenario\nname: aside\nrobot: spirit40\ntimeout: 0.2\nworld: {timestep: 0.001}\n"
    Path("aside.yaml").write_text(head + yaml + "  blind: true\n  steering: [{time: 0.0, forward: 0.3}]\n")
    with andante.open_session("aside.yaml") as session:
        session.start()
        session.steps(50)
        assert session.ending is None


def test_an_estimator_tells_how_a_body_moves() -> None:
    andante.register("estimators", "watched", block("EstimatorKind")["WATCHED"])
    head = "format: andante.scenario\nname: watched\nrobot: spirit40\ntimeout: 0.2\nworld: {timestep: 0.001}\n"
    control = "controller: {type: quadruped, estimator: watched, steering: [{time: 0.0, forward: 0.3}]}\n"
    Path("watched.yaml").write_text(head + control)
    with andante.open_session("watched.yaml") as session:
        session.steps(50)
        assert session.ending is None
        assert session.controller._estimator.inner.fastest > 0.0
    Path("watched.yaml").write_text(head + control.replace("watched", "watchd"))
    with pytest.raises(andante.AndanteError, match="did you mean 'watched'"):
        andante.open_session("watched.yaml")


def test_a_policy_format_is_read() -> None:
    andante.register("policy_formats", "ours", block("PolicyFormat")["OURS"])
    joints = [f"{side}{name}" for side in "LR" for name in ("HipPitch", "KneePitch")]
    Path("walk.json").write_text(json.dumps({"network": "n.onnx", "hz": 50, "joints": joints, "stiffness": 40}))
    node = helper.make_node("Identity", ["obs"], ["actions"])
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in ("obs", "actions")]
    graph = helper.make_graph([node], "tiny", ends[:1], ends[1:])
    opset = [helper.make_opsetid("", 17)]
    Path("n.onnx").write_bytes(helper.make_model(graph, opset_imports=opset, ir_version=8).SerializeToString())
    head = "format: andante.policy\nversion: 1\nname: ours\nrobot: nao\n"
    Path("walk.yaml").write_text(head + "reads: {format: ours, file: walk.json}\n")
    shown = told("policy", "inspect", "walk.yaml")
    assert "kd: the trainer writes none" in shown
    assert "LKneePitch" in shown


def test_a_term_of_a_policy_is_listed() -> None:
    andante.register("policy_terms", "knees", block("KNEES")["KNEES"])
    assert "angles of the knees [rad]" in told("policy", "terms")


def test_terms_of_an_environment_are_seen_and_rewarded() -> None:
    made = block("RewardTerm")
    andante.register("observation_terms", "elbows", made["ELBOWS"])
    andante.register("reward_terms", "folded", made["FOLDED"])
    env = andante.Env("nao", observations=("gyro", "elbows"), rewards={"folded": 1.0})
    env.reset(seed=0)
    seen, reward, *_ = env.step(env.action_space.sample())
    assert reward == pytest.approx(abs(seen[3:]).sum())
