"""Sizes and durations as people say them."""

from __future__ import annotations

__all__ = ["duration_text", "size_text"]


def size_text(size: float) -> str:
    """A number of bytes: 999 B, 1.0 kB, 12 MB, 1.4 GB."""
    unit = "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 999.5 or unit == "TB":
            break
        size /= 1000
    return f"{size:.1f} {unit}" if unit != "B" and size < 9.95 else f"{size:.0f} {unit}"


def duration_text(seconds: float) -> str:
    """A time to wait, s, roughly."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 100:
        return f"{5 * round(seconds / 5)} s"
    if seconds < 5700:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"
