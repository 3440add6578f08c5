"""The dialog before obstacles come in from another program's file: what was found, how large it is, how it lies."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QFormLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.number_field import Message, NumberField
from snakestudio.model.fields import FieldDoc
from snakestudio.model.obstacles.circles import Circles
from snakestudio.model.obstacles.importing import UNITS, Cylinders, as_cylinders, bounds, cylinders_of, with_imported
from snakestudio.model.scene import Scene
from snakestudio.text import counted

__all__ = ["ImportDialog"]

_UNIT_NAMES = {
    "m": "metres", "cm": "centimetres", "mm": "millimetres", "in": "inches", "px": "pixels of 1/96 inch",
}  # fmt: skip
_SCALE = FieldDoc(
    label="Scale", unit="", help="Places and radii are multiplied by this: 10 for a drawing at 1:10", symbol="",
    slider=(0.01, 100.0), live=False, minimum=0.0, maximum=1e6, exclusive_minimum=True, default=1.0,
)  # fmt: skip


class _Plan(QWidget):
    """The obstacles from above, new ones in the accent colour, with those that are there already."""

    def __init__(self, there: Cylinders, parent: QWidget) -> None:
        super().__init__(parent)
        self._there = there
        self._new: Cylinders = ()
        self.setMinimumHeight(180)
        self.setAccessibleName("Plan of the obstacles")
        self.setToolTip("From above: in colour what is imported, grey what is there already")

    def show_new(self, new: Cylinders) -> None:
        """Show what would be imported."""
        self._new = new
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._new:
            return
        left, bottom, right, top = bounds((*self._new, *self._there))
        margin = 10.0
        scale = min(
            (self.width() - 2 * margin) / max(right - left, 1e-9),
            (self.height() - 2 * margin) / max(top - bottom, 1e-9),
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("ground"))
        painter.drawRoundedRect(self.rect(), 6, 6)
        painter.translate(self.width() / 2, self.height() / 2)
        for obstacles, role in ((self._there, "line"), (self._new, "accent")):
            painter.setBrush(theme.colour(role))
            for o in obstacles:
                size = max(2 * o.radius_m * scale, 2.0)
                x, y = scale * (o.x_m - (left + right) / 2), -scale * (o.y_m - (bottom + top) / 2)
                painter.drawEllipse(QRectF(x - size / 2, y - size / 2, size, size))
        painter.end()


class ImportDialog(Dialog):
    """Unit, scale and group of what is imported, and what comes of them.

    Parameters
    ----------
    path : Path
        Where it comes from.
    found : Circles
        What is in it.
    scene : Scene
        What it is imported into.
    """

    def __init__(self, path: Path, found: Circles, scene: Scene, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path, self._found, self._scene = path, found, scene
        self.result_scene: Scene | None = None
        self.setWindowTitle("Import Obstacles")
        self.setMinimumWidth(460)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(16)
        heading = QLabel(f"{counted(len(found.circles), 'obstacle')} in {path.name}", self)
        heading.setProperty("role", "heading")
        column.addWidget(heading)
        self.plan = _Plan(cylinders_of(scene), self)
        column.addWidget(self.plan, 1)
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        column.addLayout(form)
        self.unit = QComboBox(self)
        for unit in UNITS:
            self.unit.addItem(f"{_UNIT_NAMES[unit]} ({unit})" if unit != "px" else _UNIT_NAMES[unit], unit)
        self.unit.setCurrentIndex(list(UNITS).index(found.unit))
        self.unit.setToolTip(f"Unit of the numbers in the file; {found.unit}, {found.stated}")
        self.scale = NumberField(_SCALE, parent=self)
        self.scale.setToolTip(_SCALE.help)
        self.scale.set_value(1.0)
        self.group = QLineEdit(path.stem[:80], self)
        self.group.setMaxLength(80)
        self.group.setToolTip("Obstacles of one group are picked and moved together")
        for text, widget in (("Unit", self.unit), ("Scale", self.scale), ("Group", self.group)):
            form.addRow(text, widget)
        self.message = Message(self)
        form.addRow("", self.message)
        self.summary = QLabel(self)
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        column.addWidget(self.summary)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.start = buttons.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        theme.set_role(self.start, "primary")
        buttons.accepted.connect(self._on_accept)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.unit.currentIndexChanged.connect(self._show)
        self.group.textEdited.connect(self._show)
        self.scale.committed.connect(self._on_scale)
        self.scale.problem_changed.connect(self.message.say)
        self._show()

    def _on_scale(self, value: float, again: bool) -> None:
        self.scale.set_value(value)
        self._show()

    def _show(self) -> None:
        unit, scale = str(self.unit.currentData()), self.scale.value or 1.0
        try:
            cylinders = as_cylinders(self._found, unit, scale, self.group.text().strip(), self._path.name)
            self.result_scene = with_imported(self._scene, cylinders)
        except SceneError as error:
            self.result_scene = None
            self.plan.show_new(())
            self.message.say(str(error).splitlines()[0])
            self.summary.setText("")
        else:
            self.plan.show_new(cylinders)
            self.message.say("")
            self.summary.setText("\n".join([_summary(cylinders), *self._found.notes]))
        self.start.setEnabled(self.result_scene is not None)

    def _on_accept(self) -> None:
        if self.scale.commit() and self.result_scene is not None:
            self.accept()


def _summary(cylinders: Cylinders) -> str:
    left, bottom, right, top = bounds(cylinders)
    radii = sorted(cylinder.radius_m for cylinder in cylinders)
    size = f"{radii[0]:.4g}" if radii[0] == radii[-1] else f"{radii[0]:.4g} to {radii[-1]:.4g}"
    return (
        f"{right - left:.4g} m × {top - bottom:.4g} m, from ({left:.4g}, {bottom:.4g}) to ({right:.4g}, {top:.4g}) m; "
        f"radius {size} m"
    )
