"""All motion file formats: which codec reads a file, and reading, writing and converting with it.

The content decides which codec reads, not the file's name; the name decides only what is written. A new format is one
more module with a `MotionFileCodec` and a line in `codecs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from andante.documents.budget import budgeted
from andante.documents.files import read_head
from andante.documents.problems import DocumentError
from andante.errors import nearest_name
from andante.formats.codec import MotionFileCodec
from andante.formats.report import ConvertReport, FormatError, Losses, ReadReport, Remark, TimeOf
from andante.motions.editing.sequence import chosen_motions
from andante.motions.library import MotionLibrary

HEAD_BYTES = 65_536
"""How much of a file codecs see to recognise it."""
UNSURE = 0.3
"""A recognition below this is none."""

_MEDIT = "the bytes of Sony's PSE and KFM files were never published; export the motion as MTN from its editor"
_UNPUBLISHED = {".pse": _MEDIT, ".kfm": _MEDIT}


@cache
def codecs() -> dict[str, MotionFileCodec]:
    """All codecs by name."""
    from andante.formats.aibo.ekmoves_codec import EkMovesCodec
    from andante.formats.aibo.moves_codec import MovesCodec, PoseCodec
    from andante.formats.aibo.mtn_codec import MtnCodec
    from andante.formats.aibo.oda_codec import OdaCodec
    from andante.formats.aibo.tekkotsu_codec import TekkotsuMotCodec, TekkotsuPosCodec
    from andante.formats.andante import AndanteCodec
    from andante.formats.bhuman.codec import BHumanCodec
    from andante.formats.bhuman.names import DIALECTS
    from andante.formats.bitbots import BitBotsCodec
    from andante.formats.choregraphe.python_export import PythonExportCodec
    from andante.formats.choregraphe.xar import XarCodec
    from andante.formats.hulks.motion2 import Motion2Codec
    from andante.formats.hulks.motion_json import HulksCodec
    from andante.formats.mujoco_keys import MujocoCodec
    from andante.formats.naodevils import NaoDevilsCodec
    from andante.formats.runswift import RunswiftCodec
    from andante.formats.trajectories.csv_file import CsvCodec
    from andante.formats.trajectories.npz_file import NpzCodec
    from andante.formats.webots import WebotsCodec

    every: list[MotionFileCodec] = [AndanteCodec(), BHumanCodec(), *(BHumanCodec(dialect) for dialect in DIALECTS)]
    every += [HulksCodec(), Motion2Codec(), BitBotsCodec(), RunswiftCodec(), WebotsCodec(), NaoDevilsCodec()]
    every += [XarCodec(), PythonExportCodec(), MujocoCodec(), CsvCodec(), NpzCodec()]
    every += [MtnCodec(), OdaCodec(), EkMovesCodec(), TekkotsuPosCodec(), TekkotsuMotCodec(), PoseCodec(), MovesCodec()]
    return {codec.name: codec for codec in every}


def codec_named(name: str) -> MotionFileCodec:
    """Return a codec by name.

    Raises:
        FormatError: There is none of this name.
    """
    found = codecs().get(name)
    if found is None:
        raise FormatError("the format is unknown", value=name, legal=codecs())
    return found


@budgeted()
def identify(path: Path | str) -> MotionFileCodec:
    """Return the codec of a file or folder, told from its content.

    Raises:
        FormatError: It cannot be read, or no codec knows it.
    """
    from andante.formats.aibo.monet import looks_like_monet

    path = Path(path)
    remedy = _UNPUBLISHED.get(path.suffix.lower(), "")
    if path.is_dir():
        scores = {name: codec.sniff_folder(path) for name, codec in codecs().items()}
        what = "the folder holds no motion library"
    else:
        head = _head(path)
        if looks_like_monet(head):
            raise FormatError(
                "this is MoNet's configuration, which calls motions and holds none",
                file=path,
                remedy="check it with 'andante oda check', convert the motions in its ODA archive",
            )
        scores = {name: codec.sniff(head, path) for name, codec in codecs().items()}
        what = "the file is of no known motion format"
    best = max(scores, key=lambda name: scores[name])
    if scores[best] < UNSURE:
        raise FormatError(
            what, file=path, legal=codecs(), remedy=remedy or "name the format (--from) if it is one of these"
        )
    return codecs()[best]


def _head(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise FormatError("this is neither a file nor a folder", file=path)
    try:
        return read_head(path, HEAD_BYTES)
    except DocumentError as error:
        raise FormatError(error.what, file=path) from error


def codec_for_writing(path: Path | str, source: str = "") -> MotionFileCodec:
    """Return the codec that a file name asks for; a name without ending means a folder of B-Human's files.

    Args:
        path: The file or folder.
        source: Format that the library was read in; it decides where several formats use the ending.

    Raises:
        FormatError: No codec writes such files, or several do.
    """
    candidates = _writers(Path(path))
    if len(candidates) > 1:
        if source in candidates:
            return candidates[source]
        raise FormatError(
            "several formats write files with this ending",
            file=path,
            value=Path(path).suffix,
            legal=candidates,
            remedy="name the format (--to)",
        )
    return next(iter(candidates.values()))


def _writers(path: Path) -> dict[str, MotionFileCodec]:
    """The codecs that write a file of this name; a dialect (`bhuman-2022`) gives way to its format (`bhuman`)."""
    if path.is_dir() or not path.suffix:
        return {"bhuman": codec_named("bhuman")}
    found = {name: codec for name, codec in codecs().items() if path.suffix.lower() in codec.suffixes}
    if not found:
        legal = dict.fromkeys(suffix for codec in codecs().values() for suffix in codec.suffixes)
        raise FormatError("no format writes files with this ending", file=path, value=path.suffix, legal=legal)
    return {name: codec for name, codec in found.items() if not any(name.startswith(f"{other}-") for other in found)}


@budgeted()
def read(
    path: Path | str,
    format: str | None = None,  # noqa: A002
    *,
    report: ReadReport | None = None,
    robot: str = "",
) -> MotionLibrary:
    """Read a motion library from a file or folder.

    Args:
        path: The file or folder.
        format: Name of the codec; None: told from the content.
        report: Takes format, files and warnings.
        robot: The robot that the motions are for, where the file does not name it; empty: told from its joints.

    Raises:
        DocumentError: It cannot be read, no codec knows it, or it breaks its format (`FormatError`, with line and
            column).
    """
    path = Path(path)
    codec = identify(path) if format is None else codec_named(format)
    report = ReadReport() if report is None else report
    report.format = codec.name
    report.robot = robot or report.robot
    return codec.read(path, report)


def write(library: MotionLibrary, path: Path | str, format: str | None = None) -> tuple[Path, ...]:  # noqa: A002
    """Write a motion library and return the files written.

    What the format cannot hold is left out; ``codec.losses`` tells it before, `convert` after.

    Args:
        library: The library.
        path: File, or folder for formats of several files.
        format: Name of the codec; None: told from the name.

    Raises:
        DocumentError: It cannot be written.
    """
    codec = codec_for_writing(path) if format is None else codec_named(format)
    return codec.write(library, Path(path))


def convert(
    source: Path | str,
    target: Path | str,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    robot: str = "",
    motions: Sequence[str] = (),
    clip: bool = False,
    replace: bool = True,
    time: TimeOf = "header",
) -> ConvertReport:
    """Read a library in one format, write it in another, and tell what was done and what got lost.

    What the motions ask beyond their robot's limits is told, and brought inside on request.

    Args:
        source: File or folder to read.
        target: File or folder to write.
        source_format: Name of the codec that reads; None: told from the content.
        target_format: Name of the codec that writes; None: told from the name.
        robot: The robot that the motions are for, where the file does not name it; empty: told from its joints.
        motions: Names of the motions to write, with the blocks that they need; none: the whole library.
        clip: Bring targets inside the robot's position limits.
        replace: Files that exist and say something else may be replaced.
        time: What counts where a file's header and its poses disagree about the time: header or poses.

    Raises:
        DocumentError: Either side fails, or a file may not be replaced.
        FormatError: Clipping is asked for and Andante does not know the robot.
        MotionError: The library has no motion of a name that is asked for.
    """
    from andante.formats.limits import clipped, excesses, robot_of
    from andante.robots.loader import shipped_robots

    if target_format is None:
        _writers(Path(target))  # A name that nothing can be written to is told before anything is read.
    else:
        codec_named(target_format)
    report = ReadReport(time=time)
    library = read(source, source_format, report=report, robot=robot)
    if motions:
        library = chosen_motions(library, motions)
    codec = codec_for_writing(target, report.format) if target_format is None else codec_named(target_format)
    pack, beyond = robot_of(library), list[Remark]()
    if pack is not None:
        beyond = excesses(library, pack)
        report.warnings += beyond
    elif clip:
        raise FormatError(
            "the limits of this robot are unknown", value=library.robot, remedy="convert without clipping"
        )
    else:
        text = f"the limits of robot {library.robot!r} are unknown and not looked at"
        near = nearest_name(library.robot, shipped_robots())
        report.warnings.append(Remark(f"{text}; did you mean {near!r}?" if near is not None else text))
    if clip and pack is not None:
        library, count = clipped(library, pack)
        if count:
            report.warnings.append(Remark(f"{count} targets were brought inside the limits of {pack.name!r}"))
    losses = Losses()
    written = codec.write(library, Path(target), losses, replace=replace)
    return ConvertReport(
        source_format=report.format,
        target_format=codec.name,
        source_files=tuple(report.files),
        target_files=written,
        warnings=tuple(report.warnings),
        losses=tuple(losses.texts),
        excesses=tuple(beyond),
    )
