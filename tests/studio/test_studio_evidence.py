"""Evidence is of the file and the robot as they are now: a save and another robot's file have it tried anew."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from studio_text import TEXT

import andante.robots
from andante.studio import room as rooms
from andante.studio.access import Access
from andante.studio.evidence import Trial
from andante.studio.messages import Evidence
from andante.studio.reading import stamps
from andante.studio.server import Studio
from andante.studio.splices import Splice
from andante.studio.workspace import Workspace


class Trying:
    """A helper that tries nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Trial] = []

    async def ask(self, tries: Callable[..., dict]) -> dict:
        trial, _, seed = tries.args
        self.asked.append(trial)
        return {"seed": seed, "good": "# worse" not in trial.text}

    def end(self) -> None:
        """There is nothing to end."""


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A studio whose motions are tried by somebody who is quick, and what its pages are told of evidence."""
    monkeypatch.setattr(rooms, "_LOOK", 0.05)
    made, trying, told = Studio(Workspace(tmp_path), Access("127.0.0.1", 1)), Trying(), []
    made.helpers = rooms.Helpers(
        made.helpers.checks, made.helpers.proofs, made.helpers.reading, (trying,), made.helpers.moves
    )
    made.noted = lambda room, data: told.append(data)
    return SimpleNamespace(studio=made, trying=trying, told=told, folder=tmp_path)


async def until(found: Callable[[], bool]) -> None:
    for _ in range(3000):
        if found():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("in vain")


def outcomes(told: list[dict]) -> dict[str, bool]:
    return {each["of"]: each["good"] for each in told if each["type"] == "trial"}


def done(told: list[dict]) -> bool:
    return any(each["type"] == "evidence" and each["state"] == "done" for each in told)


def test_after_a_save_a_motion_is_beside_the_file_that_was_saved(studio: SimpleNamespace) -> None:
    (studio.folder / "wave.yaml").write_text(TEXT)

    async def saved() -> None:
        room = await studio.studio.room(studio.folder / "wave.yaml")
        room._evidence.want(Evidence(do="evidence", on=True, motion="wave", seeds=1))
        await until(lambda: done(studio.told))
        studio.told.clear()
        end = len(room.document.live.text)
        await room.do(lambda live: (Splice(end, "", "# worse\n"),))
        await until(lambda: done(studio.told))
        assert outcomes(studio.told) == {"now": False, "saved": True}
        studio.told.clear()
        await room.save()
        await until(lambda: done(studio.told))
        assert outcomes(studio.told) == {"now": False, "saved": False}
        await studio.studio.close()

    asyncio.run(saved())


@pytest.mark.slow
def test_a_robot_whose_file_changes_is_tried_again(studio: SimpleNamespace) -> None:
    pack = studio.folder / "mine"
    shutil.copytree(Path(andante.robots.__path__[0]) / "nao", pack)
    (studio.folder / "wave.yaml").write_text(TEXT.replace("robot: nao", f"robot: {json.dumps(str(pack))}"))

    async def changed() -> None:
        room = await studio.studio.room(studio.folder / "wave.yaml")
        room._evidence.want(Evidence(do="evidence", on=True, motion="wave", seeds=1))
        await until(lambda: done(studio.told))
        before = len(studio.trying.asked)
        pack_file = pack / "pack.yaml"
        pack_file.write_text(pack_file.read_text() + "# lighter\n")
        await until(lambda: len(studio.trying.asked) > before)
        await studio.studio.close()

    asyncio.run(changed())


def test_a_folder_that_cannot_be_looked_into_is_no_end_of_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(self: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refused)
    assert stamps(str(tmp_path)) == {}
