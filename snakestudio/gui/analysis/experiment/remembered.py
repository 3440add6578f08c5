"""Layouts of measured tables that were used before: files with the same columns are read in the same way."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from PySide6.QtCore import QSettings

from snakestudio.analysis.experiment.layout import Layout, layout_from_toml, layout_to_toml
from snakestudio.errors import SnakeStudioError

__all__ = ["recall_layout", "remember_layout", "signature"]

_GROUP = "experiment/layouts"
_MOST = 40


def signature(rows: Sequence[Sequence[str]], layout: Layout) -> str:
    """What tables that are written alike have in common: the words over their columns, or else how many there are."""
    words = next((row for row in reversed(rows[: layout.header_rows]) if len(row) > 1), ())
    width = max((len(row) for row in rows[layout.header_rows :]), default=0)
    text = "\x1f".join((layout.delimiter, str(width), *words))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def remember_layout(settings: QSettings, name: str, layout: Layout) -> None:
    """Keep the layout of tables with that signature; the oldest of many are forgotten."""
    kept = _kept(settings)
    kept.pop(name, None)
    kept[name] = layout_to_toml(layout)
    settings.remove(_GROUP)
    settings.beginWriteArray(_GROUP)
    for place, (each, text) in enumerate(list(kept.items())[-_MOST:]):
        settings.setArrayIndex(place)
        settings.setValue("signature", each)
        settings.setValue("layout", text)
    settings.endArray()


def recall_layout(settings: QSettings, name: str) -> Layout | None:
    """The layout used last for tables with that signature; None if there was none, or it is not understood any more."""
    text = _kept(settings).get(name)
    if text is None:
        return None
    try:
        return layout_from_toml(text)
    except SnakeStudioError:
        return None


def _kept(settings: QSettings) -> dict[str, str]:
    kept: dict[str, str] = {}
    for place in range(settings.beginReadArray(_GROUP)):
        settings.setArrayIndex(place)
        kept[str(settings.value("signature"))] = str(settings.value("layout"))
    settings.endArray()
    return kept
