"""Solvers of other packages, for comparison only: CasADi and DAQP, the extra ``solvers``."""

from __future__ import annotations

import importlib
from typing import Any

from andante.errors import install
from andante.planning.nmpc.checks import NmpcError

SOLVER_PACKAGES = ("casadi", "daqp")
"""Packages of the extra."""


def solver_package(name: str) -> Any:
    """The module of one of `SOLVER_PACKAGES`.

    Raises:
        NmpcError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise NmpcError(f"this solver needs {name}, which is not installed", remedy=install("solvers")) from None


def require_solver_packages() -> None:
    """Nothing where all of `SOLVER_PACKAGES` are there.

    Raises:
        NmpcError: One is not installed.
    """
    for name in SOLVER_PACKAGES:
        solver_package(name)
