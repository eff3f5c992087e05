"""Thousands of copies of a robot that walk on a floor, in MuJoCo Warp: what a policy sees, does and is paid for."""

from __future__ import annotations

import json
import math
from pathlib import Path

import mujoco
import mujoco_warp as mjw
import torch
import warp as wp


@wp.kernel
def drive(
    k: int,
    steps: int,
    dt: float,
    now: wp.array2d(dtype=float),
    before: wp.array2d(dtype=float),
    long_before: wp.array2d(dtype=float),
    delay: wp.array(dtype=int),
    strength: wp.array(dtype=float),
    qvel: wp.array2d(dtype=float),
    place: wp.array(dtype=int),
    speed: wp.array(dtype=float),
    corner: wp.array(dtype=float),
    no_load: wp.array(dtype=float),
    most: wp.array(dtype=float),
    kd: wp.array(dtype=float),
    on_error: wp.array(dtype=float),
    target: wp.array2d(dtype=float),
    bias: wp.array2d(dtype=float),
    limit: wp.array3d(dtype=float),
):
    """Targets go where the delayed action asks, no faster than a motor turns; torque falls with speed."""
    w, a = wp.tid()
    goal = now[w, a]
    if k < delay[w]:
        goal = before[w, a]
        if k + steps < delay[w]:
            goal = long_before[w, a]
    reach = speed[a] * dt
    moved = wp.clamp(goal - target[w, a], -reach, reach)
    target[w, a] = target[w, a] + moved
    bias[w, a] = on_error[a] * kd[a] * moved / dt
    v = qvel[w, place[a]]
    full = most[a] * strength[w]
    up = wp.clamp((no_load[a] - v) / (no_load[a] - corner[a]), 0.0, 1.0)
    down = wp.clamp((no_load[a] + v) / (no_load[a] - corner[a]), 0.0, 1.0)
    limit[w, a, 0] = -full * down
    limit[w, a, 1] = full * up


class Walking:
    """The robots.

    Args:
        folder: Stem of the files that `export.py` wrote.
        count: Number of robots.
        device: `cuda:0` or `cpu`.
        seed: What everything random comes from.
    """

    def __init__(self, folder: Path, count: int, device: str, seed: int) -> None:
        self.t = t = json.loads(folder.with_suffix(".json").read_text())
        self.mj = mujoco.MjModel.from_binary_path(str(folder.with_suffix(".mjb")))
        self.n, self.device = count, device
        self.random = torch.Generator(device=device).manual_seed(seed)
        n, nu = count, self.mj.nu
        batched = dict.fromkeys(("actuator_forcerange", "actuator_biasprm", "geom_friction", "body_mass"), n)
        self.m = mjw.put_model(self.mj, batch_sizes=batched)
        self.m.opt.warn_overflow = 0
        data = mujoco.MjData(self.mj)
        data.qpos[:] = t["start"]
        mujoco.mj_forward(self.mj, data)
        self.d = mjw.put_data(self.mj, data, nworld=n, nconmax=32, njmax=160)

        def f(x: object) -> torch.Tensor:
            return torch.tensor(x, dtype=torch.float32, device=device)

        def i(x: object) -> torch.Tensor:
            return torch.tensor(x, dtype=torch.long, device=device)

        def z(*shape: int) -> torch.Tensor:
            return torch.zeros(*shape, device=device)

        self.qpos, self.qvel = wp.to_torch(self.d.qpos), wp.to_torch(self.d.qvel)
        self.warm, self.ctrl = wp.to_torch(self.d.qacc_warmstart), wp.to_torch(self.d.ctrl)
        self.xpos, self.xmat = wp.to_torch(self.d.xpos), wp.to_torch(self.d.xmat).view(n, -1, 3, 3)
        self.force = wp.to_torch(self.d.actuator_force)
        self.friction = wp.to_torch(self.m.geom_friction)
        self.mass = wp.to_torch(self.m.body_mass)
        self.biasprm = wp.to_torch(self.m.actuator_biasprm)
        self.range = wp.to_torch(self.m.actuator_forcerange)
        self.default, self.rest, self.start = f(t["default"]), f(t["rest"]), f(t["start"])
        self.jq, self.jv, self.pm = i(t["joint_qpos"]), i(t["joint_qvel"]), i(t["policy_motors"])
        self.mirror_index, self.mirror_sign = i(t["mirror_index"]), f(t["mirror_sign"])
        self.lower, self.upper = f(t["lower"]), f(t["upper"])
        self.torque = f(t["torque"])
        self.corners = f(t["corners"])
        self.feet, self.base = i(t["feet"]), t["base"]
        self.foot_geoms = i(t["foot_geoms"])
        self.actions = len(t["joints"])
        # A joint that follows another one's motor asks for nothing itself.
        self.own = i([k for k, each in enumerate(t["joints"]) if t["motors"][t["policy_motors"][k]] == each])
        # Swinging legs fold: knee by this much, hip and ankle by half of it the other way [rad].
        self.fold = torch.zeros(2, self.actions, device=device)
        for k, each in enumerate(t["joints"]):
            plain, foot = each.replace("_", ""), int(each.startswith("R"))
            if "Knee" in plain:
                self.fold[foot, k] = 0.6
            elif "HipPitch" in plain or "AnklePitch" in plain:
                self.fold[foot, k] = -0.3
        self.folds = (self.fold.abs().sum(0) > 0).float()
        self.steps = round(1.0 / t["rate"] / t["step"])
        self.dt = self.steps * t["step"]
        self.size = t["start"][2] / 0.66
        self.now, self.before, self.long_before = (self.rest.repeat(n, 1).contiguous() for _ in range(3))
        self.target, self.extra = self.rest.repeat(n, 1).contiguous(), z(n, nu)
        self.limits = torch.zeros(n, nu, 2, device=device)
        self.delay = torch.zeros(n, dtype=torch.int32, device=device)
        self.strength = torch.ones(n, device=device)
        self.action, self.last, self.last2 = z(n, self.actions), z(n, self.actions), z(n, self.actions)
        self.command, self.standing, self.phase, self.age = z(n, 3), z(n).bool(), z(n), z(n).long()
        self.mean_velocity, self.last_qd, self.last_feet = z(n, 3), z(n, self.actions), z(n, 2, 3)
        self.gyro_bias, self.q_bias, self.lean_bias = z(n, 3), z(n, self.actions), z(n, 2)
        self.progress = 0.0
        self.sums: dict[str, torch.Tensor] = {}
        self.base_mass = self.mass[0].clone()
        self.mass[:] = self.base_mass * (1.0 + 0.12 * (2.0 * self._rand(n, self.mj.nbody) - 1.0))
        wpf = wp.from_torch
        self._keep = [f(t[k]) for k in ("speed", "corner", "no_load", "torque", "kd", "on_error")]
        place = torch.tensor(t["qvel"], dtype=torch.int32, device=device)
        self._keep.append(place)
        speed, corner, no_load, most, kd, on_error = (wpf(x) for x in self._keep[:6])
        arguments = [wpf(x) for x in (self.now, self.before, self.long_before)]
        arguments += [wpf(self.delay), wpf(self.strength), self.d.qvel, wpf(place)]
        self._inputs = [self.steps, float(t["step"]), *arguments, speed, corner, no_load, most, kd, on_error]
        self._outputs = [wpf(self.target), wpf(self.extra), wpf(self.limits)]
        self._graph = None
        self.everyone = torch.ones(n, dtype=torch.bool, device=device)
        self._restart(self.everyone)
        self.observe()

    def _rand(self, *shape: int) -> torch.Tensor:
        return torch.rand(*shape, generator=self.random, device=self.device)

    def _sym(self, *shape: int) -> torch.Tensor:
        return 2.0 * self._rand(*shape) - 1.0

    # physics

    def _physics(self) -> None:
        for k in range(self.steps):
            wp.launch(drive, dim=(self.n, self.mj.nu), inputs=[k, *self._inputs], outputs=self._outputs)
            # torch views of MuJoCo's arrays: copies inside the captured graph
            wp.copy(self.d.ctrl, self._outputs[0])
            wp.launch(
                settle,
                dim=(self.n, self.mj.nu),
                inputs=[self._outputs[1], self._outputs[2]],
                outputs=[self.m.actuator_biasprm, self.m.actuator_forcerange],
            )
            mjw.step(self.m, self.d)

    def simulate(self) -> None:
        """One control step of all robots."""
        if self.device == "cpu":
            self._physics()
            return
        if self._graph is None:
            self._physics()
            torch.cuda.synchronize()
            wp.synchronize()
            with wp.ScopedCapture() as capture:
                self._physics()
            self._graph = capture.graph
            return
        wp.capture_launch(self._graph)

    # episodes

    def _restart(self, who: torch.Tensor) -> None:
        n, w = self.n, who[:, None]
        qpos = self.start.repeat(n, 1)
        qpos[:, 7:] += 0.05 * self._sym(n, self.mj.nq - 7)
        yaw = math.pi * self._sym(n)
        qpos[:, 3], qpos[:, 6] = torch.cos(yaw / 2), torch.sin(yaw / 2)
        qvel = 0.2 * self._sym(n, self.mj.nv) * self.size
        self.qpos.copy_(torch.where(w, qpos, self.qpos))
        self.qvel.copy_(torch.where(w, qvel, self.qvel))
        self.warm.copy_(torch.where(w, torch.zeros_like(self.warm), self.warm))
        rest = self.rest.repeat(n, 1)
        for each in (self.now, self.before, self.long_before, self.target):
            each.copy_(torch.where(w, rest, each))
        for each in (self.action, self.last, self.last2, self.mean_velocity, self.last_qd):
            each.copy_(torch.where(w, torch.zeros_like(each), each))
        self.age.masked_fill_(who, 0)
        self.phase.copy_(torch.where(who, torch.where(self._rand(n) < 0.5, 0.0, 0.5), self.phase))
        self.delay.copy_(torch.where(who, (self._rand(n) * (2 * self.steps + 1)).int(), self.delay))
        self.strength.copy_(torch.where(who, 0.8 + 0.35 * self._rand(n), self.strength))
        grip = 0.4 + 0.7 * self._rand(n)
        for g in self.foot_geoms:
            self.friction[:, g, 0] = torch.where(who, grip, self.friction[:, g, 0])
        self.gyro_bias.copy_(torch.where(w, 0.02 * self._sym(n, 3), self.gyro_bias))
        self.q_bias.copy_(torch.where(w, 0.012 * self._sym(n, self.actions), self.q_bias))
        self.lean_bias.copy_(torch.where(w, 0.025 * self._sym(n, 2), self.lean_bias))
        self._ask(who)

    def _ask(self, who: torch.Tensor) -> None:
        """Draw new commands."""
        n, t = self.n, self.t
        grown = min(1.0, 0.4 + 2.0 * self.progress)
        rows = [low + (high - low) * self._rand(n) for low, high in (t["forward"], t["lateral"], t["turn"])]
        command = torch.stack(rows, 1) * grown * (self._rand(n, 3) > 0.3)
        kind = self._rand(n)
        command = torch.where((kind < 0.2)[:, None], torch.zeros_like(command), command)
        self.command.copy_(torch.where(who[:, None], command, self.command))
        stands = kind < 0.1
        self.phase.copy_(torch.where(who & self.standing & ~stands, torch.zeros_like(self.phase), self.phase))
        self.standing.copy_(torch.where(who, stands, self.standing))

    # what the policy sees

    def observe(self) -> torch.Tensor:
        """Observations with noise, (count, size), and those of the critic."""
        w, x, y, z = self.qpos[:, 3:7].unbind(1)
        self.gravity = gravity = torch.stack((2 * (w * y - x * z), -2 * (w * x + y * z), -(1 - 2 * (x * x + y * y))), 1)
        self.yaw = torch.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        c, s = torch.cos(self.yaw), torch.sin(self.yaw)
        v = self.qvel[:, :3]
        self.velocity = torch.stack((c * v[:, 0] + s * v[:, 1], -s * v[:, 0] + c * v[:, 1], v[:, 2]), 1)
        gyro = self.qvel[:, 3:6]
        angle = 2 * math.pi * self.phase
        walks = (~self.standing).float()[:, None]
        clock = torch.stack((torch.cos(angle), torch.sin(angle)), 1) * walks
        q, dq = self.qpos[:, self.jq] - self.default, self.qvel[:, self.jv]
        exact = (gravity, gyro, self.command * walks, clock, q, 0.1 * dq, self.action)
        self.clean = torch.cat(exact, 1)
        n, a = self.n, self.actions
        lean = torch.cat((self.lean_bias, torch.zeros(n, 1, device=self.device)), 1)
        noisy = (
            gravity + lean + 0.01 * self._sym(n, 3), gyro + self.gyro_bias + 0.08 * self._sym(n, 3), exact[2], clock,
            q + self.q_bias + 0.008 * self._sym(n, a), 0.1 * (dq + 0.3 * self._sym(n, a)), self.action,
        )  # fmt: skip
        self.seen = torch.cat(noisy, 1)
        feet = self._feet()
        more = (
            self.velocity,
            self.qpos[:, 2:3] / self.size - 0.66,
            feet[..., 2] * 10 / self.size,
            self.delay[:, None].float() / (2 * self.steps),
            self.strength[:, None] - 1,
            self.friction[:, self.foot_geoms[0], :1] - 0.8,
        )
        self.private = torch.cat((self.clean, *more), 1)
        return self.seen

    def mirrored(self, seen: torch.Tensor) -> torch.Tensor:
        """The same observation of the mirrored robot."""
        a = self.actions
        signs = torch.tensor([1, -1, 1, -1, 1, -1, 1, -1, -1, -1, -1.0], device=self.device)
        head = seen[:, :11] * signs
        rows = [head] + [self.flip(seen[:, 11 + k * a : 11 + (k + 1) * a]) for k in range(3)]
        return torch.cat(rows, 1)

    def flip(self, joints: torch.Tensor) -> torch.Tensor:
        """Numbers of joints of the mirrored robot."""
        return joints[:, self.mirror_index] * self.mirror_sign

    def _feet(self) -> torch.Tensor:
        """Place of the soles' middles, lowest corner as their height, (count, 2, 3) [m]."""
        turn, place = self.xmat[:, self.feet], self.xpos[:, self.feet]
        points = torch.einsum("nfij,fcj->nfci", turn, self.corners) + place[:, :, None]
        middle = points.mean(2)
        return torch.cat((middle[..., :2], points[..., 2].amin(2, keepdim=True)), 2)

    # a step

    def step(self, action: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Rewards, ends by a fall, ends by time, each (count,)."""
        self.last2.copy_(self.last)
        self.last.copy_(self.action)
        self.action.copy_(action.clamp(-1.0, 1.0))
        self.long_before.copy_(self.before)
        self.before.copy_(self.now)
        self.now[:, self.pm[self.own]] = (self.action + self.default)[:, self.own]
        self.simulate()
        self.age += 1
        self.phase.copy_((self.phase + self.t["frequency"] * self.dt) % 1.0)
        self.phase.masked_fill_(self.standing, 0.0)
        self._push()
        feet_before = self.last_feet.clone()
        self.observe()
        reward = self._reward(feet_before)
        fell = (
            (self.gravity[:, 2] > -0.5) | (self.qpos[:, 2] < 0.55 * self.start[2]) | ~torch.isfinite(self.qvel).all(1)
        )
        late = (self.age >= int(20.0 / self.dt)) & ~fell
        reward = torch.nan_to_num(reward)
        over = fell | late
        self.ended = over
        self._restart(over)
        anew = (self._rand(self.n) < self.dt / 5.0) & ~over
        self._ask(anew)
        self.observe()
        return reward, fell, late

    def _push(self) -> None:
        most = min(1.0, 1.5 * self.progress) * self.size**0.5
        who = (self._rand(self.n) < self.dt / 4.0)[:, None]
        sizes = torch.tensor([0.9, 0.9, 0.2, 0.6, 0.6, 0.6], device=self.device)
        push = sizes * most * self._sym(self.n, 6)
        self.qvel[:, :6] += who * push

    def _reward(self, feet_before: torch.Tensor) -> torch.Tensor:
        n, t, dt = self.n, self.t, self.dt
        share = 1.0 - math.exp(-dt / 0.25)
        gyro = self.qvel[:, 3:6]
        measured = torch.cat((self.velocity[:, :2], gyro[:, 2:3]), 1)
        self.mean_velocity += share * (measured - self.mean_velocity)
        walks = (~self.standing).float()
        error = self.command * walks[:, None] - self.mean_velocity
        q, dq = self.qpos[:, self.jq], self.qvel[:, self.jv]
        feet = self._feet()
        near_forward = torch.exp(-(error[:, 0] ** 2) / (0.04 * self.size))
        far_forward = torch.exp(-(error[:, 0] ** 2) / (0.3 * self.size))
        young = (self.age <= 1)[:, None]
        foot_speed = torch.where(young[..., None], 0.0, (feet - feet_before) / dt)
        self.last_feet.copy_(feet)
        angle = 2 * math.pi * (self.phase[:, None] + torch.tensor([0.0, 0.5], device=self.device))
        rise = ((torch.sin(angle) - 0.1) / 0.9).clamp(min=0.0)
        wanted = t["lift"] * torch.sin(0.5 * math.pi * rise) * walks[:, None]
        bent = (wanted / t["lift"]) @ self.fold
        swings = (rise > 0.0) & (walks[:, None] > 0.5)
        height = feet[..., 2]
        touches = height < 0.006 + 0.002 * self.size
        c, s = torch.cos(self.yaw), torch.sin(self.yaw)
        between = feet[:, 0, :2] - feet[:, 1, :2]
        aside = -s * between[:, 0] + c * between[:, 1]
        ahead = c * between[:, 0] + s * between[:, 1]
        foot_turn = self.xmat[:, self.feet]
        level = foot_turn[..., 2, 0] ** 2 + foot_turn[..., 2, 1] ** 2
        heading = torch.atan2(foot_turn[..., 1, 0], foot_turn[..., 0, 0]) - self.yaw[:, None]
        heading = torch.atan2(torch.sin(heading), torch.cos(heading))
        size2 = self.size**2
        unlike_fold = (((self.action - bent) ** 2) * self.folds).sum(1)
        swing_as_wanted = (height / (0.4 * t["lift"])).clamp(0, 1)
        stance_as_wanted = (1 - height / (0.012 * self.size)).clamp(0, 1)
        narrow, wide = (t["apart"] - aside).clamp(min=0.0), (aside - 1.7 * t["apart"]).clamp(min=0.0)
        change, bend = self.action - self.last, self.action - 2 * self.last + self.last2
        near = ((self.lower + 0.05 - q).clamp(min=0) + (q - self.upper + 0.05).clamp(min=0)).sum(1)
        parts = {
            "forward": near_forward + far_forward,
            "lateral": 1.0 * torch.exp(-(error[:, 1] ** 2) / (0.03 * self.size)),
            "turn": 1.2 * torch.exp(-(error[:, 2] ** 2) / 0.15),
            "alive": torch.full((n,), 0.4, device=self.device),
            "feet": 1.5 * torch.exp(-((height - wanted) ** 2) / (2 * (0.5 * t["lift"]) ** 2)).mean(1),
            "fold": 2.5 * (1 - 0.6 * self.progress) * torch.exp(-unlike_fold / 0.4),
            "contact": 2.5 * torch.where(swings, swing_as_wanted, stance_as_wanted).mean(1),
            "upright": -4.0 * (self.gravity[:, :2] ** 2).sum(1),
            "height": -8.0 / size2 * (self.qpos[:, 2] - 0.985 * self.start[2]).abs() ** 2,
            "bounce": -0.6 / self.size * self.velocity[:, 2] ** 2,
            "sway": -0.06 * (gyro[:, :2] ** 2).sum(1),
            "slip": -0.4 / self.size * (touches * (foot_speed[..., :2] ** 2).sum(2)).sum(1),
            "impact": -0.5 / self.size * ((height < 0.25 * t["lift"]) * (foot_speed[..., 2].clamp(max=0) ** 2)).sum(1),
            "level": -1.0 * level.sum(1),
            "heading": -0.8 * (heading**2).sum(1) * (1 - 0.5 * (self.command[:, 2].abs() > 0.3).float()),
            "apart": (-40.0 * narrow - 4.0 * wide) / self.size,
            "side by side": -2.0 / self.size * self.standing * ahead.abs(),
            "torque": -0.25 * ((self.force / self.torque) ** 2).mean(1),
            "speed": -2e-4 * (dq**2).sum(1) * (1 + 4 * self.standing),
            "jerk": -2e-7 * ((dq - self.last_qd) / dt).square().sum(1),
            "change": -0.6 * (change**2).sum(1) * (1 + self.standing),
            "bend": -0.25 * (bend**2).sum(1),
            "posture": -((self.action - bent) ** 2 * (0.1 + 0.5 * self.standing[:, None])).sum(1),
            "stops": -5.0 * near,
        }
        self.last_qd.copy_(dq)
        for name, part in parts.items():
            mean = torch.nan_to_num(part).mean()
            self.sums[name] = 0.98 * self.sums.get(name, mean) + 0.02 * mean
        return dt * sum(parts.values()).clamp(min=0.0)


@wp.kernel
def settle(
    extra: wp.array2d(dtype=float),
    limit: wp.array3d(dtype=float),
    bias: wp.array2d(dtype=mjw._src.types.vec10),
    ranges: wp.array2d(dtype=wp.vec2),
):
    """Write the constant part of a servo's torque and its limits into the model."""
    w, a = wp.tid()
    row = bias[w, a]
    row[0] = extra[w, a]
    bias[w, a] = row
    ranges[w, a] = wp.vec2(limit[w, a, 0], limit[w, a, 1])
