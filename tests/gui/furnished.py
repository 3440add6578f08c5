"""A window whose panels and dialogs have the content of a day of work, and a check for clipped content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QListWidget, QTabWidget, QWidget

from snakestudio.analysis.comparison.models import compare_models
from snakestudio.export.formats import EXPORTS
from snakestudio.gui.analysis.comparison.chain_dialog import ChainDialog
from snakestudio.gui.analysis.experiment.import_dialog import ImportExperimentDialog
from snakestudio.gui.analysis.fitting.dialog import FitDialog
from snakestudio.gui.app import features
from snakestudio.gui.core.feature import docks_of
from snakestudio.gui.forms.name_dialog import NameDialog
from snakestudio.gui.forms.sections import Section
from snakestudio.gui.plots.channel_library import ChannelLibrary
from snakestudio.gui.plots.derived_dialog import DerivedDialog
from snakestudio.gui.plugins.code_dialog import CodeDialog
from snakestudio.gui.plugins.manager import PluginManager
from snakestudio.gui.plugins.new_dialog import NewPluginDialog
from snakestudio.gui.profile.dbc_dialog import DbcDialog
from snakestudio.gui.profile.document import ProfileDocument
from snakestudio.gui.profile.editor import ProfileEditor
from snakestudio.gui.profile.joints_page import GenerateDialog
from snakestudio.gui.profile.learning_dialog import LearningDialog
from snakestudio.gui.profile.wiggle_dialog import WiggleDialog
from snakestudio.gui.remote.dialog import RemoteDialog
from snakestudio.gui.robot.connect_dialog import ConnectDialog
from snakestudio.gui.robot.teleop.editor import MappingEditor
from snakestudio.gui.robot.together.dialog import TogetherDialog
from snakestudio.gui.runs.export_dialog import ExportDialog
from snakestudio.gui.runs.video.camera_dialog import CameraDialog
from snakestudio.gui.runs.video.dialog import VideoDialog
from snakestudio.gui.scene.array_dialog import ArrayDialog
from snakestudio.gui.scene.import_dialog import ImportDialog
from snakestudio.gui.scene.robot_import_dialog import RobotImportDialog
from snakestudio.gui.shell.help_dialogs import AboutDialog, GraphicsDialog
from snakestudio.gui.shell.main_window import MainWindow
from snakestudio.gui.streaming.dialog import StreamDialog
from snakestudio.gui.study.cluster_dialog import ClusterDialog, WorkerChoice
from snakestudio.link.profile.dbc_editing import drafts_of
from snakestudio.link.profile.library import new_profile
from snakestudio.model.edits import with_values
from snakestudio.model.obstacles.importing import read_circles
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.paths import resource, scenes_dir
from snakestudio.plugins.source import read_source
from snakestudio.plugins.starting import new_plugin
from snakestudio.robot_files.importing import RobotFile
from snakestudio.study.store import store_path
from snakestudio.study.study_file import save_study
from snakestudio.sync import StartSettings
from tests.gui.clipping import clipped
from tests.gui.conftest import fill_docks
from tests.gui.pages.robot import connect_link
from tests.study.made_up import made_up_study, write_store

Wait = Callable[[Callable[[], bool]], object]


def settle() -> None:
    """Wait for layouts."""
    for _ in range(4):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def furnish(window: MainWindow, wait: Wait, folder: Path) -> None:
    """Fill the panels: a run, three measured trials, a comparison of models, a study with results."""
    c = window.context
    fill_docks(window)
    c.session_controller.play_or_pause()
    wait(lambda: c.session_controller.status.state == "finished")
    c.experiment_files.example()
    wait(lambda: len(c.experiments.trials) == 3)
    wait(lambda: not c.experiments.busy and c.experiments.comparison is not None)
    scene = with_values(
        load_scene(scenes_dir() / "lateral_undulation_isotropic.toml"), {"run.duration_s": 0.1}
    )
    c.comparer.comparison = compare_models(scene, ["planar_nonsmooth", "planar_lagrangian"])
    c.comparer.changed.emit()
    save_scene(scene, folder / "snake.toml")
    study = made_up_study(search='kind = "random"\npoints = 40')
    save_study(study, folder / "snake.study.toml")
    write_store(store_path(folder / "snake.study.toml"), study)
    c.study.open_study.open(folder / "snake.study.toml")
    wait(lambda: c.study.open_study.results is not None and not c.study.open_study.checking)


def connect(window: MainWindow) -> None:
    """Connect a robot that responds."""
    connect_link(window)


# --- panels ---------------------------------------------------------------------------------------


def clipped_panels(window: MainWindow, names: Sequence[str]) -> Iterator[str]:
    """Clipped content of these panels, each alone at its side and as narrow as possible."""
    for name in names:
        dock = narrowest(window, name)
        yield from (f"{name}, {dock.width()} px: {line}" for line in clipped_pages(dock))
    for part in (window.context.run_bar, window.context.time_bar, window.statusBar()):
        yield from clipped(part)


def narrowest(window: MainWindow, name: str) -> QWidget:
    """Show a panel alone at its side, as narrow as possible."""
    docks = window.context.docks
    spec = next(spec for spec in docks_of(features()) if spec.name == name)
    for other in docks_of(features()):
        if other.area == spec.area and other.name != name:
            docks[other.name].hide()
    docks.show(name)
    settle()
    below = spec.area is Qt.DockWidgetArea.BottomDockWidgetArea
    window.resizeDocks(
        [docks[name]], [1], Qt.Orientation.Vertical if below else Qt.Orientation.Horizontal
    )
    settle()
    return docks[name]


def clipped_pages(part: QWidget) -> list[str]:
    """Return the clipped content of all pages of a panel or dialog, with all sections expanded."""
    for section in part.findChildren(Section):
        if section.is_folded:
            section.toggle()
    settle()
    problems = clipped(part)
    for tabs in part.findChildren(QTabWidget):
        for page in range(tabs.count()):
            if tabs.isVisible() and page != tabs.currentIndex():
                tabs.setCurrentIndex(page)
                settle()
                problems += clipped(part)
    return problems


# --- dialogs --------------------------------------------------------------------------------------


def dialogs(window: MainWindow, folder: Path) -> dict[str, Callable[[], QWidget]]:
    """Functions that create each dialog with content."""
    c = window.context
    profile = new_profile("lab_robot", folder / "profile")
    circles = folder / "pegs.csv"
    circles.write_text("x,y,diameter\n" + "\n".join(f"{0.1 * k:.3f},0.2,0.05" for k in range(9)))
    urdf = resource("robots", "eight_modules.urdf")
    trial = sorted(resource("experiments").glob("synthetic_*.csv"))[0]
    recording = c.session_controller.recording
    scene = c.document.scene

    plugin = folder / "my_controller.py"
    new_plugin("controller", plugin)

    def manager() -> QWidget:
        c.settings.setValue("plugins/files", [str(plugin.resolve())])
        return PluginManager(c.plugins, c.document, window)

    def loaded() -> ProfileDocument:
        return ProfileDocument(profile)

    def fit() -> QWidget:
        captures = [trial.capture for trial in c.experiments.trials]
        return FitDialog(c.fitter, c.document, lambda: captures, c.exporter, window)

    def camera() -> QWidget:
        dialog = CameraDialog(c.camera_keys, window)
        c.camera_keys.add()
        return dialog

    def dbc() -> QWidget:
        document = loaded()
        editor = ProfileEditor(document, None, window)
        draft = drafts_of(document.loaded.database)[0]
        return DbcDialog(document, draft, draft.name, editor)

    return {
        "derived channel": lambda: DerivedDialog(
            c.session_controller, ChannelLibrary(None), parent=window
        ),
        "keys and gamepad": lambda: MappingEditor(c.teleop_feature.teleop, {}, window),
        "synchronized start": lambda: TogetherDialog(
            StartSettings(wait="port"), c.start_together.target, window
        ),
        "connect": lambda: ConnectDialog(c.robot_controller, c.settings, window),
        "array": lambda: ArrayDialog(
            c.document, c.selection, c.obstacles, c.viewport.preview, window
        ),
        "import obstacles": lambda: ImportDialog(circles, read_circles(circles), scene, window),
        "import robot": lambda: RobotImportDialog(urdf, RobotFile(urdf).imported, scene, window),
        "generate joints": lambda: GenerateDialog(window),
        "DBC message": dbc,
        "learn": lambda: LearningDialog(loaded(), c.robot_controller, window),
        "wiggle": lambda: WiggleDialog(c.robot_controller, window),
        "profile": lambda: ProfileEditor(loaded(), None, window, lambda: c.document.scene),
        "graphics": lambda: GraphicsDialog(c.viewport, window),
        "about": lambda: AboutDialog(window),
        "video": lambda: VideoDialog(folder / "run.mp4", recording, c.viewport, c.settings, window),  # type: ignore[arg-type]
        "camera": camera,
        "export options": lambda: ExportDialog(
            EXPORTS["plan"], lambda parent: None, lambda path, options: None, c.settings, window
        ),
        "import experiment": lambda: ImportExperimentDialog(trial, scene, c.settings, 2, window),
        "chain": lambda: ChainDialog(c.chain_comparer, lambda: 1.0, c.exporter, window),
        "fit": fit,
        "cluster": lambda: ClusterDialog(WorkerChoice(), window),
        "stream": lambda: StreamDialog(c.streamer, window),
        "remote control": lambda: RemoteDialog(c.remote, window),
        "plug-ins": manager,
        "code of a plug-in": lambda: CodeDialog(
            read_source(plugin), window, changed=True, decline="Open Without"
        ),
        "new plug-in": lambda: NewPluginDialog(folder, window),
        "name": lambda: NameDialog(["Mine"], lambda name: "", window),
    }


def clipped_dialog(dialog: QWidget) -> list[str]:
    """Return the clipped content of a dialog at its initial size and at its smallest."""
    dialog.show()
    settle()
    problems = _all_pages(dialog)
    dialog.resize(dialog.minimumSizeHint().expandedTo(dialog.minimumSize()))
    settle()
    size = f"{dialog.width()} x {dialog.height()}"
    problems += [f"smallest ({size}): {line}" for line in _all_pages(dialog)]
    return problems


def _all_pages(dialog: QWidget) -> list[str]:
    lists = [
        each for each in dialog.findChildren(QListWidget) if each is getattr(dialog, "nav", None)
    ]
    problems = clipped_pages(dialog)
    for pages in lists:
        for row in range(1, pages.count()):
            pages.setCurrentRow(row)
            settle()
            problems += [f"{pages.item(row).text()}: {line}" for line in clipped_pages(dialog)]
        pages.setCurrentRow(0)
    return problems
