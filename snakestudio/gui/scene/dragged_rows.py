"""Obstacles on their way from one place of the scene tree to another: their numbers as what Qt drags."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QMimeData

__all__ = ["MIME", "packed", "unpacked"]

MIME = "application/x-snakestudio-obstacles"


def packed(indices: Iterable[int]) -> QMimeData:
    """Obstacles (0-based) as what is dragged."""
    data = QMimeData()
    data.setData(MIME, " ".join(map(str, sorted(set(indices)))).encode())
    return data


def unpacked(data: QMimeData) -> tuple[int, ...]:
    """The obstacles (0-based, ascending) that are dragged."""
    return tuple(int(text) for text in bytes(data.data(MIME).data()).decode().split())
