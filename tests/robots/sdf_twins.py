"""One robot written by hand as URDF and as SDF, whose links, joints and axes are given in odd frames."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from andante.robots.model_text import compile_text
from andante.robots.prepared_urdf import prepare_urdf
from andante.robots.sdf.urdf import urdf_of


@dataclass(frozen=True)
class Piece:
    """A link with the joint that it hangs on."""

    name: str
    parent: str
    kind: str
    at: np.ndarray
    axis: np.ndarray
    limits: tuple[float, float]
    mass: float
    com: np.ndarray
    inertia: np.ndarray


def rigid(turn: Rotation, place) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn.as_matrix(), place
    return matrix


def any_rigid(rng) -> np.ndarray:
    return rigid(Rotation.random(random_state=rng), rng.uniform(-0.3, 0.3, 3))


def any_pieces(seed: int, count: int = 9) -> list[Piece]:
    """A tree of links; the first one is the base."""
    rng = np.random.default_rng(seed)
    pieces = []
    for number in range(count):
        shape = rng.normal(size=(3, 3))
        moments = rng.uniform(0.01, 0.012, 3)
        turn = np.linalg.qr(shape)[0]
        axis = rng.normal(size=3)
        kind = ("revolute", "revolute", "prismatic", "continuous", "fixed")[int(rng.integers(5))]
        pieces.append(
            Piece(
                f"link{number}",
                f"link{int(rng.integers(number))}" if number else "",
                "revolute" if number == 1 else kind,
                np.eye(4) if number == 0 else any_rigid(rng),
                axis / np.linalg.norm(axis),
                (-float(rng.uniform(0.5, 1.0)), float(rng.uniform(0.5, 1.0))),
                float(rng.uniform(0.5, 2.0)),
                rng.uniform(-0.1, 0.1, 3),
                turn @ np.diag(moments) @ turn.T,
            )
        )
    return pieces


def six(tensor, form: str) -> str:
    names = (("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2))
    return " ".join(form.format(name, float(tensor[row, column])) for name, row, column in names)


def row(numbers) -> str:
    return " ".join(repr(float(each)) for each in numbers)


def rpy(matrix) -> str:
    return row(Rotation.from_matrix(matrix[:3, :3]).as_euler("xyz"))


def urdf_twin(pieces: list[Piece]) -> str:
    text = ""
    for piece in pieces:
        text += f"""<link name="{piece.name}"><inertial><origin xyz="{row(piece.com)}"/><mass value="{piece.mass!r}"/>
          <inertia {six(piece.inertia, '{}="{!r}"')}/></inertial></link>"""
        if piece.parent:
            lower, upper = piece.limits
            text += f"""<joint name="to_{piece.name}" type="{piece.kind}"><parent link="{piece.parent}"/>
              <child link="{piece.name}"/><origin xyz="{row(piece.at[:3, 3])}" rpy="{rpy(piece.at)}"/>
              <axis xyz="{row(piece.axis)}"/><dynamics damping="0.3" friction="0.1"/>
              <limit lower="{lower!r}" upper="{upper!r}" effort="7.5" velocity="3.5"/></joint>"""
    return f'<robot name="twin">{text}</robot>'


def sdf_twin(pieces: list[Piece], seed: int) -> str:
    """The same with frames of links anywhere, and everything against some other frame, in any order."""
    rng = np.random.default_rng(seed)
    places: dict[str, np.ndarray] = {"__model__": np.eye(4)}
    for piece in pieces:
        places[piece.name] = (places[piece.parent] if piece.parent else np.eye(4)) @ piece.at
    where = {"__model__": np.eye(4)}
    for piece in pieces:
        where[piece.name] = places[piece.name] @ (any_rigid(rng) if piece.parent else np.eye(4))
    text: list[str] = []
    for number in range(4):
        on = str(rng.choice(list(where)))
        way = any_rigid(rng)
        where[f"frame{number}"] = where[on] @ way
        told = f"<pose>{row(way[:3, 3])} {rpy(way)}</pose>"
        text.append(f'<frame name="frame{number}" attached_to="{on}">{told}</frame>')

    def told_pose(matrix, usual: str, free: list[str]) -> str:
        """A pose that is ``matrix`` in the model, against one of the frames."""
        on = str(rng.choice(free))
        way = np.linalg.inv(where[on]) @ matrix
        if rng.random() < 0.3:
            numbers = f"{row(way[:3, 3])} {row(Rotation.from_matrix(way[:3, :3]).as_quat())}"
            kind = ' rotation_format="quat_xyzw"'
        else:
            degrees = rng.random() < 0.3
            turns = Rotation.from_matrix(way[:3, :3]).as_euler("xyz", degrees=degrees)
            numbers, kind = f"{row(way[:3, 3])} {row(turns)}", ' degrees="true"' if degrees else ""
        return f"<pose{'' if on == usual else f' relative_to={on!r}'}{kind}>{numbers}</pose>"

    done = ["__model__"]
    for piece in pieces:
        # Against links that come before, and the frames on the model or on those, there is no circle.
        name, own = piece.name, places[piece.name]
        pose = told_pose(where[name], "__model__", done)
        turn = Rotation.random(random_state=rng)
        way = np.linalg.inv(where[name]) @ own @ rigid(turn, piece.com)
        tensor = turn.as_matrix().T @ piece.inertia @ turn.as_matrix()
        text.append(
            f"""<link name="{name}">{pose}<inertial><pose>{row(way[:3, 3])} {rpy(way)}</pose>
            <mass>{piece.mass!r}</mass><inertia>{six(tensor, "<{0}>{1!r}</{0}>")}</inertia></inertial></link>"""
        )
        done.append(name)
        if not piece.parent:
            continue
        joint = rigid(Rotation.random(random_state=rng), own[:3, 3])
        pose = told_pose(joint, name, list(where))
        where[f"to_{name}"] = joint
        frame = str(rng.choice([*where]))
        along = where[frame][:3, :3].T @ own[:3, :3] @ piece.axis
        told = "" if frame == f"to_{name}" else f' expressed_in="{frame}"'
        lower, upper = piece.limits
        ends = f"<lower>{lower!r}</lower><upper>{upper!r}</upper>" if piece.kind != "continuous" else ""
        axis = f"""<axis><xyz{told}>{row(3.0 * along)}</xyz><limit>{ends}<effort>7.5</effort>
          <velocity>3.5</velocity></limit><dynamics><damping>0.3</damping><friction>0.1</friction></dynamics></axis>"""
        text.append(
            f"""<joint name="to_{name}" type="{piece.kind}">{pose}
            <parent>{piece.parent}</parent><child>{name}</child>{"" if piece.kind == "fixed" else axis}</joint>"""
        )
    rng.shuffle(text)
    return f'<sdf version="1.11"><model name="twin" canonical_link="{pieces[0].name}">{"".join(text)}</model></sdf>'


def model_of_sdf(text: str, path) -> mujoco.MjModel:
    """What MuJoCo compiles of an SDF before any of it is rounded."""
    read = urdf_of(text, path)
    prepared = prepare_urdf(read.urdf, path, read.meshes)
    return compile_text(prepared.text, place=str(path), assets=prepared.assets)[1]


def model_of_urdf(text: str, path) -> mujoco.MjModel:
    prepared = prepare_urdf(text, path)
    return compile_text(prepared.text, place=str(path), assets=prepared.assets)[1]


def moved(model: mujoco.MjModel, base: np.ndarray, angles: dict[str, float]) -> dict[str, np.ndarray]:
    """Where masses, moments of inertia, joints and axes are in the world, by name."""
    data = mujoco.MjData(model)
    free = mujoco.mjtJoint.mjJNT_FREE in model.jnt_type
    if free:
        data.qpos[:3] = base[:3, 3]
        mujoco.mju_mat2Quat(data.qpos[3:7], base[:3, :3].ravel())
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    place = np.eye(4) if free else base
    turn, away = place[:3, :3], place[:3, 3]
    found: dict[str, np.ndarray] = {}
    for number in range(1, model.nbody):
        name = model.body(number).name
        axes = turn @ data.ximat[number].reshape(3, 3)
        found[f"com {name}"] = turn @ data.xipos[number] + away
        found[f"inertia {name}"] = axes @ np.diag(model.body_inertia[number]) @ axes.T
        found[f"mass {name}"] = model.body_mass[number]
    for number in range(model.njnt):
        if model.jnt_type[number] != mujoco.mjtJoint.mjJNT_FREE:
            name = model.joint(number).name
            found[f"axis {name}"] = turn @ data.xaxis[number]
            if model.jnt_type[number] == mujoco.mjtJoint.mjJNT_HINGE:
                found[f"anchor {name}"] = turn @ data.xanchor[number] + away
            found[f"range {name}"] = model.jnt_range[number]
            found[f"damping {name}"] = model.dof_damping[model.jnt_dofadr[number]]
            found[f"friction {name}"] = model.dof_frictionloss[model.jnt_dofadr[number]]
    return found
