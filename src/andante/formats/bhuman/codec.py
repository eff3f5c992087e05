"""The codec of the B-Human configuration files: `keyframeMotionEngine.cfg` and `keyframeMotionParameters.cfg`.

The engine file holds motions, blocks and settings, the parameters file the balance parameters per phase. Reading the
engine file, or the folder, takes the parameters file beside it too; a parameters file by itself gives a library with
balance parameters only. Writing makes both (the second only for a library with balance parameters).

Motions and blocks may have names that the release does not have, if an enumeration can list them: teams add such to
the robot's code. Names of the release that a library does not have are written as empty entries with a mark.

The dialect is told from the attributes present. The files of 2023 and 2024 have the same ones, so such a file counts as
of 2024 unless the format is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from andante.documents.files import check_text, read_text
from andante.documents.problems import DocumentError
from andante.formats.bhuman.decode import decode_block, decode_comment, decode_motion, decode_settings, without_padding
from andante.formats.bhuman.encode import encode
from andante.formats.bhuman.grammar import Array, AttributeRecord, GrammarReader, ParsedFile, parse, told
from andante.formats.bhuman.layout import layout
from andante.formats.bhuman.names import DIALECTS
from andante.formats.bhuman.schema import ONLY_2022, ONLY_2025, PARAMETERS, engine_shape
from andante.formats.bhuman.shapes import records_in
from andante.formats.codec import MotionFileCodec, refusals_of
from andante.formats.report import FormatError, Losses, ReadReport
from andante.motions.library import MotionLibrary
from andante.motions.settings import BalanceParameters

ENGINE_FILE = "keyframeMotionEngine.cfg"
PARAMETERS_FILE = "keyframeMotionParameters.cfg"
ROBOT = "nao"
"""The robot that the files are for; they do not name it."""
DEFAULT_DIALECT = "bhuman-2024"
"""Of a file that fits several dialects, and of a library of Andante's own."""
MAX_BYTES = 16_000_000
"""Largest file that is read; the real ones have 0.14 MB."""

_SIGNATURE = re.compile(rb"\b(?:keyframeBlock|balanceList|maxTryCounter|safeFallParameters|mofs)\s*=")


class BHumanCodec(MotionFileCodec):
    """Reads and writes one or any dialect.

    Args:
        dialect: Dialect that files are read and written in; None: told from the file's attributes when reading, the
            library's own when writing.
    """

    suffixes = (".cfg",)
    robots = (ROBOT,)
    says_robot = False

    def __init__(self, dialect: str | None = None) -> None:
        self.dialect = dialect
        self.name = dialect or "bhuman"
        if dialect is None:
            self.signature, self.by_suffix = _SIGNATURE, 0.4
        self.title = f"B-Human keyframe configuration{' ' + dialect[-4:] if dialect else ''}"

    def sniff_folder(self, path: Path) -> float:
        """How likely a folder is of this format: 0 to 1."""
        if self.dialect is not None:
            return 0.0
        return 0.95 if any((path / name).is_file() for name in (ENGINE_FILE, PARAMETERS_FILE)) else 0.0

    def read(self, path: Path, report: ReadReport) -> MotionLibrary:
        """Read a file or a folder.

        Raises:
            DocumentError: A file cannot be read or breaks the format.
        """
        if path.is_dir():
            engine_path, parameters_path = path / ENGINE_FILE, path / PARAMETERS_FILE
            if not engine_path.is_file() and not parameters_path.is_file():
                raise FormatError("the folder has no such file", file=path, value=ENGINE_FILE)
        else:
            engine_path, parameters_path = path, path.parent / PARAMETERS_FILE
        folder = engine_path.parent
        # As the robot's software looks for configuration: the robot's own folder, that of all robots, the root.
        places = (parameters_path, folder.parent / "Default" / PARAMETERS_FILE, folder.parent.parent / PARAMETERS_FILE)
        main = engine_path if engine_path.is_file() or not path.is_dir() else parameters_path
        tree = _load(main, report)
        if "balanceList" in tree.root.fields and "keyframeBlock" not in tree.root.fields:
            balance = _read_balance(tree, report)
            return MotionLibrary(robot=ROBOT, dialect=self.dialect or DEFAULT_DIALECT, balance=balance)
        library = self._read_engine(tree, report)
        found = next((place for place in places if place != main and place.is_file()), None)
        if found is not None:
            balance = _read_balance(_load(found, report), report)
            return library.model_copy(update={"balance": balance})
        if any(keyframe.phase != "unknown" for block in library.blocks.values() for keyframe in block.keyframes):
            looked = ", ".join(str(place.parent) for place in places)
            report.warn(f"{PARAMETERS_FILE}, which has the balance phases, is in none of {looked}", str(main))
        return library

    def _read_engine(self, tree: ParsedFile, report: ReadReport) -> MotionLibrary:
        dialect = self.dialect or _dialect(tree)
        entries = {name: value.fields for name, value in tree.root.fields.items() if isinstance(value, AttributeRecord)}
        raw = engine_shape(dialect).read(tree.root, GrammarReader(tree.source, report, entries), "")
        with refusals_of(tree.source.file):
            library = MotionLibrary(
                robot=ROBOT,
                dialect=dialect,
                settings=decode_settings(raw),
                motions={name: decode_motion(motion) for name, motion in raw["motions"].items()},
                blocks={name: decode_block(block) for name, block in raw["blocks"].items()},
                **decode_comment(raw),
            )
        return without_padding(library)

    def encode(self, library: MotionLibrary, losses: Losses) -> dict[str, bytes]:
        """Both files by name, the second only where the library has balance parameters.

        Raises:
            FormatError: The library is for another robot.
        """
        remedy = "a target without an ending means B-Human's files; give it one, or name the format (--to)"
        self.check_robot(library, remedy)
        dialect = self.dialect or (library.dialect if library.dialect in DIALECTS else DEFAULT_DIALECT)
        engine, parameters = encode(library, dialect, losses)
        files = {ENGINE_FILE: layout(engine_shape(dialect).write(engine)).encode()}
        if parameters is not None:
            files[PARAMETERS_FILE] = layout(PARAMETERS.write(parameters)).encode()
        return files

    def place(self, contents: Mapping[str, bytes], path: Path) -> dict[Path, bytes]:
        """Both in a folder, or the engine file at ``path`` and the parameters file beside it.

        Raises:
            FormatError: An other library's parameters file would be overwritten.
        """
        if path.suffix.lower() not in self.suffixes or path.is_dir():
            return {path / name: raw for name, raw in contents.items()}
        parameters = path.parent / PARAMETERS_FILE
        if path.name != ENGINE_FILE and PARAMETERS_FILE in contents:
            _guard_parameters(parameters, contents[PARAMETERS_FILE], path)
        return {path if name == ENGINE_FILE else parameters: raw for name, raw in contents.items()}


def _load(path: Path, report: ReadReport) -> ParsedFile:
    text = read_text(path, max_bytes=MAX_BYTES)
    check_text(text, place=str(path), max_bytes=MAX_BYTES)
    tree = parse(text, str(path))
    report.files.append(path)
    told(tree, report)
    return tree


def _read_balance(tree: ParsedFile, report: ReadReport) -> dict[str, BalanceParameters]:
    raw = PARAMETERS.read(tree.root, GrammarReader(tree.source, report), "")
    with refusals_of(tree.source.file):
        return {phase: BalanceParameters.model_validate(values) for phase, values in raw["balanceList"].items()}


def _dialect(tree: ParsedFile) -> str:
    """The dialect that the attributes of an engine file tell."""
    names = {name for record in records_in(tree.root) for name in record.fields}
    if "mofs" in names:
        raise tree.source.error(
            "this is the schema of the releases before 2022, which is not read",
            tree.root.names.get("mofs", 0),
            legal=DIALECTS,
        )
    if names & ONLY_2025 or _flat_compensation(tree.root):
        return "bhuman-2025"
    return "bhuman-2022" if names & ONLY_2022 else DEFAULT_DIALECT


def _flat_compensation(root: AttributeRecord) -> bool:
    """Whether a compensation rule stands directly in its keyframe, as from 2025 on."""
    rules = [record.fields.get("jointCompensation") for record in records_in(root)]
    alone = [each for rule in rules for each in (rule.items if isinstance(rule, Array) else [rule])]
    return any(isinstance(each, AttributeRecord) and "jointDelta" in each.fields for each in alone)


def _guard_parameters(path: Path, raw: bytes, engine_path: Path) -> None:
    """Refuse to overwrite the balance parameters of the engine file that already stands in the folder."""
    if not path.is_file():
        return
    try:
        same = read_text(path, max_bytes=MAX_BYTES).encode() == raw
    except DocumentError:
        same = False
    if not same:
        raise FormatError(
            f"writing {engine_path.name} would overwrite another library's balance parameters",
            file=path,
            remedy="write to a folder of its own",
        )


BHUMAN_2022, BHUMAN_2023, BHUMAN_2024, BHUMAN_2025 = map(BHumanCodec, DIALECTS)
"""Codecs of one dialect each."""
