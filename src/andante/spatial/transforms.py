"""Rigid transforms: a rotation and a translation, composable, with any leading batch shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.errors import AndanteError
from andante.spatial import rotations
from andante.spatial.rotations import Array


class TransformError(AndanteError):
    """Rotation and translation of a transform do not fit together."""


@dataclass(frozen=True, eq=False)
class Transform:
    """The map x -> rotation x + translation; as a pose, where a frame stands and how it is turned.

    Raises:
        TransformError: Rotation is not (..., 3, 3) or translation not (..., 3), or their batch shapes do not broadcast.
    """

    rotation: Array
    """Rotation matrices, (..., 3, 3)."""
    translation: Array
    """Translations, (..., 3) [m]."""

    def __post_init__(self) -> None:
        rotation = np.asarray(self.rotation, dtype=np.float64)
        translation = np.asarray(self.translation, dtype=np.float64)
        if rotation.shape[-2:] != (3, 3) or translation.shape[-1:] != (3,):
            raise TransformError(
                "a transform needs a rotation matrix and a translation",
                value=(rotation.shape, translation.shape),
                limit="(..., 3, 3) and (..., 3)",
            )
        try:
            np.broadcast_shapes(rotation.shape[:-2], translation.shape[:-1])
        except ValueError as error:
            raise TransformError(
                "the batch shapes of rotation and translation do not broadcast",
                value=(rotation.shape[:-2], translation.shape[:-1]),
            ) from error
        object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "translation", translation)

    @classmethod
    def identity(cls) -> Transform:
        """The transform that moves nothing."""
        return cls(np.eye(3), np.zeros(3))

    @classmethod
    def from_quaternion(cls, quaternion: ArrayLike, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Transform:
        """The transform of unit quaternions (..., 4) wxyz and translations (..., 3) [m]."""
        return cls(rotations.to_matrix(quaternion), np.asarray(translation, dtype=np.float64))

    @property
    def quaternion(self) -> Array:
        """The rotation as unit quaternion, (..., 4) wxyz, w >= 0."""
        return rotations.from_matrix(self.rotation)

    def __matmul__(self, other: Transform) -> Transform:
        """The transform that applies ``other`` first."""
        return Transform(self.rotation @ other.rotation, self.apply(other.translation))

    def inverse(self) -> Transform:
        """The transform that undoes this one."""
        transposed = np.swapaxes(self.rotation, -1, -2)
        return Transform(transposed, -_turn(transposed, self.translation))

    def apply(self, points: ArrayLike) -> Array:
        """Points (..., 3) [m] moved by the transform; batch shapes broadcast."""
        return _turn(self.rotation, np.asarray(points, dtype=np.float64)) + self.translation

    def turn(self, directions: ArrayLike) -> Array:
        """Directions (..., 3) turned by the rotation, without translation; batch shapes broadcast."""
        return _turn(self.rotation, np.asarray(directions, dtype=np.float64))

    def matrix(self) -> Array:
        """The homogeneous matrices, (..., 4, 4)."""
        shape = np.broadcast_shapes(self.rotation.shape[:-2], self.translation.shape[:-1])
        matrix = np.zeros((*shape, 4, 4))
        matrix[..., :3, :3] = self.rotation
        matrix[..., :3, 3] = self.translation
        matrix[..., 3, 3] = 1.0
        return matrix


def _turn(rotation: Array, vectors: Array) -> Array:
    return np.asarray((rotation @ vectors[..., None])[..., 0])
