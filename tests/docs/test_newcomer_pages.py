"""The pages for newcomers: tables name what there is, pictures and links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from andante.cli.app import app
from andante.formats.registry import FORMATS
from andante.robots.pack import PackCouplings, PackFoot, PackJoint, PackMirror, RobotPack, ServoClass

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_every_field_of_a_pack_is_on_the_page() -> None:
    text = page("bring-your-robot")
    inside = {"x", "y", "rows", "any_of"}
    for model in (RobotPack, PackJoint, ServoClass, PackFoot, PackMirror, PackCouplings):
        for field in model.model_fields:
            assert field in inside or re.search(rf"[`.]{field}\b|`{field}`|`{field}: ", text), field


def test_formats_name_every_format() -> None:
    text = page("formats")
    for name in FORMATS:
        assert f"`{name}`" in text or re.fullmatch(r"bhuman-202[345]", name), name


@pytest.mark.slow
def test_a_report_has_what_the_page_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["run", "get-up", "--out", "up"]).exit_code == 0
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
