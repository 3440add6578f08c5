"""Preview of an import: the first rows of a table with the meaning of its columns, and the tracks from above."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QLineF,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QFrame, QMenu, QTableView, QWidget

from snakestudio._arrays import FloatArray
from snakestudio.drawing.overlays import MeasuredLine
from snakestudio.drawing.tracks import track_segments
from snakestudio.gui.core import theme
from snakestudio.gui.core.run_colours import trial_colour
from snakestudio.gui.forms.menu import Menu
from snakestudio.model.capture import Capture
from snakestudio.viewmodel.experiment.columns import (
    JOINT_PARTS,
    POSITION_PARTS,
    ROTATION_PARTS,
    TIME,
    UNUSED,
    Meaning,
    MeasuredBody,
)

_Index = QModelIndex | QPersistentModelIndex
_Role = Qt.ItemDataRole

_PARTS = {
    "x": "x",
    "y": "y",
    "z": "z",
    "qw": "quaternion w",
    "qx": "quaternion x",
    "qy": "quaternion y",
    "qz": "quaternion z",
    "roll": "roll",
    "pitch": "pitch",
    "yaw": "heading",
    **{part: f"matrix {part[1:]}" for part in ROTATION_PARTS["matrix"]},
    **{part: f"rotation vector {part[1:]}" for part in ROTATION_PARTS["vector"]},
}
_ROTATIONS = (*ROTATION_PARTS["quaternion"], *ROTATION_PARTS["euler"])


class _Rows(QAbstractTableModel):
    """Texts of the file, and the meaning of each column in its header."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.rows: list[list[str]] = []
        self.header_rows = 0
        self.meanings: list[Meaning] = []
        self.bodies: list[MeasuredBody] = []

    def show(
        self,
        rows: Sequence[Sequence[str]],
        header_rows: int,
        meanings: Sequence[Meaning],
        bodies: Sequence[MeasuredBody],
    ) -> None:
        """Show other rows, or other meanings."""
        self.beginResetModel()
        self.rows = [list(row) for row in rows]
        self.header_rows = header_rows
        self.meanings = list(meanings)
        self.bodies = list(bodies)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.meanings)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role in (_Role.DisplayRole, _Role.ToolTipRole):
            cells = self.rows[row]
            return cells[column] if column < len(cells) else ""
        used = self.meanings[column] != UNUSED and row >= self.header_rows
        if role == _Role.ForegroundRole:
            return theme.colour("text" if used else "dim")
        if role == _Role.BackgroundRole and row < self.header_rows:
            return theme.colour("panel")
        if role == _Role.TextAlignmentRole and row >= self.header_rows:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Vertical:
            return str(section + 1) if role == _Role.DisplayRole else None
        meaning = self.meanings[section]
        if role == _Role.DisplayRole:
            return f"{self.text(meaning)} ▾"
        if role == _Role.ForegroundRole:
            return QColor(theme.colour("dim" if meaning == UNUSED else "accent"))
        if role == _Role.ToolTipRole:
            return "Click to set the meaning of this column"
        return None

    def text(self, meaning: Meaning) -> str:
        """Return the title of a column with this meaning."""
        if meaning.kind == "body":
            name = self.bodies[meaning.index].name if meaning.index < len(self.bodies) else "?"
            return f"{name} · {_PARTS[meaning.part]}"
        if meaning.kind == "joint":
            return f"Joint {meaning.index + 1} · {meaning.part}"
        return "Time" if meaning == TIME else "not used"


class PreviewTable(QTableView):
    """First rows of a measured table.

    Signals
    -------
    chosen(column: int, meaning: Meaning)
        The user set the meaning of a column; a body whose index is the number of bodies is new.
    """

    chosen = Signal(int, object)

    def __init__(self, n_joints: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._n_joints = n_joints
        self._rows = _Rows(self)
        self.setModel(self._rows)
        self.setAccessibleName("First rows of the file")
        self.setToolTip(
            "First rows of the file; click a column header, or press Space, to set its meaning"
        )
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTableCornerButton::section { background: transparent; border: 0; }")
        self.setWordWrap(False)
        self.setFont(theme.value_font(12, bold=False))
        self.verticalHeader().setDefaultSectionSize(theme.scaled(22))
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setHighlightSections(False)
        head.setMinimumSectionSize(theme.scaled(84))
        head.setMaximumSectionSize(theme.scaled(260))
        head.sectionClicked.connect(self._on_head)

    def show_rows(
        self,
        rows: Sequence[Sequence[str]],
        header_rows: int,
        meanings: Sequence[Meaning],
        bodies: Sequence[MeasuredBody],
    ) -> None:
        """Show other rows, or other meanings."""
        self._rows.show(rows, header_rows, meanings, bodies)
        self.resizeColumnsToContents()

    def head_text(self, column: int) -> str:
        """Return the header text of a column."""
        return str(self._rows.headerData(column, Qt.Orientation.Horizontal))

    def _on_head(self, column: int) -> None:
        head = self.horizontalHeader()
        self._pop_up(
            column, head.mapToGlobal(QPoint(head.sectionViewportPosition(column), head.height()))
        )

    def _pop_up(self, column: int, at: QPoint) -> None:
        menu = self.menu(column)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(at)

    def menu(self, column: int) -> QMenu:
        """Return the menu of meanings for a column."""
        menu = Menu(self)
        now = self._rows.meanings[column]
        model = self._rows

        def offer(where: QMenu, text: str, meaning: Meaning) -> None:
            action = where.addAction(text.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(meaning == now)
            action.triggered.connect(lambda: self.chosen.emit(column, meaning))

        offer(menu, "Not used", UNUSED)
        offer(menu, "Time", TIME)
        menu.addSeparator()
        for index, body in enumerate([*model.bodies, MeasuredBody("New body")]):
            below = menu.addMenu(body.name.replace("&", "&&"))
            for part in POSITION_PARTS:
                offer(below, part, Meaning("body", index, part))
            below.addSeparator()
            for part in _ROTATIONS:
                offer(below, _PARTS[part], Meaning("body", index, part))
        if self._n_joints:
            menu.addSeparator()
            joints = menu.addMenu("Joint angle")
            for joint in range(self._n_joints):
                below = joints.addMenu(f"Joint {joint + 1}")
                for part in JOINT_PARTS:
                    offer(below, part, Meaning("joint", joint, part))
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        column = self.currentIndex().column()
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Menu, Qt.Key.Key_Return) and column >= 0:
            self._on_head(column)
            event.accept()
        else:
            super().keyPressEvent(event)


_MARGIN = 16.0
_FOOT = 36.0
_DASH = 5.0
"""Margin around the tracks, space below them for the scale, and length of a dash, px."""


class TrackPlan(QWidget):
    """Tracks from above, x to the right and y up.

    Parameters
    ----------
    robot_length : float
        Length of the robot drawn to scale next to the tracks, m.
    """

    def __init__(self, robot_length: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._robot_length = robot_length
        self._capture: Capture | None = None
        self._text = ""
        self.setMinimumSize(theme.scaled(220), theme.scaled(180))
        self.setAccessibleName("Plan of the tracks")
        self.setToolTip(
            "Top view of the tracks; dashed where gaps were filled, with a dot at each start"
        )

    def show_capture(self, capture: Capture | None, text: str = "") -> None:
        """Show the tracks of a capture, or a text instead."""
        self._capture = capture
        self._text = text
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("ground"))
            painter.drawRoundedRect(self.rect(), 6, 6)
            painter.setFont(theme.text_font(12))
            capture = self._capture
            known = (
                None
                if capture is None
                else capture.position[np.isfinite(capture.position).all(axis=2)]
            )
            if capture is None or known is None or not len(known):
                painter.setPen(theme.colour("dim"))
                painter.drawText(
                    self.rect(), Qt.AlignmentFlag.AlignCenter, self._text or "no track yet"
                )
            else:
                self._paint(painter, capture, known[:, :2].min(axis=0), known[:, :2].max(axis=0))
        finally:
            painter.end()

    def _paint(
        self, painter: QPainter, capture: Capture, low: FloatArray, high: FloatArray
    ) -> None:
        # The scale follows the larger of track and robot, so that both are always visible.
        width = self.width() - 2 * _MARGIN
        height = self.height() - 2 * _MARGIN - _FOOT
        size = np.maximum(high - low, [self._robot_length, 1e-6])
        scale = float(min(width / size[0], height / size[1]))
        centre = 0.5 * (low + high)
        middle = np.array([self.width() / 2, _MARGIN + height / 2])

        def places(points: FloatArray) -> FloatArray:
            return middle + (points[:, :2] - centre) * [scale, -scale]

        for body in range(len(capture.bodies)):
            track = capture.position[:, body]
            gaps = ~(capture.measured[1:, body] & capture.measured[:-1, body])
            start, end, faint = track_segments(
                MeasuredLine(track, (0.0, 0.0, 0.0), gaps), _DASH / scale
            )
            colour = QColor(trial_colour(body))
            pen = QPen(colour, 2.0 if len(capture.bodies) < 4 else 1.2)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            ends = np.hstack([places(start), places(end)])
            painter.setOpacity(1.0)
            painter.drawLines([QLineF(*line) for line in ends[~faint].tolist()])
            painter.setOpacity(0.6)
            painter.drawLines([QLineF(*line) for line in ends[faint].tolist()])
            painter.setOpacity(1.0)
            first = track[np.isfinite(track).all(axis=1)][:1]
            for x, y in places(first).tolist():
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(pen.color())
                painter.drawEllipse(QPointF(x, y), 4, 4)
        self._paint_scale(painter, scale)

    def _paint_scale(self, painter: QPainter, scale: float) -> None:
        """Paint the robot's length, or a round length if the robot is too short to be visible."""
        length = self._robot_length
        text = f"robot, {self._robot_length:.3g} m"
        if length * scale < 6:
            length = 10.0 ** math.ceil(math.log10(24 / scale))
            text = f"{length:g} m; the robot is {self._robot_length:.3g} m long"
        y = self.height() - 14.0
        left = _MARGIN
        painter.setPen(
            QPen(theme.colour("text"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        )
        painter.drawLine(QPointF(left, y), QPointF(left + length * scale, y))
        painter.setPen(theme.colour("dim"))
        area = QRectF(left, y - 26, self.width() - 2 * left, 20)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
