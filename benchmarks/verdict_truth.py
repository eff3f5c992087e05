"""The judge of the judge: what a run came to by MuJoCo's own state, good, bad or near a documented bound."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from andante.backends.backend import Backend
from andante.backends.mujoco_world import MujocoWorld
from andante.runs.loop.tick import Observer, Tick


@dataclass(frozen=True)
class Wish:
    """What is asked of a run, for the independent judge."""

    twist: tuple[float, float, float] | None = None
    """Speeds ahead, left [m/s] and turn [rad/s]."""
    span: tuple[float, float] = (0.0, 0.0)
    """From when until when [s]."""
    ahead: float | None = None
    """Or a way ahead [m]."""
    end: str = ""
    """Or how a motion ends: stand, sit, lie, down; empty: nobody says."""
    pushes: tuple[tuple[float, float], ...] = ()
    """Times that do not count for speeds [s]."""


@dataclass
class Seen(Observer):
    """What MuJoCo itself says, tick by tick."""

    world: MujocoWorld
    slope: float = 0.0
    times: list[float] = field(default_factory=list)
    place: list[Any] = field(default_factory=list)
    axes: list[Any] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    touch: dict[str, list[float]] = field(default_factory=dict)
    astray: dict[str, float] = field(default_factory=dict)
    worst: tuple[float, str] = (0.0, "")
    done: bool = False

    def begin(self, backend: Backend) -> None:
        """Find out what each shape is."""
        model, robot = self.world.model, self.world.robot
        self.base = model.body(robot.base_body).id
        self.feet = {model.body(foot.body).id: foot for foot in robot.feet}
        self.kind: dict[int, str] = {}
        legs: set[int] = set()
        for body in self.feet:
            above = body
            while above not in (0, self.base):
                legs.add(int(above))
                above = int(model.body_parentid[above])
        for body in range(1, model.nbody):
            if model.body_rootid[body] != model.body_rootid[self.base]:
                continue
            # Below the last joint of a leg everything is calf, between that and the base thigh.
            hanging = [leg for leg in legs if int(model.body_parentid[leg]) == body and model.body_jntnum[leg]]
            self.kind[body] = "trunk" if body not in legs else "thigh" if hanging else "calf"
        self.sites = {body: model.site(foot.site).id for body, foot in self.feet.items()}
        self.joints = [model.joint(name).qposadr[0] for name in robot.joint_names]
        self.kp = np.array([servo.kp for servo in robot.servos])
        self.look()

    def see(self, tick: Tick) -> None:
        """How far joints are from what they are told, while they are stiff."""
        off = np.abs(tick.command.position - self.world.data.qpos[self.joints])
        stiff = tick.command.kp >= 0.5 * self.kp
        for name, gap, on in zip(self.world.robot.joint_names, off, stiff, strict=True):
            # The documented bounds are 20 deg and half a second; a fifth less or more of either is near.
            for limit, lasting in ((0.26, 0.4), (0.44, 0.6)):
                key = f"{name}>{limit}"
                self.astray[key] = self.astray.get(key, 0.0) + self.world.robot.tick if on and gap > limit else 0.0
                if self.astray[key] > lasting and limit > self.worst[0]:
                    self.worst = (limit, name)

    def over(self, backend: Backend) -> bool:
        """Look at the state as it is now; never ends a run."""
        self.look()
        return False

    def look(self) -> None:
        """Keep pose and touches."""
        data, model = self.world.data, self.world.model
        self.times.append(float(data.time))
        self.place.append(data.xpos[self.base].copy())
        self.axes.append(data.xmat[self.base].reshape(3, 3).copy())
        feet = [data.site_xpos[site][2] for site in self.sites.values()]
        self.low.append(float(np.mean(feet)) if feet else 0.0)
        found = set()
        for number in range(data.ncon):
            contact = data.contact[number]
            pair = [int(model.geom_bodyid[geom]) for geom in contact.geom]
            mine = [body for body in pair if body in self.kind]
            if len(mine) != 1 or contact.dist > 0.0:
                continue
            body = mine[0]
            foot = self.feet.get(body)
            if foot is not None:
                away = np.linalg.norm(contact.pos - data.site_xpos[self.sites[body]])
                if foot.outline or away < 1.5 * foot.radius + 0.004:
                    continue
            found.add(self.kind[body])
        for name in found:
            self.touch.setdefault(name, []).append(float(data.time))


def judge(wish: Wish, seen: Seen, ended: float, timeout: float) -> tuple[str, str]:
    """good, bad or near, and why."""
    times, place, axes = np.array(seen.times), np.array(seen.place), np.array(seen.axes)
    times -= times[0]
    step = float(np.median(np.diff(times)))
    up = axes[:, 2, 2]
    tilt = np.degrees(np.arccos(np.clip(up, -1.0, 1.0)))
    touch = {name: step * len(moments) for name, moments in seen.touch.items()}
    height = place[:, 2] - np.array(seen.low)
    last = times >= times[-1] - 0.5
    bad: list[str] = []
    near: list[str] = []

    def ask(value: float, good: float, worst: float, text: str) -> None:
        if value > worst:
            bad.append(f"{text} {value:.3g}")
        elif value > good:
            near.append(f"{text} {value:.3g}")

    if not seen.done:
        bad.append("not done")
    if wish.twist is not None or wish.ahead is not None:
        ask(float(tilt.max()), 40.0, 62.0, "tilt")
        ask(touch.get("trunk", 0.0), 0.03, 0.08, "trunk touches")
        ask(touch.get("thigh", 0.0), 0.03, 0.08, "thighs touch")
        ask(touch.get("calf", 0.0), 0.16 * times[-1], 0.26 * times[-1], "calves touch")
        ask(float(tilt[last].max()), 11.0 + math.degrees(seen.slope), 21.0 + 2 * math.degrees(seen.slope), "end tilt")
        ask(-float(height[last].min() / height[0]), -0.86, -0.68, "end height share")
        moved = float(np.hypot(*(place[-1, :2] - place[last][0, :2]))) / 0.5
        ask(moved, 0.04, 0.07, "moves at the end")
        ask(float((place[:-1, 2] - place[1:, 2]).max()), 0.02, 0.1, "jumps down")
    if wish.twist is not None:
        begin, end = wish.span
        if ended < end - 0.3:
            bad.append(f"over at {ended:.2f} of {end:.2f} s")
        yaw = np.unwrap(np.arctan2(axes[:, 1, 0], axes[:, 0, 0]))
        change = max(abs(value) for value in wish.twist)
        rows = (times >= begin + max(1.0, 2.0 * change)) & (times <= min(end, ended))
        for first, until in wish.pushes:
            rows &= ~((times >= first) & (times <= until))
        use = np.flatnonzero(rows[1:] & rows[:-1])

        def reached(use: Any) -> tuple[float, float]:
            way, middle = np.diff(place[:, :2], axis=0)[use] / step, yaw[use]
            ahead = (way[:, 0] * np.cos(middle) + way[:, 1] * np.sin(middle)).mean()
            return float(ahead), float((way[:, 1] * np.cos(middle) - way[:, 0] * np.sin(middle)).mean())

        # Told to stand it is asked for a speed of zero, which counts after the same time as any other.
        resting = (times >= end + max(1.0, 2.0 * change)) & (times <= ended)
        for first, until in wish.pushes:
            resting &= ~((times >= first) & (times <= until))
        rest = np.flatnonzero(resting[1:] & resting[:-1])
        if len(rest) * step > 0.5:
            ask(math.hypot(*reached(rest)), 0.04, 0.0625, "told to stand, moves at")
        if len(use) * step > 0.5:
            ahead, left = reached(use)
            turn = (np.diff(yaw)[use] / step).mean()
            speed = math.hypot(*wish.twist[:2])
            limit = max(0.1 * speed, min(0.05, 0.4 * speed)) if speed else 0.05
            off = math.hypot(ahead - wish.twist[0], left - wish.twist[1])
            ask(off, 0.8 * limit, 1.25 * limit, f"speed {ahead:+.3f} {left:+.3f} m/s, off by")
            wanted = abs(wish.twist[2])
            limit = max(0.1 * wanted, min(0.15, 0.4 * wanted)) if wanted else 0.15
            ask(abs(turn - wish.twist[2]), 0.8 * limit, 1.25 * limit, f"turn {turn:+.3f} rad/s, off by")
        elif not wish.pushes:
            near.append("too short")
    if wish.ahead is not None:
        way, limit = axes[0].T @ (place[-1] - place[0]), max(0.1, 0.1 * wish.ahead)
        ask(abs(float(way[0]) - wish.ahead), 0.8 * limit, 1.25 * limit, f"came {way[0]:.3f} m, off by")
        ask(abs(float(way[1])), 0.8 * limit, 1.25 * limit, "aside")
    if wish.twist is None and wish.ahead is None:
        lying = wish.end in ("sit", "lie", "down")
        if not lying:
            ask(float(tilt.max()), 50.0, 65.0, "tilt")
            ask(touch.get("trunk", 0.0) + touch.get("thigh", 0.0) + touch.get("calf", 0.0), 0.03, 0.12, "touches")
            for limit, name in (seen.worst,) if seen.worst[0] else ():
                (bad if limit > 0.4 else near).append(f"{name} astray by {limit}")
        if wish.end == "stand":
            # Standing is judged against the plane under the feet, the truth here against the vertical.
            ask(float(tilt[last].max()), 12.0, 20.0 + math.degrees(seen.slope), "end tilt")
            ask(-float(height[last].min() / height[0]), -0.94, -0.86, "end height share")
        high, level = height[last].min() / height[0], float(tilt[last].max())
        if lying and high > 0.94 and level < 12.0:
            bad.append("still stands")
        elif lying and high > 0.86 and level < 20.0 + math.degrees(seen.slope):
            near.append(f"nearly stands, {high:.2f} of the height, {level:.0f} deg")
        if lying and wish.end != "down":
            ask(float(tilt.max()), 55.0, 80.0, "tilt")
            side = np.degrees(np.abs(np.arcsin(np.clip(axes[:, 2, 1], -1.0, 1.0))))
            ask(float(side[last].max()), 30.0, 50.0, "on its side")
    if bad:
        return "bad", "; ".join(bad)
    return ("near", "; ".join(near)) if near else ("good", "")
