"""Train a walk by PPO on a graphics card.

    python train.py t1 --minutes 20 --out DIR [--robots 4096] [--seed 0]

Reads t1.mjb and t1.json of `export.py`; writes DIR/t1.npz with the network's weights, renewed every minute, and
DIR/t1.log. Needs PyTorch, mujoco, mujoco-warp and warp-lang, and not Andante.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
import warp as wp
from torch import nn
from walking import Walking

HORIZON, EPOCHS, PARTS = 24, 4, 4
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2


def network(sizes: list[int], last: float) -> nn.Sequential:
    """Layers with ELU between them."""
    layers: list[nn.Module] = []
    for i in range(len(sizes) - 1):
        layer = nn.Linear(sizes[i], sizes[i + 1])
        nn.init.orthogonal_(layer.weight, 1.4 if i < len(sizes) - 2 else last)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ELU()]
    return nn.Sequential(*layers[:-1])


def main() -> None:
    """Train until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--robots", type=int, default=4096)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--begin", type=Path, help="weights to begin from")
    parser.add_argument("--entropy", type=float, default=0.003, help="weight of the entropy")
    parser.add_argument("--progress", type=float, default=0.0, help="share of the curriculum that is over at the start")
    o = parser.parse_args()
    torch.manual_seed(o.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    wp.init()
    device = o.device
    if device != "cpu":
        # One stream for both libraries; the default one cannot be captured.
        stream = torch.cuda.Stream()
        torch.cuda.set_stream(stream)
        wp.set_stream(wp.stream_from_torch(stream), device)
    started = time.monotonic()
    env = Walking(o.model, o.robots, device, o.seed)
    n, a, size = env.n, env.actions, env.seen.shape[1]
    actor = network([size, 256, 128, a], 0.01).to(device)
    critic = network([env.private.shape[1], 512, 256, 128, 1], 1.0).to(device)
    log_std = nn.Parameter(torch.full((a,), -1.5, device=device))
    if o.begin:
        saved = np.load(o.begin)
        for key, p in [*actor.named_parameters(), ("log_std", log_std)]:
            p.data.copy_(torch.tensor(saved[key], device=device))
    optimiser = torch.optim.Adam([*actor.parameters(), *critic.parameters(), log_std], lr=1e-3)
    rate = 1e-3
    log = (o.out / f"{o.model.stem}.log").open("a")

    def zeros(*shape: int) -> torch.Tensor:
        return torch.zeros(*shape, device=device)

    seen, private = zeros(HORIZON, n, size), zeros(HORIZON, n, env.private.shape[1])
    acts, values = zeros(HORIZON, n, a), zeros(HORIZON + 1, n)
    logps, rewards, ends = zeros(HORIZON, n), zeros(HORIZON, n), zeros(HORIZON, n)
    lengths, saved_at, iteration, total = [], time.monotonic(), 0, o.minutes * 60.0
    mirror = env.mirror_index
    while time.monotonic() - started < total:
        env.progress = o.progress + (1 - o.progress) * (time.monotonic() - started) / total
        with torch.no_grad():
            for k in range(HORIZON):
                seen[k], private[k] = env.seen, env.private
                std = (0.5 * (log_std + log_std[mirror])).exp()
                mean = actor(seen[k])
                acts[k] = mean + std * torch.randn(n, a, device=device)
                logps[k] = torch.distributions.Normal(mean, std).log_prob(acts[k]).sum(1)
                values[k] = critic(private[k])[:, 0]
                ages = env.age.clone()
                reward, fell, late = env.step(acts[k])
                rewards[k] = reward + GAMMA * values[k] * late
                ends[k] = (fell | late).float()
                if k == HORIZON - 1 and env.ended.any():
                    lengths.append(float(ages[env.ended].float().mean()) * env.dt)
            values[HORIZON] = critic(env.private)[:, 0]
            advantage, gain = zeros(n), zeros(HORIZON, n)
            for k in reversed(range(HORIZON)):
                live = 1.0 - ends[k]
                delta = rewards[k] + GAMMA * values[k + 1] * live - values[k]
                advantage = delta + GAMMA * LAMBDA * live * advantage
                gain[k] = advantage
            goals = (gain + values[:-1]).flatten()
            gains = gain.flatten()
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        flat = [x.flatten(0, 1) for x in (seen, private, acts)]
        old = logps.flatten()
        order = torch.randperm(HORIZON * n, device=device).view(PARTS, -1)
        kl_sum = 0.0
        for _ in range(EPOCHS):
            for part in order:
                s, p, act = (x[part] for x in flat)
                std = (0.5 * (log_std + log_std[mirror])).exp()
                both = actor(torch.cat((s, env.mirrored(s))))
                wanted = torch.cat((act, env.flip(act)))
                logp = torch.distributions.Normal(both, std).log_prob(wanted).sum(1)
                ratio = (logp - old[part].repeat(2)).clamp(-8, 8).exp()
                g = gains[part].repeat(2)
                surrogate = -torch.min(ratio * g, ratio.clamp(1 - CLIP, 1 + CLIP) * g).mean()
                value = (critic(p)[:, 0] - goals[part]).square().mean()
                loss = surrogate + value - o.entropy * log_std.sum()
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_([*actor.parameters(), log_std], 1.0)
                nn.utils.clip_grad_norm_(critic.parameters(), 1.0)
                optimiser.step()
                with torch.no_grad():
                    half = ratio[: len(part)]
                    kl_sum += float(((half - 1) - half.log()).mean())
                    log_std.clamp_(-3.5, -0.7)
        kl = kl_sum / (EPOCHS * PARTS)
        rate = max(rate / 1.5, 2e-5) if kl > 0.02 else min(rate * 1.5, 2e-3) if kl < 0.005 else rate
        for group in optimiser.param_groups:
            group["lr"] = rate
        iteration += 1
        if iteration % 20 == 0 or iteration < 4:
            parts = " ".join(f"{k}={float(v):.3f}" for k, v in env.sums.items())
            paid, spread = float(rewards.mean()) / env.dt, float(log_std.detach().exp().mean())
            print(
                f"{o.model.stem} {iteration} {time.monotonic() - started:.0f}s reward {paid:.3f} "
                f"length {np.mean(lengths[-20:] or [0]):.1f} fall {float(ends.mean()):.4f} kl {kl:.4f} lr {rate:.1e} "
                f"std {spread:.3f} | {parts}",
                file=log,
                flush=True,
            )
        if time.monotonic() - saved_at > 45.0 or time.monotonic() - started > total - 1.0:
            saved_at = time.monotonic()
            table = {k: p.detach().cpu().numpy() for k, p in actor.named_parameters()}
            np.savez(o.out / f"{o.model.stem}.npz", log_std=log_std.detach().cpu().numpy(), **table)
    table = {k: p.detach().cpu().numpy() for k, p in actor.named_parameters()}
    np.savez(o.out / f"{o.model.stem}.npz", log_std=log_std.detach().cpu().numpy(), **table)


if __name__ == "__main__":
    main()
