"""Which files of a workspace are offered to be opened: those of motion formats that say of themselves nothing else."""

from __future__ import annotations

import re
from functools import partial

from andante.documents.files import read_head
from andante.documents.problems import DocumentError
from andante.formats.registry import FORMATS, HEAD_BYTES
from andante.runs.logs.record import METRICS
from andante.studio.workspace import Listing, Workspace

_OWN = "andante.motions"
_FORMAT = re.compile(rb"^[\"']?format[\"']?\s*:\s*[\"']?([\w.-]+)", re.MULTILINE)
_KEYS = re.compile(rb"<key[\s/>]|<keyframe[\s/>]")
_LARGEST_MODEL = 4_000_000
"""Of a model so much is looked through for keyframes, which stand at its end [bytes]."""


def open_suffixes() -> frozenset[str]:
    """Endings of the names of motion files."""
    return frozenset(suffix for codec in FORMATS.values() for suffix in codec.suffixes)


def motion_files(workspace: Workspace, part: str = "") -> Listing:
    """Names of the files that may hold motions, sorted, and what is not among them.

    A document that says that it is another one (a scenario, a robot's pack) is left out, and so are XML without
    keyframes and the numbers of a run. A file with a mistake stays, so that it can be mended; what is left out can
    still be opened by its name.

    Args:
        workspace: The folder.
        part: Only names with this part.
    """
    return workspace.listing(open_suffixes(), part, partial(_may_hold_motions, workspace))


def _may_hold_motions(workspace: Workspace, name: str) -> bool:
    if name.rpartition("/")[2] == METRICS:
        return False
    ending = name.rpartition(".")[2].lower()
    if ending not in ("xml", "yaml", "yml"):
        return True
    try:
        head = read_head(workspace.folder / name, _LARGEST_MODEL if ending == "xml" else HEAD_BYTES)
    except DocumentError:
        return False
    if ending == "xml":
        return _KEYS.search(head) is not None
    said = _FORMAT.search(head)
    return said is None or said[1].decode() == _OWN
