"""The user's own postures: a library in the workspace whose other bytes stay, changed by all pages alike."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from served import served
from socket_clients import StudioClient
from studio_text import TEXT

from andante.errors import AndanteError
from andante.motions.sampling import sample_motion
from andante.motions.storage import load_library
from andante.robots.robot import Robot
from andante.studio.live_library import LiveLibrary
from andante.studio.message import read_message
from andante.studio.messages import MESSAGES
from andante.studio.shelf import new_text, posture_edit, posture_file, postures_of

REACH = {"RShoulderPitch": -1.0, "HeadYaw": 0.25}
OWN = """\
# mine
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: nao   # ours
motions:
  bow: {blocks: [bow]}
  both: {blocks: [bow, long]}
blocks:
  bow:
    keyframes:
      # deep
      - duration: 700   # slowly
        joints: {HeadPitch: 20, LHipPitch: ignore}
  long:
    keyframes:
      - {duration: 300, joints: {HeadYaw: 1}}
      - {duration: 300, joints: {HeadYaw: 2}}
"""


def asked(do: str, **fields: object):
    return read_message(json.dumps({"do": do, **fields}), MESSAGES)


def done(live: LiveLibrary, nao: Robot, do: str, **fields: object) -> None:
    live.apply(posture_edit(asked(do, **fields), live, nao))
    assert live.library is not None, live.problem


def test_a_first_posture(nao: Robot) -> None:
    """It is a block of one keyframe, and its motion ends in it."""
    live = LiveLibrary(new_text("nao"), "postures")
    assert live.library is not None, live.problem
    done(live, nao, "keep_posture", name="reach", joints=REACH)
    found = postures_of(live.library)["reach"]
    assert found == pytest.approx(REACH)
    played = sample_motion(live.library, nao, "reach", nao.posture("stand"))
    assert played.position[-1][nao.index("RShoulderPitch")] == pytest.approx(-1.0)
    assert posture_file(nao) == "postures-nao.yaml"


def test_a_robot_of_a_path_is_named_as_the_document_names_it() -> None:
    text = new_text('/models/a "b"/robot.xml')
    assert LiveLibrary(text, "p").library.robot == '/models/a "b"/robot.xml'


def test_everything_else_keeps_its_bytes(nao: Robot) -> None:
    live = LiveLibrary(OWN, "postures")
    assert postures_of(live.library) == {"bow": {"HeadPitch": pytest.approx(math.radians(20))}}
    done(live, nao, "keep_posture", name="reach", joints=REACH)
    assert live.text.startswith(OWN.partition("blocks:\n  bow")[0].rpartition("  both")[0])
    for line in ("# mine", "robot: nao   # ours", "      # deep", "- duration: 700   # slowly", "LHipPitch: ignore"):
        assert line in live.text
    done(live, nao, "delete_posture", name="reach")
    assert live.text == OWN


def test_replacing_keeps_duration_and_comments(nao: Robot) -> None:
    live = LiveLibrary(OWN, "postures")
    with pytest.raises(AndanteError, match="there is a posture of this name"):
        done(live, nao, "keep_posture", name="bow", joints={"HeadPitch": 0.5})
    done(live, nao, "keep_posture", name="bow", joints={"HeadPitch": math.radians(30)}, overwrite=True)
    assert live.library.blocks["bow"].keyframes[0].duration == pytest.approx(0.7)
    assert postures_of(live.library)["bow"] == pytest.approx({"HeadPitch": math.radians(30)})
    assert "# deep" in live.text
    assert "# slowly" in live.text


def test_renaming_renames_everywhere(nao: Robot) -> None:
    live = LiveLibrary(OWN, "postures")
    done(live, nao, "rename_posture", name="bow", to="deep bow")
    assert list(postures_of(live.library)) == ["deep bow"]
    assert live.library.motions["both"].blocks == ("deep bow", "long")
    assert live.library.motions["deep bow"].blocks == ("deep bow",)


@pytest.mark.parametrize(
    ("do", "fields", "text"),
    [
        ("keep_posture", {"name": " ", "joints": REACH}, "needs a name"),
        ("keep_posture", {"name": "x", "joints": {}}, "says nothing of any joint"),
        ("keep_posture", {"name": "x", "joints": {"HeadYow": 1}}, "did you mean 'HeadYaw'"),
        ("keep_posture", {"name": "long", "joints": REACH, "overwrite": True}, "is no posture"),
        ("rename_posture", {"name": "long", "to": "x"}, "there is no such posture"),
        ("rename_posture", {"name": "bow", "to": "long"}, "this name is taken"),
        ("rename_posture", {"name": "bow", "to": ""}, "a name is needed"),
        ("delete_posture", {"name": "bow"}, "motions play this posture.*both"),
        ("delete_posture", {"name": "gone"}, "there is no such posture"),
    ],
)
def test_what_is_refused(nao: Robot, do: str, fields: dict[str, object], text: str) -> None:
    live = LiveLibrary(OWN, "postures")
    with pytest.raises(AndanteError, match=text):
        posture_edit(asked(do, **fields), live, nao)
    assert live.text == OWN


@pytest.mark.parametrize("joints", ['{"HeadYaw": NaN}', '{"HeadYaw": 1e999}', '{"HeadYaw": "off"}', "[1]"])
def test_angles_are_finite_numbers(joints: str) -> None:
    with pytest.raises(AndanteError, match="refused"):
        read_message(f'{{"do": "keep_posture", "name": "x", "joints": {joints}}}', MESSAGES)


@pytest.mark.slow
def test_through_the_server(tmp_path: Path) -> None:
    """Kept in the workspace, undone to the file's old bytes, and not saved with what is unsaved in its file."""
    (tmp_path / "wave.yaml").write_text(TEXT)
    file = tmp_path / "postures-nao.yaml"
    file.write_text(OWN)
    with served(tmp_path) as studio:
        one, other = StudioClient(studio), StudioClient(studio)
        one.send(do="open", file="wave.yaml")
        one.wait("state")
        other.send(do="open", file="postures-nao.yaml")
        state = other.wait("state")
        assert list(one.ask(do="postures")["postures"]) == ["bow"]
        told = one.ask(do="keep_posture", name="reach", joints=REACH)
        assert list(told["postures"]) == ["bow", "reach"]
        assert postures_of(load_library(file))["reach"] == pytest.approx(REACH)
        assert other.wait("edited")["page"] is None
        assert one.ask(do="undo_posture")["canRedo"]
        assert file.read_text() == OWN
        # Another program changes the file while nobody looks at it: nothing of it is lost.
        assert other.ask(do="open", file="wave.yaml")["file"] == "wave.yaml"
        file.write_text(OWN.replace("deep", "deeper"))
        one.ask(do="keep_posture", name="reach", joints=REACH)
        assert "# deeper" in file.read_text()
        assert "reach" in file.read_text()
        # Half an edit of the page that has the file open stays its own.
        state = other.ask(do="open", file="postures-nao.yaml")
        other.ask(do="text", revision=state["revision"], changes=[[0, 0, "# half\n"]])
        one.ask(do="keep_posture", name="third", joints=REACH)
        assert "third" not in file.read_text()
        assert "third" in one.ask(do="postures")["postures"]
        refused = one.ask(do="delete_posture", name="gone")
        assert refused["type"] == "refused"
        for client in (one, other):
            client.close()
