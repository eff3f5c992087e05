"""DrakePlant: a world model of MuJoCo as a plant of Drake.

Drake's own reader of MJCF leaves out sites, contact masks and dry friction, so the plant is built from the compiled
model, body by body (docs/judging.md). What decides whether two engines agree, most important first: reflected inertia
and implicit position control with clipping, bounds per motor on both sides, friction per pair, contact points, dry
friction. The stiffness of contacts matters little.
"""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import mujoco
import numpy as np

from andante.backends.backend import BackendError
from andante.backends.drake.motors import DrakeMotors
from andante.backends.drake.settings import DrakeSettings
from andante.backends.drake.tiles import Tiles
from andante.backends.drake.touching import meets, shape_of, touching_points
from andante.backends.model_builder import LOCK_PREFIX
from andante.robots.passive import acting_tendons, sprung_joints
from andante.robots.records import Vector
from andante.spatial.rotations import IDENTITY

_CONTACTS = {"lagged": "kLagged", "similar": "kSimilar", "sap": "kSap"}
"""Drake's names of its ways to solve contacts."""
_DISSIPATION = 20.0
"""Hunt and Crossley's dissipation of contacts [s/m]; at these stiffnesses a blow is inelastic."""
_RIGID = 1e12
"""Stiffness of what stands still [N/m]: of a pair Drake takes the softer."""
_ROUGH = 1e6
"""Friction of what stands still. Drake combines frictions as 2ab / (a + b), MuJoCo takes the larger: with one of them
endless, half of the wanted friction on the other gives the wanted one."""

_MOST_KEPT = 2
"""Plants that nobody needs any more, before garbage is looked for: each holds tens of megabytes, Drake's bindings tie
it into circles, and Python counts only a handful of objects."""
_alive: weakref.WeakSet[Any] = weakref.WeakSet()
"""Plants of Drake that are not let go of yet."""


def load_drake() -> Any:
    """The modules of Drake that are used here.

    Raises:
        BackendError: Drake is not installed.
    """
    try:
        import pydrake.geometry
        import pydrake.math
        import pydrake.multibody.plant
        import pydrake.multibody.tree
        import pydrake.systems.analysis
        import pydrake.systems.framework
    except ImportError as error:
        raise BackendError(
            "Drake is not installed", value=str(error), remedy="pip install --no-deps drake (42 MB, Linux and macOS)"
        ) from error
    # It warns of deformable bodies, which nobody has here; importing it sets its level anew.
    logging.getLogger("drake").setLevel(logging.ERROR)
    return pydrake


class DrakePlant:
    """A plant with the state, the motors and the contacts of a MuJoCo world.

    Args:
        model: The world model, with everything drawn for this run.
        data: Its state; the plant begins there.
        settings: How Drake solves contacts and motors.

    Raises:
        BackendError: Drake is not installed, or the model has something that cannot be carried over.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, settings: DrakeSettings | None = None) -> None:
        self._settings = DrakeSettings() if settings is None else settings
        self._drake = load_drake()
        if len(_alive) > _MOST_KEPT:
            gc.collect()
        self._model, self._data = model, data
        _check(model)
        framework, multibody = self._drake.systems.framework, self._drake.multibody
        builder = framework.DiagramBuilder()
        self._plant, self._scene = multibody.plant.AddMultibodyPlantSceneGraph(builder, float(model.opt.timestep))
        _alive.add(self._plant)
        approximations = multibody.plant.DiscreteContactApproximation
        self._plant.set_discrete_contact_approximation(getattr(approximations, _CONTACTS[self._settings.contact]))
        self._plant.mutable_gravity_field().set_gravity_vector(model.opt.gravity)
        self.bodies: list[Any] = [self._plant.world_body()]
        """Drake's bodies by MuJoCo's numbers."""
        self._joints: dict[int, Any] = {}
        self._free: list[tuple[int, Any]] = []
        for body in range(1, model.nbody):
            self._add_body(body)
        explicit = not self._settings.implicit_damping
        self._motors = DrakeMotors(self._drake, self._plant, model, data, self._joints, explicit=explicit)
        self._geom_of: dict[Any, int] = {}
        self._add_shapes()
        self._plant.Finalize()
        self._filter()
        diagram = builder.Build()
        self._simulator = self._drake.systems.analysis.Simulator(diagram)
        self._root = self._simulator.get_mutable_context()
        self._context = self._plant.GetMyMutableContextFromRoot(self._root)
        self._motors.find_ports(self._context)
        self._find_ports()
        self.made_of = fingerprint(model)
        """What of the model it was made of: with the same it can begin anew."""
        self.begin()

    def begin(self) -> None:
        """Begin at the present state of the MuJoCo data, at time 0."""
        self._steps = 0
        self._root.SetTime(0.0)
        self._motors.begin()
        for tiles in self._uneven:
            tiles.begin()
        self._pushed = True
        self._write_state()
        self._simulator.Initialize()

    def step(self) -> None:
        """One physics step with the motors' settings, pushes and locks that stand in the MuJoCo model and data.

        Raises:
            RuntimeError: Drake's solver does not converge, or the state is not finite.
        """
        self._motors.write()
        self._set_pushes()
        for tiles in self._uneven:
            tiles.lay(self._context, self._data)
        self._steps += 1
        self._simulator.AdvanceTo(self._steps * float(self._model.opt.timestep))
        self._read_state()
        self._motors.read()

    def contacts(self) -> Iterator[tuple[int, int, Vector, Vector]]:
        """Contacts of the last step: shapes of MuJoCo's numbers, point, force on the second one in the world [m, N]."""
        results = self._results.Eval(self._context)
        for i in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(i)
            pair = info.point_pair()
            yield self._geom_of[pair.id_A], self._geom_of[pair.id_B], info.contact_point(), info.contact_force()

    def _add_body(self, body: int) -> None:
        model, plant, tree = self._model, self._plant, self._drake.multibody.tree
        made = plant.AddRigidBody(_name(model, body), self._inertia(body))
        self.bodies.append(made)
        parent = self.bodies[int(model.body_parentid[body])]
        pose = self._pose(model.body_pos[body], model.body_quat[body])
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if count == 0:
            plant.AddJoint(tree.WeldJoint(f"weld_{body}", parent.body_frame(), made.body_frame(), pose))
            return
        if model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE:
            joint = tree.QuaternionFloatingJoint(f"free_{body}", plant.world_frame(), made.body_frame())
            self._free.append((first, plant.AddJoint(joint)))
            return
        for number in range(first, first + count):
            last = number == first + count - 1
            child = made if last else plant.AddRigidBody(f"{_name(model, body)}_{number}", self._massless())
            self._joints[number] = self._add_joint(number, parent, child, pose)
            parent, pose = child, self._pose(np.zeros(3))

    def _add_joint(self, number: int, parent: Any, child: Any, pose: Any) -> Any:
        model, plant, tree = self._model, self._plant, self._drake.multibody.tree
        anchor = self._pose(model.jnt_pos[number])
        name = f"joint_{number}"
        frames = [
            plant.AddFrame(tree.FixedOffsetFrame(f"{name}_{side}", body.body_frame(), where))
            for side, body, where in (("parent", parent, pose @ anchor), ("child", child, anchor))
        ]
        start = float(model.qpos0[model.jnt_qposadr[number]])
        low, high = (model.jnt_range[number] - start) if model.jnt_limited[number] else (-np.inf, np.inf)
        damping = float(model.dof_damping[model.jnt_dofadr[number]])
        hinge = model.jnt_type[number] == mujoco.mjtJoint.mjJNT_HINGE
        kind = tree.RevoluteJoint if hinge else tree.PrismaticJoint
        return plant.AddJoint(kind(name, *frames, model.jnt_axis[number], float(low), float(high), damping))

    def _inertia(self, body: int) -> Any:
        model, tree = self._model, self._drake.multibody.tree
        mass = float(model.body_mass[body])
        if mass <= 0.0:
            return self._massless()
        rotation = _rotation(model.body_iquat[body])
        moments = rotation @ np.diag(model.body_inertia[body]) @ rotation.T
        central = tree.RotationalInertia(
            *(float(moments[i, i]) for i in range(3)), *(float(moments[i, j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        )
        return tree.SpatialInertia.MakeFromCentralInertia(mass, model.body_ipos[body].copy(), central)

    def _massless(self) -> Any:
        tree = self._drake.multibody.tree
        return tree.SpatialInertia(0.0, np.zeros(3), tree.UnitInertia(0.0, 0.0, 0.0))

    def _pose(self, position: Vector, quaternion: Vector = IDENTITY) -> Any:
        math = self._drake.math
        return math.RigidTransform(math.RotationMatrix(_rotation(quaternion)), np.array(position))

    def _add_shapes(self) -> None:
        """Points of the robot that touch the ground, its shapes that touch each other and a ball, and the ground."""
        model, geometry = self._model, self._drake.geometry
        weight = float(model.body_subtreemass[1:].max()) * float(np.linalg.norm(model.opt.gravity) or 9.81)
        stiffness = weight / 4.0 / self._settings.sink
        self._points: list[Any] = []
        self._shapes: dict[int, Any] = {}
        self._ground: list[Any] = []
        self._uneven: list[Tiles] = []
        touching = [i for i in range(model.ngeom) if model.geom_contype[i] | model.geom_conaffinity[i]]
        moves = {geom: int(model.body_weldid[model.geom_bodyid[geom]]) != 0 for geom in touching}
        # Uneven ground lies under each point, so it comes before them. Planes are the last of what stands still: into
        # the tree that holds an endless one, FCL cannot sort some 180 boxes more (it dies, as of Drake 1.51).
        planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
        for geom in sorted(touching, key=lambda geom: (moves[geom], planes[geom], geom)):
            body = int(model.geom_bodyid[geom])
            friction = float(model.geom_friction[geom, 0])
            pose = self._pose(model.geom_pos[geom], model.geom_quat[geom])
            if not moves[geom] and model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_HFIELD:
                self._uneven.append(Tiles(self._drake, self._plant, model, geom))
                continue
            shape = shape_of(self._drake, model, geom)
            if not moves[geom]:
                self._ground.append(self._add_shape(body, geom, pose, shape, _ROUGH, _RIGID, "ground"))
                continue
            self._shapes[geom] = self._add_shape(body, geom, pose, shape, friction, stiffness, "shape")
            for i, (place, radius) in enumerate(touching_points(model, geom)):
                where = pose @ self._drake.math.RigidTransform(place)
                ball = geometry.Sphere(radius)
                self._points.append(self._add_shape(body, geom, where, ball, 0.5 * friction, stiffness, f"point_{i}"))
                for tiles in self._uneven:
                    tile = tiles.add(
                        self._points[-1], body, where.translation(), radius, self._material(_ROUGH, _RIGID)
                    )
                    self._geom_of[tile] = tiles.geom

    def _add_shape(
        self, body: int, geom: int, pose: Any, shape: Any, friction: float, stiffness: float, what: str
    ) -> Any:
        properties = self._material(friction, stiffness)
        made = self._plant.RegisterCollisionGeometry(self.bodies[body], pose, shape, f"{what}_{geom}", properties)
        self._geom_of[made] = geom
        return made

    def _material(self, friction: float, stiffness: float) -> Any:
        geometry, multibody = self._drake.geometry, self._drake.multibody
        properties = geometry.ProximityProperties()
        geometry.AddContactMaterial(
            _DISSIPATION, stiffness, multibody.plant.CoulombFriction(friction, friction), properties
        )
        return properties

    def _filter(self) -> None:
        """Which shapes meet: points only the ground, shapes each other by MuJoCo's rules, and the ground nothing."""
        model, geometry = self._model, self._drake.geometry
        manager = self._scene.collision_filter_manager()
        declare, group = geometry.CollisionFilterDeclaration, geometry.GeometrySet
        points, ground, shapes = group(self._points), group(self._ground), group(list(self._shapes.values()))
        rules = declare().ExcludeWithin(points).ExcludeBetween(points, shapes).ExcludeBetween(shapes, ground)
        manager.Apply(rules.ExcludeWithin(shapes))
        pairs = [pair for tiles in self._uneven for pair in tiles.tiles]
        laid = group([tile for tile, _ in pairs])
        apart = declare().ExcludeWithin(laid)
        for others in (points, shapes, ground):
            apart.ExcludeBetween(laid, others)
        manager.Apply(apart)
        allowed = declare()
        for (first, one), (second, other) in combinations(self._shapes.items(), 2):
            if meets(model, first, second):
                allowed.AllowBetween(group([one]), group([other]))
        for tile, point in pairs:
            allowed.AllowBetween(group([tile]), group([point]))
        manager.Apply(allowed)

    def _find_ports(self) -> None:
        """Find the ports once, and where joints stand in the vectors."""
        model, plant = self._model, self._plant
        self._forces = plant.get_applied_spatial_force_input_port()
        self._results = plant.get_contact_results_output_port()
        self._q = np.array([joint.position_start() for joint in self._joints.values()], dtype=np.intp)
        self._v = np.array([joint.velocity_start() for joint in self._joints.values()], dtype=np.intp)
        numbers = list(self._joints)
        self._qpos = model.jnt_qposadr[numbers].astype(np.intp)
        self._qvel = model.jnt_dofadr[numbers].astype(np.intp)
        self._zero = model.qpos0[self._qpos].copy()

    def _set_pushes(self) -> None:
        applied = self._data.xfrc_applied
        pushed = bool(applied.any())
        if not pushed and not self._pushed:
            return
        self._pushed = pushed
        plant, math = self._drake.multibody.plant, self._drake.multibody.math
        forces = []
        for body in np.flatnonzero(applied.any(axis=1)):
            force = plant.ExternallyAppliedSpatialForce()
            force.body_index = self.bodies[body].index()
            force.p_BoBq_B = self._model.body_ipos[body].copy()
            force.F_Bq_W = math.SpatialForce(tau=applied[body, 3:6].copy(), f=applied[body, :3].copy())
            forces.append(force)
        self._forces.FixValue(self._context, forces)

    def _write_state(self) -> None:
        """Begin at MuJoCo's state."""
        data, plant = self._data, self._plant
        positions, velocities = np.zeros(plant.num_positions()), np.zeros(plant.num_velocities())
        positions[self._q] = data.qpos[self._qpos] - self._zero
        velocities[self._v] = data.qvel[self._qvel]
        for number, joint in self._free:
            q, v = joint.position_start(), joint.velocity_start()
            at, dof = int(self._model.jnt_qposadr[number]), int(self._model.jnt_dofadr[number])
            positions[q : q + 4], positions[q + 4 : q + 7] = data.qpos[at + 3 : at + 7], data.qpos[at : at + 3]
            turn = _rotation(data.qpos[at + 3 : at + 7])
            velocities[v : v + 3] = turn @ data.qvel[dof + 3 : dof + 6]
            velocities[v + 3 : v + 6] = data.qvel[dof : dof + 3]
        plant.SetPositions(self._context, positions)
        plant.SetVelocities(self._context, velocities)

    def _read_state(self) -> None:
        data, plant = self._data, self._plant
        state = plant.GetPositionsAndVelocities(self._context)
        positions, velocities = state[: plant.num_positions()], state[plant.num_positions() :]
        data.qpos[self._qpos] = positions[self._q] + self._zero
        data.qvel[self._qvel] = velocities[self._v]
        for number, joint in self._free:
            q, v = joint.position_start(), joint.velocity_start()
            at, dof = int(self._model.jnt_qposadr[number]), int(self._model.jnt_dofadr[number])
            quaternion = positions[q : q + 4] / np.linalg.norm(positions[q : q + 4])
            data.qpos[at + 3 : at + 7], data.qpos[at : at + 3] = quaternion, positions[q + 4 : q + 7]
            data.qvel[dof + 3 : dof + 6] = _rotation(quaternion).T @ velocities[v : v + 3]
            data.qvel[dof : dof + 3] = velocities[v + 3 : v + 6]


def fingerprint(model: mujoco.MjModel) -> bytes:
    """Everything of a model that a run draws and that a plant is made of."""
    arrays = (
        *(model.geom_friction, model.geom_size, model.geom_pos, model.geom_quat, model.body_pos, model.body_quat),
        *(model.body_mass, model.body_inertia, model.body_ipos, model.body_iquat, model.dof_frictionloss),
        *(model.dof_armature, model.dof_damping, model.mesh_vert, model.hfield_data, model.opt.gravity),
    )
    return b"".join(array.tobytes() for array in arrays)


def _check(model: mujoco.MjModel) -> None:
    """Refuse what cannot be carried over.

    Raises:
        BackendError: Springs, tendons that pull by themselves, ball joints, loops, or a fluid around.
    """
    for tendon, what, most in acting_tendons(model):
        raise BackendError(
            "only motors that pull at tendons are carried over to Drake",
            place=f"tendon {model.tendon(tendon).name or tendon}",
            value=f"{what} {most:g}",
        )
    for name, value in (("density", model.opt.density), ("viscosity", model.opt.viscosity)):
        if value:
            raise BackendError("no fluid is carried over to Drake", place=f"option {name}", value=float(value))
    for body in np.flatnonzero(model.body_gravcomp):
        raise BackendError(
            "bodies that weigh less are not carried over to Drake",
            place=f"body {_name(model, int(body))}",
            value=f"gravcomp {model.body_gravcomp[body]:g}",
        )
    kinds, sprung = mujoco.mjtJoint, sprung_joints(model)
    for joint in range(model.njnt):
        name = model.joint(joint).name or str(joint)
        if model.jnt_type[joint] == kinds.mjJNT_BALL:
            raise BackendError("joints of Drake's plant turn about one axis", place=f"joint {name!r}", value="ball")
        if joint in sprung:
            raise BackendError(
                "springs of joints are not carried over to Drake",
                place=f"joint {name!r}",
                value=float(np.max(model.jnt_stiffness[joint])),
            )
    for number in range(model.neq):
        if model.eq_type[number] != mujoco.mjtEq.mjEQ_JOINT or (
            model.eq_obj2id[number] < 0 and not str(model.equality(number).name).startswith(LOCK_PREFIX)
        ):
            raise BackendError(
                "only joints that are tied to each other are carried over to Drake",
                place=f"constraint {model.equality(number).name or number}",
                value=mujoco.mjtEq(model.eq_type[number]).name,
            )
        if model.eq_data[number, 2:5].any():
            raise BackendError(
                "only joints that are tied to each other by a ratio are carried over to Drake",
                place=f"constraint {model.equality(number).name or number}",
                value=f"polycoef {model.eq_data[number, :5].tolist()}",
            )


def _rotation(quaternion: Vector) -> Vector:
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, np.asarray(quaternion, dtype=np.float64))
    return turn.reshape(3, 3)


def _name(model: mujoco.MjModel, body: int) -> str:
    return f"{body}_{model.body(body).name}"
