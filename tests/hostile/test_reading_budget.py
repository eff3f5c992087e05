"""The reading budget: what is read costs no more than it may, and no reader goes round it."""

from __future__ import annotations

import ast
import contextlib
import functools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import andante
from andante.documents.budget import ReadingBudget, budgeted, under_budget
from andante.documents.files import read_bytes, read_head, read_text
from andante.documents.json_data import MAX_DEPTH, parse_json_data
from andante.documents.problems import DocumentError
from andante.errors import LONGEST_MESSAGE, AndanteError
from andante.formats.codec import MotionFileCodec
from andante.formats.report import ReadReport
from andante.terrain.height_map import TerrainError

SOURCE = Path(andante.__file__).parent
TIGHT = ReadingBudget(seconds=0.2, seconds_per_byte=0.0)
SLIM = ReadingBudget(seconds=30.0, memory=80_000_000, memory_per_byte=0.0)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 100_000)
    return path


# What is read costs no more than it may.


def test_a_reading_that_takes_too_long_is_ended_with_one_message(large: Path) -> None:
    @budgeted(TIGHT, error=TerrainError)
    def endless(path: Path) -> None:
        read_bytes(path)
        number = 0
        while True:
            number += 1

    begun = time.process_time()
    with pytest.raises(TerrainError, match=r"large: takes too much time to read.*100000 bytes.*limit: 0\.2 s"):
        endless(large)
    assert time.process_time() - begun < 5.0
    assert threading.active_count() == 1 or "andante-reading" not in [each.name for each in threading.enumerate()]


def test_what_swallows_all_errors_is_ended_as_well(large: Path) -> None:
    @budgeted(TIGHT)
    def stubborn(path: Path) -> None:
        read_bytes(path)
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))

    with pytest.raises(DocumentError, match="too much time"):
        stubborn(large)


def test_a_reading_that_takes_too_much_memory_is_ended(large: Path) -> None:
    @budgeted(SLIM)
    def greedy(path: Path) -> None:
        read_bytes(path)
        kept = []
        while len(kept) < 3000:
            kept.append(bytearray(b"x" * 1_000_000))

    with pytest.raises(DocumentError, match=r"too much memory to read.*limit: 80 MB"):
        greedy(large)


def test_a_reading_may_cost_more_the_more_it_was_given(large: Path) -> None:
    @budgeted(ReadingBudget(seconds=0.0, seconds_per_byte=1e-5))
    def slow(path: Path) -> str:
        read_bytes(path)
        end = time.thread_time() + 0.3
        while time.thread_time() < end:
            pass
        return "read"

    assert slow(large) == "read"  # 100,000 bytes may take 1 s


def test_what_the_error_is_of_and_what_comes_back_is_as_without_a_budget(large: Path) -> None:
    @budgeted(TIGHT)
    def first(path: Path, *, fail: bool = False) -> bytes:
        """Docs."""
        assert under_budget()
        if fail:
            raise KeyError("mine")
        return read_bytes(path)[:1]

    assert first(large) == b"x"
    assert first(path=large) == b"x"
    assert first.__doc__ == "Docs."
    with pytest.raises(KeyError, match="mine"):
        first(large, fail=True)
    assert not under_budget()


@pytest.mark.slow
def test_the_outer_budget_holds_inside(large: Path) -> None:
    @budgeted(TIGHT)
    def inner(path: Path) -> int:
        read_bytes(path)
        end = time.thread_time() + 0.5
        while time.thread_time() < end:
            pass
        return 1

    @budgeted(ReadingBudget(seconds=60.0))
    def outer(path: Path) -> int:
        return inner(path)

    assert outer(large) == 1


@pytest.mark.slow
def test_nothing_arrives_late_however_close_the_end_was(large: Path) -> None:
    """The end from beside and the end of the reading race; either wins, and nothing is raised after it."""

    @budgeted(ReadingBudget(seconds=0.02, seconds_per_byte=0.0))
    def close(path: Path, share: float) -> int:
        read_bytes(path)
        end = time.thread_time() + share
        while time.thread_time() < end:
            pass
        return 1

    found = set()
    for number in range(40):
        try:
            found.add(close(large, 0.015 + 0.001 * number))
        except DocumentError:
            found.add(0)
        sum(range(20_000))  # where something that came late would arrive
    assert 0 in found


def test_what_is_nested_too_deeply_or_too_large_for_memory_is_one_message() -> None:
    @budgeted()
    def deep(path: str) -> None:
        deep.__wrapped__(path)  # type: ignore[attr-defined]

    @budgeted()
    def full(path: str) -> None:
        raise MemoryError

    with pytest.raises(DocumentError, match=r"^a: is nested too deeply"):
        deep("a")
    with pytest.raises(DocumentError, match=r"^a: takes too much memory"):
        full("a")


def test_a_reading_in_a_thread_is_ended_there(large: Path) -> None:
    told: list[str] = []

    @budgeted(TIGHT)
    def endless(path: Path) -> None:
        read_bytes(path)
        while True:
            pass

    def work() -> None:
        try:
            endless(large)
        except DocumentError as error:
            told.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20.0)
    assert len(told) == 1


# Messages and JSON.


def test_a_message_keeps_its_beginning_and_its_end() -> None:
    text = str(AndanteError("the beginning " + "x" * 1_000_000, remedy="the end"))
    assert len(text) <= LONGEST_MESSAGE
    assert text.startswith("the beginning xxx")
    assert text.endswith("xxx; the end")


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 900, 100_000])
def test_nested_json(depth: int) -> None:
    with pytest.raises(DocumentError, match="a: is nested too deeply; limit: 64 levels"):
        parse_json_data("[" * depth + "]" * depth, "a")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" + "[]," * 2_000_000 + "1]", "too many values"),
        ("[NaN]", "NaN is no number"),
        ("-Infinity", "-Infinity is no number"),
        ("9" * 10_000, "is no JSON"),
        (b"\xff", "is no JSON"),
        ('{"a": ', "is no JSON"),
    ],
)
def test_hostile_json(text: str | bytes, says: str) -> None:
    with pytest.raises(DocumentError, match=says):
        parse_json_data(text, "a")


def test_json() -> None:
    assert parse_json_data(b'{"a": [1, 2.5, null, true, "x"]}', "a") == {"a": [1, 2.5, None, True, "x"]}
    assert parse_json_data("[" * MAX_DEPTH + "]" * MAX_DEPTH, "a")


def test_heads_are_read_of_files_only(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abcdef")
    assert read_head(tmp_path / "a", 3) == b"abc"
    for other in (tmp_path, Path("/dev/zero"), tmp_path / "none"):
        with pytest.raises(DocumentError):
            read_head(other, 3)


# No reader goes round it.

RAW = {
    "documents.files": "the door itself",
    "documents.json_data": "the door of JSON",
    "documents.yaml_tree": "takes a text",
    "formats.shared.xml_text": "takes a text",
    "formats.shared.json_text": "one text in quotes, found by its own grammar",
    "formats.trajectories.npz_file": "takes bytes, bounds what is unpacked",
    "formats.trajectories.csv_file": "takes a text",
    "control.policies.other_files": "takes bytes, lists the names of an archive's members",
    "robots.other_files": "takes bytes, lists the names of an archive's members",
    "runs.tasks.asking": "looks at pictures that a task of this run has written",
    "runs.logs.kept_files": "holds files that this run has written, of a bounded size",
    "formats.aibo.binary": "takes bytes, bounds what is unpacked",
    "terrain.files.arrays": "takes bytes, bounds what is unpacked",
    "terrain.files.images": "takes bytes, bounds the pixels",
    "terrain.files.las_parts": "looks at sizes in a file that load_map opened, bounds their number",
    "terrain.files.matlab": "takes bytes, bounds what is unpacked",
    "plugins.installed": "what installed packages say of themselves",
    "terrain.files.geotiff": "takes bytes, bounds the pixels and what is unpacked",
    "robots.model_budget": "looks at a text before MuJoCo does",
    "robots.collada": "takes bytes, looks at them and bounds the copies",
    "robots.mesh_files": "looks at how a file begins",
    "robots.urdf_tree": "takes a text that was looked at",
    "robots.sdf.elements": "takes a text that was looked at",
    "robots.model_text": "takes a text that was looked at",
    "robots.description": "its own text, which was looked at when it was loaded",
    "backends.rcsssmj.like": "a robot's own text, which was looked at when it was loaded",
    "search.judging.qualify_rcsssmj": "a robot's own text, which was looked at when it was loaded",
    "motions.extras": "one line of bounded length",
    "documents.memory": "/proc",
    "search.limits": "/proc",
    "pictures.pages": "the package's own pages",
    "kinematics.reach_page": "the package's own pages",
    "search.comparison_page": "the package's own pages",
    "runs.reports.report": "the package's own pages, and pictures just made",
    "runs.kick.animation": "the package's own pages",
    "search.toolchain": "hashes of files; runs where there is no Andante",
    "search.journal": "its own data turned around",
    "search.kicks.campaign": "its own data turned around",
    "search.studies.driving": "its own data turned around",
    "search.studies.optimise": "its own data turned around",
    "search.studies.page": "pictures just made",
    "backends.hardware.dynamixel": "a number that the system tells of a serial adapter",
    "backends.hardware.udp": "a packet of the network, of bounded length",
    "runs.hardware.fakes": "what its own process prints",
    "studio.robot_form": "a pack just made",
    "studio.sharing": "the package's own pages, and what was just made",
    "kernels.fingerprint": "the package's own files",
    "kernels.target": "the package's own files",
    "kernels.ahead": "the package's own files",
    "kernels.store": "the package's own files",
    "kernels.dispatchers": "the package's own files, by their checksum",
    "studio.document": "a shipped library",
    "studio.message": "a message of bounded length",
    "studio.journal": "its own journal, bounded by its door",
    "runs.state.engines": "an empty model",
    "studio.assets": "the package's own page",
    "studio.disk": "the door of the workspace, whose files are bounded there",
    "studio.supervised": "/proc",
}
"""Modules that take bytes or texts apart, or read files that nobody else writes, and why each may."""
METHODS = {"read_bytes", "read_text", "from_string", "from_file", "from_xml_string", "from_xml_path", "genfromtxt"}
NAMED = {
    *("json.load", "json.loads", "np.load", "np.loadtxt", "numpy.load", "pickle.load", "pickle.loads", "Image.open"),
    *("zipfile.ZipFile", "tarfile.open", "gzip.open", "gzip.decompress", "zlib.decompress", "zlib.decompressobj"),
    *("expat.ParserCreate", "ElementTree.fromstring", "ElementTree.parse", "csv.reader", "tomllib.load", "mmap.mmap"),
    *("tomllib.loads", "yaml.load", "yaml.safe_load", "open", "io.open", "configparser.ConfigParser", "bz2.open"),
}
READS = {"read_bytes", "read_text"}
UNDER = {
    "control.policies.readers.isaac_agent:agent_cuts": "isaac_env.read",
    "control.policies.readers.rl_sar:_table": "rl_sar.read",
    "documents.files:read_text": "hands on",
    "documents.writer:save_document": "its own text, before it is written anew",
    "formats.shared.single:read_file": "MotionFileCodec.read",
    "formats.aibo.files:read_old_text": "MotionFileCodec.read",
    "formats.aibo.mtn_codec:read_file": "MotionFileCodec.read",
    "formats.bhuman.codec:_load": "MotionFileCodec.read",
    "formats.robotis.action_file:read": "MotionFileCodec.read",
    "formats.robotis.roboplus:read_file": "MotionFileCodec.read",
    "formats.bhuman.codec:_guard_parameters": "what is there is compared as bytes",
    "formats.trajectories.npz_file:read_file": "MotionFileCodec.read",
    "formats.trajectories.gmr:read_file": "MotionFileCodec.read",
    "formats.trajectories.rosbag:_content": "MotionFileCodec.read",
    "formats.codec:_says": "what is there is compared as bytes",
    "robots.mesh_files:read_mesh": "load_robot",
    "robots.model_budget:include": "load_robot",
    "runs.motion_libraries:read_for": "bytes; what is made of them is read by load_library",
    "runs.logs.log:_bytes": "Log.open",
    "studio.document:_read": "bytes; what is made of them is read by load_library and the codecs",
    "studio.document:_text": "bytes; what is made of them is read by load_library and the codecs",
    "studio.document:_there": "bytes",
    "studio.document:reread": "bytes; what is made of them is read by load_library and the codecs",
    "terrain.files.coordinates_beside:_matrix": "load_map",
    "terrain.files.gazebo:_named": "load_map",
    "terrain.files.gltf_buffers:_beside": "load_map",
    "terrain.files.load:_content": "load_map",
    "terrain.files.world_file:placed_by": "load_map",
    "terrain.files.projection_file:in_units_of": "load_map",
    "search.studies.optimise:found_text": "a file that was read by load_library just before",
}
"""Functions that read bytes and are no entry themselves, and the entry that they stand under."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Name and tree of each module, one after the other: all at once are two million objects."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "pyodide" not in path.parts:
            name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            yield name, ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def called() -> dict[str, list[str]]:
    """What each module calls."""
    return {name: sorted(set(calls(tree))) for name, tree in modules()}


def calls(tree: ast.AST) -> Iterator[str]:
    """What is called: ``json.loads``, ``open`` and, of methods, ``.read_bytes``."""
    short = {
        each.asname or each.name: f"{node.module}.{each.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for each in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(each.name == "yaml" for each in node.names):
            yield "import yaml"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            called = short.get(called, called)
            mode = next((each.value for each in [*node.args[:2]] if isinstance(each, ast.Constant)), "")
            if called in NAMED:
                yield called
            elif isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
                yield f".{node.func.attr}"
            elif called.endswith(".open") and isinstance(mode, str) and mode.startswith("r") and "+" not in mode:
                yield f".open({mode})"


@pytest.mark.slow
def test_files_are_opened_and_taken_apart_only_where_that_is_bounded() -> None:
    found = called()
    round_it = {name: what for name, what in found.items() if what and name not in RAW}
    assert not round_it, (
        "read with andante.documents.files.read_bytes under @budgeted, JSON with parse_json_data; "
        "where a module only takes apart what it is given, and bounds it, say so in RAW"
    )


@pytest.mark.slow
def test_the_table_is_no_longer_than_needed() -> None:
    assert set(RAW) <= {name for name, found in called().items() if found}


@pytest.mark.slow
def test_whatever_reads_bytes_stands_under_a_budget() -> None:
    loose, met = [], set()
    for name, tree in modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef):
                continue
            reads = any(
                isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in READS
                for each in ast.walk(node)
            )
            covered = any("budgeted" in ast.unparse(each) for each in node.decorator_list)
            if reads and f"{name}:{node.name}" in UNDER:
                met.add(f"{name}:{node.name}")
            elif reads and not covered:
                loose.append(f"{name}:{node.name}")
    assert not loose, "decorate the function by which the file comes in with @budgeted"
    assert met == set(UNDER)


def test_every_format_reads_under_a_budget_whoever_adds_it(tmp_path: Path) -> None:
    seen: list[bool] = []

    class Mine(MotionFileCodec):
        name, title, suffixes = "mine", "mine", (".mine",)

        def read(self, path: Path, report: ReadReport) -> None:  # type: ignore[override]
            seen.append(under_budget())
            read_text(path)

        def encode(self, library: object, losses: object) -> dict[str, bytes]:
            return {}

    file = tmp_path / "a.mine"
    file.write_text("x")
    Mine().read(file, ReadReport())
    assert seen == [True]
