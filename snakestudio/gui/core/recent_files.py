"""The recently opened or saved files of one kind, stored across sessions."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QSettings

_MOST = 10
"""Largest number of files in a list."""
_MOST_STORED = 30
"""Largest number of stored files: those on a drive that is not mounted are not listed, but return with
the drive."""


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
        """Files that can be reached now."""
        return [path for path in self._stored if os.path.isfile(path)][:_MOST]

    @property
    def _stored(self) -> list[Path]:
        stored = self._settings.value(self._key) or []
        # Qt stores a list of one as a string
        names = [stored] if isinstance(stored, str) else list(stored)
        return [Path(str(name)) for name in names]

    def remember(self, path: Path) -> None:
        """Add a file at the top."""
        path = path.resolve()
        self._store([path, *(other for other in self._stored if other != path)])

    def remove(self, path: Path) -> None:
        """Remove a file that cannot be opened, unless it cannot even be reached."""
        if os.path.isfile(path):
            self._store([other for other in self._stored if other != path.resolve()])

    def clear(self) -> None:
        """Remove all."""
        self._store([])

    def _store(self, paths: list[Path]) -> None:
        self._settings.setValue(self._key, [str(path) for path in paths[:_MOST_STORED]])
