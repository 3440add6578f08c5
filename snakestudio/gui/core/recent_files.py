"""The recently opened or saved files of one kind, stored across sessions."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QSettings

from snakestudio.gui.core.settings import Setting

_MOST = 10
"""Largest number of files in a list."""
_MOST_STORED = 30
"""Largest number of stored files: those on a drive that is not mounted are not listed, but return with
the drive."""


class RecentFiles:
    """Recent files, newest first.

    Parameters
    ----------
    setting : Setting
        Where the files are stored.
    """

    def __init__(self, settings: QSettings, setting: Setting[tuple[str, ...]]) -> None:
        self._settings = settings
        self._setting = setting

    @property
    def paths(self) -> list[Path]:
        """Files that can be reached now."""
        return [path for path in self._stored if os.path.isfile(path)][:_MOST]

    @property
    def _stored(self) -> list[Path]:
        return [Path(name) for name in self._setting.load(self._settings)]

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
        self._setting.store(self._settings, tuple(str(path) for path in paths[:_MOST_STORED]))
