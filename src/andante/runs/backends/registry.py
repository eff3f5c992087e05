"""The kinds of backends that a scenario may name: one line for each."""

from __future__ import annotations

from andante.documents.registry import Registry
from andante.runs.backends.kind import BackendKind

BACKENDS: Registry[BackendKind] = Registry(
    "backends",
    "kind of backend",
    BackendKind,
    {
        "drake": "runs.backends.drake:DrakeBackend",
        "mujoco": "runs.backends.mujoco:MujocoBackend",
        "rcsssmj": "runs.backends.rcsssmj:RcsssmjBackend",
        "rcsssmj-like": "runs.backends.rcsssmj_like:RcsssmjLikeBackend",
        "openr": "runs.backends.openr:OpenRVectors",
        "udp": "runs.backends.udp:UdpBackend",
        "lola": "runs.backends.lola:LolaBackend",
        "go2": "runs.backends.go2:Go2Backend",
        "booster": "runs.backends.booster:BoosterBackend",
        "ros2": "runs.backends.ros2:Ros2Backend",
        "dynamixel": "runs.backends.dynamixel:DynamixelBackend",
        "loop": "runs.backends.loop:LoopBackend",
    },
    default="mujoco",
)
"""Kinds of backends; one that does not say its type is a simulated world."""
