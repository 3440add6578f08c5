"""HTML display of a scene in a notebook: the drawing layer registers itself here, because scenes do not import it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_renderer: Callable[[Any], str] | None = None


def set_html_renderer(renderer: Callable[[Any], str]) -> None:
    """Register the function that renders scenes as HTML, replacing the previous one."""
    global _renderer
    _renderer = renderer


def html_of(scene: Any) -> str | None:
    """Return the scene as HTML; None while nothing is registered, so that notebooks show text."""
    return None if _renderer is None else _renderer(scene)
