"""Writing a document into another file, saving several files of which one fails, and letting go."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from failing_disk import FailingSystem
from studio_text import TEXT

from andante.formats.registry import convert
from andante.runs.motion_libraries import library_path
from andante.studio import keyframe_edits as edits
from andante.studio.disk import Disk
from andante.studio.document import OpenDocument
from andante.studio.errors import StudioError, WorkspaceError
from andante.studio.splices import Splice


@pytest.fixture
def document(wave: Path) -> OpenDocument:
    return OpenDocument(wave, wave.name)


def turn(document: OpenDocument, value: float) -> None:
    live = document.live
    block = next(name for name, block in live.library.blocks.items() if block.keyframes)
    keyframe = live.library.blocks[block].keyframes[0]
    changed = edits.changed(keyframe, {"joints": {next(iter(keyframe.joints)): value}})
    document.edit(edits.replaced(live, block, {0: changed}))


def test_its_own_file_is_saved_and_not_written_as_another(document: OpenDocument, wave: Path) -> None:
    with pytest.raises(StudioError, match=r"this is the document's own file; got 'wave\.yaml'; save it"):
        document.save_as(wave, overwrite=True)
    assert wave.read_text() == TEXT


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_that_is_there_is_replaced_only_by_wish(
    document: OpenDocument, tmp_path: Path, there: bool, overwrite: bool
) -> None:
    target = tmp_path / "other.yaml"
    if there:
        target.write_text("mine")
    document.edit((Splice(0, "", "# edited\n"),))
    if there and not overwrite:
        with pytest.raises(StudioError, match=r"there is a file of this name; got 'other\.yaml'; overwrite it, or"):
            document.save_as(target)
        assert target.read_text() == "mine"
        return
    assert document.save_as(target, overwrite=overwrite) == []
    assert target.read_text() == "# edited\n" + TEXT
    assert document.changed
    assert document.undo()


def test_what_the_format_cannot_hold_is_told(document: OpenDocument, tmp_path: Path) -> None:
    told = document.save_as(tmp_path / "wave.csv", motion="wave")
    assert "motions.wave.blocks: become one list of keyframes" in told
    assert (tmp_path / "wave.csv").read_text().startswith("# motion: wave, ")


def test_a_format_of_several_files_wants_a_folder(document: OpenDocument, tmp_path: Path) -> None:
    with pytest.raises(StudioError, match=r"this format is a folder of files; got 'bhuman'; andante convert writes it"):
        document.save_as(tmp_path / "library", form="bhuman")
    assert not (tmp_path / "library").exists()


def test_a_save_that_fails_half_way_is_no_other_programs_doing(tmp_path: Path) -> None:
    engine, parameters = tmp_path / "keyframeMotionEngine.cfg", tmp_path / "keyframeMotionParameters.cfg"
    convert(library_path("nao"), engine, target_format="bhuman")
    system = FailingSystem()
    document = OpenDocument(engine, engine.name, disk=Disk(tmp_path, system))
    balance = document.live.text.index("balance:")
    gain = document.live.text.index("0.", balance)
    document.edit((Splice(gain, "0.", "1."),))
    turn(document, 0.2)
    old = engine.read_bytes(), parameters.read_bytes()
    written = system.rename

    def refused(before: str, after: str, folder: int) -> None:
        if after == parameters.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written(before, after, folder)

    system.rename = refused  # type: ignore[method-assign]
    with pytest.raises(WorkspaceError, match=r"keyframeMotionParameters\.cfg: cannot be written"):
        document.save()
    assert (engine.read_bytes() != old[0], parameters.read_bytes() == old[1]) == (True, True)
    system.rename = written  # type: ignore[method-assign]
    turn(document, 0.3)
    document.save()
    assert parameters.read_bytes() != old[1]
    assert not document.changed
    document.close()


def test_a_folder_in_the_files_place_is_a_change(document: OpenDocument, wave: Path) -> None:
    assert not document.outdated_now()
    wave.unlink()
    wave.mkdir()
    assert document.outdated_now()
    assert document.disk == "changed"


def test_nothing_stays_open_behind_a_document(document: OpenDocument) -> None:
    before = len(os.listdir("/proc/self/fd"))
    document.edit((Splice(0, "", "# edited\n"),))
    document.close()
    assert len(os.listdir("/proc/self/fd")) < before


def test_a_file_of_another_program_is_bound_to_the_robot_that_is_named(tmp_path: Path, wave: Path) -> None:
    engine = tmp_path / "keyframeMotionEngine.cfg"
    convert(wave, engine, target_format="bhuman")
    document = OpenDocument(engine, engine.name, robot="k1")
    assert document.live.library.robot == "k1"
    assert "Left_Knee_Pitch" in document.live.library.blocks["lift"].keyframes[0].joints
