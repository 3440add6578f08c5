"""What leads through the program: gallery, tour, command palette, keys and mouse, and what the Help menu tells else.

Each is made when it is asked for, and only once at a time; what it needs is imported then, so that the window is there
sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from snakestudio.gui.shell.modal_overlay import open_overlay

if TYPE_CHECKING:
    from snakestudio.gui.shell.command_palette import CommandPalette
    from snakestudio.gui.shell.gallery.gallery import Gallery
    from snakestudio.gui.shell.main_window import MainWindow
    from snakestudio.gui.shell.shortcut_sheet import ShortcutSheet
    from snakestudio.gui.shell.tour import Tour

__all__ = ["HelpController"]

_PAGES = {"robot-profile": "profile_format"}
"""Pages of the documentation that take long to show, and the commands that know it."""


class HelpController(QObject):
    """Brings them up over one window.

    Parameters
    ----------
    window : MainWindow
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def gallery(self) -> Gallery:
        """Help > Scene Gallery."""
        from snakestudio.gui.shell.gallery.gallery import Gallery

        gallery = open_overlay(self._window, Gallery)
        if gallery is None:
            gallery = Gallery(self._window)
            gallery.open(gallery.search)
        return gallery

    def tour(self) -> Tour:
        """Help > Guided Tour."""
        from snakestudio.gui.shell.tour import Tour

        tour = open_overlay(self._window, Tour)
        if tour is None:
            tour = Tour(self._window)
            tour.begin()
        return tour

    def palette(self) -> CommandPalette:
        """Help > Find a Command."""
        from snakestudio.gui.shell.command_palette import CommandPalette

        palette = open_overlay(self._window, CommandPalette)
        if palette is None:
            palette = CommandPalette(self._window)
            palette.open(palette.field)
        return palette

    def shortcuts(self) -> ShortcutSheet:
        """Help > Keys and Mouse."""
        from snakestudio.gui.shell.help_dialogs import MOUSE
        from snakestudio.gui.shell.shortcut_sheet import ShortcutSheet

        sheet = open_overlay(self._window, ShortcutSheet)
        if sheet is None:
            keys = self._window.actions_table.shortcuts()
            sheet = ShortcutSheet(self._window, keys, MOUSE)
            sheet.open(sheet.search)
        return sheet

    def save_layout(self) -> None:
        """View > Layouts > Save Layout."""
        from snakestudio.gui.forms.name_dialog import NameDialog

        layouts = self._window.layouts
        dialog = NameDialog(layouts.saved, layouts.refusal, self._window)
        if dialog.exec():
            layouts.save(dialog.name)
        dialog.deleteLater()

    def document(self, name: str) -> None:
        """Help > Safety and others: a page of the documentation.

        Parameters
        ----------
        name : str
            Its file in ``docs``, without ".md".
        """
        from snakestudio.gui.shell.document_dialog import DocumentDialog

        before = self._window.findChild(DocumentDialog)
        dialog = DocumentDialog.shown(name, self._window)
        if dialog is not before:
            dialog.asked.connect(self._on_link)

    def _on_link(self, name: str) -> None:
        # By its command, which is refused in words while an armed robot waits for the window.
        command = _PAGES.get(name)
        if command is None:
            self.document(name)
        else:
            self._window.actions_table[command].trigger()

    def graphics(self) -> None:
        """Help > OpenGL Information."""
        from snakestudio.gui.shell.help_dialogs import GraphicsDialog

        GraphicsDialog(self._window.viewport, self._window).show()

    def about(self) -> None:
        """Help > About."""
        from snakestudio.gui.shell.help_dialogs import AboutDialog

        AboutDialog(self._window).show()
