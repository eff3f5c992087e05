"""Splicing: a walk whose rest was planned anew, on the clock and with the numbers of swings of the walk under way."""

from __future__ import annotations

from andante.planning.plans import FootstepPlan, Swing, WalkPlan


def splice(old: WalkPlan, new: WalkPlan, at: int) -> WalkPlan:
    """The old walk up to sample ``at``, and from there on the new one, whose sample 0 it is.

    A step that was in the air then keeps its number and the moment at which it lifted off.
    """
    first = next((k for k, swing in enumerate(old.swings) if swing.touchdown > at), len(old.swings))
    swings = list(old.swings[:first])
    for number, swing in enumerate(new.swings):
        lift_off = swing.lift_off + at
        if number == 0 and first < len(old.swings):
            lift_off = min(lift_off, max(old.swings[first].lift_off, 0)) if swing.lift_off == 0 else lift_off
        swings.append(Swing(first + swing.step, swing.leg, lift_off, swing.touchdown + at))
    steps = old.footsteps.steps[:first] + new.footsteps.steps
    warm_start = None
    if old.warm_start is not None and new.warm_start is not None:
        warm_start = old.warm_start.part(0, first).then(new.warm_start) if first else new.warm_start
    return WalkPlan(
        footsteps=FootstepPlan(old.footsteps.feet, steps, old.footsteps.cost, old.footsteps.bound),
        period=old.period,
        swings=tuple(swings),
        warm_start=warm_start,
        **old.joined_samples(at, new),
    )
