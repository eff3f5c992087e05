"""Documents whose robot is a file, or goes by a name that only ``--robot`` explains: edited, checked and played."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from served import served
from socket_clients import StudioClient
from studio_text import TEXT

import andante.robots
from andante.motions.storage import load_library
from andante.studio.access import Access
from andante.studio.server import Studio
from andante.studio.workspace import Workspace


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A copy of the NAO's pack under another name."""
    folder = tmp_path / "robots" / "mine"
    shutil.copytree(Path(andante.robots.__path__[0]) / "nao", folder)
    text = (folder / "pack.yaml").read_text()
    (folder / "pack.yaml").write_text(re.sub(r"^name: .*$", "name: mine", text, count=1, flags=re.MULTILINE))
    return folder


@pytest.mark.slow
def test_a_robot_of_a_path_is_loaded_once_checked_and_played(pack: Path, tmp_path: Path) -> None:
    file = tmp_path / "wave.yaml"
    file.write_text(TEXT.replace("robot: nao", f"robot: {json.dumps(str(pack))}"))
    with served(file) as studio:
        client = StudioClient(studio)
        client.send(do="open", file="wave.yaml")
        state = client.wait("state")
        assert state["robot"]["name"] == "mine"
        findings = client.checks()
        assert findings["state"] == "checked"
        assert not [each for each in findings["findings"] if each["rule"] == "robot"]
        fields = {"0": {"duration": 0.7}}
        answer = client.ask(do="set", block="lift", fields=fields, revision=state["revision"])
        assert answer["type"] == "edited"
        # No new scene comes with an edit.
        assert client.wait("robot", "checks")["type"] == "checks"
        client.send(do="play", motion="nod", speed=20.0)
        assert client.wait("verdict", "refused", "broken")["type"] == "verdict"
        joints = {"HeadYaw": 0.25}
        assert client.ask(do="keep_posture", name="look", joints=joints)["file"] == "postures-mine.yaml"
        assert load_library(tmp_path / "postures-mine.yaml").robot == str(pack)
        client.close()


def test_the_robot_of_the_command_line_explains_its_name(pack: Path, tmp_path: Path) -> None:
    import asyncio

    (tmp_path / "wave.yaml").write_text(TEXT.replace("robot: nao", "robot: mine"))

    async def opened(robot: str) -> str:
        studio = Studio(Workspace(tmp_path), Access("127.0.0.1", 1), robot=robot)
        try:
            room = await studio.room(tmp_path / "wave.yaml")
            return "" if room.robot is None else room.robot.name
        finally:
            await studio.close()

    assert asyncio.run(opened("")) == ""
    assert asyncio.run(opened(str(pack))) == "mine"


@pytest.mark.slow
def test_a_robot_whose_file_changes_is_loaded_and_checked_again(pack: Path, tmp_path: Path) -> None:
    """What was found of the robot before is not said of the new one."""
    file = tmp_path / "wave.yaml"
    file.write_text(TEXT.replace("robot: nao", f"robot: {json.dumps(str(pack))}"))
    with served(file) as studio:
        client = StudioClient(studio, timeout=60.0)
        client.ask(do="open", file="wave.yaml")
        assert client.checks()["state"] == "checked"
        text = (pack / "pack.yaml").read_text()
        (pack / "pack.yaml").write_text("name: [")
        told = client.wait("robot")
        assert told["robot"] is None
        assert told["problem"]
        found = client.checks()
        assert found["state"] == "failed"
        assert "pack.yaml" in found["text"]
        (pack / "pack.yaml").write_text(text)
        assert client.wait("robot")["robot"]["name"] == "mine"
        assert client.checks()["state"] == "checked"
        file.write_text(TEXT)
        assert "wave.yaml was changed by another program" in client.wait("notice")["text"]
        client.close()
