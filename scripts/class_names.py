"""Names that several classes of the package have: `Task` may mean a run, a study's trial or a job of a pool.

    python scripts/class_names.py
    python scripts/class_names.py --most 10

With ``--most`` the exit code is 1 where more names have several meanings. A name with a leading underscore is known to
one file alone and does not count, nor do a protocol and the class of the same name that is its only implementation.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "src" / "andante"


def class_names(root: Path) -> dict[str, list[str]]:
    """Places, ``file:line``, of each class that another file has a class of the same name as."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(f"{path.relative_to(root)}:{node.lineno}")
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def main() -> int:
    """Print the names and where they stand."""
    parser = argparse.ArgumentParser(description="Names that several classes have.")
    parser.add_argument("--most", type=int, help="fail where more names have several meanings")
    given = parser.parse_args()
    names = class_names(ROOT)
    for name, places in names.items():
        print(f"{name:20s} {'  '.join(places)}")
    print(f"{len(names)} names with several meanings")
    return int(given.most is not None and len(names) > given.most)


if __name__ == "__main__":
    sys.exit(main())
