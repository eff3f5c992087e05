"""Whatever links lie in the workspace, nothing outside it changes."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from studio_text import TEXT

from andante.errors import AndanteError
from andante.studio.disk import Disk
from andante.studio.document import OpenDocument, new_library
from andante.studio.errors import WorkspaceError
from andante.studio.journal import journal_path
from andante.studio.messages import Plots
from andante.studio.simulation import MotionRun, Order
from andante.studio.splices import Splice
from andante.studio.system import System
from andante.studio.terrain_messages import LevelBoard, SaveBoard
from andante.studio.terrain_process import TerrainProcess
from andante.studio.workspace import Workspace


class TracedSystem(System):
    """The operating system, with every path at which something was made, renamed, locked or taken away."""

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def _note(self, name: str, folder: int) -> None:
        self.paths.add(os.path.join(os.readlink(f"/proc/self/fd/{folder}"), name))

    def create(self, name: str, folder: int, mode: int) -> int:
        """Noted."""
        self._note(name, folder)
        return super().create(name, folder, mode)

    def make_folder(self, name: str, folder: int) -> None:
        """Noted."""
        self._note(name, folder)
        super().make_folder(name, folder)

    def rename(self, old: str, new: str, folder: int) -> None:
        """Noted."""
        self._note(new, folder)
        super().rename(old, new, folder)

    def unlink(self, name: str, folder: int) -> None:
        """Noted."""
        self._note(name, folder)
        super().unlink(name, folder)


def edit_and_save(workspace: Workspace) -> None:
    """Open, edit, crash, come back, undo, save, close."""
    path = workspace.folder / "wave.yaml"
    for crash in (True, False):
        document = OpenDocument(path, "wave.yaml", disk=workspace.disk)
        for number in range(3):
            at = document.live.text.index("# the end")
            document.edit((Splice(at, "", f"# {number}\n"),))
        if crash:
            document.journal.close()
            document._claim.release()
            with contextlib.suppress(OSError):
                journal = journal_path(path)
                if not journal.is_symlink() and journal.stat().st_nlink == 1:
                    journal.write_bytes(journal.read_bytes().replace(b"# 1", b"# X"))
        else:
            document.undo()
            document.save(overwrite=True)
            document.close()


def new_documents(workspace: Workspace) -> None:
    """A new document, and a copy."""
    new_library(workspace.folder / "new.yaml", "nao", disk=workspace.disk)
    new_library(workspace.folder / "copy.yaml", "", "nao", disk=workspace.disk)


def run(workspace: Workspace) -> None:
    """A run in physics."""
    folder = workspace.folder / "runs" / "studio" / "wave-1"
    made = MotionRun(Order(TEXT, "nao", "nod", 3, folder, workspace.disk))
    try:
        for _ in range(100):
            made.step()
        made.session.end()
        made.verdict()
        made.go_to(_begin())
        made.step()
    finally:
        made.drop()


def _begin():
    from andante.studio.messages import Play

    return Play(do="play", motion="nod")


def terrain(workspace: Workspace) -> None:
    """A board that is drawn, and saved."""
    _, pipe = multiprocessing.Pipe()
    process = TerrainProcess(pipe, workspace, workspace.folder / "runs" / "studio" / "terrain-1")
    process._obey(LevelBoard(do="level_board", robot="littledog", length=2.0, width=1.0, spacing=0.05))
    process._obey(SaveBoard(do="save_board", file="board.npz", overwrite=True))
    process._obey(Plots(do="plots", columns=()))


FEATURES: tuple[Callable[[Workspace], None], ...] = (edit_and_save, new_documents, run, terrain)


def use(folder: Path, system: System | None = None) -> None:
    """Use everything that writes; what is refused is refused."""
    (folder / "wave.yaml").unlink(missing_ok=True)
    (folder / "wave.yaml").write_text(TEXT)
    workspace = Workspace(folder, system)
    for feature in FEATURES:
        with contextlib.suppress(AndanteError, OSError):
            feature(workspace)


def traced(folder: Path) -> list[Path]:
    """Every path below a workspace that is ever written, without those whose name is drawn by lot."""
    system = TracedSystem()
    folder.mkdir()
    use(folder, system)
    return sorted(Path(path).relative_to(folder) for path in system.paths if not path.endswith(".new"))


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    found = traced(tmp_path_factory.mktemp("traced") / "workspace")
    names = {str(path) for path in found}
    assert {".wave.yaml.studio", ".wave.yaml.in-studio", "wave.yaml", "new.yaml", "board.npz", "runs"} <= names
    assert {f"runs/studio/wave-1/{name}" for name in ("log.mcap", "scenario.yaml", "motions.yaml")} <= names
    assert ".wave.yaml.studio-damaged" in names
    return found


def contents(folder: Path) -> dict[str, bytes | str]:
    """All that stands in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else "folder" for path in folder.rglob("*")
    }


def plant(kind: str, path: Path, foreign: Path) -> None:
    """Put a link at a path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    target = foreign / f"{path.name.strip('.')}.foreign"
    if kind == "hard":
        target.write_bytes(f"foreign {path.name}".encode())
        os.link(target, path)
    elif kind == "file":
        target.write_bytes(f"foreign {path.name}".encode())
        path.symlink_to(target)
    elif kind == "folder":
        path.symlink_to(foreign, target_is_directory=True)
    elif kind == "dangling":
        path.symlink_to(foreign / "nobody" / path.name)
    else:
        path.symlink_to(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "folder", "dangling", "hard", "loop"])
def test_no_link_leads_a_write_out_of_the_workspace(kind: str, paths: list[Path], tmp_path: Path) -> None:
    """Links at each path that is ever written: at all files at once, and at each folder."""
    folders = {parent for path in paths for parent in path.parents if str(parent) != "."}
    rounds = [[path for path in paths if path not in folders and str(path) != "wave.yaml"]]
    rounds += [[folder] for folder in sorted(folders)] if kind != "hard" else []
    foreign, folder = tmp_path / "foreign", tmp_path / "workspace"
    for planted in rounds:
        for each in (foreign, folder):
            shutil.rmtree(each, ignore_errors=True)
            each.mkdir()
        (foreign / "studio").mkdir()
        for path in planted:
            plant(kind, folder / path, foreign)
        before = contents(foreign)
        use(folder)
        assert contents(foreign) == before, planted


def test_a_folder_that_becomes_a_link_between_two_looks_leads_nowhere(tmp_path: Path) -> None:
    """Somebody exchanges a folder for a link and back as fast as possible, while files are written there."""
    foreign, folder = tmp_path / "foreign", tmp_path / "workspace"
    for each in (foreign, folder):
        each.mkdir()
    (foreign / "a.txt").write_bytes(b"foreign")
    (folder / "real").mkdir()
    (folder / "link").symlink_to(foreign)
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            for name in ("real", "link"):
                with contextlib.suppress(OSError):
                    os.rename(folder / name, folder / "runs")
                    os.rename(folder / "runs", folder / name)

    thread = threading.Thread(target=exchange)
    thread.start()
    disk, written = Disk(folder), 0
    try:
        for number in range(1500):
            with contextlib.suppress(WorkspaceError):
                disk.write(folder / "runs" / "a.txt", b"%d" % number)
                written += 1
            with contextlib.suppress(WorkspaceError):
                os.close(disk.create(folder / "runs" / "b.txt"))
    finally:
        stop.set()
        thread.join()
    assert contents(foreign) == {"a.txt": b"foreign"}


def test_paths_outside_are_no_paths(tmp_path: Path) -> None:
    disk = Disk(tmp_path / "workspace")
    (tmp_path / "workspace").mkdir()
    for path in (tmp_path / "a", tmp_path / "workspace", tmp_path / "workspace" / ".." / "a", Path("/etc/x")):
        with pytest.raises(WorkspaceError, match="outside the workspace"):
            disk.write(path, b"x")


def test_a_workspace_that_is_gone_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    disk = Disk(folder)
    folder.rmdir()
    with pytest.raises(WorkspaceError, match=r"a\.yaml: cannot be written: its folder is gone"):
        disk.write(folder / "a.yaml", b"x")
