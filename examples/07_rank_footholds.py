"""Teach what a good foothold is: rank pairs of places on a board, and let the weights of their features be found."""

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse
from andante.planning.footsteps.footholds import NAMES, Features, FootholdCosts, learn_weights
from andante.robots.robot import Robot
from andante.terrain.boards.make import make_board

body = LeggedBody.of(Robot.load("littledog"))
board = make_board("rocks", 0.4, seed=1)
x, y = board.start
feet = np.array([[x + 0.07 * i, y + 0.0735 * j, body.table.radius[0]] for i in (1, -1) for j in (1, -1)])
course = KnownCourse(body, board.map, feet, np.array([x, y, 0.14]), np.eye(3), board.goal)
features = Features.of(course)

# A teacher who dislikes edges most, and roughness half as much, ranks 400 pairs of places; half are for learning.
taste = np.array([{"edge": 1.0, "roughness": 0.5}.get(name, 0.0) for name in NAMES])
first, second = np.random.default_rng(7).choice(features.front[features.allowed], (2, 400))
prefers = first @ taste < second @ taste
better = np.where(prefers[:, None], first, second)
worse = np.where(prefers[:, None], second, first)
weights = learn_weights(better[:200], worse[:200])

agreed = np.mean(better[200:] @ weights.vector < worse[200:] @ weights.vector)
print(f"of 200 pairs that it did not see it ranks {100 * agreed:.0f} % as the teacher does")
cost = FootholdCosts.of(features, weights).front[features.allowed]
print(f"allowed footholds cost {cost.min():.3f} to {cost.max():.3f} s of walking")
