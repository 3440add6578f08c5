"""Starts simulation or robot together with others: asks with whom, and says over the viewport what goes on."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from PySide6.QtCore import QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QWidget

from snakestudio.gui.core.document import Document
from snakestudio.gui.core.session_controller import SessionController
from snakestudio.gui.core.settings import load, save
from snakestudio.gui.forms.banner import Banner, Button
from snakestudio.gui.robot.controller import RobotControl
from snakestudio.gui.robot.together.robot import RobotTarget
from snakestudio.gui.robot.together.simulation import RunTarget
from snakestudio.sync import SynchronizedStart, Together
from snakestudio.viewmodel.start_target import Target, UnderWay

__all__ = ["Starter"]


class Starter(QObject):
    """What Start Together does: with the robot while one is connected, with the simulation's run otherwise.

    Parameters
    ----------
    document : Document
    bridge : SessionController
    control : RobotControl
    banner : Banner
        Where it says what goes on.
    settings : QSettings
        Keeps with whom.
    window : QWidget

    Signals
    -------
    changed()
        It began to wait, started, or is over.
    """

    changed = Signal()

    def __init__(
        self,
        document: Document,
        bridge: SessionController,
        control: RobotControl,
        banner: Banner,
        settings: QSettings,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._document, self._control, self._banner = document, control, banner
        self._settings, self._window = settings, window
        self._run, self._robot = RunTarget(bridge, control, self), RobotTarget(control, document, self)
        self._began: Target = self._run
        self._way: UnderWay | None = None
        self._lost = ""
        self._since = 0.0
        self._told_started = False
        self._timer = QTimer(self)
        self._timer.setInterval(60)
        self._timer.timeout.connect(self._watch)
        document.opened.connect(self.cancel)
        control.changed.connect(self._watch)

    @property
    def target(self) -> Target:
        """What is started."""
        return self._robot if self._control.connected else self._run

    @property
    def choices(self) -> Together:
        """With whom, as chosen last for what is started now."""
        return load(self._settings, self.target.key, Together())

    @property
    def busy(self) -> bool:
        """Whether it waits, or a run that was started so still goes."""
        return self._way is not None

    @property
    def waiting(self) -> bool:
        """Whether it waits to start."""
        return self._way is not None and self._way.start.started is None

    @property
    def possible(self) -> bool:
        """Whether there is something that could be started."""
        return not self.busy and self.target.possible

    def ask(self) -> None:
        """Ask with whom to start, and wait for it; while that is done, give it up."""
        from snakestudio.gui.robot.together.dialog import TogetherDialog

        if self.waiting:
            self.cancel()
        if self.busy:
            return
        target = self.target
        dialog = TogetherDialog(self.choices, target, self._window)
        accepted = dialog.exec()
        choices = dialog.choices()
        dialog.deleteLater()
        if accepted and choices is not None and target is self.target:
            save(self._settings, target.key, choices if target.host_kept else replace(choices, wait_host=""))
            self.wait(choices)

    def wait(self, choices: Together) -> None:
        """Connect and listen; it starts when the trigger comes, or by hand."""
        if not self.possible:
            return
        path = self._document.origin
        self._began, self._lost, self._told_started = self.target, "", False
        self._way = self._began.begin(choices, path.stem if path is not None else self._document.name)
        self._since = time.monotonic()
        self._timer.start()
        self._watch()
        self.changed.emit()

    def start_now(self) -> None:
        """Do not wait for the trigger any longer."""
        if self._way is not None:
            self._way.start.start_now()

    def cancel(self) -> None:
        """Give it up; a run that goes already goes on."""
        if self._way is not None:
            self._way.start.cancel()

    def close(self) -> None:
        """Give it up and wait for its end; call before the program quits."""
        self._timer.stop()
        if self._way is not None:
            self._way.close()
            self._way = None

    def _watch(self) -> None:
        way = self._way
        if way is None:
            return
        if not self._lost and (lost := self._began.lost()):
            self._lost = lost
            way.start.cancel()
        if not way.over:
            self._say(way.start)
            return
        self._timer.stop()
        self._way = None
        if self._lost:
            self._banner.say("info", self._lost, passing=True)
        elif way.trouble:
            self._banner.say("warning", way.trouble, [("Start Together ...", self.ask)])
        elif way.start.started is None:
            self._banner.say("info", "Start Together was cancelled.", passing=True)
        elif way.start.trouble:
            self._banner.say("warning", way.start.trouble)
        elif not self._told_started:
            self._say(way.start)
        self.changed.emit()

    def _say(self, start: SynchronizedStart) -> None:
        if start.started is None:
            if not start.doing:
                return
            waited = time.monotonic() - self._since
            limit = start.choices.limit_s
            clock = f"{_clock(waited)} of {_clock(limit)}" if limit else _clock(waited)
            refusal = self._began.refuses()
            refused = f"\nIt would be refused now: {refusal}." if refusal else ""
            now: list[Button] = [] if refusal else [("Start Now", self.start_now)]
            self._banner.say(
                "info", f"{start.doing}  {clock}{refused}", [*now, ("Cancel", self.cancel)],
                progress=waited / limit if limit else None, closable=False,
            )  # fmt: skip
        elif not self._told_started:
            self._told_started = True
            self.changed.emit()
            if start.trouble:
                self._banner.say("warning", start.trouble)
                return
            by = f" by {start.trigger.peer}" if start.trigger is not None else ""
            fired = f" START was sent to {start.choices.host}:{start.choices.port}." if start.choices.fire else ""
            self._banner.say("info", f"Started{by}.{fired} Times and clocks are noted in the run.", passing=True)


def _clock(seconds: float) -> str:
    whole = math.floor(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
