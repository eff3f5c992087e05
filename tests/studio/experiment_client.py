"""The page of experiments without a browser."""

from __future__ import annotations

import json
import time

from served import Served
from socket_clients import connect

EXPERIMENT = """\
format: andante.experiment
version: 1
name: floors
what: Does the wave stand on rough and on smooth floors?
play: {library: wave.yaml, motions: [nod], robot: nao}
axes:
  floor:
    variants:
      rough: {set: {world.friction: 0.8}}
      smooth: {set: {world.friction: 0.3}}
figures:
  passed: {metric: passed, at_least: 0.3}
  "tilt, largest": {metric: max_tilt, statistic: largest, convert: deg, digits: 2, at_most: 0.001}
compare:
  passed: {metric: passed, succeeds: true}
  tilt: {metric: max_tilt, better: less, convert: deg}
seeds: {count: 2}
"""
"""An experiment of two cells, each with two quick trials; one of its figures cannot be met."""


class ExperimentClient:
    """The page of experiments without a browser."""

    def __init__(self, studio: Served) -> None:
        self.socket = connect(studio, "experiments")
        self.number = 0
        self.run: dict | None = None

    def receive(self, timeout: float = 60.0) -> dict:
        """The next message; what it says of the run is kept."""
        data = json.loads(self.socket.recv(timeout=timeout))
        if data["type"] == "run":
            self.run = data["run"]
        return data

    def ask(self, **message: object) -> dict:
        """The answer to a message."""
        self.number += 1
        self.socket.send(json.dumps({**message, "request": self.number}))
        while True:
            data = self.receive()
            if data.get("request") == self.number:
                return data

    def until(self, *states: str, seconds: float = 120.0) -> dict:
        """The run once it is in one of some states."""
        end = time.monotonic() + seconds
        while self.run is None or self.run["state"] not in states:
            assert time.monotonic() < end, self.run
            self.receive()
        return self.run

    def close(self) -> None:
        self.socket.close()
