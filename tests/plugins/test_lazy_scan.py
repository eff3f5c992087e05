"""Nobody looks for plug-ins before something is asked for by its name."""

from __future__ import annotations

import subprocess
import sys

import pytest

WATCH = """
import importlib.metadata, sys
asked = []
scan = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **how: (asked.append(how), scan(**how))[1]
{code}
groups = [how.get("group", "") for how in asked]
loaded = ["register"] if "andante.plugins.register" in sys.modules else []
print(*(group for group in groups if group.startswith("andante.")), *loaded)
"""
HELP = """
from andante.cli.app import main
sys.argv = ["andante", "--help"]
try:
    main()
except SystemExit:
    pass
"""


def told(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", WATCH.format(code=code)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("code", ["import andante, andante.extend", HELP], ids=["import", "help"])
def test_neither_import_nor_help_looks_for_packages(code: str) -> None:
    assert told(code).strip() == ""


def test_a_shipped_robot_is_loaded_without_looking_for_others() -> None:
    assert told("import andante; andante.Robot.load('bootcamp-leg')").strip() == "register"


def test_an_unknown_name_is_looked_for_in_packages() -> None:
    code = "import andante\ntry:\n    andante.Robot.load('no-such-robot')\nexcept andante.AndanteError:\n    pass"
    assert told(code).split() == ["andante.robots", "register"]
