"""One line at the lower edge of the viewport: what is under the cursor and what the mouse would do."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel, QWidget

from snakestudio.drawing.overlays import Pick
from snakestudio.model.labels import obstacle_title
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.body_parts import part_title
from snakestudio.viewmodel.scene.items import Item
from snakestudio.viewmodel.scene.obstacle_texts import place_and_size

__all__ = ["Hint"]

_PADDING = 18
"""Of the style sheet, left and right together, px."""
_FLAT = "Drag shifts · wheel zooms · click selects, Shift+drag several"
_IDLE = "Drag turns · right drag shifts · wheel zooms · click selects, Shift+drag several"


class Hint(QLabel):
    """A dim line of text on a ground of its own, as the picture behind it may be anything; it never takes the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_IDLE, parent)
        self.setProperty("role", "hint")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._area = QRect()
        self._idle = self._said = _IDLE

    def set_flat(self) -> None:
        """The view cannot be turned."""
        self._idle = _FLAT
        self._say(_FLAT)

    def place(self, area: QRect) -> None:
        """Stand at the lower right corner of `area`."""
        self._area = area
        self._say(self._said)

    def show_item(self, item: Item | None, scene: Scene, selected: bool, locked: Pick | None = None) -> None:
        """Tell about what is under the cursor, also if it is locked and so nothing to pick."""
        if item is None and locked is not None and locked.index < len(scene.obstacles):
            name = obstacle_title(scene.obstacles[locked.index], locked.index)
            self._say(f"{name} · locked: select or unlock it in the scene tree")
        elif item is None:
            self._say(self._idle)
        elif item[0] == "link":
            self._say(part_title(scene, item[1]))
        elif item[1] < len(scene.obstacles):
            o = scene.obstacles[item[1]]
            name = obstacle_title(o, item[1])
            group = f" · group {o.group}, Alt+click selects it alone" if o.group and not selected else ""
            what = (
                "locked: unlock it in the scene tree to move it"
                if o.locked
                else "drag moves it · G R S move, turn, scale"
            )
            what = what if selected else f"click selects, Shift+drag moves{group}"
            self._say(f"{name} · {place_and_size(o)} · {what}")

    def show_tool(self, text: str) -> None:
        """Tell what the mouse does with a tool."""
        self._say(text)

    def _say(self, text: str) -> None:
        self._said = text
        shown = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, max(0, self._area.width() - _PADDING))
        if shown != self.text():
            self.setText(shown)
        self.adjustSize()
        self.move(self._area.right() - self.width(), self._area.bottom() - self.height() + 4)
