"""Class names mean one thing each, and nobody has to read past settings that nobody sets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [
        ["class_names.py", "--most", "10"],
        pytest.param(["settings_in_use.py", "--share", "0.05"], marks=pytest.mark.slow),
    ],
)
def test_names_and_settings_stay_within_their_bars(command: list[str]) -> None:
    script = [sys.executable, str(ROOT / "scripts" / command[0]), *command[1:]]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout


def test_a_name_of_two_classes_is_found_with_its_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from class_names import class_names

    for name, text in (("one.py", "class Task: ...\nclass _Own: ..."), ("two.py", "class Task: ...\nclass _Own: ...")):
        (tmp_path / name).write_text(text)
    assert class_names(tmp_path) == {"Task": ["one.py:1", "two.py:1"]}


def test_a_setting_counts_as_used_where_somebody_gives_or_asks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    from settings_in_use import used_names

    (tmp_path / "tests").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text("made = Settings(stride=2)\nassert made.depth < 1\n")
    (tmp_path / "docs" / "page.md").write_text("The lift is `lift`, far is near.\n```yaml\nlean: 2\n```\n")
    (tmp_path / "docs" / "api.md").write_text("`hidden`")
    used = used_names(tmp_path)
    assert {"stride", "depth", "lift", "lean"} <= used
    assert not {"far", "near", "hidden"} & used
