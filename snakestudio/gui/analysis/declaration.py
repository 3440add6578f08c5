"""Declaration of analyses: comparisons of models, of step sizes and with experiments, and fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QDockWidget, QWidget

from snakestudio.gui.analysis.commands import COMPARE, IMPORT, AnalysisContext
from snakestudio.gui.analysis.comparison.chain_comparer import ChainComparer
from snakestudio.gui.analysis.comparison.comparer import Comparer
from snakestudio.gui.analysis.comparison.step_checker import StepChecker
from snakestudio.gui.analysis.experiment.experiments import Experiments
from snakestudio.gui.analysis.experiment.files import ExperimentFiles, SceneFiles
from snakestudio.gui.analysis.fitting.fitter import Fitter
from snakestudio.gui.core.feature import Area, DockSpec, Feature, Parts
from snakestudio.gui.core.overlaid_runs import RunsOver
from snakestudio.gui.forms.banner import Banners


class _Docks(Protocol):
    def __getitem__(self, name: str) -> QDockWidget: ...


class _Context(AnalysisContext, Protocol):
    banners: Banners
    comparer: Comparer

    @property
    def docks(self) -> _Docks: ...

    @property
    def files(self) -> SceneFiles: ...


def _make(c: _Context) -> Parts:
    document, session_controller, window = c.document, c.session_controller, c.window
    preparations = session_controller.session.preparations
    yield "comparer", Comparer(document, window, preparations)
    yield "chain_comparer", ChainComparer(document, window, preparations)
    yield "fitter", Fitter(document, window, preparations=preparations)
    step_checker = StepChecker(document, window, preparations)
    for signal in (session_controller.recording_changed, step_checker.finished):
        signal.connect(lambda *_: step_checker.annotate(session_controller.recording))
    yield "step_checker", step_checker
    experiments = Experiments(document, session_controller, window)
    yield "experiments", experiments
    experiment_files = ExperimentFiles(
        experiments, document, c.files, c.banners.files, c.settings, window
    )
    experiment_files.imported.connect(lambda: c.show_dock("experiment"))
    yield "experiment_files", experiment_files


def _comparison(c: _Context) -> QWidget:
    from snakestudio.gui.analysis.comparison.panel import ComparisonPanel

    panel = ComparisonPanel(c.comparer, c.document, c.exporter)
    panel.closed.connect(c.docks["comparison"].close)
    return panel


def _experiment(c: _Context) -> QWidget:
    from snakestudio.gui.analysis.experiment.panel import ExperimentPanel

    panel = ExperimentPanel(c.experiments, c.document, c.exporter)
    panel.closed.connect(c.docks["experiment"].close)
    panel.import_requested.connect(c.experiment_files.ask)
    panel.example_requested.connect(c.experiment_files.example)
    return panel


def _overlays(c: _Context) -> Iterable[tuple[RunsOver, SignalInstance]]:
    return (
        (c.comparer, c.comparer.shown_changed),
        (c.chain_comparer, c.chain_comparer.changed),
        (c.experiments, c.experiments.shown_changed),
        (c.fitter, c.fitter.shown_changed),
    )


def _close(c: _Context) -> None:
    for part in (c.comparer, c.chain_comparer, c.step_checker, c.fitter, c.experiments):
        part.close()
    c.experiment_files.close()


FEATURE: Feature[_Context] = Feature(
    docks=(
        DockSpec(
            "comparison", "Comparison", Area.RightDockWidgetArea, _comparison, 356, 8, "parameters"
        ),
        DockSpec(
            "experiment", "Experiment", Area.RightDockWidgetArea, _experiment, 356, 8, "parameters"
        ),
    ),
    commands={"import": IMPORT, "compare": COMPARE},
    make=_make,
    overlays=_overlays,
    close=_close,
)
