"""One anchorage of a continuous body as a card: where it holds, when, and how what it is anchored to moves."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import Themed
from snakestudio.gui.forms.form import FormRow, make_row
from snakestudio.gui.forms.formula_row import FormulaRow
from snakestudio.model.edits import get_value

__all__ = ["AnchorCard"]

_MOTIONS = (
    ("velocity_m_s", "V", "m/s", "Velocity of what it is anchored to, along t_{} of that cross-section"),
    ("angular_velocity_rad_s", "Ω", "rad/s", "Turn rate of what it is anchored to, about t_{} of that cross-section"),
)


class AnchorCard(Themed):
    """Edits `support.anchors[index + 1]`.

    Parameters
    ----------
    document : Document
    index : int
        0-based.
    removable : bool
        Whether there are others.

    Signals
    -------
    remove_asked(index: int)
    """

    remove_asked = Signal(int)

    def __init__(self, document: Document, index: int, *, removable: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.key = f"support.anchors[{index + 1}]"
        self.setProperty("role", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._title = f"Anchor {index + 1}"
        title = QLabel(self._title)
        title.setProperty("role", "heading")
        self.remove_button = QToolButton()
        self.remove_button.setProperty("role", "flat")
        self.remove_button.setIconSize(QSize(14, 14))
        self.remove_button.setToolTip("Remove this anchor")
        self.remove_button.setVisible(removable)
        self.remove_button.clicked.connect(lambda: self.remove_asked.emit(index))
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.remove_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 12, 12)
        self._column.setSpacing(8)
        self._column.addLayout(head)
        self.formulas: dict[str, FormulaRow] = {}
        self.times: list[FormRow] = []
        self._formula(self._column, "at_m", "<i>C</i>", "m", "Where on the body it holds, a formula of t")
        for name in ("from_s", "until_s"):
            row = make_row(document, [f"{self.key}.{name}"], f"anchor {index + 1}")
            assert row is not None
            self.times.append(row)
            self._column.addWidget(row)
        self.more_button = QPushButton("What it is anchored to moves …")
        self.more_button.setProperty("role", "link")
        self.more_button.setToolTip("Give the velocity and the turn rate of what it is anchored to")
        self.more_button.clicked.connect(lambda: self._unfold(True))
        self._column.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.motion = QWidget()
        motion = QVBoxLayout(self.motion)
        motion.setContentsMargins(0, 0, 0, 0)
        motion.setSpacing(8)
        for name, symbol, unit, help in _MOTIONS:
            for axis, letter in enumerate("XYZ"):
                key = f"{name}[{axis + 1}]"
                self._formula(motion, key, f"<i>{symbol}</i><sub>{letter}</sub>", unit, help.format(letter))
        self._column.addWidget(self.motion)
        self._unfold(self._moves())
        self.renew_theme()

    def _formula(self, column: QVBoxLayout, name: str, symbol: str, unit: str, help: str) -> None:
        row = FormulaRow(self._document, f"{self.key}.{name}", symbol, unit, help, of=self._title.lower())
        self.formulas[row.key] = row
        column.addWidget(row)

    def _moves(self) -> bool:
        try:
            anchor = get_value(self._document.scene, self.key)
        except SceneError:
            return False  # it has just gone, and the card goes with it
        return any(text.strip() != "0" for name, *_ in _MOTIONS for text in getattr(anchor, name))

    def _unfold(self, open_: bool) -> None:
        self.motion.setVisible(open_)
        self.more_button.setVisible(not open_)

    def refresh(self) -> None:
        """Show what the scene says now."""
        for formula in self.formulas.values():
            formula.refresh()
        for row in self.times:
            row.refresh()
        if self._moves():
            self._unfold(True)

    def show_findings(self, problems: Collection[Problem]) -> None:
        """Say at every formula what a check of the scene has found there."""
        for key, row in self.formulas.items():
            whole = key.rpartition("[")[0] if key.endswith("]") else key
            found = next((p for p in problems if p.key in (key, whole)), None)
            text = "" if found is None else f"{found.message[:1].upper()}{found.message[1:]}; {found.remedy}."
            row.show_finding(text.replace("; .", "."))

    def renew_theme(self) -> None:
        self.remove_button.setIcon(theme.icon("delete", "dim"))
