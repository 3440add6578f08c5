"""Strip of presets: a click adds one at a free position, a drag adds it where it is dropped."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, QPoint, QSize, Qt
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.preview import PRESET_MIME
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.model.edits.presets import PRESETS, Preset

_ICON = 20


class PaletteButton(QToolButton):
    """Button of a preset."""

    def __init__(self, preset: Preset) -> None:
        super().__init__()
        self.preset = preset
        self._pressed: QPoint | None = None
        self.setIconSize(QSize(_ICON, _ICON))
        self.setStyleSheet("QToolButton { padding: 5px 0; }")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Add {preset.title.lower()}")
        self.setToolTip(
            f"<qt><b>{preset.title}</b><br>{preset.help}.<br>"
            "Click to add it at a free position, or drag it into the view.</qt>"
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            away = event.position().toPoint() - self._pressed
            if away.manhattanLength() >= QApplication.startDragDistance():
                self._pressed = None
                self.setDown(False)
                self._drag()
                return
        super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        super().mouseReleaseEvent(event)

    def _drag(self) -> None:
        data = QMimeData()
        data.setData(PRESET_MIME, self.preset.name.encode())
        drag = QDrag(self)
        drag.setMimeData(data)
        pixmap = theme.icon(self.preset.icon, "accent").pixmap(_ICON, _ICON)
        drag.setPixmap(pixmap)
        drag.setHotSpot(QPoint(-8, -8))  # the viewport shows a preview under the cursor
        drag.exec(Qt.DropAction.CopyAction)


class Palette(ThemedWidget):
    """All presets in a row.

    Parameters
    ----------
    add : callable
        Adds the named preset at a free position.
    """

    def __init__(
        self, document: Document, add: Callable[[str], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._add = add
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(3)
        self.buttons: dict[str, PaletteButton] = {}
        self._fill()
        document.kinds_changed.connect(self._on_kinds_changed)

    def _fill(self) -> None:
        for preset in PRESETS.values():
            button = PaletteButton(preset)
            button.clicked.connect(lambda _=False, name=preset.name: self._add(name))
            self.buttons[preset.name] = button
            self._row.addWidget(button, 1)
        self.apply_theme()

    def _on_kinds_changed(self) -> None:
        """Offer the shapes of the loaded plug-ins."""
        if [_appearance(button.preset) for button in self.buttons.values()] == [
            _appearance(each) for each in PRESETS.values()
        ]:
            return
        for button in self.buttons.values():
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons.clear()
        self._fill()

    def apply_theme(self) -> None:
        for button in self.buttons.values():
            button.setIcon(theme.icon(button.preset.icon))


def _appearance(preset: Preset) -> tuple[str, str, str, str]:
    """Return the visible properties of a preset."""
    return preset.name, preset.title, preset.help, preset.icon
