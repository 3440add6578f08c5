"""Dialog before a robot is imported from another program's file: links, joints, and approximations."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)

from snakestudio.errors import SceneError
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, form_field
from snakestudio.gui.forms.table import TableView
from snakestudio.model.scene import Scene
from snakestudio.robot_files.to_scene import ImportedRobot, into_scene, new_scene
from snakestudio.viewmodel.scene.robot_import import (
    joint_table,
    link_table,
    summary,
    with_stable_step,
)


@dataclass(frozen=True)
class Target:
    """Destination of the robot."""

    is_new: bool = form_field(
        True,
        "&Into",
        help="Whether the robot gets a new scene or replaces the robot of this scene",
        choices=(
            Choice(True, "New scene with a gait and the obstacles of the file"),
            Choice(False, "This scene: replace the robot, its gains and its motors"),
        ),
    )


class RobotImportDialog(Dialog):
    """Shows a robot before it is imported, and offers to make a new scene.

    Parameters
    ----------
    path : Path
        Imported file.
    scene : Scene
        Open scene.
    folder : Path, optional
        Folder of relative file names in the open scene.

    Attributes
    ----------
    result_scene : Scene or None
        Scene to open, or the changed open scene; None while the robot does not fit the open scene.
    """

    def __init__(
        self,
        path: Path,
        imported: ImportedRobot,
        scene: Scene,
        parent: QWidget | None = None,
        *,
        folder: Path | None = None,
    ) -> None:
        super().__init__(parent, "Import Robot")
        self._path = path
        self._imported = imported
        self._scene = scene
        self._folder = folder
        self.result_scene: Scene | None = None
        self.setMinimumWidth(720)
        heading = QLabel(imported.robot.name, self)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setProperty("role", "heading")
        heading.setWordWrap(True)
        about = QLabel(summary(imported), self)
        about.setProperty("role", "dim")
        about.setWordWrap(True)
        self.tabs = QTabWidget(self)
        self.links = TableView("Links", parent=self)
        self.links.show_table(link_table(imported))
        self.joints = TableView("Joints", parent=self)
        self.joints.show_table(joint_table(imported))
        self.notes = QPlainTextEdit(self)
        self.notes.setReadOnly(True)
        self.notes.setAccessibleName("Notes")
        self._show_notes(())
        self.tabs.addTab(self.notes, f"Notes ({len(imported.notes)})")
        self.tabs.addTab(self.links, f"Links ({len(imported.links)})")
        self.tabs.addTab(self.joints, f"Joints ({len(imported.axes)})")
        self.tabs.setMinimumHeight(220)
        self.form = DeclaredForm(Target(), parent=self)
        self.target = self.form.widget("is_new", QComboBox)
        self.message = self.form.message
        buttons, self.start = self.make_buttons("I&mport")
        self.arrange(heading, about, (self.tabs, 1), self.form, buttons)
        self.form.changed.connect(self._show)
        self._show()

    @property
    def is_new(self) -> bool:
        """Whether the robot gets a new scene."""
        return self.form.values.is_new

    def _show(self) -> None:
        problem = ""
        changes: tuple[str, ...] = ()
        if self.is_new:
            scene = new_scene(self._imported, self._imported.robot.name, self._path.name)
            self.result_scene, changes = with_stable_step(scene, None)
        else:
            try:
                scene, changes = into_scene(self._imported, self._scene)
                self.result_scene, more = with_stable_step(scene, self._folder)
                changes += more
            except SceneError as error:
                self.result_scene = None
                problem = str(error).splitlines()[0]
        self.form.report(problem)
        self._show_notes(changes)
        self.start.setEnabled(self.result_scene is not None)

    def _show_notes(self, changes: tuple[str, ...]) -> None:
        notes = (*self._imported.notes, *changes)
        self.notes.setPlainText(
            "\n".join(f"•  {note}" for note in notes) or "Nothing was left out or approximated."
        )
        if self.tabs.count():
            self.tabs.setTabText(0, f"Notes ({len(notes)})")
