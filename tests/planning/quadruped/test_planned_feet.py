"""All feet over a horizon, on ground, motions and gaits of no plan, against the rules written anew with arrays."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from andante.kernels import entry
from andante.planning.quadruped.footholds import (
    MOST_SWINGS,
    Horizon,
    LegsNow,
    PlannedFeet,
    StepRules,
    hips_at,
    plan_feet,
)
from andante.planning.quadruped.ground import Ground
from andante.planning.quadruped.swing_timing import time_swing
from andante.spatial.gravity import GRAVITY

timed = entry(time_swing.py_func)
SPACING = 0.05


def smallest(points):
    """Centre of the smallest circle around points, by trying all pairs and triples."""
    points = np.unique(points.round(12), axis=0)
    if len(points) == 1:
        return points[0]
    centres = [0.5 * (a + b) for a, b in itertools.combinations(points, 2)]
    for a, b, c in itertools.combinations(points, 3):
        matrix = 2.0 * np.array([b - a, c - a])
        if abs(np.linalg.det(matrix)) > 1e-10:
            centres.append(a + np.linalg.solve(matrix, [(b - a) @ (b - a), (c - a) @ (c - a)]))
    radii = np.linalg.norm(points[None] - np.array(centres)[:, None], axis=2).max(axis=1)
    return np.array(centres)[radii.argmin()]


class Feet:
    """The rules, foot by foot."""

    def __init__(self, ground, rules, asked, legs, chosen):
        self.ground, self.rules, self.asked, self.legs, self.chosen = ground, rules, asked, legs, chosen

    def at(self, grid, x, y):
        from scipy.ndimage import map_coordinates

        place = [[(x - self.ground.x) / SPACING], [(y - self.ground.y) / SPACING]]
        return float(map_coordinates(grid, place, order=1, mode="nearest")[0])

    def good(self, x, y):
        """Whether a foot can stand at the node nearest to a place."""
        grid = self.ground.traversability
        i = int(np.clip(round((x - self.ground.x) / SPACING), 0, grid.shape[0] - 1))
        j = int(np.clip(round((y - self.ground.y) / SPACING), 0, grid.shape[1] - 1))
        return grid[i, j] > self.rules.threshold

    def hip(self, row, leg, shift, late=0.0):
        state = self.asked.reference[row]
        turned = Rotation.from_euler("ZYX", state[[5, 4, 3]]).apply(self.legs.hips[leg])
        return state[:3] + [*shift, 0.0] + turned + late * state[6:9]

    def nominal(self, leg, shift, error, first, until):
        times, rules = self.asked.times, self.rules
        rows = [row for row in range(first, len(times)) if times[row] <= until + 1e-9]
        points = [self.hip(row, leg, shift)[:2] for row in rows]
        if until > times[-1] + 1e-9:
            points.append(self.hip(len(times) - 1, leg, shift, until - times[-1])[:2])
        state, fall = self.asked.reference[first], rules.height / GRAVITY
        velocity = np.array([*(state[6:8] + error), 0.0])
        turn = fall * np.cross(velocity, [0.0, 0.0, state[11]])
        return smallest(np.array(points)) + rules.capture * math.sqrt(fall) * error + turn[:2]

    def apart(self, leg, yaw, place, own):
        rules, legs = self.rules, self.legs
        ahead, aside = np.array([math.cos(yaw), math.sin(yaw)]), np.array([-math.sin(yaw), math.cos(yaw)])
        for other, way, room in (((leg + 2) % 4, ahead if leg < 2 else -ahead, rules.apart),
                                 (leg ^ 1, aside if leg % 2 == 0 else -aside, rules.beside)):  # fmt: skip
            if self.asked.contact[0, other] == 1.0:
                stands = legs.standing[other, :2]
                least = min(room, float((own - stands) @ way) - 0.05)
                place = place + max(least - float((place - stands) @ way), 0.0) * way
        return place

    def searched(self, place, hip, before, picked):
        """The best place, of several equally good ones the one that was picked."""
        rules = self.rules
        if self.good(*place):
            return place, True
        reach, found = math.ceil(rules.search / SPACING), []
        for i, j in itertools.product(range(-reach, reach + 1), repeat=2):
            here = place + SPACING * np.array([i, j])
            far = float(np.linalg.norm(here - place))
            if far <= rules.search and np.linalg.norm(here - hip[:2]) <= rules.reach and self.good(*here):
                kept = 0.0 if before is None else rules.constancy * float(np.linalg.norm(here - before[:2]))
                found.append((far + kept, here))
        if not found:
            return place, False
        best = min(cost for cost, _ in found)
        equal = [here for cost, here in found if cost < best + 1e-9]
        return min(equal, key=lambda here: float(np.linalg.norm(here - picked))), True

    def swings_of(self, leg, picked):
        """Swings and places of one leg; of equally good places those in ``picked`` (n, 3)."""
        rules, asked, legs, ground = self.rules, self.asked, self.legs, self.ground
        times, contact, radius = asked.times, asked.contact, legs.radius[leg]
        last = len(contact)
        runs, k = [], 0
        for stands, group in itertools.groupby(contact[:, leg]):
            count = len(list(group))
            runs.append((stands == 1.0, k, k + count))
            k += count
        place, feet, swings, unsafe = legs.standing[leg].copy(), np.empty((last, 3)), [], False
        wanted_places = []
        for number, (stands, begin, end) in enumerate(runs):
            if stands:
                feet[begin:end] = place - [0.0, 0.0, radius]
                continue
            up = runs[number + 1][2] if number + 1 < len(runs) else last
            until = times[up] if up < last else max(times[last], times[end] + legs.stance_times[leg])
            high = asked.flown[begin:end].max()
            if high > -math.inf:
                until = min(until, times[end] + rules.landing)
            left = math.exp(-(times[end] - times[0]) / rules.catch)
            moved = asked.shift + asked.error * rules.catch * (1.0 - left)
            first = not swings
            wanted = self.nominal(leg, moved, asked.error * (1.0 if first else left), end, until)
            hip = self.hip(end, leg, moved)
            off = wanted - hip[:2]
            wanted = hip[:2] + off * min(1.0, rules.reach / max(float(np.linalg.norm(off)), 1e-12))
            yaw = asked.reference[end, 5]
            if first:
                own = self.nominal(leg, asked.shift, np.zeros(2), end, until)
                wanted = self.apart(leg, yaw, wanted, own)
                if leg >= 2 and (contact[begin:end, leg - 2] == 1.0).all():
                    ahead = np.array([math.cos(yaw), math.sin(yaw)])
                    gap = float((legs.standing[leg - 2, :2] - wanted) @ ahead)
                    wanted = wanted - max(rules.beside - gap, 0.0) * ahead
            before = legs.before[leg] if first and not math.isnan(legs.before[leg, 0]) else None
            listed = len(swings) < MOST_SWINGS
            if listed:
                wanted_places.append([*wanted, *hip])
            if listed and not math.isnan(self.chosen[leg, len(swings), 0]):
                goal, safe = self.chosen[leg, len(swings)], True
            else:
                goal, safe = self.searched(wanted, hip, before, picked[begin, :2])
            lifted = legs.lifted[leg] if begin == 0 else times[begin]
            if before is not None and begin == 0 and times[0] - lifted > 0.3 * (times[end] - lifted):
                slope = np.array([self.at(ground.slope_x, *before[:2]), self.at(ground.slope_y, *before[:2])])
                rise = self.at(ground.height, *goal) - self.at(ground.height, *before[:2])
                step = abs(rise - float(slope @ (goal - before[:2]))) > rules.clearance
                if step and np.linalg.norm(before[:2] - hip[:2]) <= rules.reach:
                    goal = before[:2]
            unsafe = (not safe) if first else unsafe
            landed = np.array([*goal, self.at(ground.height, *goal) + radius])
            if listed:
                between = [
                    self.at(ground.height, *(place + s * (landed - place))[:2]) + radius for s in np.arange(1, 8) / 8
                ]
                top = max(place[2], landed[2], *between)
                rise = max(high - rules.height - (max(place[2], landed[2]) - radius), 0.0)
                apex = min(top + rules.clearance, max(hip[2] - rules.hip_room, top + 0.5 * rules.clearance))
                swing = np.array([lifted, times[end], *place, *landed, apex + rules.tuck * rise, 0.0, 0.0, 0.0])
                timed(ground, radius, 0.4 * rules.clearance, swing)
                swings.append(swing)
            feet[begin:end] = landed - [0.0, 0.0, radius]
            place = landed
        return feet, swings, unsafe, wanted_places


def some(seed):
    """A horizon of no plan."""
    rng = np.random.default_rng(seed)
    near = lambda *each: each[rng.integers(len(each))]  # noqa: E731
    count = 26 if seed % 8 == 7 else int(rng.integers(5, 12))
    rules = StepRules(
        height=0.3, capture=near(1.0, 0.5), catch=0.2, clearance=0.05, search=near(0.11, 0.21), threshold=0.6,
        constancy=near(0.0, 0.5, 2.0), reach=near(0.1, 0.2, 0.3), apart=near(0.1, 0.26), beside=near(0.04, 0.1),
        hip_room=near(0.05, 0.1), tuck=0.4, landing=0.06,
    )  # fmt: skip
    steps = np.full(count, 0.03)
    steps[0] = rng.uniform(0.005, 0.03)
    times = 1.0 + np.concatenate([[0.0], np.cumsum(steps)])
    contact = np.ones((count, 4))
    for leg in range(4):
        k, stands = 0, bool(rng.integers(2))
        while k < count:
            long = 1 if count == 26 and leg == 1 else int(rng.integers(1, 5))
            contact[k : k + long, leg] = float(stands)
            k, stands = k + long, not stands
    flown = np.where(np.arange(count) < near(0, 0, 3), near(0.25, 0.5), -np.inf)
    reference = np.zeros((count + 1, 12))
    reference[:, 6:8], reference[:, 8] = rng.normal(0.0, 0.5, 2), rng.normal(0.0, 0.1)
    reference[:, 11] = rng.normal(0.0, 1.0)
    reference[:, 3:5] = rng.normal(0.0, 0.2, (count + 1, 2))
    reference[:, 5] = rng.uniform(-3.0, 3.0) + reference[0, 11] * (times - 1.0)
    reference[:, :2] = rng.normal(0.0, 0.2, 2) + reference[0, 6:8] * (times - 1.0)[:, None]
    reference[:, :2] += rng.normal(0.0, 0.01, (count + 1, 2))
    reference[:, 2] = near(0.3, 0.2)
    hips = np.array([[0.2, 0.12, -0.02], [0.2, -0.12, -0.02], [-0.2, 0.12, 0.01], [-0.2, -0.12, 0.01]])
    grid = rng.normal(0.0, near(0.0, 0.02, 0.06), (60, 60))
    slopes = rng.normal(0.0, 0.3, (2, 60, 60))
    share = (rng.random((60, 60)) > near(0.0, 0.5, 0.9, 1.0)).astype(float)
    ground = Ground(-1.5, -1.4, SPACING, grid, grid, slopes[0], slopes[1], share)
    radius = np.full(4, 0.02)
    standing = np.empty((4, 3))
    for leg, hip in enumerate(hips_at(reference[0], hips)):
        standing[leg] = *(hip[:2] + rng.normal(0.0, 0.06, 2)), 0.02
    before = np.where(rng.random(4)[:, None] < 0.6, standing + rng.normal(0.0, 0.1, (4, 3)), np.nan)
    chosen = np.full((4, MOST_SWINGS, 2), np.nan)
    if seed % 5 == 0:
        pick = rng.random((4, MOST_SWINGS)) < 0.5
        chosen[pick] = rng.normal(0.0, 0.3, (int(pick.sum()), 2))
    asked = Horizon(times, contact, flown, reference, rng.normal(0.0, 0.02, 2), rng.normal(0.0, near(0.05, 0.5), 2))
    legs = LegsNow(hips, radius, np.full(4, 0.18), standing, 1.0 - rng.uniform(0.0, 0.2, 4), before)
    return ground, rules, asked, legs, chosen


@pytest.mark.parametrize("block", range(8))
def test_feet_over_a_horizon_are_those_of_the_rules(block):
    for seed in range(5 * block, 5 * block + 5):
        given = some(seed)
        count = len(given[2].contact)
        planned = PlannedFeet.empty(count)
        plan_feet(*given, planned)
        oracle = Feet(*given)
        for leg in range(4):
            feet, swings, unsafe, wanted = oracle.swings_of(leg, planned.feet[:, leg])
            told = f"{seed} {leg}"
            assert planned.counts[leg] == len(swings), told
            assert bool(planned.unsafe[leg]) == unsafe, told
            if swings:
                np.testing.assert_allclose(planned.wanted[leg, : len(wanted)], wanted, atol=2e-6, err_msg=told)
                np.testing.assert_allclose(planned.swings[leg, : len(swings)], swings, atol=2e-6, err_msg=told)
            np.testing.assert_allclose(planned.feet[:, leg], feet, atol=2e-6, err_msg=told)
