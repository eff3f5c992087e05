"""Solvers of the predictive control by name: the shipped ones, and those that programs and packages register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from andante.plugins.errors import PluginError
from andante.plugins.register import Register

SolverKind = Callable[..., Any]
"""Makes a `NmpcSolver` from `NmpcSettings` and a `RigidBody`."""


def _accept(thing: object) -> SolverKind:
    if callable(thing):
        return thing
    raise PluginError("cannot be called", value=thing, limit="a class or function (settings, body) -> solver")


SOLVERS: Register[SolverKind] = Register(
    "solvers",
    "solver",
    _accept,
    {
        "stages": "planning.nmpc.online:OnlineNmpc",
        "daqp": "planning.nmpc.online:daqp_nmpc",
        "converged": "planning.nmpc.converged:ConvergedNmpc",
    },
)
"""Solvers by name: real-time iteration on the own active-set method, the same on DAQP, and IPOPT to convergence."""
