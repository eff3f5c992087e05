"""What somebody gave in place of a policy's contract: a network, a checkpoint, or the file that a trainer left."""

from __future__ import annotations

import re
from pathlib import Path

from andante.control.policies.contract import PolicyError
from andante.control.policies.other_files import NETWORKS, folder_kind, other_kind
from andante.control.policies.readers.register import POLICY_FORMATS
from andante.documents.budget import MODELS, budgeted
from andante.documents.files import read_bytes
from andante.errors import AndanteError

_NETWORK = (
    "write a document andante.policy, which names the ONNX file (docs/policies.md); `andante policy draft` begins one"
)
_LARGEST = 512 * 2**20
"""Size of the largest file that is looked at [bytes]."""
_KEY = re.compile(r"""^["']?([A-Za-z_]\w*)["']?[ \t]*:""", re.MULTILINE)
"""A key at the top of a YAML file."""
_INNER = re.compile(r"""^[ \t]+["']?([A-Za-z_]\w*)["']?[ \t]*:""", re.MULTILINE)
"""One further in, where the file has one table at its top."""
_TOP = re.compile(r"^[^\s#}\])-]", re.MULTILINE)
"""Where something begins at the top of a YAML file."""
_QUOTED = re.compile(r'"([A-Za-z_]\w*)"\s*:')
"""A key of a JSON file."""
_OWN = "andante.policy"


@budgeted(MODELS, error=PolicyError)
def refuse_network(path: Path) -> None:
    """Refuse a file or folder that is a network, or weights of one, by what it is.

    Raises:
        PolicyError: It is one.
        DocumentError: It cannot be read.
    """
    if path.is_dir():
        kind, remedy = folder_kind(path)
        what = f"this is {kind or 'a folder'}, and no contract of a policy"
    else:
        kind, remedy = other_kind(read_bytes(path, max_bytes=_LARGEST))
        if path.suffix.lower() in NETWORKS:
            what = "this is a network and not its contract" + (f": {kind}" if kind else "")
        elif not kind or kind.endswith("in place of the network"):
            return
        else:
            what = f"this is {kind}, and no contract of a policy"
    remedy = f"{remedy}; then {_NETWORK}" if remedy else _NETWORK
    raise PolicyError(what, place=str(path), remedy=remedy)


def refuse_trainers_file(path: Path, error: AndanteError) -> None:
    """Refuse a file that is no contract and that one of the readers knows, by what it is.

    Args:
        path: The file.
        error: Why it is no contract.

    Raises:
        PolicyError: A reader knows it.
    """
    name = format_of(path)
    if name:
        raise PolicyError(
            f"this is a file of {POLICY_FORMATS[name].what}, and not the policy's contract",
            place=str(path),
            remedy=f"write a document andante.policy that reads it: reads: {{format: {name}, file: {path.name}, "
            f"model: YOUR.onnx}}, with what it lacks; `andante policy draft {path.name} --write walk.yaml` begins one",
        ) from error


@budgeted(error=PolicyError)
def format_of(path: Path) -> str:
    """Name of the format that a trainer's file is of, by its keys; empty where no reader knows it, or it is a contract.

    Raises:
        DocumentError: It cannot be read.
    """
    text = read_bytes(path).decode(errors="replace")
    if _OWN in text:
        return ""
    rule = _QUOTED if text.lstrip().startswith("{") else _KEY if len(_TOP.findall(text)) > 1 else _INNER
    keys = set(rule.findall(text))
    return next((name for name, known in POLICY_FORMATS.items() if known.keys and keys.issuperset(known.keys)), "")
