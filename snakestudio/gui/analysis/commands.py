"""Menu commands of analyses: measured trials, model comparison, chains of links, and fits."""

from __future__ import annotations

from typing import Protocol

from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.analysis.comparison.step_checker import StepChecker
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.files import ExperimentFiles
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.analysis.frame import ReportExporter
from snakestudio.gui.core.command import Command, Context, is_jointed, is_strained


class AnalysisContext(Context, Protocol):
    """Parts of the window that these commands use."""

    chain_comparer: ChainComparer
    experiment_files: ExperimentFiles
    experiments: Experiments
    fitter: Fitter
    step_checker: StepChecker

    @property
    def exporter(self) -> ReportExporter:
        """Writes reports."""

    def show_step_dialog(self) -> None:
        """Show the window with the check of the time step."""


def _show_chain(c: AnalysisContext) -> None:
    """Show the window that compares chains of links with a continuous body."""
    from snakestudio.gui.analysis.comparison.chain_dialog import ChainDialog

    def shown_time() -> float:
        return (
            0.0 if c.session_controller.displayed is None else c.session_controller.displayed.time
        )

    dialog = c.window.findChild(ChainDialog) or ChainDialog(
        c.chain_comparer, shown_time, c.exporter, c.window
    )
    dialog.show()
    dialog.raise_()


def _check_step_size(c: AnalysisContext) -> None:
    """Check the time step of the window's scene, unless it is checked already, and show the result."""
    checker = c.step_checker
    if not checker.busy and (checker.comparison is None or checker.stale or not checker.of_window):
        checker.start()
    c.show_step_dialog()


def _show_fit(c: AnalysisContext) -> None:
    """Show the window that fits the scene to measured runs."""
    from snakestudio.gui.analysis.fitting.dialog import FitDialog

    dialog = c.window.findChild(FitDialog)
    if dialog is None:
        measured = c.experiments
        dialog = FitDialog(
            c.fitter,
            c.document,
            lambda: [trial.capture for trial in measured.trials],
            c.exporter,
            c.window,
        )
        measured.changed.connect(dialog.data.refresh)
    dialog.show()
    dialog.raise_()


IMPORT: tuple[Command[AnalysisContext], ...] = (
    Command(
        "import_experiment",
        "File/Import Experiment",
        "From Files...",
        lambda c: c.experiment_files.ask(),
        ("Ctrl+Shift+I",),
        icon="experiment",
        tip="Overlay measurements of a real robot on the run: CSV, TSV, TRC, C3D",
    ),
    Command(
        "import_example",
        "File/Import Experiment",
        "Example (Synthetic)",
        lambda c: c.experiment_files.example(),
        tip="Bundled trials, made by a simulation with the imperfections of a real robot",
    ),
)
"""Commands that overlay measured trials on the run."""

COMPARE: tuple[Command[AnalysisContext], ...] = (
    Command(
        "check_step_size",
        "Simulation",
        "Check Step Size",
        _check_step_size,
        tip="Run this scene with finer time steps, estimate the errors of its results, and propose a step",
    ),
    Command(
        "compare_models",
        "Simulation",
        "Compare Models...",
        lambda c: c.show_dock("comparison"),
        ("Ctrl+M",),
        tip="Run this scene in several models: ghosts, overlaid curves, and differences",
    ),
    Command(
        "compare_experiment",
        "Simulation",
        "Compare with an Experiment...",
        lambda c: c.show_dock("experiment"),
        tip="Compare measured trials with the run: tracks, alignment and errors",
    ),
    Command(
        "compare_chain",
        "Simulation",
        "Compare with a Chain of Links...",
        _show_chain,
        enabled=is_strained,
        tip="Compare chains of n links with the continuous body: torques, speed, convergence",
    ),
    Command(
        "fit",
        "Simulation",
        "Fit to Experiment...",
        _show_fit,
        enabled=is_jointed,
        long=True,
        tip="Estimate friction, delay, backlash and other parameters from measured runs",
    ),
)
"""Commands that compare or fit the scene."""
