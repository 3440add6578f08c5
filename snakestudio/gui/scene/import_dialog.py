"""Dialog before obstacles are imported from another program's file: their number, size and position."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from snakestudio.errors import SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, fields_of, form_field
from snakestudio.gui.forms.number_field import NumberField
from snakestudio.model.obstacles.circles import Circles
from snakestudio.model.obstacles.importing import (
    UNITS,
    Cylinders,
    as_cylinders,
    bounds,
    cylinders_of,
    with_imported,
)
from snakestudio.model.scene import Scene
from snakestudio.text import counted

_UNIT_NAMES = {
    "m": "metres (m)",
    "cm": "centimetres (cm)",
    "mm": "millimetres (mm)",
    "in": "inches (in)",
    "px": "pixels of 1/96 inch",
}


@dataclass(frozen=True)
class ImportChoices:
    """Options for reading obstacles."""

    unit: str = form_field(
        "m", "&Unit", choices=[Choice(unit, _UNIT_NAMES[unit]) for unit in UNITS]
    )
    scale: float = form_field(
        1.0,
        "&Scale",
        help="Factor for positions and radii, such as 10 for a drawing at 1:10",
        minimum=0.0,
        exclusive_minimum=True,
        maximum=1e6,
        slider=(0.01, 100.0),
    )
    group: str = form_field(
        "", "&Group", help="Obstacles of a group are selected and moved together", max_length=80
    )


class _Plan(QWidget):
    """Top view of the obstacles: imported ones in the accent colour, with existing ones."""

    def __init__(self, existing: Cylinders, parent: QWidget) -> None:
        super().__init__(parent)
        self._existing = existing
        self._new: Cylinders = ()
        self.setMinimumHeight(180)
        self.setAccessibleName("Plan of the obstacles")
        self.setToolTip("Top view: imported obstacles in colour, existing ones in grey")

    def show_new(self, new: Cylinders) -> None:
        """Show the obstacles to import."""
        self._new = new
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._new:
            return
        left, bottom, right, top = bounds((*self._new, *self._existing))
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
        for obstacles, role in ((self._existing, "line"), (self._new, "accent")):
            painter.setBrush(theme.colour(role))
            for o in obstacles:
                size = max(2 * o.radius_m * scale, 2.0)
                x = scale * (o.x_m - (left + right) / 2)
                y = -scale * (o.y_m - (bottom + top) / 2)
                painter.drawEllipse(QRectF(x - size / 2, y - size / 2, size, size))
        painter.end()


class ImportDialog(Dialog):
    """Unit, scale and group of the imported obstacles, with a preview.

    Parameters
    ----------
    path : Path
        Imported file.
    circles : Circles
        Circles read from the file.
    scene : Scene
        Scene to import into.
    """

    def __init__(
        self, path: Path, circles: Circles, scene: Scene, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, "Import Obstacles")
        self._path = path
        self._circles = circles
        self._scene = scene
        self.result_scene: Scene | None = None
        self.setMinimumWidth(460)
        heading = QLabel(f"{counted(len(circles.circles), 'obstacle')} in {path.name}", self)
        heading.setProperty("role", "heading")
        self.plan = _Plan(cylinders_of(scene), self)
        choices = ImportChoices(unit=circles.unit, group=path.stem[:80])
        fields = fields_of(choices)
        tip = f"Unit of the numbers in the file; {circles.unit}, {circles.stated}"
        fields["unit"] = replace(fields["unit"], help=tip)
        self.form = DeclaredForm(choices, fields, self)
        self.unit = self.form.widget("unit", QComboBox)
        self.scale = self.form.widget("scale", NumberField)
        self.message = self.form.message
        self.summary = QLabel(self)
        self.summary.setProperty("role", "dim")
        self.summary.setWordWrap(True)
        buttons, self.start = self.make_buttons("&Import")
        self.arrange(heading, (self.plan, 1), self.form, self.summary, buttons, spacing=16)
        self.form.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        now = self.form.values
        try:
            cylinders = as_cylinders(self._circles, now.unit, now.scale, now.group, self._path.name)
            self.result_scene = with_imported(self._scene, cylinders)
        except SceneError as error:
            self.result_scene = None
            self.plan.show_new(())
            self.form.report(str(error).splitlines()[0])
            self.summary.setText("")
        else:
            self.plan.show_new(cylinders)
            self.form.report("")
            self.summary.setText("\n".join([_summary(cylinders), *self._circles.notes]))
        self.start.setEnabled(self.result_scene is not None and not self.form.problem)

    def accept(self) -> None:
        if self.form.commit() and self.result_scene is not None:
            super().accept()


def _summary(cylinders: Cylinders) -> str:
    left, bottom, right, top = bounds(cylinders)
    radii = sorted(cylinder.radius_m for cylinder in cylinders)
    size = f"{radii[0]:.4g}" if radii[0] == radii[-1] else f"{radii[0]:.4g} to {radii[-1]:.4g}"
    return (
        f"{right - left:.4g} m × {top - bottom:.4g} m, from ({left:.4g}, {bottom:.4g}) to ({right:.4g}, {top:.4g}) m; "
        f"radius {size} m"
    )
