"""The recently opened or saved files of one kind, stored across sessions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

_MOST = 10


class RecentFiles:
    """Recent files, newest first.

    Parameters
    ----------
    key : str
        Settings key.
    """

    def __init__(self, settings: QSettings, key: str) -> None:
        self._settings = settings
        self._key = key

    @property
    def paths(self) -> list[Path]:
        """Files that still exist."""
        stored = self._settings.value(self._key) or []
        # Qt stores a list of one as a string
        names = [stored] if isinstance(stored, str) else list(stored)
        return [path for path in map(Path, names) if path.is_file()]

    def remember(self, path: Path) -> None:
        """Add a file at the top."""
        path = path.resolve()
        self._store([path, *(other for other in self.paths if other != path)])

    def remove(self, path: Path) -> None:
        """Remove a file that cannot be opened."""
        self._store([other for other in self.paths if other != path.resolve()])

    def clear(self) -> None:
        """Remove all."""
        self._store([])

    def _store(self, paths: list[Path]) -> None:
        self._settings.setValue(self._key, [str(path) for path in paths[:_MOST]])
