"""Controller section of the parameter panels: kind, parameters, and the path for the kind that needs it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.scene.kind_section import KindSection
from snakestudio.gui.scene.value_rows import panel_row
from snakestudio.kinds.controller import CONTROLLERS
from snakestudio.model.edits import with_value
from snakestudio.model.scene import Scene
from snakestudio.viewmodel.papers import cited


class ControllerPanel(KindSection):
    """Selects the controller that closes the loop over the gait, and edits its values.

    Signals
    -------
    draw_requested(), clear_requested()
        The user wants to draw a path, or to remove it.
    """

    draw_requested = Signal()
    clear_requested = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__("Controller", document, parent)
        self.box = self._kind_box("Controller", {}, self._choose)
        self._offer_kinds()
        self.about = QLabel()
        self.about.setProperty("role", "dim")
        self.about.setWordWrap(True)
        for widget in (self.box, self.about, self.message, self._rows):
            self.add(widget)
        self._make_path_part()
        self.refresh(document.scene)
        document.kinds_changed.connect(self.update_kinds)

    def _offer_kinds(self) -> None:
        with QSignalBlocker(self.box):
            self.box.clear()
            for kind, info in CONTROLLERS.items():
                self.box.addItem(cited(info.title), kind)
                source = CONTROLLERS.source(kind)
                tip = f"{info.help} From the plug-in {source}." if source else info.help
                self.box.setItemData(self.box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def _make_path_part(self) -> None:
        """Add the widgets of the path."""
        self.path_part = QWidget()
        column = QVBoxLayout(self.path_part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        title = QLabel("Path")
        title.setProperty("role", "group")
        self.path_about = QLabel()
        self.path_about.setProperty("role", "dim")
        self.path_about.setWordWrap(True)
        self.draw_button = QPushButton("Draw path")
        self.clear_button = QPushButton("Remove")
        self.draw_button.setToolTip(
            "Click waypoints on the ground; Enter or double-click ends the path"
        )
        self.clear_button.setToolTip("Remove the path")
        self.draw_button.clicked.connect(self.draw_requested)
        self.clear_button.clicked.connect(self.clear_requested)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.draw_button, 1)
        line.addWidget(self.clear_button)
        column.addWidget(title)
        column.addWidget(self.path_about)
        column.addLayout(line)
        self.path_rows = [panel_row(self._document, key) for key in ("path.shape", "path.closed")]
        for row in self.path_rows:
            column.addWidget(row)
        self.add(self.path_part)

    def refresh(self, scene: Scene) -> None:
        """Show the values of the scene."""
        kind = scene.controller.kind
        info = CONTROLLERS[kind]
        follows = "path" in info.tools
        self._make_rows(scene, kind)
        self._rows.refresh()
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(self.box.findData(kind))
            # of a plug-in that is not loaded; Qt makes the box as wide as this text
            known = self.box.currentIndex() >= 0
            self.box.setPlaceholderText("" if known else cited(info.title))
        about = " ".join(filter(None, (info.help, info.note(scene.controller))))
        self.about.setText(cited(about))
        for of_path in self.path_rows:
            of_path.refresh()
        self.path_part.setVisible(follows or bool(scene.path))
        count = len(scene.path.waypoints_m)
        unfollowed = "" if follows else ", not used by this controller"
        self.path_about.setText(
            f"{count} waypoints{unfollowed}. Drag them in the view; double-click the path to add one, right-click "
            "a waypoint to remove it."
            if count
            else "There is no path yet. Draw one on the ground."
        )
        self.clear_button.setVisible(count > 0)
        self.draw_button.setText("Draw another path" if count else "Draw path")
        for of_path in self.path_rows:
            of_path.setVisible(count > 0)

    def show_pending(self, pending: Collection[str]) -> None:
        """Show which changes wait for the next reset."""
        kind = "controller" in pending
        self.message.show_text("The new controller takes effect at the next reset." if kind else "")

    def _choose(self, kind: str) -> None:
        text = f"Controller: {cited(CONTROLLERS[kind].title)}"
        self._edit(lambda scene: with_value(scene, "controller.kind", kind), text)
        self.refresh(self._document.scene)

    def _fill(self, scene: Scene) -> None:
        self._rows.add_all("controller", scene)
