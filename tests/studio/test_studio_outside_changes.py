"""What happens outside of the studio while it is open, and files that may not be written: told, and the rest works."""

from __future__ import annotations

import os

import pytest
from robot_models import quadruped
from served import Served
from socket_clients import StudioClient
from studio_text import TEXT

pytestmark = pytest.mark.slow
LIMITED = quadruped('limited="true" range="-1.5 1.5"')


def test_a_robots_file_that_breaks_goes_and_comes_back_while_it_is_open(studio: Served) -> None:
    model = studio.folder / "bot.xml"
    model.write_text(LIMITED)
    (studio.folder / "others.yaml").write_text(TEXT)
    page, other = StudioClient(studio, timeout=90.0), StudioClient(studio, timeout=90.0)
    assert other.ask(do="open", file="others.yaml")["type"] == "state"
    assert page.ask(do="new", file="bots.yaml", robot="bot.xml")["robot"]["name"] == "nobody"
    model.write_text("<mujoco><worldbody><body")
    assert "bot.xml:1:20: cannot be read as XML" in page.wait("robot")["problem"]
    assert "cannot be read as XML" in page.ask(do="play", motion="motion")["text"]
    model.unlink()
    assert "there is no such file" in page.wait("robot")["problem"]
    # Who looks at another document notices nothing.
    assert other.ask(do="posture", joints=[0.0] * 26)["type"] == "balance"
    model.write_text(LIMITED)
    told = page.wait("robot")
    assert (told["problem"], told["robot"]["name"]) == ("", "nobody")
    page.close()
    other.close()


def test_a_document_that_another_program_changes_is_shown_as_it_is_now(studio: Served) -> None:
    """A checkout or another editor: without edits of one's own at once, else when it is asked for."""
    file = studio.folder / "theirs.yaml"
    file.write_text(TEXT)
    page, other = StudioClient(studio), StudioClient(studio)
    for each in (page, other):
        assert each.ask(do="open", file="theirs.yaml")["text"] == TEXT
    checked_out = TEXT.replace("duration: 250", "duration: 260")
    (studio.folder / "new").write_text(checked_out)
    os.replace(studio.folder / "new", file)
    for each in (page, other):
        assert each.wait("edited")["changed"] is False
        assert "shown as it is now" in each.wait("notice")["text"]
    assert page.ask(do="open", file="theirs.yaml")["text"] == checked_out
    assert page.ask(do="set", block="lift", revision=1, fields={0: {"duration": 0.65}})["changed"] is True
    file.write_text(TEXT)
    assert "a save asks" in page.wait("notice")["text"]
    assert "open it anew" in page.ask(do="save")["text"]
    mine = page.ask(do="open", file="theirs.yaml")["text"]
    assert "duration: 650" in mine
    state = other.ask(do="open", file="theirs.yaml", anew=True)
    assert (state["text"], state["changed"]) == (TEXT, False)
    assert page.ask(do="undo")["changed"] is True
    assert page.ask(do="open", file="theirs.yaml")["text"] == mine
    file.unlink()
    assert "theirs.yaml: cannot be read: No such file" in page.ask(do="open", file="theirs.yaml", anew=True)["text"]
    assert page.ask(do="open", file="theirs.yaml")["text"] == mine
    page.close()
    other.close()


def test_other_files_are_written_only_inside_and_only_what_their_format_can_hold(studio: Served) -> None:
    (studio.folder / "mine.yaml").write_text(TEXT)
    outside = studio.folder.parent / "outside.yaml"
    os.symlink(outside, studio.folder / "link.yaml")
    page = StudioClient(studio)
    page.ask(do="open", file="mine.yaml")
    for message, told in (
        ({"file": "link.yaml"}, "outside the workspace"),
        ({"file": ".hidden.yaml"}, "hidden files"),
        ({"file": "mine.yaml"}, "the document's own file"),
        ({"file": "nowhere/wave.yaml"}, "its folder is gone"),
        ({"file": "wave.csv"}, "holds one motion"),
        ({"file": "wave.csv", "motion": "none"}, "no such motion"),
        ({"file": "wave.doc"}, "no format writes files with this ending"),
        ({"file": "wave.yaml", "format": "none"}, "no such format"),
    ):
        answer = page.ask(do="save_as", **message)
        assert answer["type"] == "refused", message
        assert told in answer["text"]
    assert not outside.exists()
    answer = page.ask(do="save_as", file="wave.csv", motion="wave")
    assert answer["type"] == "saved_as", answer
    assert answer["losses"]
    page.close()


def test_a_link_that_takes_a_documents_name_does_not_hide_its_edits(studio: Served) -> None:
    file = studio.folder / "linked.yaml"
    file.write_text(TEXT)
    page = StudioClient(studio)
    revision = page.ask(do="open", file="linked.yaml")["revision"]
    page.ask(do="set", block="lift", revision=revision, fields={0: {"duration": 0.65}})
    mine = page.ask(do="open", file="linked.yaml")["text"]
    (studio.folder / "another.yaml").write_text(TEXT)
    file.unlink()
    for target in ("another.yaml", "nowhere.yaml", "/etc/hostname"):
        file.symlink_to(target)
        state = page.ask(do="open", file="linked.yaml")
        assert (state.get("file"), state.get("text"), state.get("changed")) == ("linked.yaml", mine, True), target
        file.unlink()
    page.ask(do="save")
    assert file.read_text() == mine
    page.close()
