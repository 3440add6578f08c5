"""Card with the state of the robot, its meaning and the age of the robot's last message."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.robot.figures import SteadyLabel
from snakestudio.viewmodel.robot.robot_status import RobotStatus, span_text


class StateCard(ThemedWidget):
    """Title and sentence on a card whose edge has the colour of the state."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        self._card = QFrame(self)
        self._card.setObjectName("state_card")
        outside.addWidget(self._card)
        column = QVBoxLayout(self._card)
        column.setContentsMargins(14, 10, 12, 10)
        column.setSpacing(4)
        self.title = QLabel(self._card)
        self.title.setWordWrap(True)
        self.title.setAccessibleName("State of the robot")
        self.sentence = QLabel(self._card)
        self.sentence.setWordWrap(True)
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.age_label = SteadyLabel(self._card)
        column.addWidget(self.title)
        column.addWidget(self.sentence)
        column.addWidget(self.age_label)
        self._role = ""

    def show_status(self, status: RobotStatus) -> None:
        """Show a status."""
        if (status.title, status.sentence) != (self.title.text(), self.sentence.text()):
            self.title.setText(status.title)
            self.sentence.setText(status.sentence)
        age = status.message_age
        self.age_label.show_text("" if math.isnan(age) else f"last message {span_text(age)} ago")
        self.age_label.setVisible(not math.isnan(age))
        if status.role != self._role:
            self._role = status.role
            self.apply_theme()

    def apply_theme(self) -> None:
        p = theme.current()
        colour = getattr(p, self._role or "dim")
        ground = theme.mixed(p.card, colour, 0.12)
        self._card.setStyleSheet(
            f"#state_card {{ background: {ground}; border: 1px solid {theme.mixed(p.line, colour, 0.4)};"
            f" border-left: 4px solid {colour}; border-radius: 6px; }}"
        )
        self.title.setStyleSheet(f"color: {colour};")
        font = theme.text_font(22, strong=True)
        self.title.setFont(font)
        # Widgets below keep their position whether the sentence takes one line or two.
        self.sentence.setMinimumHeight(2 * self.sentence.fontMetrics().lineSpacing())
