"""Count the lines of code of a tree: no blank lines, no comments, no docstrings (of fields neither)."""

from __future__ import annotations

import ast
import sys
import tokenize
from pathlib import Path

_NOTHING = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def code_lines(path: Path) -> int:
    """Lines of a Python file that hold code."""
    text = path.read_text(encoding="utf-8")
    said: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            said.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type not in _NOTHING and token.type != tokenize.ENCODING:
                lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - said)


def main(root: Path) -> None:
    """Print the count of each room and of all."""
    rooms: dict[str, int] = {}
    for path in sorted(root.rglob("*.py")):
        room = path.relative_to(root).parts[0]
        rooms[room] = rooms.get(room, 0) + code_lines(path)
    for room, count in rooms.items():
        print(f"{count:7d}  {room}")
    print(f"{sum(rooms.values()):7d}  all")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/andante"))
