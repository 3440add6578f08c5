"""The editor of a viewport: its tools, its buttons and the user's choices, made together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakestudio.gui.viewport.tools.box_tool import BoxTool
from snakestudio.gui.viewport.tools.buttons import EditorButtons
from snakestudio.gui.viewport.tools.edit_settings import EditorOptions
from snakestudio.gui.viewport.tools.transform_tool import TransformTool

if TYPE_CHECKING:
    from snakestudio.gui.viewport.viewport import Viewport

__all__ = ["Editor"]

_GAP = 13


class Editor:
    """What of a viewport edits the scene.

    Parameters
    ----------
    viewport : Viewport

    Attributes
    ----------
    options : EditorOptions
    transforms : TransformTool
    boxes : BoxTool
    buttons : EditorButtons
    """

    def __init__(self, viewport: Viewport) -> None:
        self._viewport = viewport
        self.options = EditorOptions(viewport)
        self.transforms = TransformTool(viewport, self.options)
        self.boxes = BoxTool(viewport)
        self.buttons = EditorButtons(self.options, self.boxes.arm, viewport)

    def place(self) -> None:
        """Stand below the view's buttons; a continuous body stands alone, there is nothing to edit around it."""
        above = self._viewport.buttons.geometry()
        self.buttons.adjustSize()
        self.buttons.move(above.right() + 1 - self.buttons.width(), above.bottom() + _GAP)
        self.buttons.setVisible(not self._viewport.document.scene.model.continuum)
