"""What the inspector shows that changes while the robot moves: a link's values, an obstacle's clearance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.model.snapshot import Snapshot
from snakestudio.viewmodel.scene.clearance import clearances
from snakestudio.viewmodel.scene.link_values import MAX_LINK_VALUES

__all__ = ["LinkValues", "clearance_html"]

_NEAR = 0.005
"""Clearance below which a robot in motion is about to touch, m."""


class LinkValues(QWidget):
    """Names, figures and units in a table, whose figures do not dance."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 0, 0, 0)
        grid.setVerticalSpacing(6)
        grid.setHorizontalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.cells: list[tuple[QLabel, QLabel, QLabel]] = []
        for line in range(MAX_LINK_VALUES):
            cells = QLabel(), QLabel(), QLabel()
            cells[0].setProperty("role", "dim")
            cells[1].setFont(theme.value_font(13))
            cells[1].setAlignment(Qt.AlignmentFlag.AlignRight)
            cells[2].setProperty("role", "unit")
            cells[2].setFixedWidth(theme.scaled(36))
            for place, cell in enumerate(cells):
                grid.addWidget(cell, line, place)
            self.cells.append(cells)

    def show_values(self, values: Sequence[tuple[str, str, str]]) -> None:
        """Show these, and nothing in the lines left over."""
        for i, cells in enumerate(self.cells):
            for cell, text in zip(cells, values[i] if i < len(values) else ("", "", ""), strict=True):
                if cell.text() != text:
                    cell.setText(text)


def clearance_html(document: Document, snapshot: Snapshot, index: int) -> str:
    """How near the robot is to an obstacle (0-based) and whether it pushes it; "" if no link has a place."""
    scene, palette = document.scene, theme.current()
    gaps = clearances(obstacles_of(scene.obstacles, document.base_dir), index, snapshot, scene.robot)
    if np.isnan(gaps).all():
        return ""
    link = int(np.nanargmin(gaps))
    gap = float(gaps[link])
    c = snapshot.contacts
    pressed = sorted({int(i) + 1 for i in c.link[c.other == index]})
    if gap < -1e-4 and not pressed:
        head, colour = f"Overlaps link {link + 1} by {-gap * 1000:.1f} mm", palette.warning
    elif pressed:
        head, colour = f"Pushed by link {', '.join(map(str, pressed))}", palette.warning
    else:
        shown = f"{gap * 1000:.1f} mm" if gap < 1 else f"{gap:.2f} m"
        head = f"Clearance to link {link + 1}: {shown}"
        colour = palette.warning if gap < _NEAR else palette.text
    note = "the nearest link, as shown now" if not pressed else f"clearance {round(gap * 1000, 2) + 0.0:.2f} mm"
    return (
        f"<span style='color:{colour}; font-weight:600'>{head}</span>"
        f"<br><span style='color:{palette.dim}; font-size:{theme.scaled(12)}px'>{note}</span>"
    )
