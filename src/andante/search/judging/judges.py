"""Judges: who gives a second opinion on a trial, by name.

A judge is a change of the scenario: other settings of MuJoCo's solver (a twin), or another engine as backend. A package
brings one by an entry point in the group ``andante.judges``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from andante.backends.rcsssmj.differences import differences
from andante.backends.rcsssmj.environment import installed_version
from andante.backends.rcsssmj.parts import PARTS, WHAT, Part
from andante.plugins.register import Register
from andante.robots.robot import Robot
from andante.runs.backends.rcsssmj_like import RcsssmjLikeBackend
from andante.runs.scenario import Scenario
from andante.search.errors import SearchError
from andante.search.judging.qualify import Test
from andante.search.judging.qualify_rcsssmj import qualify_rcsssmj


@dataclass(frozen=True)
class Judge:
    """One second opinion."""

    what: str
    """What is different, in a few words."""
    set: Mapping[str, Any] = field(default_factory=dict)
    """New values of the scenario by path."""
    scale: Mapping[str, float] = field(default_factory=dict)
    """Factors on numbers of the scenario by path."""
    backend: str = "mujoco"
    """Kind of backend whose physics it is; one that is not MuJoCo is qualified before it judges. Its trials run in it,
    with the settings that ``set`` gives it, if any."""
    tests: Callable[[Robot], Iterator[Test]] | None = None
    """Tests by which it is qualified for a robot; None: those of a world like MuJoCo's (`qualify`)."""
    general: bool = True
    """Whether ``twins`` stands for it, too, where it is one."""
    version: Callable[[], str] | None = None
    """Tells the version of its engine; None: that of the package that is called as the backend."""
    differences: Callable[[Robot, Scenario], Iterator[str]] | None = None
    """Tells in what its robot and floor are not those that a scenario asks for, a line each; None: they are."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Single changes of its engine by name, new values by path each. They may explain a difference; none of them is a
    judge, as nobody qualifies them."""
    likeness: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Single changes of MuJoCo that make it more like this engine, by name, new values by path each."""

    @property
    def changes(self) -> dict[str, Any]:
        """New values of the scenario by path, its own backend among them where ``set`` says nothing of one."""
        said = any(path == "backend" or path.startswith("backend.") for path in self.set)
        return dict(self.set) if self.twin or said else {"backend": {"type": self.backend}, **self.set}

    @property
    def twin(self) -> bool:
        """Whether it is MuJoCo with other settings."""
        return self.backend == "mujoco"

    @property
    def evidence(self) -> str:
        """What its word rests on."""
        return "twins" if self.twin else "other engine"


_PLAIN: Mapping[str, Any] = {
    **{f"world.{name}": 0.0 for name in ("slope", "com_shift", "backlash")},
    **{f"world.{name}": 1.0 for name in ("masses", "torque_speed")},
    "world.stretches": [],
}
"""What rcsssmj cannot be told of."""


def _like(parts: tuple[Part, ...]) -> dict[str, Any]:
    return {"backend": {"type": "rcsssmj-like", "parts": list(parts)}, **_PLAIN}


def _other_robot(robot: Robot, scenario: Scenario) -> Iterator[str]:
    """In what rcsssmj's robot and floor are others, and how both engines are asked about the same ones."""
    left_out = [f"{name} {_number(value)}" for name, value, plain in _asked_of(scenario) if value not in plain]
    if left_out:
        yield f"left out there, as it cannot be told of it: {', '.join(left_out)}"
    backend = scenario.backend
    parts = backend.parts if isinstance(backend, RcsssmjLikeBackend) else ()
    found = dict(differences(robot, scenario.world, parts))
    if found:
        yield "there: " + "; ".join(found.values())
        alike = ", ".join([*(part for part in parts if part not in found), *found])
        yield f"the same robot and floor in both: --set 'backend={{type: rcsssmj-like, parts: [{alike}]}}'"


def _asked_of(scenario: Scenario) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """What of a world rcsssmj cannot be told of: name, value as asked, and the values that ask for nothing."""
    for path, usual in _PLAIN.items():
        value = getattr(scenario.world, path.removeprefix("world."))
        yield path, value, ((), usual) if usual == [] else (usual, (usual, usual))


def _number(value: object) -> str:
    """A value, a range or a list of a world in a few words."""
    if isinstance(value, float | int):
        return f"{value:g}"
    if isinstance(value, tuple) and all(isinstance(each, float) for each in value):
        return " to ".join(f"{each:g}" for each in value)
    return f"({len(value)})" if isinstance(value, Sequence) else str(value)


def _accepted(thing: object) -> Judge:
    if not isinstance(thing, Judge):
        raise SearchError("is no judge: give a Judge", value=repr(thing))
    for name in ("set", "scale", "variants", "likeness"):
        if not isinstance(getattr(thing, name), Mapping):
            raise SearchError("is no mapping", place=name, value=repr(getattr(thing, name)), limit="values by path")
    for name in ("what", "backend"):
        if not isinstance(getattr(thing, name), str):
            raise SearchError("is no text", place=name, value=repr(getattr(thing, name)))
    for path, factor in thing.scale.items():
        if not isinstance(factor, (int, float)) or not math.isfinite(factor):
            raise SearchError("is no finite number", place=f"scale.{path}", value=repr(factor))
    return thing


JUDGES: Register[Judge] = Register(
    "judges",
    "judge",
    _accepted,
    {
        "half-step": Judge("half of the physics step", scale={"world.timestep": 0.5}),
        "soft": Judge("contacts of twice the time constant", scale={"world.solver.contact_time": 2.0}),
        "hard": Judge("contacts of half the time constant", scale={"world.solver.contact_time": 0.5}),
        "own-contacts": Judge(
            "contacts as soft as the robot's file says", set={"world.solver.contact_time": None}, general=False
        ),
        "impratio-1": Judge("friction as soft as the normal force", set={"world.solver.impratio": 1.0}),
        "pyramidal": Judge("a pyramid as friction cone", set={"world.solver.cone": "pyramidal"}),
        "drake": Judge(
            "Drake",
            set={"backend": {"type": "drake"}},
            backend="drake",
            variants={
                name: {"backend": {"type": "drake", "settings": settings}}
                for name, settings in {
                    "convex contacts (sap)": {"contact": "sap"},
                    "convex contacts (similar)": {"contact": "similar"},
                    "contacts ten times softer": {"sink": 1e-3},
                    "implicit damping": {"implicit_damping": True},
                }.items()
            },
            likeness={"impratio 100": {"world.solver.impratio": 100.0}},
        ),
        "rcsssmj": Judge(
            "rcsssmj: own contacts, level floor, torque limits, sensors, steps of 5 ms, one cycle of delay",
            set={"backend": {"type": "rcsssmj"}, **_PLAIN},
            backend="rcsssmj",
            tests=qualify_rcsssmj,
            version=installed_version,
            differences=_other_robot,
            likeness={
                **{what: _like((part,)) for part, what in WHAT.items()},
                "all of this": _like(PARTS),
            },
        ),
        "rcsssmj-like": Judge(
            "MuJoCo as rcsssmj uses it, without its server",
            set=_like(PARTS),
            general=False,
            differences=_other_robot,
        ),
    },
    error=SearchError,
)
"""Judges by name."""
TWINS = "twins"
"""Stands for all twins."""


def judges_named(names: str) -> dict[str, Judge]:
    """Judges by their names, with commas; ``twins`` stands for all of MuJoCo's own settings.

    Raises:
        SearchError: There is no such judge, or none is named.
        PluginError: The package that brings it cannot be used.
    """
    found: dict[str, Judge] = {}
    for name in (part.strip() for part in names.split(",")):
        if name == TWINS:
            found |= {each: judge for each, judge in JUDGES.items() if judge.twin and judge.general}
        elif name in JUDGES:
            found[name] = JUDGES[name]
        else:
            raise SearchError("no such judge", place="--in", value=name, legal=(TWINS, *JUDGES))
    return found
