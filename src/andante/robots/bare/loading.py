"""Robots without a pack: what can be read from a bare MJCF, URDF or SDF, and what has to be assumed.

Limits, speeds and efforts are taken from the file where it has them. They, the servos' gains, the feet, the groups and
the mirror are otherwise guesses and assumptions, which `RobotDescription.sources` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import mujoco
import numpy as np

from andante.documents.budget import MODELS, budgeted
from andante.robots.bare.aliases import booster_aliases, leg_aliases
from andante.robots.bare.base_frames import turned
from andante.robots.bare.drives import Scale, joints_and_servos
from andante.robots.bare.facing import IMU, SAME, base_axes, base_origin, names_tell, told_axes
from andante.robots.bare.feet import foot_place, guess_feet, lacking_soles
from andante.robots.bare.groups import guess_groups, guess_mirror, middle_joints
from andante.robots.bare.imu import place_imu, sensed_sites
from andante.robots.bare.keyframes import asked_postures, postures
from andante.robots.bare.levelling import level_ankles
from andante.robots.bare.limbs import BodyTree, leg_length
from andante.robots.bare.mesh_sizes import told_sizes
from andante.robots.bare.mimics import apart, with_leaders
from andante.robots.bare.preparing import prepare_spec, without_world
from andante.robots.bare.resting import resting_pairs, told_pairs
from andante.robots.bare.shapes import colliding, fixed_to
from andante.robots.bare.sizes import Sizes, meant, resize
from andante.robots.bare.stand import NAMES, standing
from andante.robots.description import RobotDescription
from andante.robots.mesh_files import collect_meshes, leave_out_lost_visuals
from andante.robots.model_text import (
    compile_spec,
    compile_text,
    hinge_limits,
    parse_file,
    read_model_text,
    spec_text,
)
from andante.robots.parts import Foot, RobotError
from andante.robots.passive import acting_tendons, sprung_joints, ties
from andante.robots.prepared_urdf import ASSUMED_RADIUS, LEAST_MASS, prepare_urdf
from andante.robots.records import Vector
from andante.robots.sdf.urdf import SDF, SdfModel, urdf_of
from andante.robots.urdf_joints import Mimic
from andante.robots.visuals import take_out_visuals

R = TypeVar("R", bound=RobotDescription)
_LONGEST = 4.0
"""Length of a leg that no robot has yet [m]; of LittleDog's a centimetre each makes 15 m."""
_AT_JOINTS = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
"""What actuators of joints pull at; for a hinge both are the same."""
_NO_NAME = "MuJoCo Model"
_IN_METRES = Sizes()
"""What MuJoCo calls a model that has no name."""


@budgeted(MODELS, error=RobotError)
def load_bare(path: Path, kind: type[R], *, visuals: bool = False, sizes: Sizes = _IN_METRES) -> R:
    """Load a robot of a class from a MJCF, URDF or SDF file.

    Args:
        path: The file.
        kind: The class of robot.
        visuals: Keep a MJCF's meshes that are only looked at in the model itself; others are read when it is drawn.
        sizes: Factors on its lengths, where it is not in metres.

    Raises:
        RobotError: Not such a file, meshes missing, joints without limits, no hinge joints, or no single base.
    """
    sizes = sizes.checked()
    text, root = read_model_text(path, also=(SDF,))
    declared: dict[str, tuple[float, float]] = {}
    assets: dict[str, bytes] | None = None
    mimics: tuple[Mimic, ...] = ()
    seen = False
    sources = {"model": f"{path.name}, without a pack"}
    if root in ("robot", SDF):
        sdf = urdf_of(text, path) if root == SDF else None
        if sdf is not None:
            text, sources["sdf"] = sdf.urdf, sdf.told
        urdf = prepare_urdf(text, path, sdf.meshes if sdf else None)
        assets, declared, mimics = urdf.assets, urdf.declared, urdf.mimics
        spec, _ = compile_text(urdf.text, place=str(path), assets=assets, thin=True)
        if sdf is not None:
            _add_springs_and_loops(spec, sdf)
        if urdf.converted:
            sources["meshes"] = urdf.converted
        if urdf.completed:
            sources["masses"] = (
                f"assumption: the file gives no mass or no moment of inertia; {1000 * LEAST_MASS:g} g where there is no"
                f" mass, and a ball of {100 * ASSUMED_RADIUS:g} cm radius: " + ", ".join(urdf.completed)
            )
        if urdf.base is not None:
            sources["base"] = urdf.base.told()
        if urdf.softer:
            sources["soft limits"] = (
                f"those of ROS' safety controllers do not count, the joints' limits do: {_first(list(urdf.softer))}"
            )
        if urdf.ends:
            sources["limits at one end"] = f"the other is 0, as URDF has it: {_first(list(urdf.ends))}"
        told = []
        if urdf.mended:
            told.append("products of inertia contradict the moments and are dropped: " + ", ".join(urdf.mended))
        if urdf.replaced:
            what = "assumption where no body can have the moments of inertia: for 0 a hundredth of the largest, and the"
            told.append(f"{what} mean where one is larger than the others together: " + ", ".join(urdf.replaced))
        if told:
            sources["inertias"] = "; ".join(told)
    else:
        spec = parse_file(path)
        lost = leave_out_lost_visuals(spec, path)
        if lost:
            sources["shapes"] = (
                "left out, for their files are missing and the robot collides with none of them: " + ", ".join(lost)
            )
        seen = not visuals and take_out_visuals(spec)
    resize(spec, sizes, sources)
    robot = _describe(path, spec, assets, declared, sources, kind, mimics)
    if not seen:
        return robot
    drawn = replace(robot, visuals=path)
    drawn.__dict__["model"] = robot.model
    return drawn


def _in_metres(path: Path, option: str, length: float) -> str:
    """The command that writes a robot's pack in metres."""
    factor, unit = meant(length)
    command = f"andante robots {path.name} --{option} {factor:g} --pack FOLDER"
    return f"if they are {unit}, {command} writes a pack in metres"


def _add_springs_and_loops(spec: Any, sdf: SdfModel) -> None:
    """Put into a specification what an SDF has and URDF has no word for."""
    for name, (stiffness, rest) in sdf.springs.items():
        joint = spec.joint(name)
        joint.stiffness[0], joint.springref = stiffness, rest
    for loop in sdf.loops:
        for number, point in enumerate(loop.points):
            tie = spec.add_equality(
                name=f"{loop.name}_{number}" if number else loop.name,
                type=mujoco.mjtEq.mjEQ_CONNECT,
                objtype=mujoco.mjtObj.mjOBJ_BODY,
                name1=loop.links[0],
                name2=loop.links[1],
            )
            tie.data[:3] = point


def _describe(
    path: Path,
    spec: Any,
    assets: dict[str, bytes] | None,
    declared: dict[str, tuple[float, float]],
    sources: dict[str, str],
    kind: type[R],
    mimics: tuple[Mimic, ...] = (),
) -> R:
    """Make the robot from its specification; ``assets`` are None where they lie beside the file."""
    place = str(path)
    asked, sensed = asked_postures(spec), sensed_sites(spec)
    base = prepare_spec(spec, place, sources)
    model = compile_spec(spec, place=place)
    assets = collect_meshes(spec, path) if assets is None else assets
    names = list(hinge_limits(model, place))
    efforts, keyframes = _actuator_efforts(model), postures(spec, model, names, asked, sources)
    gains = _position_gains(model)
    undriven, springs = _undriven(model, names), _springs(model)
    if undriven:
        sources["drives"] = f"the file's actuators do not move {', '.join(undriven)}; here they have drives as well"
    pulling = [_pulling(model, each) for each in range(model.nu) if model.actuator_trntype[each] not in _AT_JOINTS]
    if pulling:
        sources["drives"] = f"the file's {_first(pulling)} move no joint by itself; here each joint has a drive instead"
    if springs:
        sources["springs"] = f"kept, as the file has them: {springs}"
    without_world(spec)
    own_imu = place_imu(spec, base, model, sensed, sources)
    axes = base_axes(lambda axes: _tree(model, base.name, keyframes, axes))
    upright = _tree(model, base.name, keyframes, axes)
    origin = base_origin(upright)
    if not np.allclose(axes, SAME) or origin.any():
        model = turned(spec, base, model, axes, origin, place)
        if not own_imu:
            # It goes with the origin at which it is assumed.
            spec.site(IMU).pos = np.zeros(3)
        raised = "its origin was between the feet, and is between the hips" if origin.any() else ""
        sources["base"] = "; ".join(
            each
            for each in (
                told_axes(axes, named=names_tell(upright), legs=len(upright.feet)),
                raised,
                sources.get("base"),
            )
            if each
        )
    tree = _tree(model, base.name, keyframes)
    doubts: dict[str, str] = {}
    feet = guess_feet(spec, tree, sources, doubts)
    large, share = told_sizes(tree)
    if large:
        doubts["meshes"] = f"{large}; {_in_metres(path, 'mesh-scale', share)}"
    text = spec_text(spec, place=place)
    _, model = compile_text(text, place=place, assets=assets)
    tied = ties(model)
    # What a URDF couples is told with its factors.
    if tied and not mimics:
        sources["ties"] = (
            f"kept, as the file has them: {_first(tied)}; each joint has a drive, so command angles that agree"
        )
    scale = _scale(tree, feet)
    if scale.length > _LONGEST:
        sources["size"] = (
            f"legs of {scale.length:.3g} m, as millimetres or centimetres in the place of metres would make them;"
            f" {_in_metres(path, 'scale', scale.length)}"
        )
    joints, servos = joints_and_servos(model, names, declared, efforts, scale, place, sources)
    if gains:
        sources["servos"] += (
            f"; the file's own position gains, {min(gains):g} to {max(gains):g} N m/rad, are not taken: a pack can have"
            " them"
        )
    broad = _too_broad(model, scale)
    if broad:
        sources["inertias"] = "; ".join(each for each in (sources.get("inertias"), broad) if each)
    joints = with_leaders(joints, mimics, sources)
    untouched = _without_shapes(tree)
    if untouched:
        sources["trunk"] = untouched
    stand = standing(model, base.name, tree.legs, feet, joints, keyframes, sources, doubts)
    if stand is not None and apart(joints, stand):
        doubts["stand"], stand = f"the computed posture cannot be held: {apart(joints, stand)}", None
    resting = resting_pairs(model, base.name, stand) if stand is not None and any(foot.outline for foot in feet) else ()
    if resting:
        for one, other in resting:
            spec.add_exclude(bodyname1=one, bodyname2=other)
        sources["collisions"] = told_pairs(resting)
        text = spec_text(spec, place=place)
        _, model = compile_text(text, place=place, assets=assets)
    aliases, absent = booster_aliases(names)
    if aliases:
        sources["aliases"] = f"{len(aliases)} joints by the NAO's names, as B-Human's release 2025 drives this robot"
    groups = guess_groups(tree, feet, sources)
    # A gear beside the way to the foot is no ankle, whatever its axis.
    ways = {
        f"{foot.name}_leg": tree.names(limb.joints)
        for limb in tree.legs
        for foot in feet
        if foot.body == model.body(limb.end).name
    }
    legs = leg_aliases(model, ways, [*names, *aliases])
    if legs:
        aliases = {**aliases, **legs}
        sources["roles"] = "joints of the legs by their axes: " + ", ".join(f"{one} {two}" for one, two in legs.items())
    # A keyframe of this name that does not stand gives way to the posture that does.
    known = {"zero": {}, **keyframes, **({} if stand is None else {"stand": stand})}
    robot = kind(
        name=_name(spec, path),
        title=f"{_name(spec, path)} ({path.name})",
        joints=joints,
        servos=servos,
        mjcf=text,
        base_body=base.name,
        imu_site=IMU,
        feet=feet,
        groups={"all": tuple(names), **groups},
        mirror=guess_mirror(names, model),
        postures=known,
        assets=assets,
        sources=sources,
        aliases=aliases,
        absent=frozenset(absent),
        doubts=doubts,
        path=path,
    )
    # The model that was compiled last is the robot's own; large meshes take seconds.
    robot.__dict__["model"] = model
    return robot


def _name(spec: Any, path: Path) -> str:
    """The model's own name; the file's where it has none."""
    own = str(spec.modelname).strip()
    return own if own and own != _NO_NAME else path.stem


def _tree(
    model: mujoco.MjModel, base: str, keyframes: Mapping[str, Mapping[str, float]], axes: Vector = SAME
) -> BodyTree:
    """The robot in its reference posture: all joints at zero; where the soles of its legs are not level then, the first
    keyframe for standing in which they are, or with ankles turned until they are.

    Args:
        model: The robot.
        base: Name of its base.
        keyframes: Postures of the file by name.
        axes: Axes of the base that are those of the world, as columns, (3, 3).
    """
    turn = np.zeros(4)
    mujoco.mju_mat2Quat(turn, np.ascontiguousarray(axes.T).ravel())

    def posed(angles: Mapping[str, float]) -> BodyTree:
        data = mujoco.MjData(model)
        free = int(model.jnt_qposadr[model.body(base).jntadr[0]])
        data.qpos[free + 3 : free + 7] = turn
        for name, angle in angles.items():
            data.joint(name).qpos[0] = angle
        mujoco.mj_kinematics(model, data)
        return BodyTree(model, data, int(model.body(base).id))

    first = posed({})
    if not lacking_soles(first):
        return first
    for name in NAMES:
        if name in keyframes and not lacking_soles(tree := posed(keyframes[name])):
            return tree
    level = level_ankles(first) if axes is SAME else None
    if level and not lacking_soles(tree := posed(level)):
        return tree
    return first


def _scale(tree: BodyTree, feet: tuple[Foot, ...]) -> Scale:
    """What assumptions about drives grow with."""
    by_body = {foot.body: foot.name for foot in feet}
    legs: dict[str, str] = {}
    lengths = []
    for limb in tree.legs:
        place, radius = foot_place(tree, limb)
        lengths.append(leg_length(tree, limb, place) + radius)
        legs |= dict.fromkeys(tree.names(limb.joints), by_body[tree.model.body(limb.end).name])
    mass = float(tree.model.body_mass.sum())
    length = float(np.mean(lengths)) if lengths and mass > 0.0 else 0.0
    if not length > 0.0:
        # Limbs that point straight aside have no length as seen from there, and assume nothing.
        legs = {}
    limbs = [limb for limb in tree.limbs if len(limb.joints + limb.others) >= 2]
    turning = [joint for limb in limbs for joint in limb.joints + limb.others]
    # What a robot on two legs has between its limbs is a waist or a neck, and no wheel.
    middle = middle_joints(tree) if len(tree.feet) == 2 else []
    inside = frozenset(tree.names([*turning, *middle]))
    return Scale(mass, length, legs, quadruped=len(feet) == 4, soled=any(foot.outline for foot in feet), limbs=inside)


def _actuator_efforts(model: Any) -> dict[str, float]:
    """Largest torque per joint that the file's actuators allow together [N m]."""
    efforts: dict[str, float] = {}
    for number in range(model.nu):
        if model.actuator_trntype[number] not in _AT_JOINTS:
            continue
        limits = []
        if model.actuator_forcelimited[number]:
            limits.append(float(np.abs(model.actuator_forcerange[number]).max()))
        if model.actuator_ctrllimited[number] and model.actuator_biastype[number] == mujoco.mjtBias.mjBIAS_NONE:
            # A motor is limited by its control range, and files that give it a force range as well give a wider one.
            limits.append(float(np.abs(model.actuator_ctrlrange[number] * model.actuator_gainprm[number, 0]).max()))
        if not limits:
            continue
        joint = model.actuator_trnid[number, 0]
        name = model.joint(joint).name
        efforts[name] = efforts.get(name, 0.0) + min(limits) * abs(float(model.actuator_gear[number, 0]))
    for name, effort in efforts.items():
        joint = model.joint(name).id
        if model.jnt_actfrclimited[joint]:
            efforts[name] = min(effort, float(np.abs(model.jnt_actfrcrange[joint]).max()))
    return efforts


def _position_gains(model: mujoco.MjModel) -> list[float]:
    """Position gains of the file's actuators at their joints [N m/rad]."""
    return [
        -float(model.actuator_biasprm[number, 1]) * float(model.actuator_gear[number, 0]) ** 2
        for number in range(model.nu)
        if model.actuator_trntype[number] in _AT_JOINTS
        and model.actuator_biastype[number] == mujoco.mjtBias.mjBIAS_AFFINE
        and model.actuator_biasprm[number, 1] < 0.0
    ]


def _too_broad(model: mujoco.MjModel, scale: Scale) -> str:
    """Which bodies have moments of inertia that only something longer than the robot's legs has, as where a file has 1
    for what nobody computed, or another unit; empty: none."""
    if not scale.length:
        return ""
    bodies = [
        model.body(number).name
        for number in range(1, model.nbody)
        if model.body_inertia[number].max() > model.body_mass[number] * scale.length**2
    ]
    if not bodies:
        return ""
    return f"taken as they are, though their radius of gyration is longer than a leg: {_first(bodies)}"


def _without_shapes(tree: BodyTree) -> str:
    """That the trunk touches nothing, as in files for learning to walk whose feet alone collide; empty: it does."""
    model, base = tree.model, tree.base
    if not tree.feet or any(colliding(model, body) for body in fixed_to(model, base)):
        return ""
    touching = [model.body(body).name for body in tree.below(base) if colliding(model, body)]
    which = f"only {_first(touching)} collide" if touching else "no shape collides"
    return (
        f"nothing of {model.body(base).name} collides, so that it sinks into the floor where it falls or lies: {which}"
    )


def _undriven(model: Any, names: list[str]) -> list[str]:
    """Hinges that no actuator of the file moves, such as sprung toes; none where it has no actuators, or tendons."""
    if not model.nu or any(int(kind) not in _AT_JOINTS for kind in model.actuator_trntype):
        return []
    driven = {int(joint) for joint in model.actuator_trnid[:, 0]}
    return [name for name in names if int(model.joint(name).id) not in driven]


def _pulling(model: mujoco.MjModel, actuator: int) -> str:
    """An actuator that acts on no joint, by its name; one without a name by the tendon that it pulls, or its number."""
    if name := model.actuator(actuator).name:
        return str(name)
    target = int(model.actuator_trnid[actuator, 0])
    tendon = model.tendon(target).name if model.actuator_trntype[actuator] == mujoco.mjtTrn.mjTRN_TENDON else ""
    return f"actuator of tendon {tendon!r}" if tendon else f"actuator number {actuator}"


def _springs(model: Any) -> str:
    """What moves or holds joints without a motor, in words; empty: nothing."""
    sprung = [model.joint(joint).name for joint in sprung_joints(model)]
    tendons = [model.tendon(tendon).name for tendon, *_ in acting_tendons(model)]
    told = []
    if sprung:
        most = float(model.jnt_stiffness.max())
        told.append(f"springs of {len(sprung)} joints, up to {most:g} N m/rad ({_first(sprung)})")
    if tendons:
        told.append(f"{len(tendons)} tendons with springs, friction or limits ({_first(tendons)})")
    return "; ".join(told)


def _first(names: list[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
