"""Weights that an ONNX file keeps in other files, as exporters write them from a certain size on: ``policy.onnx.data``.

The model's own bytes say their names: in a ``TensorProto`` the field 13, an entry with the key ``location``. Only the
paths to these are walked (model 7, graph 5, tensor 13; of constants, which are nodes, graph 1, node 5, attribute 5);
numbers of fields are those of onnx.proto.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from andante.control.policies.contract import PolicyError
from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes

_GRAPH, _TENSOR, _ENTRY, _KEY, _VALUE = 7, 5, 13, 1, 2
_NODE, _ATTRIBUTE, _CONSTANT = 1, 5, 5
_MOST = 64
"""Most files of weights that are read."""


@budgeted(MODELS)
def weight_files(raw: bytes, path: Path, max_bytes: int) -> dict[str, bytes]:
    """Names and contents of the files beside a model in which its weights are, sorted by name.

    Args:
        raw: The model's bytes.
        path: Its file; the others are looked for in its folder.
        max_bytes: Largest size of each [bytes].

    Raises:
        PolicyError: A file is missing, or is not in the model's folder.
        DocumentError: It cannot be read, or is too large.
    """
    names: set[str] = set()
    for graph in _fields(raw, _GRAPH):
        for tensor in _tensors(graph):
            for entry in _fields(tensor, _ENTRY):
                keys, values = list(_fields(entry, _KEY)), list(_fields(entry, _VALUE))
                if keys == [b"location"] and values:
                    names.add(values[0].decode(errors="replace"))
    if len(names) > _MOST:
        raise PolicyError("has its weights in too many files", place=str(path), value=len(names), limit=str(_MOST))
    found = {}
    for name in sorted(names):
        steps = PurePosixPath(name.replace("\\", "/"))
        if steps.is_absolute() or ".." in steps.parts or Path(name).is_absolute():
            what = "weights stand in a file that is not in the network's folder"
            raise PolicyError(what, place=str(path), value=name)
        if not (path.parent / name).is_file():
            raise PolicyError(
                "the network's weights are in another file, which is not there",
                place=str(path),
                value=str(path.parent / name),
                remedy="bring both files, or export it with the weights inside",
            )
        found[name] = read_bytes(path.parent / name, max_bytes=max_bytes)
    return found


def _tensors(graph: bytes) -> Iterator[bytes]:
    """Weights of a graph, and its constants."""
    yield from _fields(graph, _TENSOR)
    for node in _fields(graph, _NODE):
        for attribute in _fields(node, _ATTRIBUTE):
            yield from _fields(attribute, _CONSTANT)


def _fields(raw: bytes | memoryview, wanted: int) -> Iterator[bytes]:
    """Contents of the fields of a number in a message, those with a length; ends where the message is torn."""
    view, at = memoryview(raw), 0
    while at < len(view):
        tag, at = _number(view, at)
        kind = tag & 7
        if kind == 0:
            _, at = _number(view, at)
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        elif kind == 2:
            size, at = _number(view, at)
            if tag >> 3 == wanted:
                yield bytes(view[at : at + size])
            at += size
        else:
            return


def _number(view: memoryview, at: int) -> tuple[int, int]:
    """A number of variable length, and where the next byte is."""
    value, shift = 0, 0
    while at < len(view) and shift < 64:
        byte = view[at]
        value, shift, at = value | (byte & 0x7F) << shift, shift + 7, at + 1
        if byte < 0x80:
            break
    return value, at
