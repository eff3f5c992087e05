"""A run as one page that anyone opens from the disk: no server, no network, nothing to install.

The page shows the run in 3-D with its keyframes and curves. Where the world is level ground, it also has MuJoCo's own
WebAssembly and the motor commands of every tick, so that the robot can be pushed and one keyframe changed: the same
commands then meet other circumstances, without the controller's feedback. The page says so.
"""

from __future__ import annotations

import base64
import json
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.backends.model_builder import build_spec
from andante.backends.mujoco_world import MujocoWorld
from andante.control.events import EventKind
from andante.documents.files import write_text
from andante.motions.interpolation import effective_interpolation
from andante.pictures.pages import packed
from andante.robots.robot import Robot
from andante.runs.build import Parts, build
from andante.runs.controls.motions import MotionControl
from andante.runs.execute import session_of
from andante.runs.logs.log import Log
from andante.runs.logs.record import result_of
from andante.runs.scenario import Scenario
from andante.studio.errors import StudioError
from andante.studio.lanes import lane_row
from andante.studio.scene import robot_scene
from andante.studio.shared_runs import SharedRun, shared_run
from andante.studio.view import WAYS, finite

FOLDER = Path(__file__).parent / "share"
"""The page's parts: its frame and its script."""
MUJOCO = Path(__file__).parent / "mujoco"
"""MuJoCo for the browser; there once `make mujoco` has run, and in wheels that were built afterwards."""
LARGEST = 6_000_000
"""Largest page [bytes]."""
LONGEST = 120.0
"""Longest run that is shared [s]."""
TEMPLATE, SCRIPT, ENGINE, WASM = "share.html", "share.js", "mujoco.js", "mujoco.wasm.gz"
"""Names of the parts."""


@dataclass
class Recording:
    """A run that was done again, for its page."""

    rows: list[NDArray[np.float32]] = field(default_factory=list)
    """Each tick as `andante.studio.lanes.lane_row` has it."""
    motors: list[NDArray[np.float32]] = field(default_factory=list)
    """Each tick's motor commands, (6 nu,): MuJoCo's controls, gains, three numbers of the biases, torque limits."""
    played: list[dict[str, Any]] = field(default_factory=list)
    """Which keyframe began when."""
    events: list[dict[str, Any]] = field(default_factory=list)
    """What else happened."""
    begin: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """Positions and velocities at the first tick."""
    end: NDArray[np.float64] | None = None
    """The physics' ``qpos`` before the last tick; None: nobody knows."""


def share_page(folder: Path, page: Path) -> dict[str, Any]:
    """Write the page of a run.

    Args:
        folder: The run's folder, its scenario, or its log, also where that lies alone.
        page: The file; replaced.

    Returns:
        Its size [bytes], and whether it has physics, else why not.

    Raises:
        AndanteError: There is no such run, it is too long, or the page cannot be written.
    """
    run = shared_run(folder)
    scenario = run.scenario
    _refuse_long(run)
    parts = build(scenario)
    try:
        recording = recorded(scenario, parts)
    finally:
        parts.backend.close()
    verdict = _verdict(run.numbers) if _the_same(run.log, recording) else _CHANGED
    physics, why = physics_of(scenario, parts, recording)
    robot = parts.robot
    data = {
        "title": scenario.name,
        "seed": scenario.seed,
        "robot": robot_scene(robot),
        "rows": _packed(recording.rows),
        "count": len(recording.rows),
        "events": recording.events,
        "played": played_of(scenario, robot, recording),
        "physics": physics,
        "why": why,
        **verdict,
    }
    text = _filled(finite(data), with_engine=physics is not None)
    if len(text) > LARGEST:
        limit = f"{LARGEST / 1e6:g} MB"
        raise StudioError(
            "the page would be too large", place=str(page), value=f"{len(text) / 1e6:.1f} MB", limit=limit
        )
    write_text(page, text)
    return {"bytes": len(text.encode()), "physics": physics is not None, "why": why}


def shared_bytes(folder: Path, kind: str) -> bytes:
    """The last run of a folder as a page (``html``) or a video (``gif``, ``mp4``, ``webp``), for who writes it himself.

    Raises:
        AndanteError: There is no such run, or it cannot be shown so.
    """
    from andante.studio.sharing_video import share_video

    with tempfile.TemporaryDirectory(prefix="andante-share-") as made:
        path = Path(made) / f"shared.{kind}"
        if kind == "html":
            share_page(folder, path)
        else:
            share_video(folder, path)
        return path.read_bytes()


def recorded(scenario: Scenario, parts: Parts) -> Recording:
    """Do a run again: its seed makes it the same.

    Raises:
        AndanteError: It cannot be done, or takes longer than `LONGEST`.
    """
    session, found = session_of(scenario, parts), Recording()
    world = parts.backend if isinstance(parts.backend, MujocoWorld) else None
    model = parts.model
    base = model.body(parts.robot.base_body)
    at = int(model.jnt_qposadr[int(base.jntadr[0])]) if int(base.jntnum[0]) else None
    session.start()
    if world is not None:
        found.begin = world.data.qpos.copy(), world.data.qvel.copy()
    origin = _beginning(scenario, parts, at)
    while session.ending is None:
        # As the log has it: before the tick.
        truth = parts.backend.truth()
        found.end = None if truth is None else truth["qpos"].copy()
        tick = session.step()
        if tick.time > LONGEST:
            raise StudioError("the run is too long to share", limit=f"{LONGEST:g} s")
        found.rows.append(lane_row(tick, at, origin))
        if world is not None:
            found.motors.append(_motors(world))
        for event in tick.events:
            if event.kind is EventKind.KEYFRAME and "block" in event.data:
                played = {"block": event.data["block"], "keyframe": event.data["keyframe"], "begin": event.time}
                found.played.append(played)
            else:
                found.events.append({"time": event.time, "kind": str(event.kind), "text": event.text})
    session.close()
    return found


def _beginning(scenario: Scenario, parts: Parts, base: int | None) -> NDArray[np.float64] | None:
    """The ground below the base at the start, (3,) [m], from where places count on a page without the ground; None: all
    is on the level floor."""
    truth = parts.backend.truth()
    if scenario.world.terrain is None or base is None or truth is None:
        return None
    place: NDArray[np.float64] = truth["qpos"][base : base + 3].copy()
    place[2] -= float(truth["base_height"][0])
    return place


def _motors(world: MujocoWorld) -> NDArray[np.float32]:
    model = world.model
    bias, limit = model.actuator_biasprm[:, :3], model.actuator_forcerange[:, 1]
    parts = (world.data.ctrl, model.actuator_gainprm[:, 0], bias[:, 0], bias[:, 1], bias[:, 2], limit)
    return np.concatenate(parts).astype(np.float32)


def physics_of(scenario: Scenario, parts: Parts, recording: Recording) -> tuple[dict[str, Any] | None, str]:
    """What the page's physics begins with; None and the reason where it has none."""
    robot, world = parts.robot, parts.backend
    missing = [name for name in (ENGINE, WASM) if not (MUJOCO / name).is_file()]
    if missing:
        lacks = f"this installation lacks MuJoCo for the browser ({', '.join(missing)})"
        return None, f"{lacks}; `make mujoco` in a checkout of Andante fetches it"
    if not isinstance(world, MujocoWorld) or recording.begin is None:
        return None, "the run is not one of MuJoCo's world"
    if scenario.world.terrain is not None or scenario.world.ball is not None or robot.assets:
        return None, "only a robot without mesh files on level ground is small enough for a page"
    spec = build_spec(robot, scenario.world)
    model = spec.compile()
    if model.nq != len(recording.begin[0]) or model.nu * 6 != len(recording.motors[0]):
        return None, "the world has more in it than the robot and the floor"
    motors = [_moved(model, motor) for motor in range(model.nu)]
    return {
        "xml": packed(spec.to_xml().encode()),
        "tick": robot.tick,
        "steps": round(robot.tick / model.opt.timestep),
        "motors": _packed(recording.motors),
        "joints": [robot.index(name) for name, _ in motors],
        "scales": [scale for _, scale in motors],
        "friction": world.model.geom_friction.ravel().tolist(),
        "qpos": recording.begin[0].tolist(),
        "qvel": recording.begin[1].tolist(),
        "places": [int(model.jnt_qposadr[model.joint(name).id]) for name in robot.joint_names],
        "base": int(model.body(robot.base_body).id),
        "mass": float(model.body_mass.sum()),
    }, ""


def _moved(model: mujoco.MjModel, motor: int) -> tuple[str, float]:
    """The joint that a motor moves, the first of several, and how far its control goes per angle of it."""
    moved = int(model.actuator_trnid[motor, 0])
    if int(model.actuator_trntype[motor]) != mujoco.mjtTrn.mjTRN_TENDON:
        return str(model.joint(moved).name), 1.0
    first, count = int(model.tendon_adr[moved]), int(model.tendon_num[moved])
    return str(model.joint(int(model.wrap_objid[first])).name), float(model.wrap_prm[first : first + count].sum())


def played_of(scenario: Scenario, robot: Robot, recording: Recording) -> list[dict[str, Any]]:
    """The keyframes as they were played, with their time and curve, and the angles that they name [rad]."""
    control = scenario.controller
    library = control.loaded(robot) if isinstance(control, MotionControl) else None
    found = []
    for each in recording.played:
        block = None if library is None else library.blocks.get(each["block"])
        if block is None or not 0 <= each["keyframe"] < len(block.keyframes):
            continue
        keyframe = block.keyframes[each["keyframe"]]
        way = WAYS.index(effective_interpolation(keyframe.interpolation, block.interpolation))
        joints = {name: value for name, value in keyframe.joints.items() if isinstance(value, float)}
        found.append(each | {"duration": keyframe.duration, "way": way, "joints": joints})
    return found


_CHANGED = {
    "verdict": "",
    "reasons": ["somebody changed the run while it went on; this page shows it without that, as its scenario says"],
}


def _the_same(log: Path | None, recording: Recording) -> bool:
    """Whether a run that was done again went as its log says; without a log nobody says otherwise."""
    if log is None or recording.end is None:
        return True
    opened = Log.open(log)
    truth = opened.channels.get("truth")
    if truth is None or not len(truth.rows) or opened.problem:
        return True
    return len(truth.rows) == len(recording.rows) and bool(np.allclose(truth["qpos"][-1], recording.end, atol=1e-6))


def _verdict(numbers: Path | None) -> dict[str, Any]:
    """How the run was judged, where its folder says."""
    told = {} if numbers is None else result_of(numbers)
    return {"verdict": told.get("verdict", ""), "reasons": [str(reason) for reason in told.get("reasons", [])]}


def _refuse_long(run: SharedRun) -> None:
    """Refuse a run that its folder says to be too long, before it is done again.

    Raises:
        AndanteError: It is, or what the folder says cannot be read.
    """
    duration = None if run.numbers is None else result_of(run.numbers)["metrics"].get("duration")
    if isinstance(duration, (int, float)) and duration > LONGEST:
        raise StudioError("the run is too long to share", value=f"{duration:g} s", limit=f"{LONGEST:g} s")


def _packed(rows: list[NDArray[np.float32]]) -> str:
    return packed(np.array(rows, dtype="<f4").tobytes())


def _filled(data: dict[str, Any], *, with_engine: bool) -> str:
    """The page's text; nothing in the data can end its script element."""
    engine = packed((MUJOCO / ENGINE).read_bytes()) if with_engine else ""
    wasm = base64.b64encode((MUJOCO / WASM).read_bytes()).decode() if with_engine else ""
    places = {
        "@TITLE@": escape(str(data["title"])),
        "@DATA@": json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        "@ENGINE@": engine,
        "@WASM@": wasm,
        "@SCRIPT@": packed((FOLDER / SCRIPT).read_text(encoding="utf-8").encode()),
    }
    text = (FOLDER / TEMPLATE).read_text(encoding="utf-8")
    for place, value in places.items():
        text = text.replace(place, value)
    return text
