"""What keeps a user's work safe around the window: autosave, the watch on the file, the offer after a crash."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSettings
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.shell.autosave import INTERVAL_S, Autosave
from snakestudio.gui.shell.disk_watch import DiskNotice, DiskWatch
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.recovery_dialog import RecoveryDialog, unsaved_words
from snakestudio.session.recovery import Unsaved, unsaved_scenes

__all__ = ["DocumentRecovery"]


class DocumentRecovery(QObject):
    """Autosave, disk watch and recovery of one window.

    Parameters
    ----------
    document : Document
    files : Files
    banners : Banners
    settings : QSettings
        ``autosave/interval_s`` may hold another interval.
    window : QWidget
        Parent of the dialogs.
    """

    def __init__(
        self, document: Document, files: Files, banners: Banners, settings: QSettings, window: QWidget
    ) -> None:
        super().__init__(window)
        self._files, self._banners, self._window = files, banners, window
        self.autosave = Autosave(document, _interval(settings), self)
        self.autosave.failed.connect(lambda sentence: banners.files.say("warning", sentence))
        self.watch = DiskWatch(document, self)
        DiskNotice(self.watch, document, banners.disk, files.reload, files.save)
        self.dialog: RecoveryDialog | None = None

    def offer(self, asked: bool = False) -> RecoveryDialog | None:
        """Offer what windows left behind that ended without saving; returns the dialog that asks, if there is any.

        Parameters
        ----------
        asked : bool
            Whether the user asked for it and wants to hear that there is nothing.
        """
        scenes = []
        for unsaved in unsaved_scenes():
            if unsaved_words(unsaved):
                scenes.append(unsaved)
            else:
                unsaved.discard()  # its file holds the same by now
        if scenes:
            self.dialog = RecoveryDialog(scenes, self._restore, self._window)
            self.dialog.open()
            return self.dialog
        if asked:
            self._banners.files.say("info", "There are no unsaved changes to restore.", passing=True)
        return None

    def _restore(self, unsaved: Unsaved) -> bool:
        if not self._files.restore(unsaved):
            return False
        self.autosave.write_now()  # the next crash may come at once
        unsaved.discard()
        return True

    def close(self) -> None:
        """The window is closed in order: nothing is to be restored."""
        self.autosave.close()
        self.watch.close()


def _interval(settings: QSettings) -> float:
    try:
        return max(0.1, float(str(settings.value("autosave/interval_s", INTERVAL_S))))
    except ValueError:
        return INTERVAL_S
