"""The files of one kind that were opened or saved lately, kept from session to session."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

_MOST = 10


class RecentFiles:
    """Files, newest first.

    Parameters
    ----------
    key : str
        Under which they are kept.
    """

    def __init__(self, settings: QSettings, key: str) -> None:
        self._settings = settings
        self._key = key

    @property
    def paths(self) -> list[Path]:
        """Those that are still there."""
        stored = self._settings.value(self._key) or []
        # Qt stores a list of one as a text
        names = [stored] if isinstance(stored, str) else list(stored)
        return [path for path in map(Path, names) if path.is_file()]

    def remember(self, path: Path) -> None:
        """Keep one that was opened or saved just now, before all others."""
        path = path.resolve()
        self._store([path, *(other for other in self.paths if other != path)])

    def forget(self, path: Path) -> None:
        """Keep one no longer: it cannot be opened."""
        self._store([other for other in self.paths if other != path.resolve()])

    def clear(self) -> None:
        """Forget all."""
        self._store([])

    def _store(self, paths: list[Path]) -> None:
        self._settings.setValue(self._key, [str(path) for path in paths[:_MOST]])
