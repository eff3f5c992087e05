"""Where runs of documents lie, and what is shared of them: each in a place of its own, whatever names people give."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from studio_text import TEXT

from andante.studio.access import Access
from andante.studio.room import Room
from andante.studio.server import Studio
from andante.studio.workspace import Workspace

NAMES = ("wave", "走る", "跳ぶ", "a b", "a-b", "a/b", "..", '"', "x" * 100, "x" * 101, "é", "走" * 60)


def test_two_documents_of_one_name_keep_their_runs_apart(tmp_path: Path) -> None:
    """Also where documents were closed meanwhile."""
    files = [tmp_path / folder / name for folder, name in (("", "old.yaml"), ("a", "wave.yaml"), ("b", "wave.yaml"))]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(TEXT)

    async def folders() -> list[Path]:
        studio = Studio(Workspace(tmp_path), Access("127.0.0.1", 1))
        studio.most_rooms = 2
        try:
            return [(await studio.room(file)).runs for file in files]
        finally:
            await studio.close()

    _, first, second = asyncio.run(folders())
    assert first != second


def test_what_is_shared_of_two_motions_lies_in_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wave.yaml").write_text(TEXT)

    async def shared() -> list[str]:
        studio = Studio(Workspace(tmp_path), Access("127.0.0.1", 1))
        try:
            room = await studio.room(tmp_path / "wave.yaml")
            monkeypatch.setattr(studio.helpers.proofs, "ask", _nothing)
            return [await _share(room, name, monkeypatch) for name in NAMES]
        finally:
            await studio.close()

    files = asyncio.run(shared())
    assert len(set(files)) == len(NAMES)
    assert all((tmp_path / file).read_bytes() == b"page" for file in files)
    assert files[:2] == ["shared/wave-wave.html", "shared/wave-走る.html"]


async def _nothing(*_: object) -> bytes:
    return b"page"


async def _share(room: Room, motion: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(type(room._runs), "finished", motion)
    return str((await room._share("html"))["file"])
