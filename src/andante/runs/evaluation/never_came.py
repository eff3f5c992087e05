"""What a scenario lets befall the robot and what never came: the run was over before, or nothing began it."""

from __future__ import annotations

from collections.abc import Iterator

from andante.backends.fault import Fault
from andante.control.events import EventKind
from andante.runs.evaluation.finished import FinishedRun

_MOST = 10
"""So many are told one by one."""


def never_came(run: FinishedRun) -> Iterator[str]:
    """A note for each push, press and fault of a simulated world that did not happen; of many a count of the rest."""
    notes = list(_notes(run))
    yield from notes[:_MOST]
    if (rest := len(notes) - _MOST) > 0:
        yield f"{rest} more of the scenario's pushes, presses and faults never came"


def _notes(run: FinishedRun) -> Iterator[str]:
    if run.truth is None:
        return
    world, end = run.scenario.world, run.outcome.time
    late = [("push", each.time) for each in world.pushes]
    late += [(f"press of {each.button}", each.time) for each in world.presses]
    late += [(_named(each), each.start) for each in world.faults if each.start is not None]
    yield from (
        f"the {what} at {time:g} s never came: the run ended at {end:.2f} s" for what, time in late if time > end
    )
    told = [event.data for event in run.log.events if event.kind is EventKind.FAULT]
    begun = {(data.get("type"), data.get("joints")) for data in told}
    for fault in world.faults:
        if fault.start is None and (fault.type, " ".join(fault.joints)) not in begun:
            yield f"the {_named(fault)} never came: {_why(fault)}"


def _named(fault: Fault) -> str:
    joints = " ".join(fault.joints)
    return f"fault {fault.type} of {joints}" if joints else f"fault {fault.type}"


def _why(fault: Fault) -> str:
    if fault.when is None:
        return f"nothing triggered {fault.name!r}"
    return f"keyframe {fault.when.block}[{fault.when.keyframe}] was not played"
