"""Tables of pandas, which is optional: the extra `notebook`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from andante.control.controller import ControlEvent
from andante.robots.records import Vector
from andante.runs.errors import LogError

if TYPE_CHECKING:
    import pandas


def timed_frame(times: Vector, values: Vector, names: Sequence[str]) -> pandas.DataFrame:
    """Columns (n, len(names)) over times (n,) [s].

    Raises:
        LogError: pandas is not installed.
    """
    library = pandas_of()
    return library.DataFrame(values.copy(), library.Index(times, name="time"), list(names))


def event_frame(events: Iterable[ControlEvent]) -> pandas.DataFrame:
    """Events: time [s], kind, text.

    Raises:
        LogError: pandas is not installed.
    """
    rows = [(event.time, str(event.kind), event.text) for event in events]
    return pandas_of().DataFrame(rows, columns=["time", "kind", "text"])


def pandas_of() -> ModuleType:
    """The module pandas.

    Raises:
        LogError: It is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise LogError(
            "tables need pandas, which is not installed", remedy="install it: pip install 'andante[notebook]'"
        ) from None
    module: ModuleType = pandas
    return module
