"""PressureCells: spreads the force under a foot over its pressure cells.

The sole is a rigid plate on equal springs, one per cell: the force of a cell is ``a + b x + c y``, with a, b, c from
the load and its moments. Cells only push, so negative ones are cut and the rest scaled; the sum stays the load.
"""

from __future__ import annotations

import numpy as np

from andante.robots.parts import Foot


class PressureCells:
    """The cells of one foot."""

    def __init__(self, foot: Foot) -> None:
        positions = np.array([(1.0, x, y) for _, x, y in foot.cells]).reshape(-1, 3)
        self.count = len(positions)
        # Least norm solution of: sum f = load, sum f x = load x, sum f y = load y.
        self._spread = [tuple(row) for row in np.linalg.pinv(positions.T).tolist()] if self.count else []

    def read(self, load: float, moment_x: float, moment_y: float) -> list[float]:
        """Force per cell [N] from the normal force [N] and the moments about the sole's x and y axes [N m]."""
        if load <= 0.0 or not self.count:
            return [0.0] * self.count
        forces = [a * load - b * moment_y + c * moment_x for a, b, c in self._spread]
        total = 0.0
        for i, force in enumerate(forces):
            if force < 0.0:
                forces[i] = 0.0
            else:
                total += force
        if total <= 0.0:
            return [load / self.count] * self.count
        scale = load / total
        return [force * scale for force in forces]
