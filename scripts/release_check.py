"""Say whether a checkout is ready to be released as the version that it names.

    python scripts/release_check.py

The version must stand in ``src/andante/version.py``, in ``CITATION.cff`` and, with a date, at the top of the changelog,
whose "Unreleased" must be empty; the tree must be clean. Exit codes: 0 ready, 1 not.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def problems(root: Path) -> list[str]:
    """What stands against a release of the files in a folder, one sentence each."""
    (version,) = re.findall(r'^__version__ = "(.+)"$', (root / "src/andante/version.py").read_text(), re.MULTILINE)
    (cited,) = re.findall(r"^version: (.+)$", (root / "CITATION.cff").read_text(), re.MULTILINE)
    changelog = (root / "CHANGELOG.md").read_text()
    heads = re.findall(r"^## (.+)$", changelog, re.MULTILINE)
    found = []
    if cited != version:
        found.append(f"CITATION.cff is of {cited}, the package of {version}")
    if heads[:1] != ["Unreleased"]:
        found.append("CHANGELOG.md must begin with a section 'Unreleased'")
    elif changelog.partition("## Unreleased")[2].partition("\n## ")[0].strip():
        found.append("what is under 'Unreleased' in CHANGELOG.md must move under the version's own head")
    if len(heads) < 2 or not re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", heads[1]):
        found.append(f"the second head of CHANGELOG.md must be '{version} - YYYY-MM-DD'")
    return found


def main() -> int:
    """See the module."""
    found = problems(ROOT)
    if subprocess.run(("git", "status", "--porcelain"), cwd=ROOT, check=True, capture_output=True).stdout:
        found.append("the tree has changes that are not committed")
    for problem in found:
        print(f"release: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
