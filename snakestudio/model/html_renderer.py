"""What shows a scene in a notebook: a layer that draws registers itself here, because scenes know of none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_renderer: Callable[[Any], str] | None = None


def set_html_renderer(renderer: Callable[[Any], str]) -> None:
    """Let a function make the HTML of scenes, in place of the one before."""
    global _renderer
    _renderer = renderer


def html_of(scene: Any) -> str | None:
    """A scene as HTML; None as long as nothing is registered, so that notebooks show its text."""
    return None if _renderer is None else _renderer(scene)
