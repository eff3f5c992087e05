"""PluginError: a plug-in that cannot be used."""

from __future__ import annotations

from andante.errors import AndanteError


class PluginError(AndanteError):
    """A plug-in cannot be imported, brings the wrong thing, takes a name that is taken, or is for another version."""


class ReplacedError(PluginError):
    """Code that was run has replaced functions of a library that everything in the process uses."""


class AnswerError(AndanteError):
    """Code of others gave an answer that cannot be used: a package is named for it as where its code raises."""
