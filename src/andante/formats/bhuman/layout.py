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
    note = [f"// {line}".rstrip(" ") + "\n" for line in root.note.split("\n")] if root.note else []
    return "".join(note) + _fields(root, 0)


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


def _fields(record: AttributeRecord, indent: int) -> str:
    start = "  " * indent
    return "".join(f"{start}{_literal(name)} = {_text(value, indent)};\n" for name, value in record.fields.items())


def _text(node: Node, indent: int) -> str:
    if isinstance(node, Literal):
        return _literal(node.text)
    line = _one_line(node)
    if line is not None:
        return line
    inner, end = "  " * (indent + 1), "  " * indent
    if isinstance(node, Array):
        items = ",\n".join(inner + _text(item, indent + 1) for item in node.items)
        return f"[\n{items}\n{end}]"
    first, *more = node.note.split("\n")
    head = f"{{ // {first}".rstrip(" ") if node.note else "{"
    notes = "".join(f"{inner}// {line}".rstrip(" ") + "\n" for line in more)
    return f"{head}\n{notes}{_fields(node, indent + 1)}{end}}}"
