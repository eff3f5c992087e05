"""Where the body should be over given footsteps: a grid of places for each phase, and the cheapest walk through all."""

import numpy as np

from andante.kinematics.leg_table import LeggedBody
from andante.planning.plans import Footstep, FootstepPlan
from andante.planning.stances.generator import PHASES, generate_stances, stance_table
from andante.robots.robot import Robot

body = LeggedBody.of(Robot.load("littledog"))
feet = np.array([[0.07 * i, 0.0735 * j, body.table.radius[0]] for i in (1, -1) for j in (1, -1)])
places, steps = feet.copy(), []
for leg in (3, 1, 2, 0, 3, 1, 2, 0):  # HR, FR, HL, FL
    places[leg] += (0.05, 0.0, 0.0)
    steps.append(Footstep(leg, places[leg].copy(), float(places[leg, 2]) + 0.02))

table = stance_table(body, FootstepPlan(feet, tuple(steps)))
stances = generate_stances(table)
allowed = int(np.isfinite(table.grids.cost).sum())
print(f"{len(steps)} footsteps, {len(table.height)} phases, {allowed} of {len(table.grids.cost)} places allowed")
for number, (position, margin) in enumerate(zip(stances.position, stances.margin, strict=True)):
    step, phase = divmod(number, len(PHASES))
    if phase == 1:
        name = body.legs[steps[step].leg].name
        print(f"{name} leaves: body at {position[0]:+.3f}, {position[1]:+.3f} m, margin {1e3 * margin:.0f} mm")
