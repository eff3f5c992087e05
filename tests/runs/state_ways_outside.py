"""State that lies elsewhere: generators of random numbers, files and processes, physics, compiled code.

This module is a user's as far as a snapshot is concerned.
"""

# What users write is not always what one should write.
# ruff: noqa: B019, NPY002, SIM115
from __future__ import annotations

import contextvars
import ctypes
import functools
import os
import queue
import random
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from state_ways import KEPT, REFUSED, WAYS, way
from state_ways_language import Attribute

_A0 = Attribute()


@way(KEPT)
class GlobalRandom:
    def step(self) -> float:
        return random.random()


@way(KEPT)
class GlobalNumpyRandom:
    def step(self) -> float:
        return float(np.random.rand())


@way(REFUSED)
class SystemRandom:
    def __init__(self) -> None:
        self.random = random.SystemRandom()

    def step(self) -> float:
        return self.random.random()


@way(REFUSED)
class SpawningGenerator:
    def __init__(self) -> None:
        self.random = np.random.default_rng(1)

    def step(self) -> float:
        return float(self.random.spawn(1)[0].random())


@way(REFUSED)
class CachedResults:
    def __init__(self) -> None:
        self.seen = 0
        self.first(0)

    @functools.lru_cache(maxsize=8)
    def first(self, key: int) -> int:
        self.seen += 1
        return self.seen

    def step(self) -> float:
        self.seen += 1
        return self.first(self.seen % 5)


@way(KEPT)
class CachedProperty:
    def __init__(self) -> None:
        self.count = 0

    @functools.cached_property
    def gain(self) -> int:
        return self.count

    def step(self) -> float:
        self.count += 1
        if self.count % 3 == 0:
            self.__dict__.pop("gain", None)
        return self.gain


class _Reader:
    made: Any = None

    def __init__(self) -> None:
        self.file = type(self).made()

    def step(self) -> float:
        return 0.0


def _outside() -> None:
    makers: dict[str, Callable[[], Any]] = {
        "open file": lambda: Path(__file__).open("rb"),
        "open text file": lambda: Path(__file__).open(),
        "socket": lambda: socket.socket(),
        "thread": lambda: threading.Thread(target=print),
        "thread local": threading.local,
        "context variable": lambda: contextvars.ContextVar("a"),
        "coroutine": lambda: _pending(),
        "process": lambda: subprocess.Popen(["true"]),
        "weak proxy": lambda: weakref.proxy(_A0),
        "C library": lambda: ctypes.CDLL(None),
        "python object in ctypes": lambda: ctypes.py_object([1]),
        "directory entries": lambda: os.scandir("."),
        "pipe of processes": lambda: __import__("multiprocessing").Pipe()[0],
        "simple queue": queue.SimpleQueue,
        "sqlite": lambda: __import__("sqlite3").connect(":memory:"),
        "mmap": lambda: __import__("mmap").mmap(-1, 16),
        "frame": sys._getframe,
        "hash under way": lambda: __import__("hashlib").sha256(),
        "compressor": lambda: __import__("zlib").compressobj(),
    }
    for name, make in makers.items():
        holder = type(name, (_Reader,), {"made": staticmethod(make), "__module__": __name__})
        way(REFUSED)(holder)


async def _pending() -> None:
    pass


_outside()


def _physics(kind: str) -> Callable[[], Any]:
    def make() -> Any:
        import mujoco

        model = mujoco.MjModel.from_xml_string(
            "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
        )

        class Physics:
            def __init__(self) -> None:
                self.model, self.data = model, mujoco.MjData(model)
                self.options = mujoco.MjOption()
                self.view = self.data.qpos

            def step(self) -> float:
                if kind == "model":
                    self.model.opt.gravity[2] -= 0.1
                    self.model.body_mass[1] += 0.1
                    return float(self.model.opt.gravity[2] - self.model.body_mass[1])
                if kind == "options":
                    self.options.timestep += 0.001
                    return float(self.options.timestep)
                mujoco.mj_step(self.model, self.data)
                self.view[0] += 1.0
                return float(self.data.qpos[2] + self.data.qpos[0])

        return Physics()

    return make


for each in ("model", "data", "options"):
    WAYS[f"MuJoCo {each}"] = (_physics(each), KEPT)


def _numba(kind: str) -> Callable[[], Any]:
    def make() -> Any:
        from numba import float64, typed
        from numba.experimental import jitclass

        class Holder:
            def __init__(self) -> None:
                if kind == "list":
                    self.held = typed.List([0.0, 1.0])
                elif kind == "dict":
                    self.held = typed.Dict()
                    self.held["a"] = 0.0
                else:
                    self.held = jitclass([("a", float64), ("v", float64[:])])(_Compiled)()

            def step(self) -> float:
                if kind == "list":
                    self.held.append(self.held[-1] + 1.0)
                    return self.held[-1] + len(self.held)
                if kind == "dict":
                    self.held["a"] += 1.0
                    return self.held["a"]
                self.held.a += 1.0
                self.held.v[0] += 1.0
                return self.held.a + self.held.v[0]

        return Holder()

    return make


class _Compiled:
    def __init__(self) -> None:
        self.a = 0.0
        self.v = np.zeros(2)


for each in ("list", "dict", "class"):
    WAYS[f"numba {each}"] = (_numba(each), KEPT)


@way(KEPT)
class Logger:
    def __init__(self) -> None:
        import logging

        self.log, self.out = logging.getLogger("mine"), sys.stderr
        self.count = 0

    def step(self) -> float:
        self.count += 1
        return self.count


@way(KEPT)
class DeclaredFixed:
    snapshot_fixed = ("picture",)

    def __init__(self) -> None:
        self.picture = iter(range(1000))
        self.count = 0

    def step(self) -> float:
        next(self.picture)
        self.count += 1
        return self.count


@way(KEPT)
class Splines:
    def __init__(self) -> None:
        from scipy.interpolate import CubicSpline

        self.spline = CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])

    def step(self) -> float:
        self.spline.c *= 0.9
        return float(self.spline(0.5))


def _rotations() -> Any:
    from scipy.spatial.transform import Rotation

    class Holder:
        def __init__(self) -> None:
            self.attitude = Rotation.from_euler("z", 0.0)

        def step(self) -> float:
            self.attitude = Rotation.from_euler("z", 0.1) * self.attitude
            return float(self.attitude.as_euler("zyx")[0])

    return Holder()


WAYS["scipy rotation"] = (_rotations, KEPT)
