"""Where a simulated robot is, as the page draws it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.runs.build import Parts
from andante.studio.errors import StudioError


class DrawnPose:
    """Reads the pose from the ground truth of a run.

    Args:
        parts: What the run is made of.
    """

    def __init__(self, parts: Parts) -> None:
        self._backend = parts.backend
        model = parts.model
        self._qpos = [int(model.jnt_qposadr[model.joint(name).id]) for name in parts.robot.joint_names]
        base = model.body(parts.robot.base_body)
        self._base = int(model.jnt_qposadr[int(base.jntadr[0])]) if int(base.jntnum[0]) else None

    def now(self) -> NDArray[np.float64]:
        """Base position and orientation (wxyz) and the joints, (7 + nj,) [m, rad].

        Raises:
            StudioError: The backend shows no pose.
        """
        truth = self._backend.truth()
        if truth is None:
            raise StudioError("this backend shows no pose")
        qpos = truth["qpos"]
        base = qpos[self._base : self._base + 7] if self._base is not None else np.array([0, 0, 0, 1.0, 0, 0, 0])
        return np.concatenate([base, qpos[self._qpos]])
