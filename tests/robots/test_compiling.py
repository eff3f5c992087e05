"""Models are compiled in the thread that asks: the same bytes, and no heap of another thread that stays."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.robots.compiling import compiled, written
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

MESHES = (
    """<mujoco><asset>{meshes}</asset><worldbody><body name="base"><freejoint/>{geoms}</body></worldbody></mujoco>"""
)


def meshed(count: int = 4) -> mujoco.MjSpec:
    """A body of several meshes, which MuJoCo would read in threads."""
    points = " ".join(f"{x} {y} {z}" for x in (0, 0.1) for y in (0, 0.2) for z in (0, 0.3))
    meshes = "".join(f'<mesh name="m{n}" vertex="{points}" scale="1 1 {n + 1}"/>' for n in range(count))
    geoms = "".join(f'<geom type="mesh" mesh="m{n}"/>' for n in range(count))
    return mujoco.MjSpec.from_string(MESHES.format(meshes=meshes, geoms=geoms))


def bytes_of(model: mujoco.MjModel) -> bytes:
    buffer = np.zeros(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


def test_a_model_is_the_same_whether_threads_read_its_meshes_or_not() -> None:
    ours, theirs = meshed(), meshed()
    assert bytes_of(compiled(ours)) == bytes_of(theirs.compile())
    assert ours.compiler.usethread
    assert written(ours) == theirs.to_xml()


def test_who_wants_no_threads_keeps_that_in_the_text() -> None:
    spec = meshed()
    spec.compiler.usethread = False
    compiled(spec)
    assert not spec.compiler.usethread
    assert 'usethread="false"' in written(spec)


def test_nothing_of_a_robots_room_or_of_a_run_compiles_with_threads(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from andante.backends.model_builder import build_model
    from andante.backends.world import WorldConfig

    threads, compile_it = [], mujoco.MjSpec.compile

    def seen(spec: mujoco.MjSpec) -> mujoco.MjModel:
        threads.append(bool(spec.compiler.usethread))
        return compile_it(spec)

    monkeypatch.setattr(mujoco.MjSpec, "compile", seen)
    # By path: a robot that goes by name is compiled once in a process.
    robot = Robot.load(ROBOTS["littledog"])
    assert robot.model.nq == build_model(robot, WorldConfig()).nq
    assert len(threads) >= 2
    assert not any(threads)
