"""A user's controller out of a Python file: which one is meant, and how it is made for a robot.

This is the one place where Andante runs code that a file holds. Documents never lead here; only a command that was
given the file does.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast, get_args

from andante.backends.world import WorldConfig
from andante.control.answers import amiss
from andante.control.controller import Controller
from andante.documents.problems import DocumentError
from andante.errors import AndanteError
from andante.planning.planner import Planner
from andante.plugins.raised import ASKED_TO_END, described
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind
from andante.runs.errors import RunError

_NAME_IT = "name it: FILE.py:NAME, with NAME a kind's type, a class, or a function that takes a robot"


class ControllerSourceError(RunError):
    """A file holds no controller that can be made."""


@dataclass(frozen=True)
class ControllerSource:
    """How a user's controller is made."""

    name: str
    """Its name, for people."""
    module: ModuleType
    """Where it comes from."""
    maker: Any
    """A kind, a class or a function."""

    def made(self, robot: Robot, world: WorldConfig) -> tuple[Robot, Controller, Planner[Any, Any] | None]:
        """The robot as it is driven, a new controller, and what thinks beside it.

        Raises:
            AndanteError: It cannot be made for this robot.
        """
        try:
            if not (isinstance(self.maker, type) and issubclass(self.maker, ControlKind)):
                return robot, _checked(self.maker(robot), self.name), None
            kind = self.maker.model_validate(_types(self.maker))
            robot = kind.driven(robot.tracked() if kind.tracked else robot)
            controller = _checked(kind.controller(robot, world), self.name)
            return robot, controller, kind.planner(controller, world)
        except (AndanteError, *ASKED_TO_END):
            raise
        # A controller of a user's raises what it likes, the end of the program too.
        except BaseException as error:
            raise ControllerSourceError(
                f"no controller can be made with the robot alone: {described(error)}",
                place=self.name,
                remedy="name a function that takes a robot and gives the controller: FILE.py:FUNCTION",
            ) from error


def controller_source(text: str) -> ControllerSource:
    """Run a file and find the controller in it.

    Args:
        text: ``FILE.py`` or ``FILE.py:NAME``; the name may be left out where the file has one controller only.

    Raises:
        ControllerSourceError: There is no such file, it raises something, or it is not clear which one is meant.
    """
    file, _, name = (text, "", "") if Path(text).is_file() else text.rpartition(":")
    path = Path(file or text)
    if path.suffix != ".py" or not path.is_file():
        raise ControllerSourceError("there is no such Python file", value=str(path), remedy=_NAME_IT)
    module = _run(path)
    found = _kinds(module) or _controllers(module)
    offered = {**_functions(module), **_controllers(module), **_kinds(module)}
    if name:
        if name not in offered and not callable(getattr(module, name, None)):
            raise ControllerSourceError("the file has no such controller", place=str(path), value=name, legal=offered)
        return ControllerSource(name, module, offered.get(name) or getattr(module, name))
    if len(found) != 1:
        what = "the file has several controllers" if found else "the file has no controller"
        raise ControllerSourceError(what, place=str(path), legal=found or offered, remedy=_NAME_IT)
    only, maker = next(iter(found.items()))
    return ControllerSource(only, module, maker)


def _run(path: Path) -> ModuleType:
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_of_user"
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise ControllerSourceError("this is no Python file", place=str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # What stands beside the file is imported as when the file itself is run.
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except ASKED_TO_END:
        raise
    # Code of a user's raises what it likes, the end of the program too.
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, DocumentError):
            raise
        told = f"it ends the program ({error})" if isinstance(error, SystemExit) else described(error)
        raise ControllerSourceError(f"the file cannot be run: {told}", place=str(path)) from error
    return module


def _own(module: ModuleType) -> dict[str, Any]:
    return {name: each for name, each in vars(module).items() if getattr(each, "__module__", "") == module.__name__}


def _kinds(module: ModuleType) -> dict[str, Any]:
    """The kinds of controllers that scenarios can name, by their type."""
    kinds = [each for each in _own(module).values() if isinstance(each, type) and issubclass(each, ControlKind)]
    return {next(iter(_types(kind).values()), kind.__name__): kind for kind in kinds if not inspect.isabstract(kind)}


def _types(kind: type[ControlKind]) -> dict[str, str]:
    names = get_args(kind.model_fields["type"].annotation)
    return {"type": names[0]} if names else {}


def _controllers(module: ModuleType) -> dict[str, Any]:
    """Classes with what a controller has."""
    return {
        name: each
        for name, each in _own(module).items()
        if isinstance(each, type) and all(hasattr(each, part) for part in ("step", "reset"))
    }


def _functions(module: ModuleType) -> dict[str, Any]:
    own = _own(module).items()
    return {name: each for name, each in own if inspect.isfunction(each) and not name.startswith("_")}


def _checked(controller: Any, name: str) -> Controller:
    wrong = amiss(controller)
    if wrong:
        raise ControllerSourceError(
            f"is no controller: {wrong}",
            place=name,
            value=type(controller).__name__,
            remedy="ControllerBase of andante.extend has all but step and done",
        )
    return cast("Controller", controller)
