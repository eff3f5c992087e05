"""Shipped: the documents of one kind that come with Andante, each by its name; any other goes by its path."""

from __future__ import annotations

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
    """

    def __init__(
        self, folder: Path, what: str, error: type[AndanteError], remedy: str = "", *, folders: bool = False
    ) -> None:
        self._folder, self._what, self._error = folder, what, error
        self._remedy, self._folders = remedy, folders

    def names(self) -> tuple[str, ...]:
        """Names of the documents, rising."""
        return tuple(sorted(path.stem for path in self._folder.glob("*.yaml")))

    def path(self, name_or_path: str | Path) -> Path:
        """The file of a document given by path or by name; a path that is there comes first.

        Raises:
            AndanteError: There is none, as an error of the class that was given.
        """
        path, names = Path(name_or_path), self.names()
        if path.is_file() or (self._folders and path.exists()):
            return path
        if str(name_or_path) in names:
            return self._folder / f"{name_or_path}.yaml"
        what = f"no such {self._what}, neither shipped nor a file"
        raise self._error(what, value=str(name_or_path), legal=names, remedy=self._remedy)
