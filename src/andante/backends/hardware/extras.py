"""Packages of protocols, imported when a protocol is used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from andante.backends.backend import BackendError
from andante.errors import install


def package(module: str, extra: str, what: str) -> Any:
    """A module of a package that comes with an extra.

    Args:
        module: Its name.
        extra: The extra.
        what: What needs it, for the message.

    Raises:
        BackendError: It is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        top = module.partition(".")[0]
        raise BackendError(f"{what} needs {top}, which is not installed", remedy=install(extra)) from None
