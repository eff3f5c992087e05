"""All motion file formats: which codec reads a file, and reading, writing and converting with it.

The content decides which codec reads, not the file's name; the name decides only what is written. A new format is one
more module with a `MotionFileCodec` and a line in `FORMATS`; one of another package is an entry point in
``andante.formats``.
"""

from __future__ import annotations

import codecs
import dataclasses
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from andante.documents.budget import budgeted
from andante.documents.files import read_head
from andante.documents.problems import DocumentError
from andante.errors import nearest_name
from andante.formats.codec import MotionFileCodec
from andante.formats.report import (
    ConvertReport,
    FormatError,
    Losses,
    ReadReport,
    Remark,
    TimeOf,
    UnknownFormatError,
)
from andante.formats.shared.single import OneMotionCodec, files_of
from andante.motions.editing.binding import bind, by_aliases, unlike_note
from andante.motions.editing.choice import chosen_motions
from andante.motions.library import MotionLibrary
from andante.plugins.errors import PluginError
from andante.plugins.register import SHIPPED, Register
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

HEAD_BYTES = 65_536
"""How much of a file codecs see to recognise it."""
UNSURE = 0.3
"""A recognition below this is none."""
_MOST_LOOKED_AT = 40
"""Files of a folder that are looked at to recognise it."""
_BY_FILES = 0.5
"""How likely a folder is of the format of its files."""

_MEDIT = "the bytes of Sony's PSE and KFM files were never published; export the motion as MTN from its editor"
_PERSON = "this is a person's skeleton; retarget it to the robot first, and read the CSV or NPZ with the robot's joints"
_PICKLE = (
    "pickled objects can run code and are not read, but for the dicts of GMR; write the joints as CSV or NPZ where the"
    " file comes from"
)
_ARRAY = (
    "an array alone tells neither joints nor times; write an NPZ of it: numpy.savez(FILE, position=..., time=..., "
    "joints=[...])"
)
_STORE = "write time and joints as CSV or NPZ where the file comes from"
_OLD_TEXT = (
    "B-Human's motion nets are not read; write each line of angles and its time as a keyframe of a YAML"
    " document, or as a row of a CSV with a header of time and joints"
)
_KICK_CURVES = (
    "curves of feet and hands of B-Human's kick engine are not read, as they are no angles of joints; record the joints"
    " while it kicks and write them as CSV with a header of time and joints"
)
_TABLE = (
    "a trajectory begins with a header of time and joints (time [s],HeadYaw [rad],...), a retargeted motion with the"
    " base's place and quaternion, each behind a comma; joint states of ROS are read as rostopic echo -p and ros2 topic"
    " echo --csv print them"
)
_RPLUS = (
    "motions of R+ Motion 2 and 3 are not read, as how long a frame takes is not published; read the controller's"
    " pages, or write time and joints as CSV"
)
_UNPUBLISHED = {
    ".csv": _TABLE,
    ".mof": _OLD_TEXT,
    ".kmc": _KICK_CURVES,
    **dict.fromkeys((".mtnx", ".mtn3"), _RPLUS),
    ".pse": _MEDIT,
    ".kfm": _MEDIT,
    **dict.fromkeys((".bvh", ".fbx", ".amc", ".asf", ".c3d"), _PERSON),
    **dict.fromkeys((".pkl", ".pickle", ".pt", ".lz4", ".npy"), _PICKLE),
    **dict.fromkeys((".h5", ".hdf5", ".parquet", ".feather", ".arrow", ".mat", ".ulg"), _STORE),
}
"""What to do with files that are not read, by their endings."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def motion_codec(thing: object) -> MotionFileCodec:
    """A codec, or one of a class of codecs.

    Raises:
        FormatError: It is neither, or lacks name, title or endings.
    """
    codec = thing() if isinstance(thing, type) and issubclass(thing, MotionFileCodec) else thing
    if not isinstance(codec, MotionFileCodec):
        raise FormatError("a motion format is a MotionFileCodec, or a class of them", value=type(thing).__name__)
    for name in ("name", "title", "suffixes"):
        if not hasattr(codec, name):
            raise FormatError(f"the codec has no {name}", value=type(codec).__name__)
    return codec


FORMATS: Register[MotionFileCodec] = Register(
    "formats",
    "motion format",
    motion_codec,
    {
        "andante": "formats.andante:AndanteCodec",
        "bhuman": "formats.bhuman.codec:BHumanCodec",
        "bhuman-2022": "formats.bhuman.codec:BHUMAN_2022",
        "bhuman-2023": "formats.bhuman.codec:BHUMAN_2023",
        "bhuman-2024": "formats.bhuman.codec:BHUMAN_2024",
        "bhuman-2025": "formats.bhuman.codec:BHUMAN_2025",
        "hulks": "formats.hulks.motion_json:HulksCodec",
        "hulks-motion2": "formats.hulks.motion2:Motion2Codec",
        "bitbots": "formats.bitbots:BitBotsCodec",
        "nubots": "formats.nubots:NubotsCodec",
        "runswift": "formats.runswift:RunswiftCodec",
        "webots": "formats.webots:WebotsCodec",
        "naodevils": "formats.naodevils:NaoDevilsCodec",
        "xar": "formats.choregraphe.xar:XarCodec",
        "choregraphe-python": "formats.choregraphe.python_export:PythonExportCodec",
        "mujoco": "formats.mujoco_keys:MujocoCodec",
        "csv": "formats.trajectories.csv_file:CsvCodec",
        "csv-retargeted": "formats.trajectories.retargeted:RetargetedCodec",
        "csv-ros": "formats.trajectories.echoed:EchoCodec",
        "yaml-ros": "formats.trajectories.echoed_yaml:EchoYamlCodec",
        "npz": "formats.trajectories.npz_file:NpzCodec",
        "gmr": "formats.trajectories.gmr:GmrCodec",
        "rosbag": "formats.trajectories.rosbag:RosbagCodec",
        "robotis": "formats.robotis.action_file:ActionFileCodec",
        "roboplus": "formats.robotis.roboplus:RoboPlusCodec",
        "mtn": "formats.aibo.mtn_codec:MtnCodec",
        "oda": "formats.aibo.oda_codec:OdaCodec",
        "ekmoves": "formats.aibo.ekmoves_codec:EkMovesCodec",
        "tekkotsu-pos": "formats.aibo.tekkotsu_codec:TekkotsuPosCodec",
        "tekkotsu-mot": "formats.aibo.tekkotsu_codec:TekkotsuMotCodec",
        "pose": "formats.aibo.moves_codec:PoseCodec",
        "moves": "formats.aibo.moves_codec:MovesCodec",
    },
    FormatError,
    lambda codec: codec.name,
)
"""Codecs of motion file formats by name; a package brings one by an entry point in ``andante.formats``."""


@budgeted()
def identify(path: Path | str) -> MotionFileCodec:
    """Return the codec of a file or folder, told from its content.

    Raises:
        FormatError: It cannot be read, or no codec knows it.
    """
    return _identified(Path(path))[0]


def _identified(path: Path) -> tuple[MotionFileCodec, list[PluginError]]:
    """The codec of a file or folder, and the plug-ins that failed when they looked at it."""
    from andante.formats.aibo.monet import looks_like_monet
    from andante.formats.trajectories.rosbag import is_run

    remedy = _UNPUBLISHED.get(path.suffix.lower(), "")
    if path.is_dir():
        scores, failed = _scores(lambda codec: codec.sniff_folder(path))
        if max(scores.values()) < UNSURE:
            scores |= _of_files(path)
        what = "the folder holds no motion library"
    else:
        head = _head(path)
        if looks_like_monet(head):
            raise FormatError(
                "this is MoNet's configuration, which calls motions and holds none",
                file=path,
                remedy="check it with 'andante oda check', convert the motions in its ODA archive",
            )
        scores, failed = _scores(lambda codec: codec.sniff(head, path))
        what = "the file is of no known motion format"
    best = max(scores, key=lambda name: scores[name])
    if scores[best] < UNSURE:
        remedy = remedy or "if it is one of these, 'andante convert --from FORMAT' reads it by that name"
        if path.is_file() and _head(path).startswith(_WIDE):
            remedy = "the file is text in UTF-16; save it in UTF-8"
        elif path.is_file() and _plain_array(_head(path)):
            remedy = _ARRAY
        elif is_run(path):
            remedy = "it is what a run left: andante show, compare and replay read it"
        broken = [*map(str, failed), *(each.problem for each in FORMATS.origins() if each.problem)]
        remedy = "; ".join([remedy, *broken])
        raise UnknownFormatError(what, file=path, legal=FORMATS, remedy=remedy)
    return FORMATS[best], failed


def _plain_array(head: bytes) -> bool:
    """Whether a file begins as an array of numpy that holds no Python objects."""
    return head.startswith(b"\x93NUMPY") and b"'|O'" not in head[:256]


def _of_files(folder: Path) -> dict[str, float]:
    """How likely a folder has a file of a format for each of its motions.

    Raises:
        FormatError: It has files of several such formats, of which only one would be read.
    """
    several = {name: codec for name, codec in FORMATS.items() if isinstance(codec, OneMotionCodec)}
    endings = {suffix for codec in several.values() for suffix in codec.suffixes}
    found: dict[str, list[str]] = {}
    for file in [file for file in files_of(folder) if file.suffix.lower() in endings][:_MOST_LOOKED_AT]:
        head = _head(file)
        scores, _ = _scores(lambda codec, head=head, file=file: codec.sniff(head, file))  # type: ignore[misc]
        best = max(scores, key=lambda name: scores[name])
        if scores[best] >= UNSURE and best in several and file.suffix.lower() in several[best].suffixes:
            found.setdefault(best, []).append(file.name)
    if len(found) > 1:
        raise FormatError(
            "the folder has files of several motion formats",
            file=folder,
            value=", ".join(f"{names[0]} ({name})" for name, names in found.items()),
            remedy="name the one that counts: andante convert --from FORMAT",
        )
    return dict.fromkeys(found, _BY_FILES)


def _scores(sniff: Callable[[MotionFileCodec], float]) -> tuple[dict[str, float], list[PluginError]]:
    """How likely something is of each format, and the plug-ins that failed to say so."""
    scores: dict[str, float] = {}
    failed: list[PluginError] = []
    for name, codec in FORMATS.items():
        try:
            with FORMATS.blame(name, refusals=True):
                score = float(sniff(codec))
                if not 0.0 <= score <= 1.0:
                    raise ValueError(f"its recognition is {score}, not from 0 to 1")
                scores[name] = score
        except PluginError as error:
            failed.append(error)
    return scores, failed


def _head(path: Path) -> bytes:
    if path.exists() and not path.is_file():
        raise FormatError("this is neither a file nor a folder", file=path)
    try:
        # Codecs read text without the mark that some editors of Windows put before it, and know it so.
        return read_head(path, HEAD_BYTES).removeprefix(codecs.BOM_UTF8)
    except DocumentError as error:
        raise FormatError(error.what, file=path) from error


def codec_for_writing(path: Path | str, source: str = "") -> MotionFileCodec:
    """Return the codec that a file name asks for; a name without ending means a folder of B-Human's files.

    Args:
        path: The file or folder.
        source: Format that the library was read in; it decides where several formats use the ending, else the one that
            comes with Andante.

    Raises:
        FormatError: No codec writes such files, or several do.
    """
    candidates = _writers(Path(path))
    if len(candidates) > 1:
        if source in candidates:
            return candidates[source]
        # A package that brings one more format of an ending changes nothing of what was written before.
        own = [name for name in candidates if FORMATS.source(name) == SHIPPED]
        if len(own) == 1:
            return candidates[own[0]]
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
        return {"bhuman": FORMATS["bhuman"]}
    writers = {name: codec for name, codec in FORMATS.items() if codec.by_ending}
    found = {name: codec for name, codec in writers.items() if path.suffix.lower() in codec.suffixes}
    if not found:
        legal = dict.fromkeys(suffix for codec in writers.values() for suffix in codec.suffixes)
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
    codec, failed = _identified(path) if format is None else (FORMATS[format], [])
    report = ReadReport() if report is None else report
    report.format = codec.name
    report.robot = robot or report.robot
    with FORMATS.blame(codec.name):
        library = codec.read(path, report)
        if FORMATS.source(codec.name) != SHIPPED:
            _look_through(library)
    for problem in failed:
        report.warn(str(problem), "")
    return library


def _look_through(library: object) -> None:
    """Refuse what a codec of another package read where it is no library, or has numbers that are not finite."""
    if not isinstance(library, MotionLibrary):
        raise TypeError(f"it reads a {type(library).__name__}, no MotionLibrary")
    for name, block in library.blocks.items():
        for index, keyframe in enumerate(block.keyframes):
            numbers = [keyframe.duration, *(each for each in keyframe.joints.values() if not isinstance(each, str))]
            if not all(map(math.isfinite, numbers)):
                raise ValueError(f"a number of blocks.{name}.keyframes[{index}] is not finite")


def shown_to(codec: MotionFileCodec, library: MotionLibrary) -> MotionLibrary:
    """What a codec gets to encode: the library, or a copy where others wrote it, which may change what it gets."""
    return library if FORMATS.source(codec.name) == SHIPPED else library.model_copy(deep=True)


def write(
    library: MotionLibrary,
    path: Path | str,
    format: str | None = None,  # noqa: A002
    *,
    losses: Losses | None = None,
    replace: bool = True,
    robot: Robot | None = None,
    like: ReadReport | None = None,
) -> tuple[Path, ...]:
    """Write a motion library and return the files written.

    Args:
        library: The library.
        path: File, or folder for formats of several files.
        format: Name of the codec; None: told from the name.
        losses: Takes what the format cannot hold, which is left out.
        replace: Files that exist and say something else may be replaced.
        robot: The library's robot; in files of a format that calls the joints of every robot alike, its joints have
            the names by which it goes there.
        like: How the library was read. A document of Andante's that is made of another one keeps its comments.

    Raises:
        DocumentError: It cannot be written.
    """
    from andante.formats.andante import AndanteCodec

    codec = codec_for_writing(path) if format is None else FORMATS[format]
    if robot is not None and robot.aliases and codec.robots and library.robot not in codec.robots:
        library = by_aliases(library, robot, codec.robots[0])
    elif robot is not None and codec.joint_names:
        names = codec.joint_names
        aliases = {alias: joint for alias, joint in robot.aliases.items() if alias in names and joint not in names}
        library = by_aliases(library, dataclasses.replace(robot, aliases=aliases), library.robot)
    library = shown_to(codec, library)
    pattern = like.files if like is not None and like.format == codec.name else []
    with FORMATS.blame(codec.name):
        if isinstance(codec, AndanteCodec) and len(pattern) == 1:
            return codec.write_like(library, pattern[0], Path(path), replace=replace)
        return codec.write(library, Path(path), losses, replace=replace)


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
        robot: The robot, by name or file, that the motions shall be for, see `bind`; a name that nobody has a robot of
            stands for itself where the file names none. Empty: as the file says, or told from its joints.
        motions: Names of the motions to write, with the blocks that they need; none: the whole library.
        clip: Bring targets inside the robot's position limits.
        replace: Files that exist and say something else may be replaced.
        time: What counts where a file's header and its poses disagree about the time: header or poses.

    Raises:
        DocumentError: Either side fails, or a file may not be replaced.
        FormatError: Clipping is asked for and Andante does not know the robot.
        MotionError: The library has no motion of a name that is asked for, or names joints that the robot does not
            go by.
    """
    from andante.formats.limits import clipped, excesses, robot_of
    from andante.formats.trajectories.columns import robot_asked

    if target_format is None:
        _writers(Path(target))  # A name that nothing can be written to is told before anything is read.
    else:
        FORMATS[target_format]
    report = ReadReport(time=time)
    library = read(source, source_format, report=report, robot=robot)
    model = robot_asked(robot)
    if model is not None:
        # A file that names no robot is said to be for the one asked for, whatever its joints are.
        called, bound = library.robot, bind(library, model, strict=True)
        library = bound.library
        if called in ROBOTS and called != model.name and FORMATS[report.format].says_robot:
            report.warnings += map(Remark, filter(None, [unlike_note(called, bound)]))
        if bound.dropped:
            names = ", ".join(bound.dropped)
            report.warnings.append(Remark(f"left out, for robot {model.name!r} has no such joints: {names}"))
    if motions:
        library = chosen_motions(library, motions)
    codec = codec_for_writing(target, report.format) if target_format is None else FORMATS[target_format]
    pack, beyond = model or robot_of(library), list[Remark]()
    if pack is not None:
        beyond = excesses(library, pack)
        report.warnings += beyond
    elif clip:
        raise FormatError(
            "the limits of this robot are unknown", value=library.robot, remedy="convert without clipping"
        )
    else:
        text = f"the limits of robot {library.robot!r} are unknown and not looked at"
        near = nearest_name(library.robot, ROBOTS)
        report.warnings.append(Remark(f"{text}; did you mean {near!r}?" if near is not None else text))
    if clip and pack is not None:
        library, count = clipped(library, pack)
        if count:
            report.warnings.append(Remark(f"{count} targets were brought inside the limits of {pack.name!r}"))
    losses = Losses()
    written = write(library, target, codec.name, losses=losses, replace=replace, robot=model, like=report)
    return ConvertReport(
        source_format=report.format,
        target_format=codec.name,
        source_files=tuple(report.files),
        target_files=written,
        warnings=tuple(report.warnings),
        losses=tuple(losses.texts),
        excesses=tuple(beyond),
    )
