"""Help of the window: gallery, tour, command palette, shortcuts, documentation, OpenGL information and About.

Each is made on request, one instance at a time; its modules are imported then, so that the window
starts faster.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMainWindow, QWidget

from snakestudio.gui.core.command import Context
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.shell.actions import ActionRegistry
from snakestudio.gui.shell.docking import Docks
from snakestudio.gui.shell.files import Files
from snakestudio.gui.shell.focus_cycle import FocusCycle
from snakestudio.gui.shell.layouts import Layouts
from snakestudio.gui.shell.modal_overlay import open_overlay
from snakestudio.gui.shell.run_bar import RunBar
from snakestudio.paths import docs_dir, documentation_page

if TYPE_CHECKING:
    from snakestudio.gui.shell.command_palette import CommandPalette
    from snakestudio.gui.shell.gallery import Gallery
    from snakestudio.gui.shell.help_dialogs import GraphicsView, ShortcutSheet
    from snakestudio.gui.shell.tour import Tour

_GALLERY_SEEN = Setting(
    "welcome/gallery_seen", False, "Gallery", "Whether the gallery was shown", remembered=True
)
_TOUR_SEEN = Setting(
    "welcome/tour_seen", False, "Tour", "Whether the guided tour was shown", remembered=True
)

_PAGES = {"robot-profile": "profile_format"}
"""Pages of the documentation that take long to show, and their commands, which are marked as long."""


class _Context(Context, Protocol):
    action_registry: ActionRegistry
    banners: Banners
    docks: Docks
    files: Files
    layouts: Layouts
    focus_cycle: FocusCycle
    run_bar: RunBar

    @property
    def time_bar(self) -> QWidget:
        """The time bar below the viewport."""

    @property
    def viewport(self) -> QWidget:
        """The viewport in the middle."""


class HelpController(QObject):
    """Shows the help of one window.

    Parameters
    ----------
    context : Context
        The parts of the window that help refers to.
    graphics : GraphicsView
        Source of the OpenGL information.
    """

    def __init__(self, context: _Context, window: QMainWindow, graphics: GraphicsView) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._graphics = graphics

    def gallery(self) -> Gallery:
        """Help > Scene Gallery."""
        from snakestudio.gui.shell.gallery import Gallery

        gallery = open_overlay(self._window, Gallery)
        if gallery is None:
            gallery = Gallery(self._window, self._context.files, self._context.document)
            gallery.open(gallery.search)
        return gallery

    def welcome(self) -> None:
        """Show a new user the gallery and then the tour, each once in the user's settings."""
        settings = self._context.settings
        if _GALLERY_SEEN.load(settings):
            return
        _GALLERY_SEEN.store(settings, True)

        def offer_tour() -> None:
            if not _TOUR_SEEN.load(settings):
                _TOUR_SEEN.store(settings, True)
                # Only after the chosen scene is shown in the window.
                QTimer.singleShot(0, self._window, self.tour)

        self.gallery().closed.connect(offer_tour)

    def tour(self) -> Tour:
        """Help > Guided Tour."""
        from snakestudio.gui.shell.tour import Tour

        tour = open_overlay(self._window, Tour)
        if tour is None:
            c = self._context
            targets = {
                "run_bar": c.run_bar,
                "viewport": c.viewport,
                "time_bar": c.time_bar,
                "menu_bar": self._window.menuBar(),
            }
            tour = Tour(self._window, c.docks, targets)
            tour.begin()
        return tour

    def palette(self) -> CommandPalette:
        """Help > Find a Command."""
        from snakestudio.gui.shell.command_palette import CommandPalette, command_entries

        palette = open_overlay(self._window, CommandPalette)
        if palette is None:
            c = self._context
            entries = command_entries(c.action_registry, c.focus_cycle, c.layouts, c.files.open)
            palette = CommandPalette(self._window, entries, c.settings)
            palette.open(palette.field)
        return palette

    def shortcuts(self) -> ShortcutSheet:
        """Help > Keyboard and Mouse Shortcuts."""
        from snakestudio.gui.shell.help_dialogs import MOUSE, ShortcutSheet

        sheet = open_overlay(self._window, ShortcutSheet)
        if sheet is None:
            keys = self._context.action_registry.shortcuts()
            sheet = ShortcutSheet(self._window, keys, MOUSE)
            sheet.open(sheet.search)
        return sheet

    def save_layout(self) -> None:
        """View > Layouts > Save Layout."""
        from snakestudio.gui.forms.name_dialog import NameDialog

        layouts = self._context.layouts
        dialog = NameDialog(layouts.saved, layouts.refusal, self._window)
        if dialog.exec():
            layouts.save(dialog.name)
        dialog.deleteLater()

    def documentation(self) -> None:
        """Help > Documentation: the built pages in the browser, or how to build them."""
        page = documentation_page()
        banner = self._context.banners.program
        if not os.path.isfile(page):
            banner.show_notice(
                "info",
                "The documentation site is not built. Run 'make docs' in a checkout of SnakeStudio, "
                "or read the pages as Markdown.",
                [("Show Pages", lambda: _open(docs_dir()))],
            )
        elif not _open(page):
            banner.show_notice("warning", f"No browser could be started. Open {page} in a browser.")

    def document(self, name: str) -> None:
        """Help > Safety and others: a page of the documentation.

        Parameters
        ----------
        name : str
            Name of its file in ``docs``, without ".md".
        """
        from snakestudio.gui.shell.help_dialogs import DocumentDialog

        before = self._window.findChild(DocumentDialog)
        dialog = DocumentDialog.open_page(name, self._window)
        if dialog is not before:
            dialog.page_requested.connect(self._on_link)

    def _on_link(self, name: str) -> None:
        # Run its command, which is refused with a message while a robot is armed.
        command = _PAGES.get(name)
        if command is None:
            self.document(name)
        else:
            self._context.action_registry[command].trigger()

    def graphics(self) -> None:
        """Help > OpenGL Information."""
        from snakestudio.gui.shell.help_dialogs import GraphicsDialog

        GraphicsDialog(self._graphics, self._window).show()

    def about(self) -> None:
        """Help > About."""
        from snakestudio.gui.shell.help_dialogs import AboutDialog

        AboutDialog(self._window).show()


def _open(path: Path) -> bool:
    """Open a file or folder in the desktop's program for it; return whether there is one."""
    return QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
