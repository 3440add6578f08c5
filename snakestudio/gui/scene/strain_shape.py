"""Small plot below the strain law: strains at one time along the body, from the head to the tail."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from snakestudio._arrays import FloatArray
from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.painting import paint_card
from snakestudio.gui.scene.value_rows import wrong_at
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.strain import COMPONENTS, Strain
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.plots.scale import readable

_HEIGHT = 104
_PAD = 12
_CAPTION = 16
_POINTS = 121
_INSTANTS = 25
_REST = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
_SHOWN = (("K_Z", 5, "accent"), ("K_Y", 4, "friction"), ("K_X", 3, "good"))
_STRETCH = (("Γ_X − 1", 0, "accent"), ("Γ_Y", 1, "friction"), ("Γ_Z", 2, "good"))
_NOTHING = 1e-9


def law_of(strain: Strain, beam: Beam) -> StrainLaw:
    """Return the law ready for evaluation.

    Raises `SceneError`, naming the invalid formulas.
    """
    return StrainLaw(strain, beam)


def law_problem(scene: Scene, key: str) -> str:
    """Return the problem with the formula at `key` of a scene, as a sentence; "" if it is valid."""
    try:
        law_of(scene.strain, scene.beam)
    except SnakeStudioError as error:
        return wrong_at(error, key)
    return ""


class StrainShape(QWidget):
    """Curvatures of a law along the body at one time; the stretch if nothing bends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(_HEIGHT)
        self.setToolTip("Strains commanded at this time, from the head at the left to the tail")
        self._law: tuple[object, StrainLaw, FloatArray] | None = None
        self.curves: list[tuple[str, str, FloatArray]] = []
        """Symbol, name of a colour, and values from the head to the tail."""
        self.unit = ""
        self.reach = 1.0
        """Unit of the values, and their maximum over the run."""
        self._length = 1.0

    def show_law(self, scene: Scene, time: float) -> None:
        """Show the law of a scene at a time, s; nothing if it is invalid."""
        try:
            self._evaluate(scene, time)
        except SnakeStudioError:
            self._law = None
            self.curves = []
        self.update()

    def _evaluate(self, scene: Scene, time: float) -> None:
        abscissa = np.linspace(0.0, scene.beam.length_m, _POINTS)
        known = scene.strain, scene.beam, scene.run.duration_s
        if self._law is None or self._law[0] != known:
            law = law_of(scene.strain, scene.beam)
            often = (
                law.at(np.linspace(0.0, scene.run.duration_s, _INSTANTS), abscissa).strain - _REST
            )
            self._law = (
                known,
                law,
                np.where(np.isfinite(often), np.abs(often), 0.0).max(axis=(0, 1)),
            )
        _, law, most = self._law
        bent = any(most[column] > _NOTHING for _, column, _ in _SHOWN)
        now = law.at(np.array([time]), abscissa).strain[0] - _REST
        candidates = _SHOWN if bent else _STRETCH
        columns = [entry for entry in candidates if most[entry[1]] > _NOTHING] or [candidates[0]]
        self.curves = [(symbol, role, now[:, column]) for symbol, column, role in columns]
        self.unit = "1/m" if COMPONENTS[columns[0][1]].endswith("_per_m") else ""
        self.reach = max(float(max(most[column] for _, column, _ in columns)), _NOTHING)
        self._length = scene.beam.length_m

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_card(painter, self.rect())
            self._draw(painter)

    def _draw(self, painter: QPainter) -> None:
        area = QRectF(self.rect()).adjusted(_PAD, _PAD + _CAPTION, -_PAD, -_PAD - _CAPTION)
        if not self.curves:
            self._caption(
                painter,
                QRectF(self.rect()),
                "The strain law cannot be drawn",
                Qt.AlignmentFlag.AlignCenter,
            )
            return
        middle = area.center().y()
        painter.setPen(QPen(theme.colour("line"), 1.0))
        painter.drawLine(QPointF(area.left(), middle), QPointF(area.right(), middle))
        for _, role, values in self.curves:
            y = middle - np.clip(values / self.reach, -1.2, 1.2) * area.height() / 2
            x = np.linspace(area.left(), area.right(), len(values))
            painter.setPen(QPen(theme.colour(role), 1.8))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            line = [
                QPointF(*point)
                for point in zip(x.tolist(), y.tolist(), strict=True)
                if np.isfinite(point[1])
            ]
            painter.drawPolyline(QPolygonF(line))
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        top = QRectF(_PAD, 6, self.width() - 2 * _PAD, _CAPTION)
        begin = float(_PAD)
        for symbol, role, _ in self.curves:
            width = painter.fontMetrics().horizontalAdvance(symbol) + 12.0
            self._caption(painter, QRectF(begin, 6, width, _CAPTION), symbol, left, role)
            begin += width
        self._caption(painter, top, f"±{readable(self.reach, self.unit)}", right)
        bottom = QRectF(_PAD, self.height() - 6 - _CAPTION, self.width() - 2 * _PAD, _CAPTION)
        self._caption(painter, bottom, "head", left)
        self._caption(painter, bottom, f"X = {readable(self._length, 'm')}", right)

    @staticmethod
    def _caption(
        painter: QPainter, rect: QRectF, text: str, side: Qt.AlignmentFlag, role: str = "dim"
    ) -> None:
        painter.setFont(theme.value_font(11, bold=False))
        painter.setPen(theme.colour(role))
        painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter, text)
