"""Slim notices over the viewport: a message on what happened and buttons to resolve it, without blocking.

They overlay the viewport instead of taking space above it: a notice that appears while the user is
about to click must not move another widget under the mouse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QFontMetricsF
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from snakestudio.engines import registry
from snakestudio.errors import Fix
from snakestudio.gui.core import theme
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.paths import kernels_dir, replaced_folders
from snakestudio.session.status import Status
from snakestudio.session.time_left import progress_text
from snakestudio.viewmodel.scene.items import finding_text
from snakestudio.viewmodel.scene.message_labels import labelled

Kind = Literal["info", "warning", "danger"]
Button = tuple[str, Callable[[], object]]

_LINES = 3
_LINES_LOW = 2
"""Largest number of lines of a collapsed notice, and over a low viewport, whose content must stay
visible."""
_LOW = 320
"""Height below which a viewport is low, px of the design."""
_NARROW = 520
"""Width of a notice below which its buttons may be placed below the text, px of the design."""
_ANY = (1 << 24) - 1
"""Qt's value for an unlimited height of a widget."""
_PASSING_MS = 20_000
_FIXES = 1
"""Largest number of fixes in a notice; the others are in the list of problems."""
_WIDEST = 760
"""Largest width of a notice, px of the design: longer lines are hard to read."""
_MARGIN = 12
_BELOW = 40
"""Margin at the sides, and for the viewport's hint below, px."""


class Banner(ThemedWidget):
    """One notice; hidden while its text is empty.

    Parameters
    ----------
    scene : callable, optional
        Returns the scene whose labels replace keys in the text.

    Signals
    -------
    changed()
        The text changed or was cleared.
    """

    changed = Signal()

    def __init__(
        self, parent: QWidget | None = None, scene: Callable[[], Scene] | None = None
    ) -> None:
        super().__init__(parent)
        self._scene = scene
        self.setObjectName("banner")
        # otherwise a plain widget paints no background
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 8, 6)
        row.setSpacing(10)
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setObjectName("banner_text")
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._more = QPushButton("More", self)
        self._more.setObjectName("more")
        self._more.setToolTip("Show all of this notice")
        self._more.clicked.connect(self._show_more)
        self._is_expanded = False
        self._bar = QProgressBar(self)
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(160)
        self._close = QToolButton(self)
        self._close.setProperty("role", "flat")
        self._close.setToolTip("Close this notice")
        self._close.clicked.connect(self.clear)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._actions = QWidget(self)
        actions = self._row = QHBoxLayout(self._actions)
        actions.setContentsMargins(0, 0, 0, 0)
        actions.setSpacing(10)
        actions.addStretch(1)
        actions.addWidget(self._more)
        actions.addWidget(self._bar)
        self._buttons: list[QPushButton] = []
        self._calls: list[Callable[[], object]] = []
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(6)
        self._body.addWidget(self._text, 1)
        self._body.addWidget(self._actions, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._body, 1)
        row.addWidget(self._close, 0, Qt.AlignmentFlag.AlignTop)
        self._kind: Kind = "info"
        self._task_text: Callable[[], str] = str
        self._task_cancel: Callable[[], object] = self.clear
        self._passing = Delay(_PASSING_MS, self.clear, self)
        self.hide()

    @property
    def text(self) -> str:
        """Text of the notice; empty while hidden."""
        return "" if self.isHidden() else self._text.text()

    def show_notice(
        self,
        kind: Kind,
        text: str,
        buttons: Sequence[Button] = (),
        *,
        progress: float | None = None,
        closable: bool = True,
        passing: bool = False,
    ) -> None:
        """Show a notice in place of the previous one.

        Parameters
        ----------
        kind : {"info", "warning", "danger"}
            "danger" is for a robot that may move.
        buttons : sequence of (text, callback)
        progress : float, optional
            Finished fraction of a task.
        closable : bool
            Whether the user can close it.
        passing : bool
            Whether it closes by itself after some time.
        """
        if self._scene is not None:
            text = labelled(text, self._scene())
        if text != self._text.text():
            self._is_expanded = False
        self._kind = kind
        self._text.setText(text)
        self._bar.setVisible(progress is not None)
        if progress is not None:
            self._bar.setValue(round(1000 * progress))
        self._close.setVisible(closable)
        self._calls = [callback for _, callback in buttons]
        if [button.text() for button in self._buttons] != [name for name, _ in buttons]:
            self._make_buttons([name for name, _ in buttons])
        self._apply_style()
        self.show()
        self.changed.emit()
        self._passing.stop()
        if passing:
            self._passing.start()

    def show_task(
        self, task: Task[Any], text: Callable[[], str], cancel: Callable[[], object]
    ) -> None:
        """Show the progress of a task, with a button that cancels it, until another notice is shown.

        Parameters
        ----------
        text : callable
            Returns the text, called again with each progress.
        """
        self._task_text = text
        self._task_cancel = cancel
        self._show_fraction(task.fraction)
        task.progressed.connect(self._show_fraction)

    @Slot(float)
    def _show_fraction(self, fraction: float) -> None:
        buttons = [("Cancel", self._task_cancel)]
        self.show_notice("info", self._task_text(), buttons, progress=fraction, closable=False)

    def fit(self, lines: int, width: int, highest: int) -> None:
        """Limit the text to a number of lines; the More button shows the rest.

        Parameters
        ----------
        width : int
            Width of the notice, px.
        highest : int
            Largest height of the expanded notice, px.
        """
        actions = [part for part in (self._bar, *self._buttons) if not part.isHidden()]
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        gap = layout.spacing()
        available = width - margins.left() - margins.right() - self._icon.sizeHint().width() - gap
        available -= 0 if self._close.isHidden() else self._close.sizeHint().width() + gap
        # rounded like in the label, so that whole lines are visible
        line = math.ceil(QFontMetricsF(self._text.font()).lineSpacing())
        high = lines * line

        def cut(available: int) -> bool:
            return self._text.heightForWidth(max(1, available)) > high + line // 4

        beside_actions = available - sum(part.sizeHint().width() + gap for part in actions)
        low = width < theme.scaled(_NARROW) and cut(beside_actions)
        longer = cut(available if low else beside_actions)
        self._body.setDirection(
            QBoxLayout.Direction.TopToBottom if low else QBoxLayout.Direction.LeftToRight
        )
        self._more.setVisible(longer)
        self._more.setText("Less" if self._is_expanded else "More")
        self._actions.setVisible(longer or bool(actions))
        if self._is_expanded:
            most = highest - (self._actions.sizeHint().height() if low else 0) - 3 * line
            high = max(high, most // line * line)
        self._text.setToolTip(self._text.text() if longer else "")
        align = Qt.AlignmentFlag.AlignTop if longer else Qt.AlignmentFlag.AlignVCenter
        self._text.setAlignment(Qt.AlignmentFlag.AlignLeft | align)
        self._text.setMaximumHeight(high if longer else _ANY)

    def _show_more(self) -> None:
        self._is_expanded = not self._is_expanded
        self.changed.emit()

    def _make_buttons(self, names: Sequence[str]) -> None:
        for old in self._buttons:
            self._row.removeWidget(old)
            old.deleteLater()
        self._buttons = []
        for number, name in enumerate(names):
            button = QPushButton(name, self)
            button.clicked.connect(lambda _=False, number=number: self._calls[number]())
            self._row.addWidget(button)
            self._buttons.append(button)

    def clear(self) -> None:
        """Hide the notice."""
        self.hide()
        self.changed.emit()

    def apply_theme(self) -> None:
        self._apply_style()

    def _apply_style(self) -> None:
        role = "accent" if self._kind == "info" else self._kind
        self._icon.setPixmap(
            theme.icon("info" if self._kind == "info" else "warning", role).pixmap(18, 18)
        )
        self._close.setIcon(theme.icon("close", "dim"))
        p = theme.current()
        edge = getattr(p, role)
        ground = theme.mixed(p.card, p.danger, 0.35) if self._kind == "danger" else p.card
        self.setStyleSheet(
            f"#banner {{ background: {ground}; border: 1px solid {theme.mixed(p.line, edge, 0.3)};"
            f" border-left: 4px solid {edge}; border-radius: 8px; }}"
        )


class Banners(QWidget):
    """All notices: robot, program, source, run, plug-ins, start, studies, the scene's file, files, exports, edits.

    Parameters
    ----------
    session_controller : SessionController
        Its status is shown as messages.
    scene : callable
        Returns the present scene.
    show_checks : callable
        Shows the problems of the scene.
    apply_fix : callable
        Applies the fix of a problem.
    """

    def __init__(
        self,
        session_controller: SessionController,
        scene: Callable[[], Scene],
        show_checks: Callable[[], object],
        apply_fix: Callable[[Fix], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session_controller = session_controller
        self._scene = scene
        self._show_checks = show_checks
        self._apply_fix = apply_fix
        self._saved: Path | None = None
        self._reported_note = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        self._over: QWidget | None = None
        self.program, self.run, self.exports, self.disk, self.edits = self._make(5)
        self.source, self.together, self.robot, self.study, self.sharing = self._make(5)
        # Their users edit a file, where they look for its keys.
        self.files, self.plugins = Banner(self), Banner(self)
        banners = (
            self.robot,
            self.program,
            self.source,
            self.run,
            self.plugins,
            self.together,
            self.study,
            self.sharing,
            self.disk,
            self.files,
            self.exports,
            self.edits,
        )
        for banner in banners:
            column.addWidget(banner)
            banner.changed.connect(self._place)
        self.plugins.changed.connect(lambda: self._on_status(session_controller.status))
        session_controller.failed.connect(self._on_failed)
        session_controller.status_changed.connect(self._on_status)
        session_controller.source_changed.connect(self._on_source)

    def _make(self, count: int) -> list[Banner]:
        return [Banner(self, self._scene) for _ in range(count)]

    def overlay_on(self, widget: QWidget) -> None:
        """Move to the lower edge of a widget, and become its sibling."""
        self._over = widget
        self.setParent(widget.parentWidget())
        widget.installEventFilter(self)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self._place()
        return False

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # a notice needs more or less space
            self._place()
        return handled

    def _place(self) -> None:
        over = self._over
        column = self.layout()
        if over is None or column is None:
            return
        visible = [banner for banner in self.findChildren(Banner) if not banner.isHidden()]
        self.setVisible(bool(visible))
        width = min(theme.scaled(_WIDEST), over.width() - 2 * _MARGIN)
        for banner in visible:
            banner.fit(
                _LINES_LOW if over.height() < theme.scaled(_LOW) else _LINES, width, over.height()
            )
        height = min(column.totalHeightForWidth(width), over.height())
        below = min(_BELOW, over.height() - height)
        left = over.x() + (over.width() - width) // 2
        self.setGeometry(left, over.y() + over.height() - below - height, width, height)
        self.raise_()

    def error(self, text: str) -> None:
        """Show an error of the program or the machine, which stays when another scene is opened."""
        self.program.show_notice("warning", text)

    def _on_failed(self, message: str, saved: Path | None) -> None:
        self._saved = saved
        self._on_status(self._session_controller.status)

    def _on_source(self) -> None:
        self._on_status(self._session_controller.status)

    def _on_status(self, status: Status) -> None:
        reset: Button = ("Reset", self._session_controller.session.reset)
        if status.state == "failed":
            text = status.message
            buttons: list[Button] = [reset]
            saved = self._saved
            if saved is not None:
                text = f"{text}\nThe contact problem was saved as {saved}."
                folder = QUrl.fromLocalFile(str(saved.parent))
                buttons = [("Show Folder", lambda: QDesktopServices.openUrl(folder)), reset]
            self.run.show_notice("warning", text, buttons, closable=False)
            return
        self._saved = None
        if (
            status.state == "blocked"
            and self.plugins.text
            and all(
                problem.key.endswith(".kind")
                for problem in status.problems
                if problem.severity == "error"
            )
        ):
            self.run.clear()  # the other notice explains it
        elif status.state == "blocked":
            errors = [problem for problem in status.problems if problem.severity == "error"]
            more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
            first = finding_text(errors[0], self._scene()) if errors else status.message
            text = f"This scene cannot run yet. {first}{more}"
            fixes: list[Button] = [
                (fix.label, partial(self._apply_fix, fix))
                for fix in (errors[0].fixes[:_FIXES] if errors else ())
            ]
            self.run.show_notice(
                "warning", text, [*fixes, ("Show Checks", self._show_checks)], closable=False
            )
        elif status.state == "preparing":
            left = progress_text(status.progress, status.seconds_left)
            then = " The run starts when it is ready." if status.queued else ""
            text = f"Preparing the {FORMULATIONS[status.engine].short} engine, once per machine: {left}.{then}"
            cancel: Button = ("Cancel", self._session_controller.session.cancel_preparing)
            self.run.show_notice("info", text, [cancel], progress=status.progress, closable=False)
        elif status.state == "unprepared":
            begin: Button = ("Prepare", self._session_controller.session.prepare)
            self.run.show_notice(
                "info" if status.cancelled else "warning", status.message, [begin], closable=False
            )
        elif status.state == "continuing":
            stop: Button = ("Cancel", self._session_controller.session.cancel_continuing)
            self.run.show_notice(
                "info", status.message, [stop], progress=status.progress, closable=False
            )
        elif (
            status.pending and self._session_controller.source != "robot"
        ):  # a live robot has no reset, and reports pending changes itself
            self.run.show_notice("info", _pending_text(status.pending, self._scene()), [reset])
        else:
            self.run.clear()
        if status.state == "ready" and (note := _note_on_engines()) != self._reported_note:
            self._reported_note = note
            self.program.show_notice("info", note)


def _note_on_engines() -> str:
    """Return the note on compiled code, unless the notice on the user's folders includes it."""
    reported = [one.folder for one in replaced_folders()]
    return "" if kernels_dir().parent in reported else registry.note()


def _pending_text(keys: Sequence[str], scene: Scene) -> str:
    if tuple(keys) == ("model",):
        name = FORMULATIONS[scene.model.kind].short
        return f"The {name} model takes effect after Reset. Until then the run continues with the present model."
    names = [label_of(scene, key) for key in keys]
    listed = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    return f"{listed}: the change{'s take' if len(names) > 1 else ' takes'} effect after Reset."
