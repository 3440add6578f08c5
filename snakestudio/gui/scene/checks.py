"""Problems of the scene, and edits that wait for a reset; a click goes to the object of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QLabel, QListView, QMenu, QVBoxLayout, QWidget

from snakestudio.drawing.obstacles import obstacles_of
from snakestudio.errors import Fix, Problem, SnakeStudioError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.selection import Selection
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.throttle import Throttle
from snakestudio.gui.forms.menu import Menu
from snakestudio.gui.forms.number_field import Message
from snakestudio.gui.forms.problem_list import ProblemDelegate, ProblemList, ProblemRow
from snakestudio.model.edits import declared, parse_key
from snakestudio.model.fields import field_doc
from snakestudio.model.labels import label_of, obstacle_title
from snakestudio.model.scene import Scene
from snakestudio.session.build_check import hints
from snakestudio.session.scene_check import check
from snakestudio.text import counted
from snakestudio.viewmodel.scene.items import finding_text, items_of

_MEASURED = 20
"""Number of problems from which the minimum height is computed."""
_TALLEST = 190
"""Height of a problem that always fits, px of the design."""


def _pending(scene: Scene, key: str) -> Problem:
    """Return an edit that waits for the next reset as a problem."""
    try:
        path = parse_key(key)
        if path[0] == "obstacles" and len(path) < 3:
            what = label_of(scene, key)
        else:
            what = field_doc(*declared(scene, key)).label
        if path[0] == "obstacles" and len(path) > 2 and isinstance(path[1], int):
            what = f"{obstacle_title(scene.obstacles[path[1]], path[1])}, {what.lower()}"
    except (SnakeStudioError, IndexError):
        what = key
    return Problem("hint", key, f"{what} takes effect at the next reset", "")


def _unreadable(scene: Scene, base_dir: Path | None, known: Sequence[Problem]) -> list[Problem]:
    """Return problems for obstacles whose shape cannot be read, unless the engine has reported them."""
    reported = {
        index
        for problem in known
        if problem.severity == "error"
        for item, index in items_of(problem)
        if item == "obstacle"
    }
    return [
        replace(
            p,
            key=f"obstacles[{i + 1}].{p.key}",
            message=f"{obstacle_title(scene.obstacles[i], i)}: {p.message}",
            obstacles=(i,),
        )
        for i, p in obstacles_of(scene.obstacles, base_dir).problems
        if i not in reported
    ]


class Checks(QWidget):
    """Problems of the scene. A click selects the object of a problem, its buttons apply fixes.

    Signals
    -------
    problem_activated(problem: Problem)
        The user wants to see the object of a problem, which is already selected.
    """

    problem_activated = Signal(object)

    def __init__(
        self, document: Document, session_controller: SessionController, selection: Selection
    ) -> None:
        super().__init__()
        self._document = document
        self._session_controller = session_controller
        self._selection = selection
        self._checked: tuple[Scene, Path | None, list[Problem]] | None = None
        self._hinted: tuple[Scene, Path | None, list[Problem]] | None = None
        self.summary = QLabel()
        self.summary.setContentsMargins(4, 0, 0, 0)
        self.list = QListView()
        self._problem_list = ProblemList(self)
        self.list.setModel(self._problem_list)
        self.delegate = ProblemDelegate(self.list)
        self.delegate.fix_requested.connect(self._fix)
        self.list.setItemDelegate(self.delegate)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.advice = QLabel(wordWrap=True)  # hints that are not problems
        self.advice.setProperty("role", "dim")
        self.advice.setContentsMargins(4, 0, 0, 0)
        self._message = Message()
        self._message.setObjectName("message")
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # all text in it is wrapped
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setMouseTracking(True)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.clicked.connect(self._on_click)
        self.list.activated.connect(self._open_object)
        layout = self._column = QVBoxLayout(self)
        layout.setContentsMargins(12, 0, 12, 8)
        layout.setSpacing(4)
        layout.addWidget(self.summary)
        layout.addWidget(self._message)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.advice)
        layout.addStretch(0)  # keeps the summary on top if the list is empty
        session_controller.status_changed.connect(self._refresh)
        # the session reports current problems; unreadable files are checked here
        pace = Throttle(200, self._refresh, self)
        document.scene_changed.connect(pace.request)
        # after saving in another folder, relative file names refer to other files
        document.title_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        status = self._session_controller.status
        problems = list(status.problems)
        if status.pending:
            problems += [problem for problem in self._coming() if problem not in problems]
        problems += _unreadable(self._document.scene, self._document.base_dir, problems)
        self._message.show_text("")
        entries = [
            ProblemRow(p.severity, p, finding_text(p, self._document.scene)) for p in problems
        ]
        pending = [_pending(self._document.scene, key) for key in status.pending]
        self._problem_list.replace(
            [*entries, *(ProblemRow("pending", p, f"{p.message}.") for p in pending)]
        )
        scene = self._document.scene
        self.advice.setText("\n".join(finding_text(p, scene) for p in self._hints()))
        self.advice.setVisible(bool(self.advice.text()))
        count = {
            kind: sum(p.severity == kind for p in problems) for kind in ("error", "warning", "hint")
        }
        parts = [counted(count["error"], "error") if count["error"] else "No errors"]
        parts += [counted(count[kind], kind) for kind in ("warning", "hint") if count[kind]]
        if pending:
            parts.append(f"{counted(len(pending), 'edit')} at reset")
        role = "warning" if count["error"] or count["warning"] else "good"
        self.summary.setText(", ".join(parts))
        if self.summary.property("role") != role:
            self.summary.setProperty("role", role)
            self.summary.style().unpolish(self.summary)
            self.summary.style().polish(self.summary)
        self.list.setVisible(bool(self._problem_list.entries))
        self._keep_room()

    def _coming(self) -> list[Problem]:
        """Return the problems of the scene as edited; the session knows only the scene that it runs until the reset."""
        scene = self._document.scene
        base_dir = self._document.base_dir
        if self._checked is None or self._checked[:2] != (scene, base_dir):
            self._checked = (scene, base_dir, check(scene, base_dir))
        return list(self._checked[2])

    def _hints(self) -> list[Problem]:
        """Return the hints about the scene as edited, computed once for each scene."""
        scene = self._document.scene
        base_dir = self._document.base_dir
        if self._hinted is None or self._hinted[:2] != (scene, base_dir):
            self._hinted = (scene, base_dir, hints(scene, base_dir))
        return self._hinted[2]

    # --- size -------------------------------------------------------------------------------------

    @property
    def height_of_problems(self) -> int:
        """Height at which all problems are fully visible, px."""
        margins = self._column.contentsMargins()
        above = self.summary.sizeHint().height() + self._column.spacing()
        rows = sum(self._row_height(row) for row in range(len(self._problem_list.entries)))
        below = self.advice.minimumHeight() if self.advice.isVisible() else 0
        return margins.top() + above + rows + 2 * self.list.frameWidth() + below + margins.bottom()

    def _row_height(self, row: int) -> int:
        return self.list.sizeHintForIndex(self._problem_list.index(row, 0)).height()

    def _keep_room(self) -> None:
        """Keep the height of the tallest problem with its buttons, and that of the hints."""
        margins = self._column.contentsMargins()
        width = self.width() - margins.left() - margins.right()
        # Qt returns -1 for an empty text
        self.advice.setMinimumHeight(max(0, self.advice.heightForWidth(width)))
        heights = [
            self._row_height(row) for row in range(min(_MEASURED, len(self._problem_list.entries)))
        ]
        self.list.setMinimumHeight(min(max(heights, default=0), theme.scaled(_TALLEST)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_room()

    def show_first(self) -> None:
        """Scroll to the first problem and mark it."""
        if self._problem_list.entries:
            first = self._problem_list.index(0, 0)
            self.list.setCurrentIndex(first)
            self.list.scrollTo(first, QListView.ScrollHint.PositionAtTop)
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- actions ----------------------------------------------------------------------------------

    def _on_click(self, index: QModelIndex) -> None:
        if not self.delegate.over_button:  # those are fixes
            self._open_object(index)

    def _open_object(self, index: QModelIndex) -> None:
        problem = self._problem_list.entries[index.row()].problem
        items = items_of(problem)
        if items:
            self._selection.set(items)
        self.problem_activated.emit(problem)

    def _fix(self, fix: Fix) -> None:
        try:
            self._document.apply_fix(fix)
        except SnakeStudioError as error:
            self._message.show_text(str(error))  # of a removed key, only the name is known

    def menu(self, index: QModelIndex) -> QMenu:
        """Return the menu of a problem."""
        menu = Menu(self)
        menu.addAction("Go to Object").triggered.connect(lambda: self._open_object(index))
        for fix in self._problem_list.entries[index.row()].problem.fixes:
            menu.addAction(fix.label).triggered.connect(lambda _=False, fix=fix: self._fix(fix))
        return menu

    def _show_menu(self, position: QPoint) -> None:
        index = self.list.indexAt(position)
        if not index.isValid():
            index = self.list.currentIndex()  # opened with the menu key
        if index.isValid():
            menu = self.menu(index)
            menu.exec(self.list.viewport().mapToGlobal(position))
            menu.deleteLater()
