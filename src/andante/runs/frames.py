"""Logs as tables of pandas, which is optional: the extra `notebook`."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from andante.runs.errors import LogError

if TYPE_CHECKING:
    import pandas

    from andante.runs.log import Log


def channel_frame(log: Log, name: str) -> pandas.DataFrame:
    """A channel or one of its fields; see `Log.frame`.

    Raises:
        LogError: There is no such channel or field, or pandas is not installed.
    """
    library = pandas_of()
    channel, _, part = name.partition(".")
    rows = log.rows(channel)
    index = library.Index(rows.times, name="time")
    if not part:
        keep = [place for place, column in enumerate(rows.layout.columns) if column != "time"]
        return library.DataFrame(rows.rows[:, keep], index, [rows.layout.columns[place] for place in keep])
    found = next((field for field in rows.layout.fields if field.name == part), None)
    if found is None:
        legal = [f"{channel}.{field.name}" for field in rows.layout.fields]
        raise LogError("the channel has no such field", place=str(log.path or ""), value=name, legal=legal)
    return library.DataFrame(rows[part].copy(), index, [label or part for label in found.labels])


def event_frame(log: Log) -> pandas.DataFrame:
    """The events of a log; see `Log.event_frame`.

    Raises:
        LogError: pandas is not installed.
    """
    library = pandas_of()
    rows = [(event.time, str(event.kind), event.text) for event in log.events]
    return library.DataFrame(rows, columns=["time", "kind", "text"])


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
