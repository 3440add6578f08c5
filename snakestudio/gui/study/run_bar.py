"""Runs a study and shows its progress: buttons, time left, where it is computed, and notices."""

from __future__ import annotations

import math
import os
from typing import Literal

from PySide6.QtCore import QSettings, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from snakestudio.gui.core import theme
from snakestudio.gui.core.theme import ThemedWidget
from snakestudio.gui.forms.banner import Banner
from snakestudio.gui.forms.boxes import ChoiceBox
from snakestudio.gui.forms.task_bar import TaskBar
from snakestudio.gui.study.cluster_dialog import ClusterDialog, WorkerChoice
from snakestudio.gui.study.open_study import OpenStudy
from snakestudio.gui.study.runner import ARMED, StudyRunner
from snakestudio.gui.study.workers_table import WorkersTable
from snakestudio.study.cluster import default_workers
from snakestudio.text import counted
from snakestudio.viewmodel.study.study_texts import amount
from snakestudio.viewmodel.study.study_values import changed

_CLUSTER = -1
_LOCAL_LISTED = 16


class StudyRunBar(ThemedWidget):
    """Lower part of the study panel.

    Parameters
    ----------
    settings : QSettings
        Stores where studies are computed.

    Signals
    -------
    run_requested()
    resume_requested()
    """

    run_requested = Signal()
    resume_requested = Signal()

    def __init__(
        self,
        open_study: OpenStudy,
        runner: StudyRunner,
        settings: QSettings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._open = open_study
        self._runner = runner
        self._settings = settings
        self.worker_choice = WorkerChoice.restored(settings)
        self._low = False
        self._last_texts: dict[Banner, str] = {}
        self.run_button = QPushButton()
        self.cancel_button = QPushButton("Cancel")
        self.pause_button = QPushButton("Pause")
        self.resume_button = QPushButton("Resume")
        theme.set_role(self.run_button, "primary")
        theme.set_role(self.resume_button, "primary")
        for button, tip, action in (
            (self.run_button, "Run the points that have no result yet", self.run_requested.emit),
            (self.pause_button, "Start no more runs; runs in progress finish", runner.pause),
            (self.resume_button, "Resume the study", self.resume_requested.emit),
            (
                self.cancel_button,
                "Stop now; finished runs are saved, and Run continues from there",
                runner.cancel,
            ),
        ):
            button.setToolTip(tip)
            button.setIconSize(QSize(14, 14))
            button.clicked.connect(lambda _=False, action=action: action())
        self.workers_box = ChoiceBox()
        self.workers_box.setAccessibleName("Where to compute")
        self.workers_box.setToolTip("Processes on this computer, or a cluster")
        self.workers_box.setSizeAdjustPolicy(
            ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.workers_box.setMinimumContentsLength(8)
        self.workers_box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fill_workers_box()
        self.workers_box.activated.connect(self._choose)
        self.bar = TaskBar()
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._link = ""
        self.dashboard = QLabel()
        self.dashboard.setTextFormat(Qt.TextFormat.RichText)
        self.dashboard.setToolTip("Open the dask dashboard of the cluster in the browser")
        self.dashboard.linkActivated.connect(lambda url: QDesktopServices.openUrl(QUrl(url)))
        self.workers = WorkersTable()
        self.error, self.notice, self.note = Banner(self), Banner(self), Banner(self)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.run_button, self.resume_button, self.pause_button, self.cancel_button):
            buttons.addWidget(button)
        buttons.addWidget(self.workers_box, 1)
        buttons.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(8)
        for banner in (self.error, self.notice, self.note):
            column.addWidget(banner)
            banner.changed.connect(self._fit)
        column.addWidget(self.bar)
        column.addWidget(self.text)
        column.addLayout(buttons)
        column.addWidget(self.workers)
        column.addWidget(self.dashboard)
        for signal in (
            open_study.changed,
            open_study.checked,
            open_study.results_changed,
            runner.changed,
        ):
            signal.connect(self.refresh)
        self.apply_theme()
        self.refresh()

    # --------------------------------------------------------------------------------- where to run

    def _fill_workers_box(self) -> None:
        most = default_workers()
        chosen = self.worker_choice
        counts = sorted(
            {
                *range(1, min(most, _LOCAL_LISTED) + 1),
                most,
                *([chosen.count] if chosen.count else []),
            }
        )
        self.workers_box.clear()
        for count in counts:
            self.workers_box.addItem(counted(count, "worker"), count)
        if chosen.scheduler:
            self.workers_box.addItem(chosen.scheduler, _CLUSTER)
        self.workers_box.addItem("Cluster...", None)
        self.workers_box.setCurrentIndex(
            self.workers_box.findData(_CLUSTER if chosen.scheduler else chosen.count or most)
        )

    def _choose(self, index: int) -> None:
        count = self.workers_box.itemData(index)
        if count is None:
            dialog = ClusterDialog(self.worker_choice, self)
            if dialog.exec():
                self.worker_choice = dialog.choice
            dialog.deleteLater()
        elif count != _CLUSTER:
            self.worker_choice = WorkerChoice(count)
        self.worker_choice.keep(self._settings)
        self._fill_workers_box()
        self.refresh()

    # ---------------------------------------------------------------------------------------- state

    def set_low(self, low: bool) -> None:
        """Set whether the workers' table does not fit."""
        if low != self._low:
            self._low = low
            self.refresh()

    def refresh(self) -> None:
        """Show the current progress."""
        runner = self._runner
        mine = self._runner.path is not None and self._runner.path == self._open.path
        busy = runner.busy
        seen = {
            self.run_button: not busy,
            self.workers_box: not busy,  # during a run the table shows it
            self.pause_button: busy and not runner.pausing,
            self.resume_button: busy and runner.pausing,
            self.cancel_button: busy,
        }
        for widget in sorted(seen, key=lambda widget: seen[widget]):  # not all texts fit
            widget.setVisible(seen[widget])
        self.run_button.setEnabled(self._open.ready)
        self.run_button.setToolTip(self._why_not() or "Run the points that have no result yet")
        for button in (self.pause_button, self.resume_button, self.cancel_button):
            button.setEnabled(not runner.cancelling)
        progress = runner.progress if mine else None
        self.bar.show_task(self._runner.task)
        self.text.setText(self._text(busy, mine))
        self.workers.show_workers(
            progress.workers if progress is not None and busy and not self._low else ()
        )
        link = progress.dashboard if progress is not None and busy else ""
        self._link = link
        self._show_link()
        self.dashboard.setVisible(bool(link))
        self._show_notices(mine)

    def _text(self, busy: bool, mine: bool) -> str:
        if busy and not mine and self._runner.path is not None:
            return f"{self._runner.path.name} is running: {self._runner.text}"
        if busy:
            return self._runner.text
        if self._open.path is None:
            return ""
        if self._open.unreadable:
            return ""
        if self._open.study_check.problems:
            return f"{self._why_not()}."
        results = self._open.results
        seconds = math.nan
        computed = 0
        status = ""
        if results is not None:
            runs = int(results.table["runs"].sum())
            failed = int(results.table["failed"].sum())
            texts = {"title": "", "description": ""}  # these texts may have changed
            if changed(results.table.study, **texts) == changed(self._open.study, **texts):
                computed = runs
            if runs:
                seconds = float(results.table["seconds"].sum()) / runs
                doubtful = results.table.implausible_runs
                complete = computed == self._open.study.n_runs
                of_all = f" of {counted(runs, 'run')}" if complete else ""
                status = f"{runs:,}{of_all} complete"
                status += f", {failed:,} failed" if failed else ""
                status += f", {doubtful:,} not plausible" if doubtful else ""
                if complete:
                    return status
        workers = 0 if self.worker_choice.scheduler else self.worker_choice.workers.count or 0
        return "; ".join(
            filter(None, (amount(self._open.study, seconds, workers, computed), status))
        )

    def _why_not(self) -> str:
        count = len(self._open.study_check.problems)
        if count:
            return f"Fix {counted(count, 'problem')} in the set-up first"
        return ""

    def _show_notices(self, mine: bool) -> None:
        """Show why the study ended or is paused, and warnings."""
        runner = self._runner
        notes = runner.notes if mine and runner.busy else ()
        self._show_notice(self.error, "warning", runner.error if mine else "")
        self._show_notice(self.notice, "info", ARMED if runner.paused_by_robot else "")
        self._show_notice(self.note, "info", "\n".join(notes))

    def _show_notice(self, banner: Banner, kind: Literal["info", "warning"], text: str) -> None:
        """Show a notice once: after the user closed it, only a different text shows it again."""
        if self._runner.path is not None:  # omit its folder to save space
            text = text.replace(f"{self._runner.path}: ", "").replace(
                f"{self._runner.path.parent}{os.sep}", ""
            )
        if text == self._last_texts.get(banner, ""):
            return
        self._last_texts[banner] = text
        if text:
            banner.show_notice(kind, text)
        else:
            banner.clear()

    def _fit(self) -> None:
        for banner in self._last_texts:
            banner.fit(3, max(120, self.width() - 32), 400)

    def _show_link(self) -> None:
        colour = theme.current().accent
        self.dashboard.setText(
            f"<a href='{self._link}' style='color:{colour}'>dask dashboard of these workers</a>"
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def apply_theme(self) -> None:
        self._show_link()
        for button, name in ((self.run_button, "play"), (self.resume_button, "play")):
            button.setIcon(theme.icon(name, "on_accent"))
        self.run_button.setText("Run")
        self.pause_button.setIcon(theme.icon("pause"))
