"""The canonical text of a tree: what the original writer produces, so that files differ only where contents do.

Two blanks of indent; a container whose children are all scalars or empty arrays goes on one line when its text from
behind the opening bracket to the closing one has at most 80 characters, otherwise every child has a line of its own.
Comments stand behind the opening brace of the record that they belong to and force several lines.
"""

from __future__ import annotations

import re

from andante.formats.bhuman.grammar import Array, AttributeRecord, Literal, Node

ONE_LINE = 80
"""Most characters of a container on one line, counted behind its opening bracket."""

_PLAIN = re.compile(r"[^=,;\[\]{}\"\s/](?:[^=,;\[\]{}\"\s/]|[ /](?=\S))*")


def layout(root: AttributeRecord) -> str:
    """Return the canonical text of a file."""
    out: list[str] = [f"// {line}".rstrip(" ") + "\n" for line in root.note.split("\n")] if root.note else []
    for name, value in root.fields.items():
        out += [_literal(name), " = "]
        _node(value, 0, out)
        out.append(";\n")
    return "".join(out)


def _literal(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _is_scalar(node: Node) -> bool:
    return isinstance(node, Literal) or (isinstance(node, Array) and not node.items)


def _one_line(node: AttributeRecord | Array) -> str | None:
    if isinstance(node, Array):
        if not all(isinstance(item, Literal) for item in node.items):
            return None
        inner = ", ".join(_literal(item.text) for item in node.items if isinstance(item, Literal)) + "]"
        return "[" + inner if len(inner) <= ONE_LINE else None
    if node.note or not all(_is_scalar(value) for value in node.fields.values()):
        return None
    texts = {name: _literal(value.text) if isinstance(value, Literal) else "[]" for name, value in node.fields.items()}
    inner = " ".join(f"{_literal(name)} = {text};" for name, text in texts.items()) + "}"
    return "{" + inner if len(inner) <= ONE_LINE else None


def _node(node: Node, indent: int, out: list[str]) -> None:
    if isinstance(node, Literal):
        out.append(_literal(node.text))
        return
    line = _one_line(node)
    if line is not None:
        out.append(line)
        return
    inner = "  " * (indent + 1)
    if isinstance(node, Array):
        out.append("[\n")
        for index, item in enumerate(node.items):
            out.append(inner)
            _node(item, indent + 1, out)
            out.append(",\n" if index + 1 < len(node.items) else "\n")
        out.append("  " * indent + "]")
        return
    first, *more = node.note.split("\n")
    out.append(f"{{ // {first}".rstrip(" ") + "\n" if node.note else "{\n")
    out += [f"{inner}// {line}".rstrip(" ") + "\n" for line in more]
    for name, value in node.fields.items():
        out += [inner, _literal(name), " = "]
        _node(value, indent + 1, out)
        out.append(";\n")
    out.append("  " * indent + "}")
