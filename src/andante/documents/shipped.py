"""Shipped: the documents of one kind that come with Andante, each by its name; any other goes by its path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from andante.errors import AndanteError


class Shipped:
    """The documents in one folder of the package.

    Args:
        folder: The folder.
        what: What one is called in messages.
        error: Class of the error where there is none of a name.
        remedy: What to do then.
        folders: Whether a path may be that of a folder.
        holds: Whether a folder that has a shipped name holds one of this kind; None: where it has a document.
    """

    def __init__(
        self,
        folder: Path,
        what: str,
        error: type[AndanteError],
        remedy: str = "",
        *,
        folders: bool = False,
        holds: Callable[[Path], bool] | None = None,
    ) -> None:
        self._folder, self._what, self._error = folder, what, error
        self._remedy, self._folders = remedy, folders
        self._holds = holds or (lambda inner: any(inner.glob("*.yaml")))

    def names(self) -> tuple[str, ...]:
        """Names of the documents, rising."""
        return tuple(sorted(path.stem for path in self._folder.glob("*.yaml")))

    def path(self, name_or_path: str | Path) -> Path:
        """The file of a document given by name or by path; a shipped name comes first.

        Raises:
            AndanteError: There is none, as an error of the class that was given.
        """
        path, names = Path(name_or_path), self.names()
        if isinstance(name_or_path, str) and name_or_path in names:
            return self._folder / f"{name_or_path}.yaml"
        if path.is_file() or (self._folders and path.exists()):
            return path
        what = f"no such {self._what}, neither shipped nor a file"
        raise self._error(what, value=str(name_or_path), legal=names, remedy=self._remedy)

    def meant(self, name_or_path: str | Path) -> Path:
        """The same for what a person names: of a shipped name and what lies here by that name none is chosen.

        Raises:
            AndanteError: As `path`, and where both may be meant.
        """
        if isinstance(name_or_path, str) and name_or_path in self.names():
            self._only(Path(name_or_path))
        return self.path(name_or_path)

    def anchored(self, name_or_path: str, folder: Path) -> str:
        """A document's path in a folder, made absolute where it is there; a shipped name as it is.

        Raises:
            AndanteError: Both may be meant.
        """
        path = folder / name_or_path
        if name_or_path in self.names():
            self._only(path)
            return name_or_path
        return str(path.resolve()) if path.exists() else name_or_path

    def _only(self, path: Path) -> None:
        """See that what has a shipped name here is nothing that could be meant."""
        if not (path.is_file() or (self._folders and path.is_dir() and self._holds(path))):
            return
        raise self._error(
            f"two may be meant, a shipped {self._what} and what lies here by that name",
            value=path.name,
            limit=str(path),
            remedy=f"say ./{path.name} for the one here, or rename it",
        )
