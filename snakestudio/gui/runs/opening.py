"""Opening, showing and continuing of recorded runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from snakestudio.errors import Problem, SnakeStudioError
from snakestudio.gui.core.document import Document
from snakestudio.gui.core.file_dialogs import FileKind, ask_open
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.task import Task, close_tasks
from snakestudio.gui.forms.banner import Banner, Button
from snakestudio.model.recording import Recording
from snakestudio.session.status import Status
from snakestudio.viewmodel.work import Progress

if TYPE_CHECKING:
    from snakestudio.runfile.mcap import RunFile

RUN_SUFFIX = ".mcap"
_FILTER = f"Recorded runs (*{RUN_SUFFIX});;All files (*)"
_CONTINUES = "The simulation continues from here. Press Space."


class OpenRuns(QObject):
    """Opener of recorded runs.

    Parameters
    ----------
    may_discard : callable
        Asks about unsaved changes; returns False if the open scene must stay.
    banner : Banner
        Shows the state and errors.
    window : QWidget
        Parent of the dialog.
    """

    def __init__(
        self,
        document: Document,
        session_controller: SessionController,
        may_discard: Callable[[], bool],
        banner: Banner,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._document = document
        self._session_controller = session_controller
        self._may_discard = may_discard
        self._banner = banner
        self._window = window
        self._path = Path()
        self._name = ""
        self._task: Task[RunFile] | None = None
        self._loaded_file: RunFile | None = None  # read by the task but not shown yet
        self._opened: list[RunFile] = []
        self._last: tuple[Recording, str] | None = None
        self._continue_text = ""  # message about continuing, while it applies
        session_controller.source_changed.connect(self._on_source)
        session_controller.continued.connect(self._on_continued)
        session_controller.status_changed.connect(self._on_status)
        for signal in (session_controller.refused, session_controller.recording_stopped):
            signal.connect(lambda message: self._banner.show_notice("warning", message))

    # --- opening ----------------------------------------------------------------------------------

    def ask_open(self) -> None:
        """Ask for a file and show its run."""
        path = ask_open(self._window, "Open Run", FileKind.RUN, _FILTER)
        if path is not None:
            self.open(path)

    def show_last(self) -> None:
        """Show the most recently shown run, or ask for one."""
        if self._last is not None:
            self.show(*self._last)
        else:
            self.ask_open()

    def open(self, path: Path, name: str = "") -> None:
        """Read a run file in the background and show it under `name`."""
        if self._task is not None:
            return

        def work(progress: Progress) -> RunFile:
            from snakestudio.runfile.mcap import open_run

            self._loaded_file = open_run(path)
            return self._loaded_file

        self._path = path
        self._name = name or path.name
        self._task = Task("opening of the run", work, self)
        self._task.finished.connect(self._on_read)
        self._task.failed.connect(self._on_failed)

    def open_scene(self, path: Path) -> None:
        """Open the scene of a run file as a new scene, unless the user cancels because of unsaved changes."""
        from snakestudio.runfile.mcap import open_run

        if not self._may_discard():
            return
        try:
            with open_run(path) as run:
                scene = run.scene
        except SnakeStudioError as error:
            self._banner.show_notice(
                "warning", f"The scene of {path.name} cannot be opened.\n{error}"
            )
        else:
            self._document.new(scene)

    @Slot(object)
    def _on_read(self, run: RunFile) -> None:
        self._task = self._loaded_file = None
        if not len(run):
            run.close()
            self._banner.show_notice(
                "warning",
                f"{self._path.name} cannot be opened.\nIt contains no recorded samples.",
            )
        else:
            self._opened.append(run)
            self.show(run, self._name)

    @Slot(object)
    def _on_failed(self, problem: Problem) -> None:
        self._task = None
        self._banner.show_notice(
            "warning", f"{self._path.name} cannot be opened.\n{problem.sentence()}"
        )

    def show(self, recording: Recording, name: str) -> None:
        """Show a loaded run under `name`."""
        self._last = recording, name
        self._session_controller.open_run(recording, name)
        for other in [run for run in self._opened if run is not recording]:
            self._opened.remove(other)
            other.close()

    def close_file(self, path: Path) -> None:
        """Close the run of a file that is about to be deleted."""
        for run in [run for run in self._opened if run.path == path]:
            if self._session_controller.recording is run:
                self._session_controller.close_run()
            self._opened.remove(run)
            run.close()
            self._last = None

    def close(self) -> None:
        """Close all files; called when no run is shown."""
        close_tasks(self)
        self._task = None
        if self._loaded_file is not None:
            self._loaded_file.close()
        while self._opened:
            self._opened.pop().close()

    # --- continuing -------------------------------------------------------------------------------

    def continue_here(self) -> None:
        """Continue from the shown time; the scene of an opened run replaces the open scene."""
        if self._session_controller.source != "replay" or self._may_discard():
            self._session_controller.continue_here()

    # --- messages ---------------------------------------------------------------------------------

    def _on_source(self) -> None:
        if self._session_controller.source == "replay":
            buttons: list[Button] = [
                ("Continue from Here", self.continue_here),
                ("Return to Simulation", self._session_controller.close_run),
            ]
            text = (
                f"Viewing the recorded run “{self._session_controller.source_name}”. The open scene is unchanged; "
                "editing it returns to the simulation."
            )
            recording_shown = self._session_controller.recording
            if left := getattr(recording_shown, "cut_off", ""):  # run files only, like `note`
                text += f" Its recording was cut off. {left}"
            if note := getattr(recording_shown, "note", ""):
                text += f" {note}"
            self._banner.show_notice("info", text, buttons, closable=False)
        elif self._session_controller.source == "robot":
            self._banner.clear()
        elif self._last is not None:
            recording, name = self._last
            again: Button = (f"Reopen {name}", lambda: self.show(recording, name))
            self._banner.show_notice("info", "Returned to the simulation.", [again], passing=True)

    def _on_continued(self, notes: tuple[str, ...]) -> None:
        self._continue_text = (
            " ".join(("The simulation continues from here.", *notes)) if notes else _CONTINUES
        )
        self._banner.show_notice(
            "warning" if notes else "info", self._continue_text, passing=not notes
        )

    def _on_status(self, status: Status) -> None:
        """Remove the message about continuing once the run plays or is reset."""
        if self._continue_text and (
            status.state == "ready"
            or (status.state == "running" and self._continue_text == _CONTINUES)
        ):
            if self._banner.text == self._continue_text:
                self._banner.clear()
            self._continue_text = ""
