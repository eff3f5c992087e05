"""A disk that fails: each call of the system by which the studio writes can be refused, once or for a while."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterable

from andante.studio.system import System

CALLS = ("create", "write", "short", "sync", "sync_folder", "rename", "unlink", "truncate")
"""What may fail; ``short``: a write takes half of the bytes, and the next one none."""
REASONS = (errno.ENOSPC, errno.EIO, errno.EROFS)


class Killed(BaseException):
    """The process ends here, as by kill -9."""


class FailingSystem(System):
    """The operating system, which fails as it is told."""

    def __init__(self) -> None:
        self.plan: dict[str, int] = {}
        """Error number by call; 0: the process is killed."""
        self.lasting = False
        """Whether calls go on failing."""
        self.failed = 0
        """Calls that have failed."""

    def fail(self, calls: Iterable[str], number: int, *, lasting: bool = False) -> None:
        """Let calls fail."""
        self.plan, self.lasting = dict.fromkeys(calls, number), lasting

    def heal(self) -> None:
        """Let nothing fail any more."""
        self.plan, self.lasting = {}, False

    def _meet(self, call: str) -> None:
        if call in self.plan:
            number = self.plan[call] if self.lasting else self.plan.pop(call)
            self.failed += 1
            if number == 0:
                raise Killed
            raise OSError(number, os.strerror(number))

    def create(self, name: str, folder: int, mode: int) -> int:
        """As told, or a new file."""
        self._meet("create")
        return super().create(name, folder, mode)

    def write(self, handle: int, data: bytes) -> int:
        """As told, or what the system writes."""
        if "short" in self.plan:
            number = self.plan.pop("short")
            done = super().write(handle, data[: len(data) // 2])
            self.plan["write"] = number
            return done
        self._meet("write")
        return super().write(handle, data)

    def sync(self, handle: int) -> None:
        """As told, or a sync."""
        self._meet("sync")
        super().sync(handle)

    def sync_folder(self, folder: int) -> None:
        """As told, or a sync."""
        self._meet("sync_folder")
        super().sync_folder(folder)

    def rename(self, old: str, new: str, folder: int) -> None:
        """As told, or another name."""
        self._meet("rename")
        super().rename(old, new, folder)

    def unlink(self, name: str, folder: int) -> None:
        """As told, or gone."""
        self._meet("unlink")
        super().unlink(name, folder)

    def truncate(self, handle: int, size: int) -> None:
        """As told, or cut."""
        self._meet("truncate")
        super().truncate(handle, size)


def some_failure(system: FailingSystem, chance: random.Random, *, kill: bool = True) -> None:
    """Let some calls fail, most often one."""
    calls = chance.sample(CALLS, 1 if chance.random() < 0.7 else chance.randint(2, len(CALLS)))
    numbers = [*REASONS, 0] if kill else REASONS
    number = chance.choice(numbers)
    system.fail(calls, number, lasting=number != 0 and chance.random() < 0.2)
