"""Planner: what thinks slower than a controller and beside it."""

from __future__ import annotations

from typing import Protocol, TypeVar

Request = TypeVar("Request", contravariant=True)
Plan = TypeVar("Plan", covariant=True)


class Planner(Protocol[Request, Plan]):
    """Answers requests; the runner hands each answer over a declared time after its request.

    It knows nothing of who asks: all that a plan depends on is in the request, or was given when the planner was made.
    """

    @property
    def latency(self) -> float:
        """Time from a request to the arrival of its answer, at least what planning takes there [s]."""
        ...

    def reset(self) -> None:
        """Forget everything."""
        ...

    def plan(self, request: Request) -> Plan:
        """The answer; that there is no plan is one too, and no error."""
        ...
