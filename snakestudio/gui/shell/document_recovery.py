"""Protection against data loss: autosave, watching the file, and restoring unsaved changes after a crash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QObject, QSettings, Qt
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QLabel,
    QListWidget,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import SceneError
from snakestudio.gui.core import theme
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.shell.autosave import INTERVAL_S, Autosave
from snakestudio.gui.shell.disk_watch import DiskNotice, DiskWatch
from snakestudio.gui.shell.files import Files
from snakestudio.model.scene_diff import difference_in_words
from snakestudio.model.scene_file import load_scene
from snakestudio.session.recovery import UnsavedScene, unsaved_scenes
from snakestudio.viewmodel.papers import cited
from snakestudio.viewmodel.scene.empty_scene import empty_scene

_ROWS = 5
"""Number of scenes visible without scrolling."""


def when(moment: datetime, now: datetime | None = None) -> str:
    """Return a time in words, such as "today at 14:05"."""
    today = (now or datetime.now().astimezone()).date()
    days = (today - moment.date()).days
    day = "today" if days == 0 else "yesterday" if days == 1 else f"{moment:%d %B %Y}".lstrip("0")
    return f"{day} at {moment:%H:%M}"


def unsaved_changes(unsaved: UnsavedScene) -> list[str]:
    """Return the differences between an unsaved scene and its file, a line each."""
    try:
        saved = load_scene(unsaved.path) if unsaved.path is not None else empty_scene()
    except SceneError:
        return ["Its file can no longer be read. The whole scene will be restored."]
    return [cited(line) for line in difference_in_words(saved, unsaved.scene)]


_INTERVAL = Setting(
    "autosave/interval_s",
    INTERVAL_S,
    "Backup interval",
    "Time between backups of unsaved changes, s",
    least=0.1,
)


class RecoveryDialog(Dialog):
    """Offers unsaved scenes of windows that ended without saving, one by one.

    Parameters
    ----------
    scenes : sequence of UnsavedScene
        At least one, newest first.
    restore : callable
        Opens one; returns False if the user keeps the open scene.
    """

    def __init__(
        self,
        scenes: Sequence[UnsavedScene],
        restore: Callable[[UnsavedScene], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._scenes = list(scenes)
        self._restore = restore
        self.setWindowTitle("Restore Unsaved Changes")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(520)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        heading = QLabel("SnakeStudio ended without saving.", self)
        heading.setProperty("role", "heading")
        column.addWidget(heading)
        self.about = QLabel(self)
        self.about.setWordWrap(True)
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.list = QListWidget(self)
        self.list.setAccessibleName("Unsaved scenes")
        self.changes = QPlainTextEdit(self)
        self.changes.setReadOnly(True)
        self.changes.setAccessibleName("Unsaved changes")
        self.changes.setMinimumHeight(160)
        for widget in (self.list, self.about, self.changes):
            column.addWidget(widget)
        buttons = QDialogButtonBox(self)
        self.restore_button = buttons.addButton("Restore", QDialogButtonBox.ButtonRole.AcceptRole)
        self.discard_button = buttons.addButton(
            "Discard", QDialogButtonBox.ButtonRole.DestructiveRole
        )
        self.later_button = buttons.addButton(
            "Decide Later", QDialogButtonBox.ButtonRole.RejectRole
        )
        self.restore_button.setToolTip(
            "Open the scene with these unsaved changes; undo returns to the saved file"
        )
        self.discard_button.setToolTip("Delete these changes permanently")
        self.later_button.setToolTip(
            "Keep these changes; File > Restore Unsaved Changes opens this dialog again"
        )
        theme.set_role(self.restore_button, "primary")
        self.restore_button.setDefault(True)
        buttons.accepted.connect(self._on_restore)
        self.discard_button.clicked.connect(self._on_discard)
        buttons.rejected.connect(self.reject)
        column.addWidget(buttons)
        self.list.currentRowChanged.connect(self._show)
        self._fill()

    def _fill(self) -> None:
        self.list.clear()
        self.list.addItems([f"{unsaved.name}, {when(unsaved.written)}" for unsaved in self._scenes])
        self.list.setVisible(len(self._scenes) > 1)
        rows = min(len(self._scenes), _ROWS)
        self.list.setFixedHeight(
            rows * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth()
        )
        self.list.setCurrentRow(0)

    def _show(self, row: int) -> None:
        if not 0 <= row < len(self._scenes):
            return
        unsaved = self._scenes[row]
        where = f" in {unsaved.path.parent}" if unsaved.path is not None else ""
        self.about.setText(
            f"{unsaved.name}{where}, backed up {when(unsaved.written)}. Unsaved changes:"
        )
        lines = unsaved_changes(unsaved) or ["None: the file already contains them."]
        self.changes.setPlainText("\n".join(f"•  {line}" for line in lines))

    def _on_restore(self) -> None:
        if self._restore(self._scenes[max(0, self.list.currentRow())]):
            self.accept()

    def _on_discard(self) -> None:
        self._scenes.pop(max(0, self.list.currentRow())).discard()
        if self._scenes:
            self._fill()
        else:
            self.accept()


class DocumentRecovery(QObject):
    """Autosave, disk watch and recovery of one window.

    Parameters
    ----------
    settings : QSettings
        ``autosave/interval_s`` can set another interval.
    window : QWidget
        Parent of the dialogs.
    """

    def __init__(
        self,
        document: Document,
        files: Files,
        banners: Banners,
        settings: QSettings,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._files = files
        self._banners = banners
        self._window = window
        self.autosave = Autosave(document, _INTERVAL.load(settings), self)
        self.autosave.failed.connect(
            lambda sentence: banners.files.show_notice("warning", sentence)
        )
        self.watch = DiskWatch(document, self)
        DiskNotice(self.watch, document, banners.disk, files.reload, files.save)
        self.dialog: RecoveryDialog | None = None

    def offer(self, on_request: bool = False) -> RecoveryDialog | None:
        """Offer the backups of windows that ended without saving; return the dialog, or None if there are none.

        Parameters
        ----------
        on_request : bool
            Whether the user requested it, so that a notice is shown if there are no backups.
        """
        scenes = []
        for unsaved in unsaved_scenes():
            if unsaved_changes(unsaved):
                scenes.append(unsaved)
            else:
                unsaved.discard()  # the file has the same content
        if scenes:
            self.dialog = RecoveryDialog(scenes, self._restore, self._window)
            self.dialog.open()
            return self.dialog
        if on_request:
            self._banners.files.show_notice(
                "info", "There are no unsaved changes to restore.", passing=True
            )
        return None

    def _restore(self, unsaved: UnsavedScene) -> bool:
        if not self._files.restore(unsaved):
            return False
        self.autosave.write_now()  # the copy is needed again after another crash
        unsaved.discard()
        return True

    def close(self) -> None:
        """Delete the backup, because the window closes in order."""
        self.autosave.close()
        self.watch.close()
