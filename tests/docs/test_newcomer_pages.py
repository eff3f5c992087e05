"""The pages for newcomers: commands run as printed and print what is written; tables name what there is."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.formats.registry import FORMATS
from andante.robots.pack import PackCouplings, PackFoot, PackJoint, PackMirror, RobotPack, ServoClass
from kinematics.packaged_robots import packaged_robot

DOCS = Path(__file__).resolve().parents[2] / "docs"
FENCE = re.compile(r"^```(\w+)(?: title=\"(\S+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def commands(name: str) -> list[tuple[list[str], list[str]]]:
    """Words of each command of a page, and the lines that it is said to print."""
    found: list[tuple[list[str], list[str]]] = []
    for kind, _, text in FENCE.findall(page(name)):
        for line in text.splitlines() if kind == "console" else ():
            if line.startswith(("$ andante ", "andante ")):
                found.append((shlex.split(line.removeprefix("$ "))[1:], []))
            else:
                found[-1][1].append(line)
    return found


def run(words: list[str], lines: list[str]) -> None:
    done = CliRunner().invoke(app, words)
    assert done.exit_code in (0, 1), (words, done.output)
    printed = done.output.splitlines()
    told = [line for line in lines if line != "..."]
    assert [line for line in printed if line in told] == told, (words, printed)
    if told and "..." not in lines:
        assert printed == told, words


def write_files(name: str) -> None:
    for _, file, text in FENCE.findall(page(name)):
        if file:
            Path(file).write_text(text)


def test_the_first_motion_goes_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files("first-motion")
    bow = Path("bow.yaml").read_text()
    Path("fast.yaml").write_text(bow.replace("duration: 900", "duration: 90"))
    Path("deep.yaml").write_text(bow.replace("LHipPitch: -60, RHipPitch: -60", "LHipPitch: -85, RHipPitch: -85"))
    for words, lines in commands("first-motion"):
        run(words + (["--no-report"] if words[0] == "run" else []), lines)
    done = CliRunner().invoke(app, ["fix", "fast.yaml", "--out", "slower.yaml"])
    assert done.exit_code == 0
    assert "0 warnings" in CliRunner().invoke(app, ["check", "slower.yaml"]).output
    assert len(commands("first-motion")) == 6


def test_a_robot_is_brought_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = packaged_robot("t1").path
    monkeypatch.chdir(tmp_path)
    shutil.copytree(model.parent, "T1")
    write_files("bring-your-robot")
    for words, lines in commands("bring-your-robot"):
        run(words, lines)
    assert json.loads(Path("t1-wave/metrics.json").read_text())["verdict"] == "pass"
    assert Path("my-t1/pack.yaml").is_file()


def test_every_field_of_a_pack_is_on_the_page() -> None:
    text = page("bring-your-robot")
    inside = {"x", "y", "rows", "any_of"}
    for model in (RobotPack, PackJoint, ServoClass, PackFoot, PackMirror, PackCouplings):
        for field in model.model_fields:
            assert field in inside or re.search(rf"[`.]{field}\b|`{field}`|`{field}: ", text), field


def test_formats_name_every_format_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page("formats")
    for name in FORMATS:
        assert f"`{name}`" in text or re.fullmatch(r"bhuman-202[345]", name), name
    for words, lines in commands("formats"):
        run(words, lines)


def test_a_report_has_what_the_page_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for words, lines in commands("read-a-report"):
        run(words, lines)
    assert {path.name for path in Path("up").iterdir()} >= set(
        re.findall(r"^\| `([\w.]+\.\w+)`", page("read-a-report"), re.M)
    )
    metrics = json.loads(Path("up/metrics.json").read_text())["metrics"]
    table = page("read-a-report").partition("| metric |")[2].partition("\n\n")[0]
    for name in re.findall(r"`(\w+)`", table):
        assert name in metrics, name


@pytest.mark.parametrize("name", ["index", "gallery"])
def test_pictures_are_there_and_small(name: str) -> None:
    named = re.findall(r"\]\((pictures/[^)]+)\)", page(name))
    assert named
    for picture in named:
        assert 5_000 < (DOCS / picture).stat().st_size < 300_000, picture


@pytest.mark.parametrize("name", sorted(path.stem for path in DOCS.glob("*.md")))
def test_links_between_pages_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)(?:#[^)]*)?\)", page(name)):
        assert (DOCS / target).exists(), target
