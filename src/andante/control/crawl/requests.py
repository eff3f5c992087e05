"""PlanRequests: what a crawl asks of its planner, and the new rest of its walk that waits until it begins."""

from __future__ import annotations

from typing import TypeGuard

from andante.control.estimation.estimator import BodyState
from andante.planning.walk.request import WalkAnswer, WalkRequest, WalkUnderWay
from andante.planning.walk_plan import WalkPlan


class PlanRequests:
    """The last request counts: an answer to one before it is none."""

    def __init__(self) -> None:
        self._serial = 0
        self._open: WalkRequest | None = None
        self._rest: tuple[WalkPlan, int] | None = None

    def ask(self, state: BodyState, under_way: WalkUnderWay | None = None) -> None:
        """Ask for a walk from where body and feet are estimated to be, or for the rest of the one under way."""
        self._serial += 1
        self._open = WalkRequest(
            self._serial, state.time, state.position, state.rotation, state.com, state.feet, under_way
        )

    def take(self) -> WalkRequest | None:
        """What the planner shall answer, once."""
        request, self._open = self._open, None
        return request

    def answered_by(self, plan: object) -> TypeGuard[WalkAnswer]:
        """Whether this is an answer to the last request."""
        return isinstance(plan, WalkAnswer) and plan.request.serial == self._serial

    def keep(self, answer: WalkAnswer) -> None:
        """Keep the rest of the walk under way instead of the one kept before; an answer without a plan leaves none."""
        under_way = answer.request.under_way
        self._rest = None if answer.plan is None or under_way is None else (answer.plan, under_way.at)

    def rest(self, time: float, period: float) -> tuple[WalkPlan, int] | None:
        """The rest that was kept and the sample of the walk where it begins, once, as soon as commands are there.

        Args:
            time: The walk's time for which joints are commanded now [s].
            period: Time between samples [s].
        """
        if self._rest is None or time < (self._rest[1] - 1) * period - 1e-9:
            return None
        rest, self._rest = self._rest, None
        return rest
