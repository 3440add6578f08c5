"""Dialog before a robot is imported from another program's file: links, joints, and approximations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QPlainTextEdit,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from snakestudio.errors import RobotFileError, SceneError
from snakestudio.gui.core.task import Task
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.declared_form import DeclaredForm
from snakestudio.gui.forms.dialog import Dialog
from snakestudio.gui.forms.form_fields import Choice, form_field
from snakestudio.gui.forms.table import TableView
from snakestudio.gui.scene.body_shape import BodyShape
from snakestudio.model.scene import Scene
from snakestudio.robot_files.gait_choice import GaitProposal
from snakestudio.robot_files.importing import lacks_radius
from snakestudio.robot_files.to_scene import ImportedRobot, into_scene, new_scene
from snakestudio.session.imported_scene import ProposedGait, by_rule, verified, with_stable_step
from snakestudio.text import sentences
from snakestudio.viewmodel.scene.robot_import import joint_table, link_table, summary
from snakestudio.viewmodel.work import Progress


@dataclass(frozen=True)
class Target:
    """Destination of the robot, and the values that its file does not have."""

    is_new: bool = form_field(
        True,
        "&Into",
        help="Whether the robot gets a new scene or replaces the robot of this scene",
        choices=(
            Choice(True, "New scene with a gait and the obstacles of the file"),
            Choice(False, "This scene: replace the robot, its gains and its motors"),
        ),
    )
    radius_mm: float | None = form_field(
        None,
        "&Radius of links",
        help="Radius of the links whose file has no geometry",
        unit="mm",
        minimum=0.0,
        exclusive_minimum=True,
        maximum=1e4,
        optional=True,
        placeholder="from the inertia",
        visible_if=lambda values: values.asks_radius,
    )
    asks_radius: bool = False
    """Whether links have no geometry."""


class _GaitPage(QWidget):
    """Choice between the gaits that suit the robot, why one is proposed, and its shape."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.box = ChoiceBox(self)
        self.box.setAccessibleName("Gait")
        self.about = QLabel("", self)
        self.about.setWordWrap(True)
        self.shape = BodyShape(self)
        column = QVBoxLayout(self)
        for widget in (self.box, self.about, self.shape):
            column.addWidget(widget)
        column.addStretch(1)
        self._imported: ImportedRobot | None = None
        self._proposed: ProposedGait | None = None

    def offer(self, imported: ImportedRobot) -> None:
        """Offer the gaits of a robot."""
        self._imported = imported
        self.box.clear()
        self.box.addItems([proposal.title for proposal in imported.gaits])
        self.show_proposed(by_rule(imported))

    def show_proposed(self, proposed: ProposedGait) -> None:
        """Select the proposed gait, unless the user has chosen another one."""
        assert self._imported is not None
        previous = None if self._proposed is None else self._proposed.proposal.title
        self._proposed = proposed
        if self.box.currentText() in (previous, self._imported.gaits[0].title):
            self.box.setCurrentText(proposed.proposal.title)
        self.about.setText(" ".join(proposed.notes))

    @property
    def proposal(self) -> GaitProposal:
        """Selected gait."""
        assert self._imported is not None
        return self._imported.gaits[max(0, self.box.currentIndex())]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the selected gait."""
        proposed = self._proposed
        if proposed is not None and proposed.proposal.title == self.proposal.title:
            return proposed.notes
        return (f"The gait is {self.proposal.title.lower()}, as chosen.",)


def _request(error: RobotFileError) -> str:
    return sentences(error.problems[0].message, "enter it here")


class RobotImportDialog(Dialog):
    """Shows a robot before it is imported, and offers to make a new scene.

    Raises `RobotFileError` if the robot cannot be imported with any radius.

    Parameters
    ----------
    path : Path
        Imported file.
    load : callable
        Imports the robot with a radius (m) of links without geometry; None: without one.
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
        load: Callable[[float | None], ImportedRobot],
        scene: Scene,
        parent: QWidget | None = None,
        *,
        folder: Path | None = None,
    ) -> None:
        problem = ""
        imported = None
        try:
            imported = load(None)
        except RobotFileError as error:
            if not lacks_radius(error):
                raise
            problem = _request(error)
        super().__init__(parent, "Import Robot")
        self._path = path
        self._load = load
        self._imported = imported
        self._problem = problem
        self._scene = scene
        self._folder = folder
        self.result_scene: Scene | None = None
        self.setMinimumWidth(720)
        self._heading = QLabel(path.name, self)
        self._heading.setTextFormat(Qt.TextFormat.PlainText)
        self._heading.setProperty("role", "heading")
        self._heading.setWordWrap(True)
        self._about = QLabel("", self)
        self._about.setProperty("role", "dim")
        self._about.setWordWrap(True)
        self.tabs = QTabWidget(self)
        self.links = TableView("Links", parent=self)
        self.joints = TableView("Joints", parent=self)
        self.notes = QPlainTextEdit(self)
        self.notes.setReadOnly(True)
        self.notes.setAccessibleName("Notes")
        self.gait = _GaitPage(self)
        pages = ((self.notes, "Notes"), (self.links, "Links"), (self.joints, "Joints"))
        for page, title in (*pages, (self.gait, "Gait")):
            self.tabs.addTab(page, title)
        self.tabs.setMinimumHeight(220)
        asks_radius = imported is None or not all(link.has_geometry for link in imported.links)
        self._radius_mm: float | None = None
        self.form = DeclaredForm(Target(asks_radius=asks_radius), parent=self)
        self.target = self.form.widget("is_new", QComboBox)
        self.message = self.form.message
        buttons, self.start = self.make_buttons("I&mport")
        self.arrange(self._heading, self._about, (self.tabs, 1), self.form, buttons)
        self.form.changed.connect(self._show)
        self.gait.box.activated.connect(lambda _: self._show())
        self._trial: Task[ProposedGait] | None = None
        self._tried: ImportedRobot | None = None
        self._show_robot()
        self._show()

    @property
    def is_new(self) -> bool:
        """Whether the robot gets a new scene."""
        return self.form.values.is_new

    def _show_robot(self) -> None:
        if self._imported is None:
            return
        self._heading.setText(self._imported.robot.name)
        self._about.setText(summary(self._imported))
        self.links.show_table(link_table(self._imported))
        self.joints.show_table(joint_table(self._imported))
        self.tabs.setTabText(1, f"Links ({len(self._imported.links)})")
        self.tabs.setTabText(2, f"Joints ({len(self._imported.axes)})")

    def _load_with(self, radius_mm: float | None) -> None:
        self._radius_mm = radius_mm
        try:
            self._imported = self._load(None if radius_mm is None else 1e-3 * radius_mm)
            self._problem = ""
        except RobotFileError as error:
            self._imported = None
            self._problem = (
                _request(error) if lacks_radius(error) else error.problems[0].sentence_for()
            )
        self._show_robot()

    def _show(self) -> None:
        if self.form.values.radius_mm != self._radius_mm:
            self._load_with(self.form.values.radius_mm)
        problem = self._problem
        changes: tuple[str, ...] = ()
        self.result_scene = None
        if self._imported is None:
            pass
        elif self.is_new:
            scene = new_scene(self._imported, self._imported.robot.name, self._path.name)
            scene, changes = with_stable_step(scene, None)
            self._propose_gait(self._imported, scene)
            self.result_scene = scene.model_copy(update={"gait": self.gait.proposal.gait})
            changes += self.gait.notes
            self.gait.shape.show_state(self.result_scene, None)
        else:
            try:
                scene, changes = into_scene(self._imported, self._scene)
                self.result_scene, more = with_stable_step(scene, self._folder)
                changes += more
            except SceneError as error:
                problem = str(error).splitlines()[0]
        self.tabs.setTabVisible(3, self._imported is not None and self.is_new)
        self.form.report(problem)
        self._show_notes(changes)
        self.start.setEnabled(self.result_scene is not None and not self.form.problem)

    def _propose_gait(self, imported: ImportedRobot, scene: Scene) -> None:
        """Show the gait by the rule, and start the simulations that verify it, once for a robot."""
        if self._tried is imported:
            return
        self._tried = imported
        self.gait.offer(imported)

        def simulate(progress: Progress) -> ProposedGait | None:
            result = verified(imported, scene, stopped=lambda: not progress(0.0))
            return result if progress(1.0) else None

        if self._trial is not None:
            self._trial.discard()
        self._trial = Task("gait trial", simulate, self)
        self._trial.finished.connect(self._on_verified)

    def _on_verified(self, proposed: ProposedGait) -> None:
        self.gait.show_proposed(proposed)
        self._show()

    def done(self, result: int) -> None:
        if self._trial is not None:
            self._trial.discard()
        super().done(result)

    def _show_notes(self, changes: tuple[str, ...]) -> None:
        notes = changes if self._imported is None else (*self._imported.notes, *changes)
        text = "\n".join(f"•  {note}" for note in notes)
        if not text and self._imported is not None:
            text = "Nothing was left out or approximated."
        self.notes.setPlainText(text)
        self.tabs.setTabText(0, f"Notes ({len(notes)})")
