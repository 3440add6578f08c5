"""Loading, reloading and unloading of plug-ins for the window, with trust dialogs and error messages."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.errors import PluginError, PluginRuntimeError, SnakeStudioError
from snakestudio.gui.core.delay import Delay
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banner, Button
from snakestudio.gui.plugins.code_dialog import CodeDialog
from snakestudio.model.scene import Scene
from snakestudio.plugins import loading
from snakestudio.plugins.faults import log as plugin_log
from snakestudio.plugins.loaded import find, loaded
from snakestudio.plugins.scenes import NamedPlugin, load_trusted, named_plugins
from snakestudio.plugins.source import Source, read_source
from snakestudio.plugins.surroundings import listen, not_returning
from snakestudio.plugins.trust import is_trusted, revoke_trust, trust, trusted
from snakestudio.viewmodel.plugin_list import PluginEntry, list_plugins, trusting_folder

_FILES: Setting[tuple[str, ...]] = Setting(
    "plugins/files", (), "Plug-ins", "Files of plug-ins that the user added", remembered=True
)
_OWN: Setting[tuple[str, ...]] = Setting(
    "plugins/own",
    (),
    "Own plug-ins",
    "Files that are trusted and reloaded when they change",
    remembered=True,
)
_SETTLE_MS = 200
"""Time that an editor gets to finish writing, ms."""
_LOOK_MS = 250
_MOST_LINES = 2000

_MAY_MOVE = "The robot may move. Disarm it, then load, reload or unload plug-ins."


class PluginController(QObject):
    """Plug-ins of one window.

    Parameters
    ----------
    banner : Banner
        Shows questions and errors.
    settings : QSettings
        Stores the added files and the user's own files.
    window : QWidget
        Parent of dialogs.
    movable : callable
        Returns whether a robot could move.
    show_log : callable
        Shows the panel with traceback and output.

    Signals
    -------
    changed()
        Plug-ins were loaded, unloaded, trusted or changed on disk.
    error_changed()
        `error` changed.
    output_added()
        Text was added to `output`.
    stuck_changed()
        `stuck` changed.
    """

    changed = Signal()
    error_changed = Signal()
    output_added = Signal()
    stuck_changed = Signal()

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        banner: Banner,
        settings: QSettings,
        window: QWidget,
        movable: Callable[[], bool],
        show_log: Callable[[], object],
    ) -> None:
        super().__init__(window)
        self._document = document
        self._session_controller = session_controller
        self._banner = banner
        self._settings = settings
        self._window = window
        self._movable = movable
        self._show_log = show_log
        self.error: PluginRuntimeError | None = None
        self.stuck = ""
        """Name of the plug-in that does not return from a call; "" if there is none."""
        self._stop_text = ""
        self._failures: dict[str, str] = {}
        self._answered: set[str] = set()
        self._unreadable: dict[str, str] = {}
        """Reasons why files of loaded plug-ins cannot be read, by plug-in name; each is shown once."""
        self._reported_unnamed: set[tuple[str, Path | None]] = set()
        self._named: tuple[tuple[str, ...], Path | None] | None = None
        self._known: tuple[str, ...] = ()
        self._output: deque[tuple[str, str]] = deque(maxlen=_MOST_LINES)
        self._begun: dict[str, str] = {}
        """Incomplete lines of output by plug-in name."""
        self._unheard = False
        self._unlisten = listen(self._on_output)
        self._handler = _LogHandler(self._on_output)
        plugin_log.addHandler(self._handler)
        self._watcher = QFileSystemWatcher(self)
        self._settling = Delay(_SETTLE_MS, self.check_files, self)
        self._watcher.fileChanged.connect(lambda _: self._settling.start())
        self._watcher.directoryChanged.connect(lambda _: self._settling.start())
        self._looking = QTimer(self)
        self._looking.setInterval(_LOOK_MS)
        self._looking.timeout.connect(self._check_running)
        document.scene_changed.connect(self._on_scene)
        document.title_changed.connect(lambda: self._on_scene(None, document.scene))
        document.opened.connect(self._on_opened)
        session_controller.plugin_failed.connect(self.show_error)
        session_controller.status_changed.connect(self._on_status)
        self._note_loaded()

    # --- contents ---------------------------------------------------------------------------------

    @property
    def files(self) -> list[Path]:
        """Files added by the user, in the order of addition."""
        return [Path(each) for each in _FILES.load(self._settings)]

    @property
    def entries(self) -> list[PluginEntry]:
        """All plug-ins."""
        return list_plugins(
            self._document.scene.plugins, self._document.base_dir, self.files, self._failures
        )

    @property
    def output(self) -> str:
        """Printed output, one line each with the plug-in's name."""
        return "".join(f"{name}: {line}\n" for name, line in tuple(self._output))

    def clear_output(self) -> None:
        """Clear the output."""
        self._output.clear()
        self.output_added.emit()

    def is_own(self, path: Path) -> bool:
        """Whether a file is trusted and reloaded when it changes."""
        return str(path.resolve()) in _OWN.load(self._settings)

    def set_own(self, path: Path, own: bool) -> None:
        """Set whether a file is trusted and reloaded when it changes."""
        paths = [each for each in _OWN.load(self._settings) if each != str(path.resolve())]
        _OWN.store(self._settings, (*paths, str(path.resolve())) if own else tuple(paths))
        self.check_files()

    # --- loading ----------------------------------------------------------------------------------

    def add_file(self, path: Path) -> str:
        """Add a file and load it if the user agrees; returns an error message, or ""."""
        try:
            source = read_source(path)
        except PluginError as error:
            return str(error)
        paths = [str(each) for each in self.files if each != path.resolve()]
        _FILES.store(self._settings, (*paths, str(path.resolve())))
        self.changed.emit()
        return self.load(source)

    def drop_file(self, path: Path) -> None:
        """Remove a file from the list."""
        _FILES.store(self._settings, tuple(str(each) for each in self.files if each != path))
        self.changed.emit()

    def load(self, source: Source) -> str:
        """Load a plug-in, or replace its loaded code; asks first if it is not trusted.

        Returns
        -------
        str
                Error message; "" if it was loaded or the user declined.
        """
        if self._movable():
            return _MAY_MOVE
        try:
            if not is_trusted(source) and not self.review(source):
                return ""
            present = find(source.name)
            loading.load(source)
            try:
                self._session_controller.refresh_kinds()
            except SnakeStudioError:
                self._restore(source, present.source if present is not None else None)
                raise
        except PluginRuntimeError as error:
            self._failures[source.digest] = str(error)
            self.show_error(error)
            return str(error)
        except SnakeStudioError as error:
            self._failures[source.digest] = str(error)
            return str(error)
        finally:
            self._note_loaded()
        self._failures.pop(source.digest, None)
        if self.error is not None and self.error.plugin == source.name:
            self.dismiss_error()
        return ""

    def _restore(self, source: Source, before: Source | None) -> None:
        if before is None:
            loading.unload(source.name)
        else:
            loading.load(before)
        self._session_controller.refresh_kinds()

    def unload(self, name: str) -> str:
        """Remove the additions of a plug-in; the scene keeps its values. Returns an error message, or ""."""
        if self._movable():
            return _MAY_MOVE
        loading.unload(name)
        self._session_controller.refresh_kinds()
        self._note_loaded()
        return ""

    def reload(self, name: str) -> str:
        """Reload a loaded plug-in from its file; see `load`."""
        present = find(name)
        if present is None:
            return f"The plug-in {name} is not loaded. Load it first."
        try:
            source = present.source
            return self.load(
                read_source(source.path if not source.module and source.path else name)
            )
        except PluginError as error:
            return str(error)

    def review(self, source: Source, decline: str = "Cancel") -> bool:
        """Show code to the user and trust it if the user agrees; returns whether it is trusted."""
        try:
            return self._review(source, decline)
        except PluginError as error:
            self._banner.show_notice("warning", str(error))
            return False

    def _review(self, source: Source, decline: str) -> bool:
        known = trusted()
        path = source.path.resolve() if source.path is not None else None
        changed = source.name in known.packages if source.module else str(path) in known.files
        dialog = CodeDialog(source, self._window, changed=changed, decline=decline)
        agreed = bool(dialog.exec())
        own = dialog.own.isChecked()
        dialog.deleteLater()
        self._answered.add(source.digest)
        if agreed:
            trust(source)
            if own and path is not None:
                self.set_own(path, True)
            self.changed.emit()
        return agreed

    def stop_trusting(self, entry: PluginEntry) -> str:
        """Revoke the trust in a plug-in or its folder; returns what is no longer trusted, or an error message."""
        try:
            if entry.path is None:
                return revoke_trust(entry.name)
            self.set_own(entry.path, False)
            known = trusted()
            if str(entry.path) in known.files:
                return revoke_trust(entry.path)
            folder = trusting_folder(entry.path, known)
            return revoke_trust(folder if folder is not None else entry.path)
        except PluginError as error:
            return str(error)
        finally:
            self.changed.emit()

    def _note_loaded(self) -> None:
        """Watch the files of the loaded plug-ins."""
        plugins = loaded()
        self._known = tuple(plugin.digest for plugin in plugins)
        self._watch_files()
        if not plugins:
            self._stop_looking()
        elif not self._looking.isActive():
            self._looking.start()
        self.changed.emit()

    def _stop_looking(self) -> None:
        self._looking.stop()
        self._set_stuck("")

    def close(self) -> None:
        """Release resources; called when the window closes."""
        self._settling.stop()
        self._stop_looking()
        self._unlisten()
        plugin_log.removeHandler(self._handler)

    # --- scene ------------------------------------------------------------------------------------

    def _on_opened(self) -> None:
        self._named = None
        self._reported_unnamed.clear()
        self.dismiss_error()

    def _on_scene(self, before: Scene | None, after: Scene) -> None:
        named = after.plugins, self._document.base_dir
        if named != self._named:
            self._named = named
            self._check_scene()
        elif loaded():
            self._offer_naming()

    def _check_scene(self) -> None:
        """Load the trusted plug-ins that the scene names, and ask about the others."""
        self._banner.clear()
        names = self._document.scene.plugins
        folder = self._document.base_dir
        if names:
            load_trusted(names, folder)
        if self._known != tuple(plugin.digest for plugin in loaded()):
            try:
                self._session_controller.refresh_kinds()
            except SnakeStudioError as error:
                self._banner.show_notice("warning", str(error))
        self._note_loaded()
        for each in named_plugins(names, folder):
            if each.state == "unreadable":
                self._banner.show_notice(
                    "warning",
                    f"The plug-in {each.name} of this scene cannot be used. {each.reason}",
                )
            elif self._is_open_question(each):
                self._ask(each)
                return
        if loaded():
            self._offer_naming()

    def _is_open_question(self, plugin: NamedPlugin) -> bool:
        """Whether the user must decide if a plug-in of the scene may run."""
        answered = plugin.source is not None and plugin.source.digest in self._answered
        return plugin.state in ("untrusted", "changed") and not answered

    def _ask(self, plugin: NamedPlugin) -> None:
        """Ask whether a plug-in of the scene may run, once for its present content."""
        before = plugin.path is not None and str(plugin.path.resolve()) in trusted().files
        why = "has changed since you trusted it" if before else "is not trusted"
        text = f"The plug-in {plugin.name} of this scene did not run because it {why}."
        review = ("Review...", partial(self._review_of_scene, plugin))
        without = ("Open Without", partial(self._open_without, plugin))
        self._banner.show_notice("warning", text, [review, without], closable=False)

    def _review_of_scene(self, plugin: NamedPlugin) -> None:
        assert plugin.source is not None
        if not is_trusted(plugin.source) and not self.review(plugin.source, "Open Without"):
            self._check_scene()
            return
        present = find(plugin.name)
        if present is not None and present.source.where != plugin.source.where:
            loading.unload(present.name)
        problem = self.load(plugin.source)
        self._check_scene()
        if problem and self.error is None:
            self._banner.show_notice("warning", problem)

    def _open_without(self, plugin: NamedPlugin) -> None:
        assert plugin.source is not None
        self._answered.add(plugin.source.digest)
        self._check_scene()

    def _offer_naming(self) -> None:
        """Report once that a scene uses a plug-in without naming it, because it cannot run without the plug-in."""
        from snakestudio.kinds.plugin_kinds import plugins_in_use

        folder = self._document.base_dir
        named = {find(name) for name in self._document.scene.plugins}
        for plugin in plugins_in_use(self._document.scene):
            if plugin in named or (plugin.name, folder) in self._reported_unnamed or folder is None:
                continue
            self._reported_unnamed.add((plugin.name, folder))
            source = plugin.source
            path = source.path.resolve() if source.path is not None else None
            name = source.name if source.module else ""
            if not source.module and path is not None and path.is_relative_to(folder.resolve()):
                name = path.relative_to(folder.resolve()).as_posix()
            text = f"The scene uses the plug-in {plugin.name} without naming it, so other users cannot open the scene."
            if name:
                button: Button = ("Add to Scene", partial(self._name_in_scene, name))
                self._banner.show_notice("info", text, [button])
            else:
                self._banner.show_notice(
                    "info", f"{text} Copy {path} to the folder of the scene and add that file."
                )

    def _name_in_scene(self, name: str) -> None:
        names = (*self._document.scene.plugins, name)
        value = names[0] if len(names) == 1 else names
        self._banner.clear()
        self._document.set_value("plugin", value, f"Name plug-in {name}")

    # --- changed files ----------------------------------------------------------------------------

    def _watch_files(self) -> None:
        paths = {
            entry.source.path
            for entry in loaded()
            if entry.source.path is not None and not entry.source.module
        }
        paths |= (
            {each.path for each in named_plugins(*self._named) if each.path is not None}
            if self._named
            else set()
        )
        targets = {
            str(location)
            for path in paths
            for location in (path, path.parent)
            if os.path.exists(location)
        }
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if removed := sorted(watched - targets):
            self._watcher.removePaths(removed)
        if new := sorted(targets - watched):
            self._watcher.addPaths(new)

    def check_files(self) -> None:
        """Check for changed files of plug-ins: reload trusted files and ask about the others."""
        for plugin in loaded():
            source = plugin.source
            if source.module or source.path is None:
                continue
            try:
                present = read_source(source.path)
                self._unreadable.pop(source.name, None)
                if present.digest == source.digest or present.digest in self._failures:
                    continue
                if self.is_own(source.path) and not is_trusted(present):
                    trust(present)
                if is_trusted(present):
                    self._reload_changed(present)
                elif present.digest not in self._answered:
                    self._ask_about_change(present)
            except PluginError as error:
                if self._unreadable.get(source.name) != str(error):
                    self._unreadable[source.name] = str(error)
                    self._banner.show_notice("warning", f"{error} The earlier code stays loaded.")
        if self._named is not None and any(
            map(self._is_open_question, named_plugins(*self._named))
        ):
            self._check_scene()
        self._watch_files()
        self.changed.emit()

    def _ask_about_change(self, source: Source) -> None:
        text = f"{source.file} has changed. The earlier code stays loaded until you review the new code."
        self._banner.show_notice(
            "info",
            text,
            [("Review...", partial(self._review_change, source)), ("Keep", self._banner.clear)],
        )

    def _review_change(self, source: Source) -> None:
        self._banner.clear()
        if self.review(source, "Keep Loaded Code"):
            self._reload_changed(source)

    def _reload_changed(self, source: Source) -> None:
        problem = self.load(source)
        if not problem:
            self._banner.show_notice("info", f"{source.file} was reloaded.", passing=True)
        elif self.error is None or self.error.message != problem:
            self._banner.show_notice("warning", f"{problem} The earlier code stays loaded.")

    # --- errors -----------------------------------------------------------------------------------

    def show_error(self, error: PluginRuntimeError) -> None:
        """Show an error in the code of a plug-in."""
        if (
            self.error is not None
            and self.error.message == error.message
            and self._banner.text == error.message
        ):
            return
        self.error = error
        again: Button = ("Reload", self.reload_and_continue)
        self._banner.show_notice("warning", error.message, [("Traceback", self._show_log), again])
        self.error_changed.emit()

    def dismiss_error(self) -> None:
        """Remove the notice of the last error."""
        if self.error is not None:
            if self._banner.text == self.error.message:
                self._banner.clear()
            self.error = None
            self.error_changed.emit()

    def reload_and_continue(self) -> None:
        """Reload the plug-in that failed, and continue the run."""
        error = self.error
        if error is None:
            return
        if find(error.plugin) is not None:
            problem = self.reload(error.plugin)
            if problem:
                self._banner.show_notice("warning", problem, [("Traceback", self._show_log)])
                return
        self.dismiss_error()
        self._session_controller.session.play()

    @property
    def error_path(self) -> Path | None:
        """File of the plug-in that failed."""
        plugin = find(self.error.plugin) if self.error is not None else None
        return None if plugin is None else plugin.source.path

    def _on_status(self, status: object) -> None:
        if self._session_controller.status.state == "running":
            self.dismiss_error()

    # --- running code -----------------------------------------------------------------------------

    def _check_running(self) -> None:
        self._set_stuck(not_returning())
        if self._unheard:
            self._unheard = False
            self.output_added.emit()

    def _set_stuck(self, name: str) -> None:
        if name != self.stuck:
            self.stuck = name
            self.stuck_changed.emit()
            if not name and self._banner.text == self._stop_text:
                self._banner.clear()

    def stop(self) -> None:
        """Pause the run when the plug-in that does not return has returned: Python cannot end its code."""
        if not self.stuck:
            return
        self._session_controller.session.pause()
        self._stop_text = (
            f"The run pauses when the plug-in {self.stuck} returns, because Python cannot end its code. "
            "If it never returns, save your work and restart SnakeStudio."
        )
        self._banner.show_notice("warning", self._stop_text)

    def _on_output(self, name: str, text: str) -> None:
        """Receive output on any thread."""
        *lines, self._begun[name] = (self._begun.get(name, "") + text).split("\n")
        self._output.extend((name, line) for line in lines)
        self._unheard = True


class _LogHandler(logging.Handler):
    """Handler that forwards log messages about plug-ins; errors of plug-ins are shown separately."""

    def __init__(self, write: Callable[[str, str], None]) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno < logging.ERROR:
            self._write("SnakeStudio", f"{record.getMessage()}\n")
