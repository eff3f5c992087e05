"""Entry points of installed packages, of which any may have files that nobody can read.

What is caught here is any `Exception`: importlib raises whatever it stumbles over in a package's files (values, keys,
decoding, the system), and a package that nobody asked for must not end a command. `unreadable` tells each by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points

from andante.plugins.errors import PluginError

_PREFIX = "andante."
_UNKNOWN = "an unknown package"


def points_of(group: str) -> list[EntryPoint]:
    """The entry points of a group, by name and package: the same ones in the same order on every machine.

    Packages whose entry points cannot be read have none; `unreadable` tells of them.

    Args:
        group: The group, such as ``andante.boards``.
    """
    return _sorted(_all_of(group))


def package_named(error: PluginError) -> str:
    """Name and version of the package that an error is about."""
    return error.place.removeprefix("plug-in ")


def package_of(dist: Distribution | None) -> str:
    """Name and version of a package; without metadata the folder that should have them."""
    if dist is None:
        return _UNKNOWN
    said: dict[str, str] = {}
    # The importlib of newer Pythons, which some libraries put in place of this one's, raises for what is missing.
    with suppress(Exception):
        said = {key: dist.metadata[key] for key in ("Name", "Version") if key in dist.metadata}
    name, version = said.get("Name"), said.get("Version")
    folder = getattr(dist, "_path", None)
    if not name:
        return _UNKNOWN if folder is None else str(folder.name)
    return f"{name} {version}" if version else f"{name} of no version"


def unreadable() -> Iterator[PluginError]:
    """Why packages cannot be asked what they bring to Andante, one error each."""
    seen: set[str] = set()
    for dist in distributions():
        # Of packages of one name the first counts, as for an import.
        name = str(getattr(dist, "_normalized_name", package_of(dist)))
        if name in seen:
            continue
        seen.add(name)
        try:
            list(dist.entry_points)
        except Exception as error:  # noqa: BLE001 - importlib raises what it stumbles over
            if _PREFIX in _raw(dist):
                yield PluginError(
                    "its entry points cannot be read",
                    place=f"plug-in {package_of(dist)}",
                    value=f"{type(error).__name__}: {error}"[:150],
                    limit="text in UTF-8, a line NAME = MODULE:OBJECT each below [andante.KIND]",
                    remedy="install it anew",
                )


def misplaced(kinds: Iterable[str]) -> Iterator[tuple[EntryPoint, PluginError]]:
    """Entry points in groups that nobody looks into, such as ``andante.board``, each with what is wrong with it.

    Args:
        kinds: The kinds of plug-ins: of each the group is ``andante.<kind>``.
    """
    groups = tuple(f"{_PREFIX}{kind}" for kind in kinds)
    for points in _readable():
        for point in points:
            if point.group.startswith(_PREFIX) and point.group not in groups:
                place = f"plug-in {package_of(point.dist)}"
                what = f"its {point.name!r} is in a group of entry points that nobody looks into"
                yield point, PluginError(what, place=place, value=point.group, legal=groups)


def _all_of(group: str) -> Iterable[EntryPoint]:
    try:
        return entry_points(group=group)
    except Exception:  # noqa: BLE001 - importlib raises what it stumbles over
        return [point for points in _readable() for point in points if point.group == group]


def _readable() -> Iterator[list[EntryPoint]]:
    """Entry points of each package that can be read."""
    seen: set[str] = set()
    for dist in distributions():
        name = str(getattr(dist, "_normalized_name", package_of(dist)))
        if name not in seen:
            seen.add(name)
            with suppress(Exception):
                yield list(dist.entry_points)


def _sorted(points: Iterable[EntryPoint]) -> list[EntryPoint]:
    # Packages come in the order in which a disk lists their folders.
    return sorted(points, key=lambda each: (each.name, package_of(each.dist).lower(), each.value))


def _raw(dist: Distribution) -> str:
    """What a package says of its entry points, also where it is no text; empty: nothing."""
    try:
        return dist.read_text("entry_points.txt") or ""
    except UnicodeDecodeError as error:
        # Editors that write two bytes a letter are the usual reason.
        return bytes(error.object).replace(b"\0", b"").decode("ascii", "replace")
    except Exception:  # noqa: BLE001 - importlib raises what it stumbles over
        return ""
