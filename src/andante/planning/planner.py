"""Planner: plans beside a controller, slower than it, from a typed request to a typed plan."""

from __future__ import annotations

from typing import Protocol, TypeVar

Request = TypeVar("Request", contravariant=True)
Plan = TypeVar("Plan", covariant=True)


class Planner(Protocol[Request, Plan]):
    """Makes plans; knows nothing of who asks."""

    @property
    def latency(self) -> float:
        """Time from a request's sensors to the arrival of its plan, kept in simulation and in real time alike [s]."""
        ...

    def reset(self) -> None:
        """Forget everything."""
        ...

    def plan(self, request: Request) -> Plan:
        """The plan for a request; that there is none, and why, is a plan too."""
        ...
