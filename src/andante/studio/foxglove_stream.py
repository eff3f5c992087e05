"""A live stream to Foxglove: the messages of a run's log as they come, over a WebSocket of its own.

Channels, schemas, bytes and times are those of ``log.mcap``, so a layout of panels made for one serves the other.
"""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from andante.robots.records import Layout, Record
from andante.runs.logs.chunks import CDR_HEADER, layout_text, message_definition
from andante.runs.logs.recorder import EVENT_SCHEMA
from andante.runs.loop.tick import Tick
from andante.studio.errors import StudioError


class FoxgloveStream:
    """A server for Foxglove's *Open connection*; on this computer only, for it asks for no token.

    Args:
        port: Where it listens; 0 takes any that is free.

    Raises:
        StudioError: foxglove-sdk is not installed, or the port is not free.
    """

    def __init__(self, port: int) -> None:
        try:
            self._foxglove: Any = import_module("foxglove")
        except ImportError:
            raise StudioError(
                "a stream to Foxglove needs foxglove-sdk", remedy="pip install 'andante[foxglove]'"
            ) from None
        self._context = self._foxglove.Context()
        try:
            self._server = self._foxglove.start_server(
                name="Andante studio", host="127.0.0.1", port=port, context=self._context
            )
        except (RuntimeError, OSError) as error:
            raise StudioError(
                f"the stream to Foxglove cannot listen: {error}",
                value=port,
                remedy="another document of this studio may have the port, or another program",
            ) from None
        self._channels: dict[str, tuple[Layout, Any]] = {}
        self._events = self._channel("events", "json", "jsonschema", EVENT_SCHEMA, {})

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.port)

    def begin(self) -> None:
        """Another run begins, at time 0 again: who looks forgets the one before."""
        self._server.clear_session()

    def tick(self, tick: Tick) -> None:
        """Send the records and events of a tick."""
        told: dict[str, Record | None] = {
            "sensors": tick.sensors, "command": tick.command, "telemetry": tick.telemetry, "truth": tick.truth
        }  # fmt: skip
        for name, record in told.items():
            if record is None:
                continue
            channel = self._channel_of(name, record.layout)
            channel.log(CDR_HEADER + record.vector.tobytes(), log_time=tick.moment)
        for event in tick.events:
            text = json.dumps({"time": event.time, "kind": event.kind, "text": event.text, "data": event.data})
            self._events.log(text.encode(), log_time=max(round(event.time * 1e9), 0))

    def close(self) -> None:
        """End it."""
        self._server.stop()

    def _channel_of(self, name: str, layout: Layout) -> Any:
        """The channel of records with a layout; another motion's controller may tell other things."""
        known = self._channels.get(name)
        if known is not None and (known[0] is layout or known[0] == layout):
            return known[1]
        if known is not None:
            known[1].close()
        channel = self._channel(name, "cdr", "ros2msg", message_definition(layout), {"layout": layout_text(layout)})
        self._channels[name] = (layout, channel)
        return channel

    def _channel(self, name: str, message: str, encoding: str, schema: str, metadata: dict[str, str]) -> Any:
        kind = self._foxglove.Schema(name=f"andante/msg/{name.title()}", encoding=encoding, data=schema.encode())
        return self._foxglove.Channel(
            f"/{name}", schema=kind, message_encoding=message, context=self._context, metadata=metadata
        )
