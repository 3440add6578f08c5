"""Studies in the window: creating, opening, running and saving; next to an armed robot only after confirmation."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMessageBox

from snakestudio.errors import SnakeStudioError
from snakestudio.gui.core.command import Context
from snakestudio.gui.core.file_dialogs import FileKind, ask_open, ask_save
from snakestudio.gui.core.recent_files import RecentFiles
from snakestudio.gui.core.settings import Setting
from snakestudio.gui.forms.banner import Banners
from snakestudio.gui.study.cluster_dialog import WorkerChoice
from snakestudio.gui.study.open_run import ShownRuns, StudyRuns
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.runner import StudyRunner, on_this_machine
from snakestudio.model.labels import label_of
from snakestudio.model.scene import Scene
from snakestudio.study.begin import begun
from snakestudio.study.running import Workers, scene_of_run, texts_of
from snakestudio.study.study_file import named_from, save_study
from snakestudio.viewmodel.study.run_again import run_name
from snakestudio.viewmodel.study.study_on_disk import new_study_path
from snakestudio.viewmodel.study.study_values import changed, varied

_FILTER = "Studies (*.study.toml *.toml);;All files (*)"
_DOCK = "study"

Ask = QMessageBox.StandardButton


_RECENT: Setting[tuple[str, ...]] = Setting(
    "study/recent", (), "Recent studies", "Study files opened or saved last", remembered=True
)


class SceneFiles(Protocol):
    """Opens and saves the scene's file."""

    def open(self, path: Path) -> bool:
        """Open a scene unless unsaved changes would be lost."""
        ...

    def save(self) -> bool:
        """Save the scene, to a chosen file if it has none."""
        ...


class FeatureContext(Context, Protocol):
    """Context of studies."""

    banners: Banners

    @property
    def files(self) -> SceneFiles: ...

    @property
    def open_runs(self) -> ShownRuns: ...

    def check_step_size(self, scene: Scene, base_dir: Path, name: str) -> None:
        """Check the time step of a scene, and show the result."""


class StudyFeature(QObject):
    """Studies of a window.

    Parameters
    ----------
    context : Context
        Parts of the window, with files and notices.
    movable : callable
        Returns whether a robot of this window may be armed.

    Attributes
    ----------
    runs : StudyRuns
        Runs points of the study again.
    """

    def __init__(self, context: FeatureContext, movable: Callable[[], bool]) -> None:
        super().__init__(context.window)
        self._context = context
        self._movable = movable
        self.open_study = OpenStudy(self)
        self.runner = StudyRunner(movable, self)
        self.runs = StudyRuns(context, context.banners.study, self)
        self.recent = RecentFiles(context.settings, _RECENT)
        self.open_study.opened.connect(self.runner.clear_error)
        self.runner.changed.connect(self._on_progress)
        self.runner.ended.connect(self.open_study.read_all_results)
        document = context.document
        document.value_commands.append(("Vary in a Study", self.vary))
        document.title_changed.connect(self._on_scene_saved)
        self._was_dirty = document.dirty

    def _on_progress(self) -> None:
        if self.runner.busy:
            self.open_study.read_results_soon()

    # ----------------------------------------------------------------------------- create and open

    def new(self) -> bool:
        """Create a study of the current scene, in the folder of its file."""
        return self._begin(())

    def vary(self, keys: Sequence[str]) -> bool:
        """Vary a value of the scene in the open study, or in a new one if none is open for this scene.

        Parameters
        ----------
        keys : sequence of str
            Dotted scene key; several for the same value of several obstacles.
        """
        opened = self.open_study
        document = self._context.document
        if opened.path is None or opened.unreadable or document.origin != opened.scene_path:
            return self._begin(keys)
        self._context.show_dock(_DOCK)
        if self.runner.busy and self.runner.path == opened.path:
            return self._refuse("The study is running. Cancel it to vary another value.")
        name = label_of(document.scene, keys[0])
        if any(set(keys) & set(vary.all_keys) for vary in opened.study.vary):
            return self._refuse(f"{name} already varies in {opened.path.name}.")
        try:
            vary = varied(document.scene, keys)
        except SnakeStudioError as error:
            return self._refuse(str(error))
        opened.edit(changed(opened.study, vary=(*opened.study.vary, vary)))
        return True

    def _begin(self, keys: Sequence[str]) -> bool:
        document = self._context.document
        if not self._may_leave() or not self._scene_in_a_file():
            return False
        assert document.path is not None
        path = new_study_path(document.path)
        try:
            study = begun(document.scene, named_from(path.parent, document.path), ())
            if keys:
                study = changed(study, vary=(varied(document.scene, keys),))
            save_study(study, path)
        except SnakeStudioError as error:
            return self._refuse(f"No study was created. {error}")
        return self.open(path, with_scene=False)

    def _scene_in_a_file(self) -> bool:
        """Return whether the scene is saved; ask to save it if it is not."""
        document = self._context.document
        if document.path is not None and not document.dirty:
            return True
        if document.path is None:
            question = "A study refers to a scene file, and this scene has not been saved yet."
            answer = self._ask(
                "Save the Scene First", question, "Save it first?", Ask.Save | Ask.Cancel, Ask.Save
            )
        else:
            question = f"{document.name} has unsaved changes, and a study runs the saved scene."
            buttons = Ask.Save | Ask.Ignore | Ask.Cancel
            answer = self._ask(
                "Save the Scene First", question, "Save them first?", buttons, Ask.Save
            )
        return answer == Ask.Ignore or (answer == Ask.Save and self._context.files.save())

    def ask_open(self) -> bool:
        """Ask for a study and open it."""
        path = ask_open(self._context.window, "Open Study", FileKind.STUDY, _FILTER)
        return path is not None and self.open(path)

    def open(self, path: Path, *, with_scene: bool = True) -> bool:
        """Open a study and its scene; if the file does not exist only a notice is shown."""
        if not self._may_leave():
            return False
        try:
            self.open_study.open(path)
        except SnakeStudioError as error:
            self.recent.remove(path)
            return self._refuse(f"{path.name} was not opened.\n{error}")
        self.recent.remember(path)
        self._context.show_dock(_DOCK)
        if with_scene and not self.open_study.unreadable:
            self.open_scene()
        return True

    def open_scene(self) -> bool:
        """Open the scene of the study; the panel reports a scene that cannot be read."""
        path = self.open_study.scene_path
        return path == self._context.document.origin or (
            os.path.isfile(path) and self._context.files.open(path)
        )

    def save_scene(self) -> bool:
        """Save the window's scene."""
        return self._context.files.save()

    def ask_save_as(self) -> bool:
        """Ask for another file for the study, which is used from then on."""
        path = self.open_study.path
        assert path is not None
        window = self._context.window
        target = ask_save(
            window, "Save Study As", FileKind.STUDY, path.name, _FILTER, near=path.parent
        )
        if target is None:
            return False
        try:
            self.open_study.save_as(target)
        except SnakeStudioError as error:
            return self._refuse(str(error))
        assert self.open_study.path is not None
        self.recent.remember(self.open_study.path)
        return True

    # ---------------------------------------------------------------------------------- how it runs

    def run(self) -> bool:
        """Run the open study where the user chose."""
        opened = self.open_study
        document = self._context.document
        if opened.path is None or not opened.ready or self.runner.busy:
            return False
        if opened.shipped and not self.ask_save_as():
            return False
        if document.path == opened.scene_path and not self._scene_in_a_file():
            return False
        workers = WorkerChoice.restored(self._context.settings).workers
        if not self._may_compute(workers, "Run"):
            return False
        self.runner.start(opened.path, workers)
        return True

    def resume(self) -> bool:
        """Resume after a pause."""
        if self.runner.here and not self._may_compute(Workers(), "Resume"):
            return False
        self.runner.resume()
        return True

    def _may_compute(self, workers: Workers, verb: str) -> bool:
        """Return whether a study may use the processors of this computer; ask if a robot may move."""
        if not self._movable() or not on_this_machine(workers):
            return True
        box = QMessageBox(self._context.window)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle("A Robot Is Armed")
        box.setText("The robot may move, and a study uses all the free processor time.")
        box.setInformativeText(
            "The robot has priority, but its timing is best when nothing else runs. Disarm it first."
        )
        anyway = box.addButton(f"{verb} Anyway", QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(Ask.Cancel)
        box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        box.exec()
        box.deleteLater()
        return box.clickedButton() is anyway

    def check_robot(self) -> None:
        """Check whether a robot was armed: its timing has priority over every study."""
        self.runner.check_robot()

    def _on_scene_saved(self) -> None:
        document = self._context.document
        saved = self._was_dirty and not document.dirty
        self._was_dirty = document.dirty
        if (
            saved
            and self.open_study.path is not None
            and document.path == self.open_study.scene_path
        ):
            self.open_study.check_again()

    def open_run(self, row: int) -> None:
        """Run a row of the results again and show it."""
        path = self.open_study.path
        results = self.open_study.results
        if path is not None and results is not None:
            self.runs.open(path, results.table, results.units, row)

    def apply_point(self, row: int) -> None:
        """Apply the values of a row of the results to the scene."""
        path = self.open_study.path
        results = self.open_study.results
        if path is not None and results is not None:
            self.runs.apply_point(path, results.table, row)

    def check_step(self, row: int) -> bool:
        """Check the time step of the first run of a row of the results."""
        path = self.open_study.path
        results = self.open_study.results
        if path is None or results is None:
            return False
        table = results.table
        try:
            scene, base_dir = scene_of_run(
                path, table.study, texts_of(path)["scene"], table.rows[row][0][0]
            )
        except SnakeStudioError as error:
            return self._refuse(str(error))
        self._context.check_step_size(scene, base_dir, run_name(path, table, row))
        return True

    # -------------------------------------------------------------------------------------- leaving

    def may_close(self) -> bool:
        """Return whether the window may be closed: that stops a running study and discards unsaved changes."""
        if not self._may_leave():
            return False
        runner = self.runner
        if not runner.busy or runner.path is None:
            return True
        question = (
            f"The study {runner.path.name} is running ({runner.text}). Closing the window stops it."
        )
        hint = "Finished runs are saved. Run continues from there, even after a restart."
        return (
            self._ask("Close SnakeStudio", question, hint, Ask.Close | Ask.Cancel, Ask.Cancel)
            == Ask.Close
        )

    def _may_leave(self) -> bool:
        """Return whether the open study may be closed: it is saved, or the user discards the changes."""
        opened = self.open_study
        if opened.pending and not opened.missing:
            opened.save()
        if not opened.pending:
            return True
        question = f"The last changes of {opened.path.name if opened.path is not None else 'the study'} are not saved."
        answer = self._ask(
            "Unsaved Changes",
            question,
            opened.unsaved,
            Ask.Save | Ask.Discard | Ask.Cancel,
            Ask.Save,
        )
        return answer == Ask.Discard or (answer == Ask.Save and self.ask_save_as())

    def close(self) -> None:
        """Stop everything because the window closes."""
        self.runner.close()
        self.runs.close()
        self.open_study.close()

    def _ask(self, title: str, question: str, hint: str, buttons: Ask, default: Ask) -> Ask:
        box = QMessageBox(self._context.window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(title)
        box.setText(question)
        box.setInformativeText(hint)
        box.setStandardButtons(buttons)
        if buttons & Ask.Ignore:
            box.button(Ask.Ignore).setText("Use the Saved File")
        box.setDefaultButton(default)
        answer = Ask(box.exec())
        box.deleteLater()
        return answer

    def _refuse(self, text: str) -> bool:
        self._context.banners.study.show_notice("warning", text)
        return False
