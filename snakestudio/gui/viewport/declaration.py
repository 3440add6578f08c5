"""Declaration of the viewport."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import SignalInstance

from snakestudio.gui.core.feature import Feature, Parts
from snakestudio.gui.viewport.commands import LAY_OUT, TRANSFORM, VIEW, ViewportContext
from snakestudio.gui.viewport.corners import FocusFrame
from snakestudio.gui.viewport.viewport import Viewport


def _make(c: ViewportContext) -> Parts:
    viewport = Viewport(c.document, c.session_controller, c.selection)
    FocusFrame(viewport)
    yield "viewport", viewport


def _changes(c: ViewportContext) -> Iterable[SignalInstance]:
    viewport = c.viewport
    return (
        viewport.options.changed,
        viewport.tools.editor.options.changed,
        viewport.navigator.following_changed,
        viewport.buttons.projection_changed,
    )


FEATURE: Feature[ViewportContext] = Feature(
    commands={"layout": LAY_OUT, "transform": TRANSFORM, "view": VIEW},
    make=_make,
    changes=_changes,
    close=lambda c: c.viewport.close_surface(),
)
