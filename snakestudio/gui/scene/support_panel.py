"""Contacts of a continuous body in the parameter panels: kind, values, and specified anchors."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from snakestudio.errors import Problem, SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.value_row import ValueRow
from snakestudio.gui.scene.kind_section import KindSection
from snakestudio.gui.scene.value_rows import formula_row, is_editable, scene_row, sentence_about
from snakestudio.model.edits import get_value, tree, with_values
from snakestudio.model.fields import FieldDoc, field_doc
from snakestudio.model.robot.support import Anchor
from snakestudio.model.scene import Scene

SUPPORTS = {
    "rings": ("Rings", "Rings along the body prevent sideways sliding and carry the load."),
    "wave_anchors": (
        "Anchored by the wave",
        "The body is anchored to its surroundings where it is shortest.",
    ),
    "end_anchors": ("Alternating ends", "The head and the tail are anchored in turn."),
    "anchors": ("Specified anchors", "Anchored at given positions to fixed or moving objects."),
    "friction": ("Friction", "There are no anchors; ground friction moves the body."),
}
"""Title and description of each kind of contact."""

_OF_FRICTION = ("ground.mu_along", "ground.mu_across", "ground.coulomb_smoothing_m_s")
"""Other values that count if friction moves the body."""


class SupportPanel(KindSection):
    """Selects the contacts of the body, and edits their values.

    Signals
    -------
    rebuilt()
        The kind of contacts or the number of anchors has changed: `rows` are new.
    """

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Contacts of the body", document, parent)
        self.cards: list[AnchorCard] = []
        titles = {kind: title for kind, (title, _) in SUPPORTS.items()}
        self.box = self._kind_box("Contacts of the body", titles, self._choose)
        self.about = QLabel()
        self.about.setProperty("role", "dim")
        self.about.setWordWrap(True)
        self.add_button = QPushButton("Add an anchor")
        self.add_button.setToolTip("Add an anchor at the tail")
        self.add_button.clicked.connect(self._add)
        for widget in (self.box, self.about, self.message, self._rows, self.add_button):
            self.add(widget)
        self.refresh(document.scene)

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        support = scene.support
        self._make_rows(scene, (support.kind, len(support.explicit_anchors)))
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(support.kind))
        self.about.setText(SUPPORTS[support.kind][1])
        self._rows.refresh()
        for card in self.cards:
            card.refresh()
        self.add_button.setVisible(bool(support.explicit_anchors))

    def show_pending(self, pending: Collection[str]) -> None:
        """Show which changes wait for the next reset."""
        waits = any(key == "support" or key.startswith("support.anchors") for key in pending)
        self.message.show_text("The new contacts take effect at the next reset." if waits else "")

    def show_problems(self, problems: Collection[Problem]) -> None:
        for card in self.cards:
            card.show_problems(problems)

    def reset(self) -> None:
        super().reset()
        self._rows.reset()

    def _choose(self, kind: str) -> None:
        if kind != self._document.scene.support.kind:
            self._set({"support": {"kind": kind}}, f"Contacts: {SUPPORTS[kind][0].lower()}")
        self.refresh(self._document.scene)

    def _add(self) -> None:
        support = self._document.scene.support
        if support.explicit_anchors:
            anchors = [*tree(support.explicit_anchors), tree(Anchor(at_m="l"))]
            self._set({"support.anchors": anchors}, "Add anchor")

    def _remove(self, index: int) -> None:
        support = self._document.scene.support
        if support.explicit_anchors:
            anchors = [*support.explicit_anchors[:index], *support.explicit_anchors[index + 1 :]]
            self._set({"support.anchors": tree(tuple(anchors))}, f"Remove anchor {index + 1}")

    def _set(self, values: dict[str, object], text: str) -> None:
        self._edit(lambda scene: with_values(scene, values), text)

    def _fill(self, scene: Scene) -> None:
        self.cards = []
        support = scene.support
        keys = [f"support.{name}" for name in type(support).model_fields if name != "kind"]
        for key in (*keys, *(() if support.kinematic else _OF_FRICTION)):
            if is_editable(scene, key):
                self._rows.add_value(key)
        for index in range(len(support.explicit_anchors)):
            card = AnchorCard(self._document, index, removable=len(support.explicit_anchors) > 1)
            card.remove_requested.connect(self._remove)
            self.cards.append(card)
            self._rows.add(card)


_MOTIONS = (
    (
        "velocity_m_s",
        "V",
        "Velocity of the object it is anchored to, along t_{} of that cross-section",
    ),
    (
        "angular_velocity_rad_s",
        "Ω",
        "Turn rate of the object it is anchored to, about t_{} of that cross-section",
    ),
)


class AnchorCard(ThemedWidget):
    """Edits `support.anchors[index + 1]`.

    Parameters
    ----------
    index : int
        0-based.
    removable : bool
        Whether there are other anchors.

    Signals
    -------
    remove_requested(index: int)
    """

    remove_requested = Signal(int)

    def __init__(
        self, document: Document, index: int, *, removable: bool, parent: QWidget | None = None
    ) -> None:
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
        self.remove_button.clicked.connect(lambda: self.remove_requested.emit(index))
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.remove_button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 8, 12, 12)
        self._column.setSpacing(8)
        self._column.addLayout(head)
        self.formulas: dict[str, ValueRow] = {}
        self.times: list[ValueRow] = []
        self._formula(self._column, "at_m", "<i>C</i>", field_doc(Anchor, "at_m"))
        for name in ("from_s", "until_s"):
            row = scene_row(document, [f"{self.key}.{name}"], f"anchor {index + 1}")
            assert row is not None
            self.times.append(row)
            self._column.addWidget(row)
        self.more_button = QPushButton("Anchored to a moving object...")
        self.more_button.setProperty("role", "link")
        self.more_button.setToolTip(
            "Set the velocity and the turn rate of the object it is anchored to"
        )
        self.more_button.clicked.connect(lambda: self._unfold(True))
        self._column.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.motion = QWidget()
        motion = QVBoxLayout(self.motion)
        motion.setContentsMargins(0, 0, 0, 0)
        motion.setSpacing(8)
        for name, symbol, help in _MOTIONS:
            doc = field_doc(Anchor, name)
            for axis, letter in enumerate("XYZ"):
                entry = doc._replace(help=help.format(letter), default="0")
                symbol_text = f"<i>{symbol}</i><sub>{letter}</sub>"
                self._formula(motion, f"{name}[{axis + 1}]", symbol_text, entry)
        self._column.addWidget(self.motion)
        self._unfold(self._moves())
        self.apply_theme()

    def _formula(self, column: QVBoxLayout, name: str, symbol: str, doc: FieldDoc) -> None:
        row = formula_row(
            self._document,
            f"{self.key}.{name}",
            doc,
            symbol=symbol,
            of=self._title.lower(),
            is_entry=name.endswith("]"),
        )
        self.formulas[row.key] = row
        column.addWidget(row)

    def _moves(self) -> bool:
        try:
            anchor = get_value(self._document.scene, self.key)
        except SceneError:
            return False  # the support was removed, and this card will be, too
        return any(text.strip() != "0" for name, *_ in _MOTIONS for text in getattr(anchor, name))

    def _unfold(self, open_: bool) -> None:
        self.motion.setVisible(open_)
        self.more_button.setVisible(not open_)

    def refresh(self) -> None:
        """Show the values of the scene."""
        for formula in self.formulas.values():
            formula.refresh()
        for row in self.times:
            row.refresh()
        if self._moves():
            self._unfold(True)

    def show_problems(self, problems: Collection[Problem]) -> None:
        """Show the problems that a check of the scene found in each formula."""
        for key, row in self.formulas.items():
            list_key = key.rpartition("[")[0] if key.endswith("]") else key
            row.show_report(sentence_about(problems, key, list_key))

    def apply_theme(self) -> None:
        self.remove_button.setIcon(theme.icon("delete", "dim"))
