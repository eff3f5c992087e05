"""What a public forge reads: workflow, issue forms, citation, and the gates of changelog and release."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_workflow_runs_what_every_machine_runs() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    assert ".ci/run" in [step.get("run") for step in jobs["all"]["steps"]]
    assert any("changelog_gate.py" in step.get("run", "") for step in jobs["changelog"]["steps"])


@pytest.mark.parametrize("form", ["defect", "robot", "format"])
def test_issue_forms_have_what_the_forge_demands(form: str) -> None:
    document = yaml.safe_load((ROOT / f".github/ISSUE_TEMPLATE/{form}.yml").read_text())
    assert {"name", "description", "body"} <= set(document)
    names = [field["id"] for field in document["body"]]
    assert len(names) == len(set(names))
    for field in document["body"]:
        assert field["type"] in {"input", "textarea", "checkboxes", "dropdown"}
        assert field["attributes"]["label"]


def test_hooks_name_tools_that_the_lock_has() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    lock = (ROOT / "requirements-dev.lock").read_text()
    for hook in hooks:
        tool = Path(hook["entry"].split()[0]).name
        assert f"\n{ {'lint-imports': 'import-linter'}.get(tool, tool) }==" in lock, tool


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    version: dict[str, str] = {}
    exec((ROOT / "src/andante/version.py").read_text(), version)
    assert cited["version"] == version["__version__"]
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"] == "Andante"


BUILT_SCRIPTS = [
    ROOT / "src/andante/pictures/plots.js",
    ROOT / "src/andante/runs/report_page/replay.js",
    *sorted((ROOT / "src/andante/studio/page").glob("*.*")),
    ROOT / "src/andante/studio/share/share.js",
]
LOCKS = [
    *sorted(ROOT.glob("requirements*.lock")),
    ROOT / "web" / "package-lock.json",
    *(ROOT / "web" / folder / "package.json" for folder in (".", "shared", "replay", "studio")),
]


@pytest.mark.parametrize("path", [*BUILT_SCRIPTS, *LOCKS], ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_tools_write_names_no_folder_of_a_machine_and_no_registry(path: Path) -> None:
    # Where this checkout and its user's files lie, wherever that is, and where such things commonly lie.
    own = {str(folder) for folder in (ROOT, ROOT.parent, Path.home()) if len(folder.parts) > 1}
    common = {"/home", "/root", "/tmp", "/srv", "/Users", "/workspace", "/builds"}
    folders = "|".join(re.escape(folder) for folder in sorted(own | common))
    addresses = rf"registry\.|file://|(?<![\w.])(?:{folders})/"
    assert re.findall(addresses, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_locks_hold_versions_and_hashes_and_no_address(path: Path) -> None:
    assert re.findall("https?://", path.read_text(encoding="utf-8")) == []


BEFORE = "# Changelog\n\n## Unreleased\n\n- Old.\n\n## 0.1.0\n\n- First.\n"


@pytest.mark.parametrize(
    ("changed", "after", "messages", "passes"),
    [
        (["src/andante/a.py", "CHANGELOG.md"], BEFORE.replace("- Old.", "- Old.\n- New."), "", True),
        (["src/andante/a.py"], BEFORE, "Mend a", False),
        (["src/andante/a.py"], BEFORE, "Mend a\n\nChangelog: none\n", True),
        (["tests/test_a.py", "docs/a.md"], BEFORE, "", True),
        (["src/andante/a.py", "CHANGELOG.md"], BEFORE.replace("- First.", "- First, again."), "", False),
        (["src/andante/a.py", "CHANGELOG.md"], BEFORE.replace("- Old.\n", ""), "", False),
    ],
)
def test_a_change_of_the_package_needs_a_new_line(changed: list[str], after: str, messages: str, passes: bool) -> None:
    problem = script("changelog_gate").missing(changed, BEFORE, after, messages)
    assert (problem == "") is passes


def test_the_gate_reads_a_branch(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(("git", *who, *words), cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    (tmp_path / "CHANGELOG.md").write_text(BEFORE)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text("")
    git("add", "-A")
    git("commit", "-m", "Begin")
    git("checkout", "-b", "work")
    (tmp_path / "src/a.py").write_text("a = 1\n")
    git("commit", "-a", "-m", "Change a")
    gate = (sys.executable, ROOT / "scripts/changelog_gate.py", "main")
    done = subprocess.run(gate, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "says nothing in CHANGELOG.md" in done.stderr
    (tmp_path / "CHANGELOG.md").write_text(BEFORE.replace("- Old.", "- Old.\n- What changed."))
    git("commit", "-a", "-m", "Tell it")
    assert subprocess.run(gate, cwd=tmp_path, capture_output=True, check=False).returncode == 0
    done = subprocess.run((*gate[:2], "nowhere"), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "git failed" in done.stderr


def test_a_release_agrees_with_itself(tmp_path: Path) -> None:
    (tmp_path / "src/andante").mkdir(parents=True)
    (tmp_path / "src/andante/version.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text("# C\n\n## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n- It.\n")
    problems = script("release_check").problems
    assert problems(tmp_path) == []
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 0.1.0\n")
    assert problems(tmp_path) == ["CITATION.cff is of 0.1.0, the package of 0.2.0"]
    (tmp_path / "CITATION.cff").write_text("title: x\nversion: 0.2.0\n")
    (tmp_path / "CHANGELOG.md").write_text("# C\n\n## Unreleased\n\n- It.\n")
    assert len(problems(tmp_path)) == 2


def test_no_file_keeps_the_marks_of_a_merge() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a clone (git clone), not an unpacked archive")
    listed = subprocess.run(("git", "ls-files"), cwd=ROOT, capture_output=True, text=True, check=True)
    marks = ("<" * 7 + " ", ">" * 7 + " ")
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".yaml", ".yml", ".toml", ".json", ".ts", ".html"} or path.name == "Makefile":
            lines = path.read_text(encoding="utf-8").splitlines()
            assert not [line for line in lines if line.startswith(marks)], name
