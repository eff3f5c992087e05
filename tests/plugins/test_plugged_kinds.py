"""Robots, formats, boards and checks of installed packages: good ones, and broken ones that cost only themselves."""

from __future__ import annotations

import json
import re
from itertools import count
from pathlib import Path

import pytest
from installed_packages import install
from typer.testing import CliRunner

from andante import load_motions
from andante.cli.app import app
from andante.errors import AndanteError
from andante.formats.codec import MotionFileCodec
from andante.formats.registry import FORMATS, convert, identify, read, write
from andante.formats.report import FormatError, ReadReport
from andante.motions.checks.run import CHECKS, check_library
from andante.motions.errors import MotionError
from andante.motions.library import MotionLibrary
from andante.plugins.errors import PluginError
from andante.plugins.kinds import plugins, register
from andante.robots.parts import RobotError
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot
from andante.studio.robot_files import named_robots
from andante.terrain.boards.make import BOARDS, make_board
from andante.terrain.height_map import TerrainError

NUMBERS = count()
LIBRARY = "format: andante.motions\nrobot: nao\nmotions: {nod: {blocks: [nod]}}\nblocks: {nod: {keyframes: []}}\n"
CODEC = """
import math
from andante.formats.codec import MotionFileCodec
from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary

class Dance(MotionFileCodec):
    name, title, suffixes = "dance", "steps of a dance", (".dance",)

    def sniff(self, head, path):
        return {sniff}

    def read(self, path, report):
        return {read}

    def encode(self, library, losses):
        return {encode}

def library(pitch=0.1):
    frame = Keyframe.model_construct(**dict(Keyframe(duration=0.5), joints={{"HeadPitch": pitch}}))
    return MotionLibrary(robot="nao", motions={{"nod": Motion(blocks=("nod",))}},
        blocks={{"nod": Block.model_construct(**dict(Block(), keyframes=(frame,)))}})
"""
GOOD = {"sniff": "float(head.startswith(b'dance'))", "read": "library()", "encode": "{'x': b'dance'}"}


def brought(folder: Path, code: str, kind: str, name: str, value: str) -> str:
    """Install a package with one thing and return its name."""
    package = f"brings{next(NUMBERS)}"
    install(folder, package, code, {f"andante.{kind}": {name: value}})
    return package


def andante(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def dance(tmp_path: Path) -> Path:
    path = tmp_path / "waltz.dance"
    path.write_text("dance of one step")
    return path


def test_a_format_of_a_package_is_recognised_read_and_written(packages: Path, dance: Path) -> None:
    brought(packages, CODEC.format(**GOOD), "formats", "dance", "Dance")
    assert identify(dance).title == "steps of a dance"
    assert read(dance).motions.keys() == {"nod"}
    report = convert(dance, dance.with_name("other.dance"))
    assert (report.source_format, report.target_format) == ("dance", "dance")
    assert "steps of a dance (.dance)" in andante("list", "formats")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"read": "None"}, "failed: TypeError: it reads a NoneType, no MotionLibrary"),
        ({"read": "library(math.nan)"}, r"failed: ValueError: a number of blocks.nod.keyframes\[0\] is not finite"),
        ({"read": "1 / 0"}, "failed: ZeroDivisionError"),
    ],
)
def test_a_codec_that_fails_is_named(packages: Path, dance: Path, part: dict[str, str], message: str) -> None:
    package = brought(packages, CODEC.format(**{**GOOD, **part}), "formats", "dance", "Dance")
    with pytest.raises(PluginError, match=f"plug-in {package} 1.2: its motion format 'dance' {message}"):
        read(dance)


@pytest.mark.parametrize("encode", ["{'x': 'text'}", "None", "[1][2]"])
def test_a_codec_that_does_not_encode_is_named_and_writes_nothing(packages: Path, dance: Path, encode: str) -> None:
    package = brought(packages, CODEC.format(**{**GOOD, "encode": encode}), "formats", "dance", "Dance")
    target = dance.with_name("other.dance")
    with pytest.raises(PluginError, match=f"plug-in {package} 1.2: its motion format 'dance' failed"):
        convert(dance, target)
    assert not target.exists()


@pytest.mark.parametrize("sniff", ["1 / 0", "float('nan')", "'yes'", "7"])
def test_a_codec_that_cannot_recognise_keeps_no_other_file_from_being_read(
    packages: Path, dance: Path, sniff: str
) -> None:
    package = brought(packages, CODEC.format(**{**GOOD, "sniff": sniff}), "formats", "dance", "Dance")
    file, report = dance.with_suffix(".yaml"), ReadReport()
    file.write_text(LIBRARY)
    assert read(file, report=report).robot == "nao"
    assert [str(each) for each in report.warnings if package in str(each)]
    with pytest.raises(FormatError, match=f"of no known motion format.*plug-in {package} 1.2: its motion format"):
        identify(dance)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("class Dance: pass", "a motion format is a MotionFileCodec, or a class of them; got 'type'"),
        (CODEC.format(**GOOD).replace('"dance", "steps', '"waltz", "steps'), "calls itself otherwise; got 'waltz'"),
        (CODEC.format(**GOOD).replace("def encode", "def decode"), "TypeError: Can't instantiate abstract class"),
    ],
)
def test_what_is_no_codec_is_refused_and_named(packages: Path, dance: Path, code: str, message: str) -> None:
    package = brought(packages, code, "formats", "dance", "Dance")
    with pytest.raises(PluginError, match=f"plug-in {package} 1.2: its motion format 'dance' cannot be used: .*"):
        FORMATS["dance"]
    with pytest.raises(FormatError) as caught:
        identify(dance)
    assert message in str(caught.value)
    assert f" dance cannot be used: plug-in {package}" in " ".join(andante("list", "formats").split())


ROBOT = "from pathlib import Path\nFOLDER = Path(__file__).parent / 'wheely'\ndef folder(): return FOLDER\n"


def pack(folder: Path, name: str = "wheely") -> None:
    """The shipped planar leg as the pack of another robot."""
    folder.mkdir()
    for file in ROBOTS["bootcamp-leg"].iterdir():
        text = file.read_text().replace("name: bootcamp-leg", f"name: {name}")
        (folder / file.name).write_text(text)


@pytest.mark.slow
@pytest.mark.parametrize("value", ["FOLDER", "folder"])
def test_a_robot_of_a_package_goes_by_its_name(packages: Path, value: str) -> None:
    brought(packages, ROBOT, "robots", "wheely", value)
    pack(packages / "wheely")
    assert Robot.load("wheely").joint_names == ("hip_angle", "knee_angle", "ankle_angle")
    assert "wheely" in [robot.name for robot in Robot.every()]
    assert "wheely" in andante("robots")
    assert "planar leg" in andante("show", "wheely")
    where = {robot.source: robot.where for robot in named_robots()}
    assert where["nao"] == "shipped"
    assert where["wheely"] == ROBOTS.source("wheely") != "andante"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "called", "message"),
    [
        (ROBOT, "", "cannot be used: .*the folder of the robot's pack has no pack.yaml"),
        ("FOLDER = 7", "", "cannot be used: a robot is the folder of its pack, or a function that returns it; got 'i"),
        ("def FOLDER(): return 1 / 0", "", "cannot be used: ZeroDivisionError"),
        (ROBOT, "rolly", "failed: the pack calls its robot otherwise; got 'rolly'; limit: its name 'wheely'"),
        (ROBOT, "wheely\nheight: 7", "failed: .*pack.yaml.*height"),
    ],
)
def test_a_broken_robot_costs_only_itself(packages: Path, code: str, called: str, message: str) -> None:
    package = brought(packages, code, "robots", "wheely", "FOLDER")
    if called:
        pack(packages / "wheely", called)
    with pytest.raises(PluginError, match=f"(?s)plug-in {package} 1.2: its robot 'wheely' {message}"):
        Robot.load("wheely")
    assert "wheely" not in [robot.name for robot in Robot.every()]
    assert f"cannot be used: plug-in {package} 1.2" in andante("list", "robots")
    assert "nao" in andante("robots")
    with pytest.raises(RobotError, match="there is no such robot; got 'whely'; did you mean 'wheely'"):
        Robot.load("whely")


BOARD = """
import numpy as np
from andante.terrain.boards.course import BoardKind
def build(course):
    x, y = course.nodes()
    {line}
RAMP = BoardKind("ramp", "a ramp", {{"rise": (0.0, 0.1)}}, build)
"""


def test_a_board_of_a_package_is_made_by_its_name(packages: Path) -> None:
    line = "course.surface = course.values['rise'] * course.ramp(x)"
    package = brought(packages, BOARD.format(line=line), "boards", "ramp", "RAMP")
    assert make_board("ramp", 1.0).facts().highest == pytest.approx(0.1)
    assert "ramp" in andante("boards")
    assert [(each.name, each.source) for each in plugins(["boards"])] == [("ramp", f"{package} 1.2")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("course.surface = x * np.nan", "failed: .*the height map has 48521 holes"),
        ("course.surface = x[:7]", "failed: "),
        ("course.surface = 1 / 0", "failed: ZeroDivisionError"),
        ("course.solids.append('box')", "failed: AttributeError"),
        ("course.values['rise'] = 'high'", "failed: TypeError: 'mappingproxy' object does not support item assignment"),
    ],
)
def test_a_broken_board_is_named(packages: Path, line: str, message: str) -> None:
    package = brought(packages, BOARD.format(line=line), "boards", "ramp", "RAMP")
    with pytest.raises(PluginError, match=f"plug-in {package} 1.2: its board 'ramp' {message}"):
        make_board("ramp")
    assert make_board("flat").name == "flat"


def test_parameters_that_make_no_board_are_the_users_fault(packages: Path) -> None:
    line = "from andante.terrain.height_map import TerrainError; raise TerrainError('too steep')"
    brought(packages, BOARD.format(line=line), "boards", "ramp", "RAMP")
    with pytest.raises(TerrainError, match=r"^too steep$"):
        make_board("ramp")


CHECK = """
from andante.motions.findings import Finding
def check(context):
    '''Motions without a note.'''
    {line}
"""


@pytest.fixture
def library(tmp_path: Path) -> MotionLibrary:
    file = tmp_path / "nod.yaml"
    file.write_text(LIBRARY)
    return read(file)


def test_a_check_of_a_package_runs_with_the_others(packages: Path, library: MotionLibrary) -> None:
    line = "yield Finding('unnoted', 'warning', 'motions.nod', 'has no note')"
    brought(packages, CHECK.format(line=line), "checks", "unnoted", "check")
    rules = [finding.rule for finding in check_library(library, Robot.load("nao"))]
    assert sorted(rules) == ["empty", "unnoted"]
    assert "Motions without a note" in andante("list", "checks")
    told = json.loads(andante("check", "ers7", "--json"))
    assert "has no note" in [finding["message"] for finding in told["findings"]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("raise ValueError('oh')", "its check 'unnoted' failed: ValueError: oh"),
        ("yield 7", "its check 'unnoted' failed: TypeError: it finds a int, no Finding"),
        ("return None", "its check 'unnoted' failed: TypeError: 'NoneType' object is not iterable"),
        ("import no_such_module", "its check 'unnoted' failed: ModuleNotFoundError"),
        ("yield Finding('a', 'horrible', 'b', 'c')", "its check 'unnoted' failed: ValueError: its finding has the sev"),
        ("yield Finding('a', 'info', None, 'c')", "its check 'unnoted' failed: TypeError: the place of its finding is"),
        ("yield Finding('a', 'info', 'b', 'c', value=float('nan'))", "its check 'unnoted' failed: ValueError: the val"),
    ],
)
def test_a_check_that_raises_is_itself_a_finding(
    packages: Path, library: MotionLibrary, line: str, message: str
) -> None:
    package = brought(packages, CHECK.format(line=line), "checks", "unnoted", "check")
    found = check_library(library, Robot.load("nao"))
    (told,) = [each for each in found if each.rule == "unnoted"]
    assert told.message.startswith(f"not checked, as the check cannot be used: plug-in {package} 1.2: {message}")
    assert told.severity == "warning"
    assert "empty" in [each.rule for each in found]
    with pytest.raises(MotionError, match="there is no such check; got 'unnotd'; did you mean 'unnoted'"):
        check_library(library, Robot.load("nao"), rules=["unnotd"])


def test_what_code_of_others_is_shown_of_a_library_is_its_own(packages: Path, dance: Path) -> None:
    """A check that took blocks away failed the motions, and a codec's changes stayed in the program's library."""
    line = "context.library.blocks.clear(); context.library.motions.clear(); yield from ()"
    brought(packages, CHECK.format(line=line), "checks", "unnoted", "check")
    encode = "library.blocks.clear() or library.motions.clear() or {'x': b'dance'}"
    brought(packages, CODEC.format(**{**GOOD, "encode": encode}), "formats", "dance", "Dance")
    motions = load_motions("nao-basics")
    before = check_library(motions, Robot.load("nao"), rules=[each for each in CHECKS if each != "unnoted"])
    assert check_library(motions, Robot.load("nao")) == before
    write(motions, dance.with_name("other.dance"))
    assert motions.blocks
    assert motions.motions


@pytest.mark.slow
def test_the_command_tells_what_is_brought_and_what_is_broken(packages: Path) -> None:
    assert "no installed package brings anything" in andante("plugins")
    good = brought(packages, CODEC.format(**GOOD), "formats", "dance", "Dance")
    for kind in (FORMATS, BOARDS, CHECKS, ROBOTS):
        kind.reread()
    assert andante("plugins").splitlines() == ["formats", f"  dance  {good} 1.2"]
    bad = brought(packages, "raise RuntimeError('oh')", "boards", "ramp", "RAMP")
    brought(packages, "raise RuntimeError('oh')", "boards", 55 * "x", "RAMP")
    twice = brought(packages, CODEC.format(**GOOD), "formats", "dance", "Dance")
    for kind in (FORMATS, BOARDS, CHECKS, ROBOTS):
        kind.reread()
    told = andante("plugins", code=1)
    assert f"plug-in {bad} 1.2: cannot be imported ({bad}:RAMP): RuntimeError: oh" in told
    assert f"plug-in {twice} 1.2: its motion format has a name that {good} 1.2 has" in told or (
        f"plug-in {good} 1.2: its motion format has a name that {twice} 1.2 has" in told
    )
    # A long name moves only what stands behind it.
    assert re.search(rf"^  dance {{21}}({good}|{twice}) 1.2$", told, re.MULTILINE)
    data = json.loads(andante("plugins", "--json", code=1))
    assert data["verdict"] == "fail"
    assert {each["kind"] for each in data["plugins"]} == {"formats", "boards"}
    (line,) = [line for line in CliRunner().invoke(app, ["doctor"]).output.splitlines() if "plug-ins" in line]
    assert "ramp (boards)" in line
    with pytest.raises(PluginError, match="there is no such kind of plug-in; got 'board'; did you mean 'boards'"):
        plugins(["board"])


def test_a_program_adds_things_by_kind_and_name() -> None:
    class Waltz(MotionFileCodec):
        name, title, suffixes = "waltz", "a waltz", (".waltz",)

        def read(self, path, report):
            raise AssertionError("this test only writes")

        def encode(self, library, losses):
            return {"x": b"waltz"}

    register("formats", "waltz", Waltz)
    try:
        assert FORMATS["waltz"].title == "a waltz"
        with pytest.raises(PluginError, match="the motion format calls itself otherwise; got 'waltz'"):
            register("formats", "mtn", Waltz())
        with pytest.raises(PluginError, match="two formats cannot have one name; got 'waltz'"):
            register("formats", "waltz", Waltz())
    finally:
        FORMATS.unregister("waltz")
    with pytest.raises(AndanteError, match="there is no such motion format"):
        FORMATS["waltz"]


def test_settings_of_boards_and_observers_of_packages_are_told(packages):
    code = """
from andante.extend import BoardKind, ObserverKind
RAMP = BoardKind("ramp-of-one", "a ramp", {"grade": (0.1, 0.3)}, lambda course: None)
WRONG = BoardKind("ramp-of-words", "a ramp", {"grade": ("flat", "steep")}, lambda course: None)

class Steps(ObserverKind):
    tells = ("steps",)
    least: float = 0.2
    def observer(self, scenario, parts):
        return None
"""
    name = f"brings{next(NUMBERS)}"
    boards = {"ramp-of-one": "RAMP", "ramp-of-words": "WRONG", "ramp-lost": "NOTHING"}
    install(packages, name, code, {"andante.boards": boards, "andante.observers": {"steps-of-one": "Steps"}})
    listed = CliRunner().invoke(app, ["params"]).stdout
    assert f"Board of {name} 1.2" in listed
    assert f"Observer of {name} 1.2" in listed
    told = CliRunner().invoke(app, ["params", "ramp-of-one"]).stdout
    assert "world.terrain.parameters.grade" in told
    assert "default 0.2 " in told
    assert "observers.steps-of-one.least " in CliRunner().invoke(app, ["params", "steps-of-one"]).stdout
    for wrong in ("ramp-of-words", "ramp-lost"):
        refused = CliRunner().invoke(app, ["params", wrong])
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert f"plug-in {name} 1.2: " in refused.stderr
