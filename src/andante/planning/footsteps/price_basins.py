"""Where the price of ground is low around a place: basins of it, and minima near given places. Compiled.

Places count by exp(-price / temperature), summed up over a kernel: what is good over an area counts more than one good
place, and noise of the map changes a sum less than it changes the lowest price.
"""

from __future__ import annotations

import math

import numpy as np

from andante.kernels import entry, inlined, kernel
from andante.planning.feasibility.clearance import height_at
from andante.planning.feasibility.scene import Scene
from andante.spatial.arrays import Array, Array1, Array2

MOST_BASINS = 12
"""Most basins of a step."""
_OFF_MAP = 100.0
"""Price where there is no map."""
_TEMPERATURE, _ROUNDS = 0.15, 5
"""A minimum is a mean over places whose prices are about as low as its: a mean moves with noise by less than the lowest
place does."""
_WIDE = 3
"""Widths of that kernel after which it counts as 0."""
_SHIFTS = 10
"""Rounds of a mean shift."""


@entry
def find_basins(
    scene: Scene,
    grid: Array2,
    place: Array1,
    lattice: Array1,
    width: float,
    kernel_width: float,
    spots: Array2,
    prices: Array1,
    ground: Array1,
) -> int:
    """The basins of price around a place, the cheapest first.

    A basin is a maximum of the sum over a kernel, and its price is the logarithm of that sum. The spot is where the sum
    is largest (mean shift).

    Comaniciu and Meer, "Mean shift: a robust approach toward feature space analysis" (IEEE PAMI 2002).

    Args:
        scene: Robot and ground.
        grid: Price of the ground.
        place: Where the step would go, (2,) [m].
        lattice: Distances from there along x and along y that are looked at, evenly spaced, (n,) [m].
        width: Distance that counts as 1 [m].
        kernel_width: Standard deviation of the kernel [m].
        spots: Gets the spots, (m, 2) with m >= `MOST_BASINS` [m].
        prices: Gets the price of each basin, (m,).
        ground: Gets what the ground costs at each spot, (m,).

    Returns:
        How many there are.
    """
    n, farthest, spacing = len(lattice), lattice[-1], lattice[1] - lattice[0]
    weights, rows, sums = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
    lowest = math.inf
    for i in range(n):
        for j in range(n):
            far = lattice[i] * lattice[i] + lattice[j] * lattice[j]
            weights[i, j] = math.inf
            if far <= farthest * farthest:
                price = _price_at(scene, grid, place[0] + lattice[i], place[1] + lattice[j])
                weights[i, j] = price + far / (width * width)
                lowest = min(lowest, weights[i, j])
    for i in range(n):
        for j in range(n):
            weights[i, j] = math.exp((lowest - weights[i, j]) / _TEMPERATURE)
    reach = math.ceil(_WIDE * kernel_width / spacing)
    taps, total = np.empty(2 * reach + 1), 0.0
    for k in range(2 * reach + 1):
        taps[k] = math.exp(-0.5 * ((k - reach) * spacing / kernel_width) ** 2)
        total += taps[k]
    for k in range(2 * reach + 1):
        taps[k] /= total
    for i in range(n):
        for j in range(n):
            rows[i, j] = 0.0
            for k in range(max(-reach, -i), min(reach, n - 1 - i) + 1):
                rows[i, j] += taps[reach + k] * weights[i + k, j]
    for i in range(n):
        for j in range(n):
            sums[i, j] = 0.0
            for k in range(max(-reach, -j), min(reach, n - 1 - j) + 1):
                sums[i, j] += taps[reach + k] * rows[i, j + k]
    # Level ground costs nothing where the step should go.
    variance = 0.5 * _TEMPERATURE * width * width
    level = _TEMPERATURE * math.log(variance / (variance + kernel_width * kernel_width))
    peaks, highest = 0, rows.reshape(n * n)
    nodes = np.empty(n * n, dtype=np.int64)
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            if sums[i, j] > 0.0 and _is_peak(sums, i, j):
                nodes[peaks], highest[peaks] = i * n + j, sums[i, j]
                peaks += 1
    count = min(peaks, MOST_BASINS)
    order = np.argsort(-highest[:peaks])
    for m in range(count):
        best, node = highest[order[m]], nodes[order[m]]
        row, column = node // n, node % n
        x, y = _shifted(weights, lattice, kernel_width, lattice[row], lattice[column])
        spots[m, 0], spots[m, 1] = place[0] + x, place[1] + y
        prices[m] = lowest - _TEMPERATURE * math.log(best) + level
        ground[m] = _price_at(scene, grid, place[0] + x, place[1] + y)
    return count


@inlined
def _is_peak(sums: Array, i: int, j: int) -> bool:
    """Whether no neighbour of a node is higher."""
    for k in range(-1, 2):
        for m in range(-1, 2):
            if sums[i + k, j + m] > sums[i, j]:
                return False
    return True


@kernel
def _shifted(weights: Array, lattice: Array, width: float, x: float, y: float) -> tuple[float, float]:
    """Where weights on a lattice are densest near a place under a Gaussian kernel (mean shift)."""
    n, spacing = len(lattice), lattice[1] - lattice[0]
    across = np.empty(n)
    for _ in range(_SHIFTS):
        low_i, high_i = _within(lattice[0], spacing, n, x, _WIDE * width)
        low_j, high_j = _within(lattice[0], spacing, n, y, _WIDE * width)
        for j in range(low_j, high_j):
            across[j] = math.exp(-0.5 * ((lattice[j] - y) / width) ** 2)
        total = sum_x = sum_y = 0.0
        for i in range(low_i, high_i):
            along = math.exp(-0.5 * ((lattice[i] - x) / width) ** 2)
            for j in range(low_j, high_j):
                weight = along * across[j] * weights[i, j]
                total += weight
                sum_x += weight * lattice[i]
                sum_y += weight * lattice[j]
        x, y = sum_x / total, sum_y / total
    return x, y


@inlined
def _within(first: float, spacing: float, n: int, x: float, reach: float) -> tuple[int, int]:
    """Range of the nodes of a line that are within a distance of a place."""
    return max(math.ceil((x - reach - first) / spacing), 0), min(math.floor((x + reach - first) / spacing) + 1, n)


@entry
def find_minima(
    scene: Scene,
    grid: Array2,
    place: Array1,
    anchors: Array2,
    around: Array2,
    width: float,
    kernel_width: float,
    spots: Array2,
    prices: Array1,
) -> None:
    """The minimum of the bowl around each anchor, into ``spots``, and the price of its ground, into ``prices``.

    Args:
        scene: Robot and ground.
        grid: Price of the ground.
        place: Where the step would go, (2,) [m].
        anchors: Places around which is looked, from there, (n, 2) [m].
        around: Places around each that are looked at, (m, 2) [m].
        width: Distance that counts as 1 [m].
        kernel_width: Width over which the minimum is a mean [m].
        spots: Gets the minima, (n, 2) [m].
        prices: Gets what the ground costs there, (n,).
    """
    weights = np.empty(len(around))
    for n in range(len(anchors)):
        middle_x, middle_y = place[0] + anchors[n, 0], place[1] + anchors[n, 1]
        lowest, x, y = math.inf, middle_x, middle_y
        for m in range(len(around)):
            ground = _price_at(scene, grid, middle_x + around[m, 0], middle_y + around[m, 1])
            price = ground + (around[m, 0] ** 2 + around[m, 1] ** 2) / (width * width)
            weights[m] = price
            if price < lowest:
                lowest, x, y = price, middle_x + around[m, 0], middle_y + around[m, 1]
        for m in range(len(around)):
            weights[m] = math.exp((lowest - weights[m]) / _TEMPERATURE)
        for _ in range(_ROUNDS):
            total = sum_x = sum_y = 0.0
            for m in range(len(around)):
                near_x, near_y = middle_x + around[m, 0], middle_y + around[m, 1]
                away = (near_x - x) ** 2 + (near_y - y) ** 2
                weight = weights[m] * math.exp(-0.5 * away / (kernel_width * kernel_width))
                total += weight
                sum_x += weight * near_x
                sum_y += weight * near_y
            x, y = sum_x / total, sum_y / total
        spots[n, 0], spots[n, 1] = x, y
        prices[n] = _price_at(scene, grid, x, y)


@inlined
def _price_at(scene: Scene, grid: Array, x: float, y: float) -> float:
    """Price of the ground between nodes; off the map no foot stands."""
    u, v = (x - scene.x) / scene.spacing, (y - scene.y) / scene.spacing
    nx, ny = grid.shape
    if u < 0.0 or v < 0.0 or u > nx - 1 or v > ny - 1:
        return _OFF_MAP
    return height_at(scene, grid, x, y)
