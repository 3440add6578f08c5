"""The File menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from snakestudio.gui.shell.commands.command import Command, has_links, line

if TYPE_CHECKING:
    from snakestudio.gui.shell.main_window import MainWindow

__all__ = ["FILE"]

EXPORT = "File/Export"


def _there_is_a_run(w: MainWindow) -> bool:
    return w.exporter.possible


def _has_contact_problem(w: MainWindow) -> bool:
    from snakestudio.session.contact_problem_file import WITH_CONTACT_PROBLEMS

    return _there_is_a_run(w) and w.document.scene.model.kind in WITH_CONTACT_PROBLEMS


FILE: tuple[Command, ...] = (
    Command("new", "File", "New Scene", lambda w: w.files.new(), ("Ctrl+N",), icon="new"),
    Command("open", "File", "Open ...", lambda w: w.files.ask_open(), ("Ctrl+O",), icon="open"),
    Command("open_recent", "File/Open Recent"),
    Command("open_example", "File/Open Example"),
    Command(
        "open_run", "File", "Open Run ...", lambda w: w.open_runs.ask_open(), ("Ctrl+Shift+F",), icon="open",
        tip="Show a recorded run (.mcap); the simulation stands meanwhile",
    ),
    Command(
        "runs", "File", "Kept Runs", lambda w: w.show_dock("runs"), ("Ctrl+Alt+R",), icon="recent",
        tip="All runs of the window: look for them, open them, see them beside this one",
    ),
    Command(
        "close_run", "File", "Back to the Simulation", lambda w: w.bridge.close_run(), (),
        lambda w: w.bridge.source != "simulation", tip="Show it in place of the robot or of a run",
    ),
    line("File"),
    Command("save", "File", "Save", lambda w: w.files.save(), ("Ctrl+S",), icon="save"),
    Command("save_as", "File", "Save As ...", lambda w: w.files.ask_save(), ("Ctrl+Shift+S",)),
    Command(
        "revert", "File", "Revert ...", lambda w: w.files.revert(), (),
        lambda w: w.document.path is not None and w.document.dirty,
        tip="Go back to what the file holds; undo brings the changes back",
    ),
    Command(
        "restore_unsaved", "File", "Restore Unsaved Changes ...", lambda w: w.safekeeping.offer(asked=True),
        tip="What was not saved when the program ended unexpectedly",
    ),
    line("File"),
    Command(
        "import_obstacles", "File", "Import Obstacles ...", lambda w: w.files.ask_import(), enabled=has_links,
        tip="Circles of a CSV (x, y, radius) or an SVG drawing become cylinders",
    ),
    Command(
        "import_experiment", "File/Import Experiment", "From Files ...", lambda w: w.experiment_files.ask(),
        ("Ctrl+Shift+I",), icon="experiment",
        tip="Lay what was measured of a real robot over the run: CSV, TSV, TRC, C3D",
    ),
    Command(
        "import_example", "File/Import Experiment", "Example (Synthetic)", lambda w: w.experiment_files.example(),
        tip="Trials that come along, made by a simulation with the faults of a real robot",
    ),
    Command(
        "export_csv", EXPORT, "CSV ...", lambda w: w.exporter.ask_csv(), ("Ctrl+E",), _there_is_a_run, icon="table",
        tip="Write the run so far as numbers",
    ),
    Command(
        "export_hdf5", EXPORT, "HDF5 ...", lambda w: w.exporter.ask_hdf5(), (), _there_is_a_run,
        tip="Write the run so far as arrays with units, for Matlab, Python and others",
    ),
    Command(
        "export_mcap", EXPORT, "MCAP ...", lambda w: w.exporter.ask_mcap(), (), _there_is_a_run,
        tip="Write the run so far as a run file, which Foxglove, PlotJuggler and Rerun read, too",
    ),
    Command(
        "export_video", EXPORT, "Video ...", lambda w: w.exporter.ask_video(), ("Ctrl+Shift+E",), _there_is_a_run,
        icon="video", tip="Render the run so far as a video, an animation or single pictures",
    ),
    Command(
        "export_figures", EXPORT, "Figures ...", lambda w: w.exporter.ask_figures(), (), _there_is_a_run,
        tip="Draw the run so far as figures for print (PDF): way, velocity, joints, forces, energies",
    ),
    Command(
        "export_contact_problem", EXPORT, "Contact Problem ...", lambda w: w.exporter.ask_contact_problem(), (),
        _has_contact_problem,
        tip="Write the contact problem of the run's last step for other solvers (FCLIB), or as arrays",
    ),
    line(EXPORT),
    Command(
        "export_plan", EXPORT, "Plan ...", lambda w: w.exporter.ask_plan(), (),
        lambda w: not w.exporter.busy, tip="Draw the scene from above to scale, as SVG, PNG or PDF",
    ),
    line("File"),
    Command("quit", "File", "Quit", lambda w: w.close(), ("Ctrl+Q",)),
)  # fmt: skip
