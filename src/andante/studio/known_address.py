"""Where a workspace's studio was last, with its token, so that its pages find it again after it was restarted.

A file of the user's own state folder, which nobody else can read; forgotten a month after the last start.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from andante.documents.files import read_head
from andante.documents.json_data import parse_json_data
from andante.documents.problems import DocumentError

_KEPT = 30 * 86_400.0
"""So long an address is known after the last start [s]."""
_SHORTEST = 20


@dataclass(frozen=True)
class KnownAddress:
    """Port and token of a studio."""

    port: int
    """The port."""
    token: str
    """The token."""


def known_address(workspace: Path, host: str) -> KnownAddress | None:
    """Where the studio of a workspace was last; None: nobody knows."""
    try:
        path = _file(workspace, host)
        if path.stat().st_mode & 0o077 or time.time() - path.stat().st_mtime > _KEPT:
            return None
        data = parse_json_data(read_head(path, 1000), str(path))
        port, token = int(data["port"]), str(data["token"])
    except (DocumentError, OSError, ValueError, KeyError, TypeError):
        return None
    return KnownAddress(port, token) if 0 < port < 65536 and len(token) >= _SHORTEST and token.isascii() else None


def keep_address(workspace: Path, host: str, address: KnownAddress) -> None:
    """Keep where a studio is; where the state folder cannot be written its pages are opened anew after a restart."""
    path = _file(workspace, host)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for old in path.parent.glob("*.json"):
            with contextlib.suppress(OSError):
                if time.time() - old.stat().st_mtime > _KEPT:
                    old.unlink()
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            json.dump({"port": address.port, "token": address.token}, file)
        os.replace(temporary, path)


def _file(workspace: Path, host: str) -> Path:
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    name = hashlib.sha256(f"{workspace}\0{host}".encode()).hexdigest()[:24]
    return Path(state) / "andante" / "studio" / f"{name}.json"
