"""Which files a page is offered where there are too many of them, or where their names are long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from studio_text import TEXT

from andante.studio.disk import Disk, hidden_name
from andante.studio.document import OpenDocument
from andante.studio.journal import journal_path
from andante.studio.motion_files import motion_files
from andante.studio.splices import Splice
from andante.studio.workspace import Workspace

MOST = 2000
"""Files that are listed at most."""


def many(folder: Path, number: int, ending: str = "csv") -> None:
    folder.mkdir(parents=True)
    for each in range(number):
        (folder / f"{each:05d}.{ending}").touch()


def test_a_full_folder_hides_nothing_that_lies_above_it_and_the_rest_is_told_and_found(tmp_path: Path) -> None:
    many(tmp_path / "a" / "records", MOST + 1)
    (tmp_path / "zebra.yaml").write_text(TEXT)
    workspace = Workspace(tmp_path)
    listing = motion_files(workspace)
    assert len(listing.names) == MOST
    assert "zebra.yaml" in listing.names
    assert listing.note == f"There are more than the {MOST} files listed; a part of the name finds others."
    left = {f"a/records/{each:05d}.csv" for each in range(MOST + 1)} - set(listing.names)
    assert len(left) == 2
    for name in left:
        found = motion_files(workspace, name.rpartition("/")[2].upper())
        assert (found.names, found.note) == ((name,), "")


def test_exactly_as_many_as_are_listed_are_all(tmp_path: Path) -> None:
    many(tmp_path / "a", MOST)
    listing = motion_files(Workspace(tmp_path))
    assert (len(listing.names), listing.note) == (MOST, "")


def test_documents_of_other_kinds_take_no_place_in_the_list(tmp_path: Path) -> None:
    """Thousands of scenarios that experiments have kept."""
    many(tmp_path / "a", MOST + 500, "yaml")
    for each in (tmp_path / "a").iterdir():
        each.write_text("format: andante.scenario\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "wave.yaml").write_text(TEXT)
    listing = motion_files(Workspace(tmp_path))
    assert (listing.names, listing.note) == (("b/wave.yaml",), "")


def test_folders_that_lie_too_deep_are_told(tmp_path: Path) -> None:
    for folder in ("1/2/3/4", "1/2/3/4/5", "1/2/3/4/.hidden"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "wave.yaml").write_text(TEXT)
    listing = motion_files(Workspace(tmp_path))
    assert listing.names == ("1/2/3/4/wave.yaml",)
    assert listing.note == "Folders more than 4 deep are not looked into: 1."


@pytest.mark.parametrize(
    "name",
    [
        "a wave with spaces.yaml",
        "Grüße, 50 %.yaml",
        "手" * 83 + ".yaml",
        "🤖" * 62 + ".yaml",
        "w" * 250 + ".yaml",
        "#?&=.yaml",
    ],
)
def test_a_file_of_any_name_that_the_disk_has_is_edited_kept_and_saved(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(TEXT)
    document = OpenDocument(path, name)
    document.edit((Splice(0, "", "# new\n"),))
    # As after kill -9: nothing was closed.
    document._claim.release()
    again = OpenDocument(path, name)
    assert (again.recovered, again.live.text) == (1, f"# new\n{TEXT}")
    again.save()
    assert path.read_text() == f"# new\n{TEXT}"
    again.close()
    assert os.listdir(tmp_path) == [name]


def test_hidden_files_of_long_names_fit_and_differ(tmp_path: Path) -> None:
    names = ["ü" * 125 + ending for ending in (".yaml", ".yamm")]
    hidden = {hidden_name(name, ending) for name in names for ending in ("studio", "in-studio", "studio-damaged-12")}
    assert len(hidden) == 6
    assert all(len(name.encode()) <= 255 and name.startswith(".ü") for name in hidden)
    assert hidden_name("wave.yaml", "studio") == ".wave.yaml.studio"
    assert journal_path(tmp_path / names[0]).parent == tmp_path
    disk = Disk(tmp_path)
    for name in names:
        disk.write(tmp_path / name, name.encode())
        disk.write(tmp_path / name, name.encode() * 2)
        assert (tmp_path / name).read_text() == name * 2


def test_a_file_whose_name_is_no_text_is_told_and_not_offered(tmp_path: Path) -> None:
    """A page cannot ask for it."""
    (tmp_path / "wave.yaml").write_text(TEXT)
    (tmp_path / os.fsdecode(b"wave-\xff.yaml")).write_text(TEXT)
    listing = motion_files(Workspace(tmp_path))
    assert listing.names == ("wave.yaml",)
    assert listing.note == "Files whose names are no text in UTF-8 are not listed: 1."
