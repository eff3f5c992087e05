"""A joint's name that a format's reader would not take is not written either: what is written is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.formats.registry import FORMATS, read, write
from andante.formats.report import FormatError, Losses
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

NAMES = ("fl.hx", "null", "True", "1e3", "a\u200bb", "a\nb", "#c", "a: b", "{x}", "'q'", "\u2028", "é", "x" * 1500)
WRITTEN = {
    "andante": "a.yaml",
    "csv": "a.csv",
    "npz": "a.npz",
    "hulks": "a.json",
    "webots": "a.motion",
    "xar": "a.xar",
    "choregraphe-python": "a.py",
    "bitbots": "b.json",
    "nubots": "b.yaml",
    "hulks-motion2": "a.motion2",
}


@pytest.mark.parametrize("format_", WRITTEN)
def test_a_name_is_read_again_or_not_written(tmp_path: Path, format_: str):
    assert format_ in FORMATS
    for name in NAMES:
        keys = (Keyframe(duration=0.5, joints={"HeadYaw": 0.1, name: 0.2}),)
        motions, blocks = {"nod": Motion(blocks=("nod",))}, {"nod": Block(keyframes=keys)}
        library = MotionLibrary(robot="nao", motions=motions, blocks=blocks)
        path, losses = tmp_path / WRITTEN[format_], Losses()
        path.unlink(missing_ok=True)
        try:
            write(library, path, format_, losses=losses)
        except FormatError:
            continue
        (block,) = read(path, format_, robot="nao").blocks.values()
        named = {joint for keyframe in block.keyframes for joint in keyframe.joints}
        assert name in named or any(repr(name) in text for text in losses.texts), name
