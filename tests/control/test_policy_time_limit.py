"""Networks that never answer, answer too late, or remember no numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_policy import SIZE, save_contract
from typer.testing import CliRunner

from andante.cli.app import app
from andante.control.events import EventKind
from andante.control.policies import binding, network, time_limit
from andante.control.policies.binding import bind
from andante.control.policies.contract import PolicyError
from andante.control.policies.controller import PolicyController
from andante.control.policies.files import load_policy
from andante.control.steering import SteeringScript
from andante.robots.robot import Robot
from andante.runs.policies import check
from andante.runs.policies.check import check_policy

FLOAT = TensorProto.FLOAT


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.02)


def save(path: Path, nodes: list[Any], ins: list[Any], outs: list[Any], **constants: np.ndarray) -> Path:
    told = {"w": np.zeros((SIZE, 12), np.float32), "b": np.zeros(12, np.float32)} | constants
    graph = helper.make_graph(nodes, "g", ins, outs, [numpy_helper.from_array(each, key) for key, each in told.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def row(name: str, *shape: Any, kind: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, list(shape))


def endless(path: Path, *, sizes: bool) -> Path:
    """A network with a loop that goes on for ever."""
    node = helper.make_node
    body = helper.make_graph(
        [node("Identity", ["c"], ["co"]), node("Identity", ["x"], ["xo"])],
        "body",
        [row("i", kind=TensorProto.INT64), row("c", kind=TensorProto.BOOL), row("x", 1, 12)],
        [row("co", kind=TensorProto.BOOL), row("xo", 1, 12)],
    )
    nodes = [node("Gemm", ["obs", "w", "b"], ["y"]), node("Loop", ["", "go", "y"], ["actions"], body=body)]
    shape = (1, 12) if sizes else ("n", "m")
    return save(path, nodes, [row("obs", 1, SIZE)], [row("actions", *shape)], go=np.array(True))


def forgetful(folder: Path) -> Path:
    """A network whose state never has numbers."""
    node = helper.make_node
    nodes = [
        node("Gemm", ["obs", "w", "b"], ["actions"]),
        node("Sqrt", ["below"], ["none"]),
        node("Add", ["h", "none"], ["ho"]),
    ]
    made = save(
        folder / "forgetful.onnx",
        nodes,
        [row("obs", 1, SIZE), row("h", 1, 1)],
        [row("actions", 1, 12), row("ho", 1, 1)],
        below=np.full(1, -1.0, np.float32),
    )
    inputs = [{"name": "obs", "size": SIZE}, {"name": "h", "size": 1, "state": "ho"}]
    return save_contract(
        folder, made, inputs=inputs, outputs=[{"name": "actions", "size": 12}, {"name": "ho", "size": 1}]
    )


@pytest.mark.parametrize("sizes", [True, False])
def test_a_network_that_never_answers_is_given_up(
    tmp_path: Path, nao: Robot, monkeypatch: pytest.MonkeyPatch, sizes: bool
) -> None:
    """Neither Ctrl-C nor a request to terminate ended `andante policy check` of one."""
    monkeypatch.setattr(network, "limited", lambda runtime, longest=0.2: time_limit.limited(runtime, min(longest, 0.2)))
    path = save_contract(tmp_path, endless(tmp_path / "endless.onnx", sizes=sizes))
    begun = time.monotonic()

    def tried() -> None:
        file = load_policy(path)
        bind(file.contract, nao, file.network)

    with pytest.raises(PolicyError, match="the network does not answer; limit: 5 s for the calls by which it is tried"):
        tried()
    assert time.monotonic() - begun < 5.0


def test_a_trial_leaves_no_thread_and_no_limit_behind(tmp_path: Path, nao: Robot) -> None:
    import threading

    before = threading.active_count()
    file = load_policy(save_contract(tmp_path))
    bind(file.contract, nao, file.network)
    assert threading.active_count() == before
    assert time_limit.options_now() is None
    assert not time_limit.is_ended()


def test_a_network_that_is_late_on_a_robot_is_told(tmp_path: Path, nao: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of 24 ms at 50 Hz was said to fit."""
    file = load_policy(save_contract(tmp_path))
    assert "slow" not in {finding.rule for finding in check_policy(file, nao).findings}
    monkeypatch.setattr(check, "_timed", lambda bound: (0.024, 0.03))
    (found,) = [finding for finding in check_policy(file, nao).findings if finding.rule == "slow"]
    assert found.severity == "warning"
    assert "a call takes 24 ms on this machine, and the next is due after 20 ms" in found.message


def test_a_large_network_is_tried_for_seconds_at_most(
    tmp_path: Path, nao: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 observations of a network of seconds a call took minutes."""
    file = load_policy(save_contract(tmp_path))
    monkeypatch.setattr(check, "_PROBED", 0.2)
    monkeypatch.setattr(check, "_TIMED", 0.1)
    calls: list[float] = []
    whole = binding.NetworkInputs.__call__

    def slowly(self: Any, seen: Any) -> Any:
        calls.append(time.sleep(0.02) or 0.0)
        return whole(self, seen)

    monkeypatch.setattr(binding.NetworkInputs, "__call__", slowly)
    assert check_policy(file, nao).good
    assert len(calls) < 30


def test_a_memory_without_numbers_is_told_by_the_check_and_in_the_run(tmp_path: Path, nao: Robot) -> None:
    """The last memory is kept, so that the network went on as if nothing had happened since: nobody was told."""
    file = load_policy(forgetful(tmp_path))
    found = {finding.rule: finding for finding in check_policy(file, nao).findings}
    assert found["no-memory"].severity == "error"
    assert "remembers no numbers after 201 of 201 calls" in found["no-memory"].message
    policy = PolicyController(bind(file.contract, nao, file.network), SteeringScript())
    sensors = nao.sensors()
    sensors.orientation[:] = (1.0, 0.0, 0.0, 0.0)
    told = []
    for _ in range(5):
        policy.step(sensors)
        told += policy.take_events()
    words = [event.text for event in told if event.kind is EventKind.NO_NUMBERS]
    assert words == ["policy 'tiny' remembers no numbers: what it remembered before is kept"]


def test_what_a_policy_may_see_stands_in_columns() -> None:
    done = CliRunner().invoke(app, ["policy", "terms"])
    assert done.exit_code == 0
    assert "  motion_orientation  turn of" in done.output
