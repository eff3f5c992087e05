"""Register: the things of one kind by name, shipped ones, those that a program adds, and those of installed packages.

A package brings a thing by an entry point in the group ``andante.<kind>``, for example::

    [project.entry-points."andante.boards"]
    my-ramp = "my_package.boards:RAMP"

Nothing is imported before it is asked for by its name, or before all are asked for. A plug-in that cannot be used costs
only itself: asking for it raises one error that names its package, and every other name works.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import EntryPoint
from time import perf_counter
from types import UnionType
from typing import Generic, TypeVar

from andante.errors import AndanteError
from andante.plugins.errors import AnswerError, PluginError, ReplacedError
from andante.plugins.installed import package_named, package_of, points_of
from andante.plugins.raised import ASKED_TO_END, described
from andante.plugins.requirement import unmet_requirement
from andante.plugins.slowness import named_where_slow

T = TypeVar("T")
A = TypeVar("A")
SHIPPED = "andante"
"""Source of what comes with Andante."""
PROGRAM = "program"
"""Source of what a program has registered."""
_LONGEST = 60
"""Most characters of a name, which people type and tables show."""


@dataclass(frozen=True)
class Origin:
    """Where a thing of a register comes from."""

    kind: str
    """Kind of thing: ``boards``, ``formats`` and so on."""
    name: str
    """Its name."""
    source: str
    """``andante``, ``program``, or name and version of the package that brings it."""
    problem: str = ""
    """Why it cannot be used; empty: it can, as far as was looked."""
    seconds: float = field(default=0.0, compare=False)
    """How long its import took, with what it imports that nothing else had [s]; 0: it was imported before."""


class Register(Generic[T]):
    """Things of one kind by name.

    Args:
        kind: What they are, in the plural; the entry points' group is ``andante.<kind>``.
        singular: What one of them is called in messages.
        accept: Checks a thing before it is handed out and returns it; raises `AndanteError` for anything else.
        shipped: The shipped things by name, or where each is: ``"module:attribute"`` or ``"module"`` below ``andante``.
        error: Class of the error for a name that is unknown.
        named: The name that a thing gives itself, which has to be the one that it is registered by; None: it has none.
    """

    def __init__(
        self,
        kind: str,
        singular: str,
        accept: Callable[[object], T],
        shipped: Mapping[str, str | T] | None = None,
        error: type[AndanteError] = PluginError,
        named: Callable[[T], str] | None = None,
    ) -> None:
        self.kind, self.group, self.singular = kind, f"{SHIPPED}.{kind}", singular
        self._accept, self._error, self._named = accept, error, named
        self._shipped = dict(shipped or {})
        self._given: dict[str, object] = {}
        self._added: dict[str, T] = {}
        self._found: dict[str, T] = {}
        self._failed: dict[str, PluginError] = {}
        self._took: dict[str, float] = {}
        self._whose: dict[str, str] = {}
        self._clashes: list[tuple[str, PluginError]] = []
        self._points: dict[str, EntryPoint] | None = None

    def register(self, name: str, thing: object) -> T:
        """Add a thing of a running program; the same one may come again.

        Raises:
            PluginError: Another one has this name.
            AndanteError: It is none of this kind.
        """
        checked = self._checked(name, thing)
        if not _is_name(name):
            raise PluginError(f"the {self.singular} needs another name", value=name, limit=_NAME)
        point = self._entry_points().get(name)
        if point is not None and _is_named_by(point, thing):
            # Its module adds it, too; what the entry point names is the same one.
            return checked
        if name in self._shipped or self._given.get(name, thing) is not thing or point is not None:
            raise PluginError(f"two {self.kind} cannot have one name", value=name, remedy="choose another name")
        self._given[name] = thing
        return self._added.setdefault(name, checked)

    def unregister(self, name: str) -> None:
        """Take back what a program has added; names that were not added are let be."""
        self._added.pop(name, None)
        self._given.pop(name, None)

    def __getitem__(self, name: str) -> T:
        """The thing of a name.

        Raises:
            AndanteError: There is none, or the plug-in that brings it cannot be used.
        """
        if name in self._added:
            return self._added[name]
        if name in self._found:
            return self._found[name]
        if name in self._shipped:
            place = self._shipped[name]
            thing = self._accept(_attribute(f"{SHIPPED}.{place}") if isinstance(place, str) else place)
        elif name in self._entry_points():
            thing = self._plugged(name)
        else:
            raise self._error(f"there is no such {self.singular}", value=name, legal=self.names)
        return self._found.setdefault(name, thing)

    def __contains__(self, name: object) -> bool:
        return name in self._added or name in self._shipped or name in self._entry_points()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """All names: shipped, then added by the program, then of packages; nothing is imported for it."""
        return tuple(dict.fromkeys((*self._shipped, *self._added, *sorted(self._entry_points()))))

    @property
    def plugged(self) -> tuple[str, ...]:
        """Names of what does not come with Andante."""
        return tuple(name for name in self.names if name not in self._shipped)

    def source(self, name: str) -> str:
        """Where the thing of a name comes from, see `Origin.source`; empty where there is none."""
        if name in self._shipped:
            return SHIPPED
        if name in self._added:
            return PROGRAM
        if name not in self._whose:
            point = self._entry_points().get(name)
            self._whose[name] = "" if point is None else _source(point)
        return self._whose[name]

    def told(self, name: str) -> str:
        """A thing for messages: its kind and name, with the package that brings it."""
        source = self.source(name)
        whose = "" if source in ("", SHIPPED, PROGRAM) else f" of {source}"
        return f"{self.singular} {name!r}{whose}"

    @contextmanager
    def blame(self, name: str, *, refusals: bool = False, ticks: bool = False) -> Iterator[None]:
        """Name the plug-in where its code raises, and put back what it changes for all of the process.

        What comes with Andante is let be.

        Args:
            name: Name of the thing whose code runs.
            refusals: An `AndanteError`, too, is the plug-in's fault; otherwise it tells of the user's input, but for an
                `AnswerError`.
            ticks: It is asked at each tick of a run, which is itself where things are put back.

        Raises:
            PluginError: The plug-in's code raised.
        """
        source = self.source(name)
        try:
            if ticks or source == SHIPPED:
                yield
            else:
                # Only where something is plugged in: numpy is imported for it.
                from andante.plugins.surroundings import undisturbed

                with undisturbed():
                    yield
        # A generator that is closed meanwhile is nobody's failure.
        except (GeneratorExit, *ASKED_TO_END):
            raise
        # Whatever code of others raises is told as its failure, by one error that names it, an end of the program too.
        except BaseException as error:
            if source == SHIPPED or (isinstance(error, PluginError) and not isinstance(error, ReplacedError)):
                raise
            if isinstance(error, AndanteError) and not (refusals or isinstance(error, ReplacedError | AnswerError)):
                raise
            point = None if name in self._added else self._entry_points().get(name)
            whose = "" if point is None else point.module
            cause = error if isinstance(error, AndanteError) else described(error, whose)
            what = f"its {self.singular} {name!r} failed: {cause}"
            place = "the running program" if source == PROGRAM else f"plug-in {source}"
            raise PluginError(what, place=place) from error

    def ask(self, name: str, what: str, question: Callable[[], A], of: type | UnionType) -> A:
        """What the code of a thing answers, which has to be of a class.

        Args:
            name: Name of the thing.
            what: What is asked, for messages: ``asked()``.
            question: Asks it.
            of: The class, or several.

        Raises:
            PluginError: The plug-in's code raised, or gave something else.
        """
        with self.blame(name):
            given = question()
        if isinstance(given, of):
            return given
        source = self.source(name)
        place = "the running program" if source == PROGRAM else f"plug-in {source}"
        problem = f"its {self.singular} {name!r} gives something else by {what}"
        raise PluginError(problem, place=place, value=type(given).__name__, limit=getattr(of, "__name__", str(of)))

    def items(self) -> list[tuple[str, T]]:
        """All names and things that can be used; `origins` tells why the others cannot."""
        usable = []
        for name in self.names:
            with suppress(PluginError):
                usable.append((name, self[name]))
        return usable

    def values(self) -> list[T]:
        """All things that can be used."""
        return [thing for _, thing in self.items()]

    def origins(self) -> list[Origin]:
        """Where each thing but Andante's own comes from, with what is wrong with it; plug-ins are imported for it."""
        origins = [Origin(self.kind, name, PROGRAM) for name in self._added]
        for name, point in sorted(self._entry_points().items()):
            problem = ""
            try:
                self[name]
            except PluginError as error:
                problem = str(error)
            origins.append(Origin(self.kind, name, _source(point), problem, self._took.get(name, 0.0)))
        return origins + [Origin(self.kind, name, package_named(clash), str(clash)) for name, clash in self._clashes]

    def reread(self) -> None:
        """Look anew at what is installed."""
        self._points = None
        self._failed.clear()
        self._whose.clear()
        self._clashes.clear()
        self._found = {name: thing for name, thing in self._found.items() if name in self._shipped}

    def _entry_points(self) -> dict[str, EntryPoint]:
        """Entry points by name; of a name that is taken the first stays, the others are told by `origins`."""
        if self._points is None:
            self._points = {}
            for point in points_of(self.group):
                first = self._points.get(point.name)
                if not _is_name(point.name):
                    what = f"its {self.singular} {point.value} needs another name"
                    bad = PluginError(what, place=_place(point), value=point.name, limit=_NAME)
                    self._clashes.append((point.name[:_LONGEST], bad))
                elif point.name in self._shipped or (first is not None and first.value != point.value):
                    owner = SHIPPED if first is None else _source(first)
                    what, remedy = f"its {self.singular} has a name that {owner} has", "the other one is used"
                    clash = PluginError(what, place=_place(point), value=point.name, remedy=remedy)
                    self._clashes.append((point.name, clash))
                else:
                    self._points.setdefault(point.name, point)
        return self._points

    def _checked(self, name: str, thing: object) -> T:
        try:
            checked = self._accept(thing)
        except AndanteError:
            raise
        # A check meets things that anybody made, whose own methods may raise anything.
        except Exception as error:
            raise PluginError(described(error)) from error
        if inspect.isabstract(checked):
            left = ", ".join(sorted(getattr(checked, "__abstractmethods__", ())))
            raise PluginError(f"the {self.singular} leaves a method of its base undefined", value=left)
        own = name if self._named is None else self._named(checked)
        if own != name:
            raise PluginError(f"the {self.singular} calls itself otherwise", value=own, limit=f"its name {name!r}")
        return checked

    def _plugged(self, name: str) -> T:
        failed = self._failed.get(name)
        if failed is not None:
            raise failed
        point = self._entry_points()[name]
        began = perf_counter()
        try:
            with named_where_slow(_place(point)):
                loaded = _load(point)
            self._took[name] = perf_counter() - began
            return self._checked(name, loaded)
        except AndanteError as error:
            own = error if isinstance(error, PluginError) and error.place == _place(point) else None
            failed = own or PluginError(f"its {self.singular} {name!r} cannot be used: {error}", place=_place(point))
        self._failed[name] = failed
        raise failed


def _is_named_by(point: EntryPoint, thing: object) -> bool:
    """Whether a class or function is what an entry point names."""
    return (point.module, point.attr) == (getattr(thing, "__module__", None), getattr(thing, "__qualname__", None))


def _is_name(name: object) -> bool:
    """Whether people can type a name, and tables show it."""
    if not (isinstance(name, str) and 0 < len(name) <= _LONGEST):
        return False
    return name.isprintable() and name == name.strip() and not name.startswith("-")


_NAME = f"1 to {_LONGEST} characters that can be printed, no blank at either end, no - at the beginning"


def _load(point: EntryPoint) -> object:
    """What an entry point names.

    Raises:
        PluginError: Its package is for another version of Andante, or it cannot be imported.
    """
    if EntryPoint.pattern.match(point.value) is None:
        raise PluginError("names no object", place=_place(point), value=point.value, limit="MODULE:OBJECT")
    try:
        unmet = unmet_requirement(point.dist)
    # Whatever its parser stumbles over.
    except Exception as error:
        raise PluginError("its metadata cannot be read", place=_place(point), remedy="install it anew") from error
    if unmet:
        raise PluginError("is for another version of Andante", place=_place(point), value=unmet[0], limit=unmet[1])
    try:
        # Only where something is plugged in: numpy is imported for it.
        from andante.plugins.importing import contained

        with contained():
            return point.load()
    except ASKED_TO_END:
        raise
    # A module of others raises what it likes while it is imported, and may want to end the program.
    except BaseException as error:
        raise PluginError(
            f"cannot be imported ({point.value}): {described(error, point.module)}", place=_place(point)
        ) from error


def _attribute(path: str) -> object:
    module, _, name = path.partition(":")
    loaded: object = import_module(module)
    return getattr(loaded, name) if name else loaded


def _source(point: EntryPoint) -> str:
    return package_of(point.dist)


def _place(point: EntryPoint) -> str:
    return f"plug-in {_source(point)}"
