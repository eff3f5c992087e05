"""Generic runs knows no kind of task, controller or robot by name: its modules are parsed, and names are looked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from andante.robots.register import ROBOTS
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.registry import CONTROLLERS
from andante.runs.tasks.kind import TaskKind
from andante.runs.tasks.registry import TASKS

RUNS = Path(__file__).parents[2] / "src" / "andante" / "runs"
OF_KINDS = {
    "controls": "a file per kind of controller",
    "tasks": "a folder per kind of task; what is beside them is generic",
    "backends": "a file per kind of backend",
    "kick": "a program of its own",
    "hardware": "robots and their fakes",
    "live": "what steers by hand",
    "checks": "checks of motions in physics",
    "policies": "learned policies, their check and a run with one",
}
"""Folders that may know kinds, and why."""
OF_DOCUMENTS = {
    "scenario.py": "the schema has fields that are called so",
    "scenario_files.py": "makes the scenario of a motion",
}
"""Modules that may know kinds, and why."""
GENERIC = [
    *sorted(
        path
        for path in RUNS.rglob("*.py")
        if path.relative_to(RUNS).parts[0] not in OF_KINDS and path.name not in OF_DOCUMENTS
    ),
    *(RUNS / "tasks" / name for name in ("kind.py", "asking.py")),
]
KIND_MODULES = re.compile(
    r"andante\.runs\.(tasks\.(?!asking|kind|registry)[a-z_]+\.|controls\.(?!asked|kind|registry)"
    r"|backends\.(?!kind|registry)|kick)"
)
COMMON = {"ball", "body", "motion", "policy", "sequence", "steered"}
"""Kinds that are called by common words; they are looked for as names of metrics only."""
NAMES = {*TASKS.kinds, *CONTROLLERS.kinds, *ROBOTS.names, "crawl", "kick", "walker"} - COMMON


CLASSES = {base.__name__ for kind in (*TASKS.kinds.values(), *CONTROLLERS.kinds.values()) for base in kind.mro()} - {
    base.__name__ for kind in (TaskKind, ControlKind) for base in kind.mro()
}
"""Their classes."""


def known(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines that know a kind: imports of its module, texts with its name, names in code, tests on its class."""
    texts = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, DOCUMENTED) and is_text(node.body)}
    texts |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and KIND_MODULES.match(f"{node.module}."):
            yield node.lineno, f"import of {node.module}"
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names if KIND_MODULES.match(f"{each.name}."))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
            words = re.findall(r"[a-z][a-z-]+", node.value)
            yield from ((node.lineno, repr(word)) for word in words if word in NAMES)
            if re.match(rf"({'|'.join(sorted(COMMON))})[._]", node.value):
                yield node.lineno, repr(node.value)
        elif isinstance(node, ast.Name | ast.Attribute):
            name = node.id if isinstance(node, ast.Name) else node.attr
            of_metrics = isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith("metrics")
            common = of_metrics and name.partition("_")[0] in COMMON
            if name in CLASSES or name.lower() in NAMES or common:
                yield node.lineno, name


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def is_text(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


@pytest.mark.parametrize("path", GENERIC, ids=lambda path: str(path.relative_to(RUNS)))
def test_no_generic_module_knows_a_kind(path: Path) -> None:
    assert list(known(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "code",
    [
        "from andante.runs.tasks.walk.metrics import measure_walk",
        "import andante.runs.controls.quadruped",
        "from andante.runs.controls import crawl, quadruped\nquadruped.QuadrupedControl",
        "if scenario.controller.type == 'trot': pass",
        "if isinstance(control, KeyframeControl): pass",
        "metrics.walk",
        "metrics.ball_reach",
        "names = {'steered.reached': 1}",
    ],
)
def test_whoever_knows_one_is_found(code: str) -> None:
    assert list(known(ast.parse(code)))


def test_all_of_runs_is_looked_at() -> None:
    assert {"execute.py", "session.py", "build.py", "task.py"} <= {path.name for path in GENERIC}
    names = {str(path.relative_to(RUNS)) for path in GENERIC}
    assert {f"evaluation/{name}.py" for name in ("metrics", "verdict", "story", "falls", "finished")} < names
    assert "reports/report.py" in names
    assert all((RUNS / name).exists() for name in (*OF_KINDS, *OF_DOCUMENTS))
