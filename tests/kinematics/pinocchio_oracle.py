"""Pinocchio as an independent oracle: its own reader, its own algorithms, in the conventions of `Kinematics`.

Its wheel wants the system's OpenMP (Debian: libgomp1), which .ci/run installs; elsewhere its tests are skipped.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from andante.robots.robot import Robot
from andante.spatial.rotations import to_matrix

try:
    import pinocchio as pin
except ImportError as error:
    missing = f"needs Pinocchio (pip install pin, apt install libgomp1): {error}"
else:
    missing = ""


class Oracle:
    """Forward kinematics and dynamics of a floating robot by Pinocchio."""

    def __init__(self, robot: Robot) -> None:
        if missing:
            pytest.skip(missing)
        tree = ElementTree.fromstring(robot.mjcf)
        # Pinocchio needs neither shapes nor exclusions; every body states its inertia.
        for parent in list(tree.iter()):
            for child in list(parent):
                if child.tag in ("geom", "mesh", "material", "texture", "contact", "camera", "light"):
                    parent.remove(child)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.xml"
            path.write_bytes(ElementTree.tostring(tree))
            self.model = pin.buildModelFromMJCF(str(path))
        self.data = self.model.createData()
        self.robot = robot
        ids = [self.model.getJointId(name) for name in robot.joint_names]
        assert max(ids) < self.model.njoints
        self.q_index = [self.model.joints[i].idx_q for i in ids]
        self.v_index = [self.model.joints[i].idx_v for i in ids]
        others = sorted(set(range(6, self.model.nv)) - set(self.v_index))
        self.order = [*range(6), *others, *self.v_index]

    def place(self, joints, position, orientation) -> None:
        """Set the configuration; joints that the robot does not name stay at zero."""
        q = pin.neutral(self.model)
        q[:3] = position
        q[3:7] = np.roll(orientation, -1)
        q[self.q_index] = joints
        self.q = q
        self.turn = to_matrix(orientation)

    def kinematics(self) -> None:
        pin.computeJointJacobians(self.model, self.data, self.q)
        pin.updateFramePlacements(self.model, self.data)

    def pose(self, name):
        frame = self.data.oMf[self.model.getFrameId(name)]
        return frame.translation.copy(), frame.rotation.copy()

    def com(self):
        return pin.centerOfMass(self.model, self.data, self.q).copy()

    def _columns(self, jacobian):
        ours = jacobian[:, self.order].copy()
        ours[:, :3] = ours[:, :3] @ self.turn.T
        return ours

    def jacobian(self, name):
        frame = self.model.getFrameId(name)
        return self._columns(pin.getFrameJacobian(self.model, self.data, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED))

    def com_jacobian(self):
        return self._columns(pin.jacobianCenterOfMass(self.model, self.data, self.q))

    def inverse_dynamics(self, velocity, acceleration):
        v, a = np.zeros(self.model.nv), np.zeros(self.model.nv)
        v[self.order], a[self.order] = velocity, acceleration
        v[:3] = self.turn.T @ velocity[:3]
        a[:3] = self.turn.T @ acceleration[:3] - np.cross(v[3:6], v[:3])
        force = pin.rnea(self.model, self.data, self.q, v, a)[self.order]
        force[:3] = self.turn @ force[:3]
        return force

    def mass_matrix(self):
        matrix = pin.crba(self.model, self.data, self.q)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        change = np.eye(self.model.nv)
        change[:3, :3] = self.turn.T
        matrix = change.T @ matrix @ change
        return matrix[np.ix_(self.order, self.order)]

    def mass(self) -> float:
        return pin.computeTotalMass(self.model)
