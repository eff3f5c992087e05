"""Whoever moves a backend does it through a session and its guard."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import andante
from andante.backends.leglab.original_world import OriginalWorld
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.openr import OpenRBackend
from andante.backends.replay import LogReplay
from andante.cli.app import app
from andante.control.guard import Guard
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.runs.checks.physics_check import run_physics
from andante.runs.motion_libraries import load_motions
from andante.runs.scenario import CommandVectors
from andante.runs.scenario_files import load_scenario, scenario_text

SOURCES = Path(andante.__file__).parent


@pytest.fixture
def let_pass(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Names of the backends that were written to; a command that no guard has given is an error."""
    passed: list[Command] = []
    written: list[str] = []
    inside: list[object] = []
    apply = Guard.apply

    def watched(guard: Guard, command: Command, sensors: Sensors) -> Command:
        result = apply(guard, command, sensors)
        passed[:] = [result]
        return result

    def watching(kind: type, write: Callable[[object, Command], None]) -> Callable[[object, Command], None]:
        def watched_write(backend: object, command: Command) -> None:
            # A backend inside another one gets what that one makes of the guard's command.
            assert inside or (passed and command is passed[0]), f"{kind.__name__} was written to past the guard"
            inside.append(backend)
            try:
                write(backend, command)
            finally:
                inside.pop()
            written.append(kind.__name__)

        return watched_write

    monkeypatch.setattr(Guard, "apply", watched)
    for kind in (MujocoWorld, OriginalWorld, LogReplay, OpenRBackend):
        monkeypatch.setattr(kind, "write", watching(kind, kind.write))
    advance = OpenRBackend.advance

    def advancing(backend: OpenRBackend, duration: float) -> None:
        inside.append(backend)
        try:
            advance(backend, duration)
        finally:
            inside.pop()

    monkeypatch.setattr(OpenRBackend, "advance", advancing)
    yield written
    assert not inside


@pytest.mark.parametrize(
    ("command", "backend"),
    [
        ("run sit-and-stand --no-video --no-report --out run", "MujocoWorld"),
        ("run vectors.yaml --no-video --no-report --out run", "OpenRBackend"),
        ("walk --board flat --controller trot --no-report --out run", "MujocoWorld"),
        pytest.param(
            "walk --board steps --difficulty 0.1 --seed 1 --no-report --out run", "MujocoWorld", marks=pytest.mark.slow
        ),
        ("bench getup --seeds 1 --start back", "MujocoWorld"),
        pytest.param("bench fall --seeds 1 --direction forward", "MujocoWorld", marks=pytest.mark.slow),
        ("bench kick --seeds 1", "MujocoWorld"),
        ("bench aibo --seeds 1 --motion walk", "MujocoWorld"),
        ("bench motion --library nao-basics --motion stand --seeds 1", "MujocoWorld"),
        ("kick run plain", "MujocoWorld"),
        ("kick run plain --compat", "OriginalWorld"),
    ],
)
def test_every_command_that_moves_a_robot_asks_the_guard(
    command: str, backend: str, let_pass: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    vectors = load_scenario("ers7-walk").model_copy(update={"vectors": CommandVectors(), "timeout": 1.0})
    (tmp_path / "vectors.yaml").write_text(scenario_text(vectors), encoding="utf-8")
    done = CliRunner().invoke(app, command.split())
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1), done.output
    assert backend in let_pass


@pytest.mark.slow
def test_a_replay_and_a_check_in_physics_ask_the_guard(
    let_pass: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_physics(load_motions("ers7"), Robot.load("ers7"), next(iter(load_motions("ers7").motions)), 0)
    assert CliRunner().invoke(app, ["run", "sit-and-stand", "--no-video", "--no-report", "--out", "run"]).exit_code == 0
    let_pass.clear()
    assert CliRunner().invoke(app, ["replay", "run"]).exit_code == 0
    assert set(let_pass) == {"LogReplay"}


@pytest.mark.slow
def test_only_a_session_writes_to_a_backend() -> None:
    """In the source nobody else calls ``write`` and ``advance`` of something that could be a backend."""
    allowed = {"runs/session.py", "backends/openr.py", "backends/leglab/servo_world.py"}
    # How a session ends is a file of its own: the command at rest is the guard's, or the one that lets a robot go.
    allowed |= {"runs/loop/closing.py"}
    # A fake's servos get what came over its wire, which a session has written at the other end.
    allowed |= {"backends/hardware/plant.py"}
    # A fake moves its own robot once before it opens its link, so that all is compiled then.
    allowed |= {"runs/hardware/fakes.py"}
    # An engine is tried with torques beyond a motor's limit, which the guard exists to stop. It makes its own worlds.
    allowed |= {"search/judging/qualify.py"}
    found = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = ast.unparse(node.func.value)
                words = ("world", "backend", "_inner", *(("super()",) if "backends" in path.parts else ()))
                named = any(word in owner.lower() for word in words)
                if node.func.attr in ("write", "advance") and named:
                    found.add(path.relative_to(SOURCES).as_posix())
    assert found == allowed
