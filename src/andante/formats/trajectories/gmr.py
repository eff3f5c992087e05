"""Motions of people retargeted to a robot, as GMR writes them: pickles of the base's way and the joints' angles.

A dict with `fps`, `root_pos` (n, 3) [m], `root_rot` (n, 4) as x, y, z, w, and `dof_pos` (n, nj) [rad] in the order of
the robot's model, or of `dof_names` (`joint_names`) where a file has them; `local_body_pos` and `link_body_list` of
TWIST are not needed. Files for other robots have the same keys. The pickle is read as data: code in it is refused, see
`andante.formats.shared.pickles`.

Sources: README and scripts/smplx_to_robot.py of YanjieZe/GMR (General Motion Retargeting, arXiv 2505.02833).
"""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from andante.documents.files import read_bytes
from andante.formats.report import Losses, ReadReport
from andante.formats.shared.numbers import LARGEST
from andante.formats.shared.pickles import plain_dict
from andante.formats.shared.single import OneMotionCodec
from andante.formats.shared.steps import MAX_STEPS
from andante.formats.shared.text_file import TextFile
from andante.formats.trajectories.columns import joints_of_columns
from andante.formats.trajectories.retargeted import MAX_RATE, UNIT, frames_of, kept_of, library_of_frames
from andante.formats.trajectories.table import MAX_CELLS
from andante.motions.library import MotionLibrary

MAX_FILE = 20_000_000
"""Largest file that is read [bytes]."""
_ARRAYS = {"root_pos": 3, "root_rot": 4, "dof_pos": None}
"""Arrays with a row per frame, and their columns."""
_LEGAL = ("fps", *_ARRAYS)
_NAMED = ("dof_names", "joint_names")
"""Entries with the joints' names, which GMR's own files have not."""


class GmrCodec(OneMotionCodec):
    """Reads and writes GMR's pickles."""

    name = "gmr"
    title = "Retargeted motion (GMR's pickle)"
    suffixes = (".pkl", ".pickle")
    signature = re.compile(rb"\A\x80[\x02-\x05][\s\S]*?(?:root_pos|dof_pos)")
    sure = 0.9

    def read_file(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read one file; `DocumentError` where that fails."""
        report.files.append(path)
        return _Motion(path, report).library(plain_dict(read_bytes(path, max_bytes=MAX_FILE), path))

    def encode_file(self, library: MotionLibrary, losses: Losses) -> bytes:
        """The file of a library with one motion, whose keyframes know the base's pose."""
        rate, base, angles = frames_of(library, losses)
        content = {
            "fps": int(rate) if rate == int(rate) else rate,
            "root_pos": base[:, :3].copy(),
            "root_rot": base[:, 3:].copy(),
            "dof_pos": angles,
            "local_body_pos": None,
            "link_body_list": None,
        }
        if kept_of(library).get("named"):
            content[_NAMED[0]] = kept_of(library)["joints"]
        # What GMR's own scripts read with any Python since 3.4.
        return pickle.dumps(content, protocol=4)


def _is_name(word: object) -> bool:
    return isinstance(word, str) and bool(word) and word.isprintable()


class _Motion(TextFile):
    """One file being read."""

    def library(self, content: dict[str, Any]) -> MotionLibrary:
        missing = next((name for name in _LEGAL if name not in content), None)
        if missing is not None:
            raise self.error("the entry is missing", inside=missing, value=", ".join(content)[:200], legal=_LEGAL)
        rates = np.ravel(self._numbers(content, "fps", MAX_RATE))
        if rates.shape != (1,) or not rates[0] > 0.0:
            raise self.error("one rate above 0 is needed", inside="fps", value=rates.tolist()[:3])
        arrays = {name: self._frames(content, name, width) for name, width in _ARRAYS.items()}
        counts = {name: len(array) for name, array in arrays.items()}
        if len(set(counts.values())) != 1:
            raise self.error("all arrays need a row for each frame", value=counts)
        lengths = np.linalg.norm(arrays["root_rot"], axis=1)
        if (np.abs(lengths - 1.0) > UNIT).any():
            worst = int(np.argmax(np.abs(lengths - 1.0)))
            raise self.error("a quaternion has not length 1", inside=f"root_rot[{worst}]", value=float(lengths[worst]))
        angles = arrays["dof_pos"]
        named = self._names(content, angles.shape[1])
        if named is None:
            names = joints_of_columns(angles.shape[1], self.report.robot, Path(self.path))
            self.warn(f"the joints are not named; they are taken for {names.of}", inside="dof_pos")
        self.warn("the base's way is kept, not followed: a motion moves joints only")
        base = np.hstack((arrays["root_pos"], arrays["root_rot"]))
        joints = list(names.joints) if named is None else named
        flags = {"stated": True, "named": named is not None}
        return library_of_frames(self.path, self.robot(joints), float(rates[0]), joints, base, angles, flags)

    def _names(self, content: dict[str, Any], count: int) -> list[str] | None:
        """The joints' names, where a program wrote them beside what GMR writes; None: it did not."""
        entry = next((name for name in _NAMED if content.get(name) is not None), None)
        if entry is None:
            return None
        names = content[entry]
        words = list(names) if isinstance(names, (list, tuple)) else []
        if len(words) != count or len(set(map(str, words))) != count or not all(map(_is_name, words)):
            shown = len(words) if isinstance(names, (list, tuple)) else type(names).__name__
            raise self.error("a name of its own for each column is needed", inside=entry, value=shown, limit=f"{count}")
        return words

    def _frames(self, content: dict[str, Any], name: str, width: int | None) -> NDArray[np.float64]:
        array = self._numbers(content, name, LARGEST)
        if array.ndim != 2 or not len(array) or array.shape[1] != (width or array.shape[1]):
            limit = f"(frames, {width or 'joints'})"
            raise self.error("the array has another shape", inside=name, value=array.shape, limit=limit)
        if len(array) > MAX_STEPS or array.size > MAX_CELLS:
            limit = f"{MAX_STEPS} rows, {MAX_CELLS} numbers"
            raise self.error("there are too many frames", inside=name, value=array.shape, limit=limit)
        return array

    def _numbers(self, content: dict[str, Any], name: str, most: float) -> NDArray[np.float64]:
        thing = content[name]
        array = np.asarray(thing) if isinstance(thing, (int, float, np.ndarray)) else None
        if array is None or array.dtype.kind not in "fiu":
            raise self.error("numbers are needed", inside=name, value=type(thing).__name__)
        numbers = array.astype(np.float64)
        if not (np.abs(numbers) <= most).all():
            raise self.error("a number is not finite or too large", inside=name, limit=f"{most:g}")
        return numbers
