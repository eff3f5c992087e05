"""The page about whole-body inverse kinematics: its program runs and prints what its prose promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from andante.kinematics import whole_body, whole_body_problem

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "whole-body-ik.md").read_text(encoding="utf-8")


def test_the_program_reaches_what_is_near_and_tells_what_is_far(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    exec(compile(program, "docs/whole-body-ik.md", "exec"), {})
    assert re.fullmatch(r"True False 1\.\d m short", capsys.readouterr().out.strip())


def test_the_names_in_its_table_exist() -> None:
    for row in re.findall(r"^\| (`.*`) \|", PAGE, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", row):
            fields = whole_body_problem.IkProblem.__dataclass_fields__
            assert hasattr(whole_body, name) or hasattr(whole_body_problem, name) or name in fields, name
